"""The small words and phrases that English sentences are taken apart by."""

from __future__ import annotations

import re

from recollect.text.wordlists import listed

ADVERBS = listed(
    "also always never not just still already really even often sometimes now then currently recently usually "
    "mostly "
    "finally once ever soon again mainly actually honestly totally definitely absolutely kind sort lately "
    "both all only quite pretty so very too either"
) - {"both", "all", "kind", "sort", "so", "very", "too", "either", "pretty", "quite"}
DETERMINERS = listed("a an the my our his her their some two three four five six seven many several no one")
NOT_SUBJECTS = listed(
    "it that this he she they these those there here what which who you your yours where when how why so and "
    "or but if "
    "as to i we one something everything nothing anything anyone someone everyone maybe perhaps thanks his her "
    "their its "
    "who's what's that's it's"
)
LEAD_INS = re.compile(
    r"^(?:(?:(?:reminder|note|important|heads[ -]up|for the record|warning|"
    r"(?:for |some |a bit of )?(?:context|background)|(?:quick|short|brief) (?:one|question|note|context)|"
    r"question|side note|full disclosure|about me|for reference|to clarify)(?=\s*:)|"
    r"for (?:context|background|reference)(?=\s*,)|yes|yeah|yep|yup|no|nope|"
    r"nah|oh|ah|aw|aww|wow|well|so|and|but|or|also|ok|okay|hey|hi|hello|haha\w*|lol|hmm+|sure|right|"
    r"thanks?(?: you)?(?: so much| a lot| a bunch)?|actually|btw|by the way|honestly|to be honest|tbh|anyway|"
    r"anyways|plus|"
    r"of course|in fact|fun fact|absolutely|definitely|totally|exactly|personally|unfortunately|luckily|"
    r"fortunately|sadly|"
    r"as for me|now|currently|lately|originally|"
    r"me too|same(?: here)?|for me|guess what|great|nice|cool|awesome|good|you know(?: what)?|i mean|"
    r"as you know|as it happens|as a matter of fact|funnily enough|believe it or not|to tell (?:you )?the truth|"
    r"for what it's worth|fwiw|"
    r"speaking of which|like|not really|not much|sorry|please|then|besides|additionally|however|still|anyhow|"
    r"indeed|"
    r"first of all|first|second|one more thing|the thing is|turns out(?: that)?|good news|big news|update|ps|"
    r"p\.s|fyi|"
    r"it turns out(?: that)?|mine too|likewise|that's (?:great|cool|awesome|nice|right|true|interesting)|congrats|"
    r"good morning|good evening|just so you know|i (?:should|must) (?:mention|say|add|admit)(?: that)?|"
    r"i (?:forgot to|wanted to) (?:mention|say|tell you)(?: that)?)\b(?![’'-])\s*[,.!:;]*\s*)",
    re.IGNORECASE,
)
#: "I think I'm a night owl" says that I am one, with a doubt.
OPENERS = re.compile(
    r"^(?:i (?:think|guess|believe|suppose|feel like|would say|have to say|must say|admit|must admit)|i'd say|"
    r"(?:i|we)(?:'ve| have)?(?: just| recently| finally)? (?:found out|learned|learnt|realised|realized|"
    r"discovered|(?:was|were|been) told)|"
    r"(?:the|my|our) (?:doctor|gp|dentist|nurse|therapist|psychiatrist|midwife|vet|optician)(?: just)? "
    r"(?:says|said|told me|confirmed)|"
    r"according to (?:the|my) (?:doctor|gp|dentist|nurse|therapist|psychiatrist),?) "
    r"(?:that )?(?=(?:i|i'm|i've|my|we|our)\b)",
    re.IGNORECASE,
)
HEDGES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i think|i guess|i suppose|not sure|unsure|sort of|kind of|"
    r"kinda|i feel like|"
    r"supposedly|apparently|i believe|i hope|hopefully|joking|kidding)\b",
    re.IGNORECASE,
)
_UNREAL = (
    r"if|unless|wish|imagine|suppose|pretend|would've|would have|could have|should have|what if|as if|lest|"
    r"were i|i'd rather|if only"
)
#: What is not so; …
UNREAL = re.compile(rf"\b(?:{_UNREAL})\b", re.IGNORECASE)
#: … and what is asked for, or written to somebody.
HYPOTHETICAL = re.compile(
    rf"\b(?:{_UNREAL}|would you|could you|can you|please|dear|let's|let us|regards|sincerely)\b",
    re.IGNORECASE,
)
#: "In the novel I'm writing, I live on Mars"
FICTION = re.compile(
    r"\b(?:in|for) (?:the|my|our|this|that|a|an|one) (?:[\w-]+ ){0,2}?(?:novel|book(?! club)|story|tale|poem|"
    r"screenplay|script|film|movie|play|musical|dream|nightmare|game|video game|role-?play|rpg|campaign|"
    r"simulation|sims|scenario|thought experiment)s?\b(?: (?:that )?(?:i|we)\b[^,;.]{1,40}|[^,;.]{0,30}),?\s+"
    r"(?:i|i'm|i've|we|we're|my|our)\b",
    re.IGNORECASE,
)
TRAILERS = re.compile(
    r"(?:,?\s+(?:too|as well|also|though|haha\w*|lol|you know|of course|actually|right now|at the moment|"
    r"by the way|btw|fyi|just so you know|(?:ever )?since|"
    r"either|i think|i guess|"
    r"honestly|to be honest|tbh|anyway|for sure|so far|then|now|already|again|indeed|myself|thanks|thank you|"
    r"xd|hehe|and all|"
    r"and stuff|and everything|or something|in general|these days|i suppose|so much|very much|a lot|"
    r"for fun))+\s*$",
    re.IGNORECASE,
)
#: Words that point at something outside of the clause: without it, the clause says nothing.
DANGLING = re.compile(
    r"\b(?:it|it's|it'll|its|itself|them|he|him|he's|she|she's|they|they're|they've|these|those|you|your|yours|"
    r"you're|you've|"
    r"you'll|you'd|yourself|ya|u|ur|his|her|hers|here|something|anything|everything|nothing|someone|"
    r"somewhere|stuff|the same|such|"
    r"one of those|this one|that one|as much)\b"
    r"|\b(?:that|this|there|one|ones|do|does|did|(?<!\d )am|have|will|can|so|too|and|or|to|of|with|the|a|an|both|"
    r"like|about|for)\s*$"
    r"|(?<!mentioned )(?<!decided )(?<!told me )(?<!found out )(?<!learned )(?<!realized )"
    r"\bthat(?:'s)?\s+(?:is|was|too|so|very|one|"
    r"kind|sort|way|about|with|for|to|would|sounds|makes|really|because|much|in|at|on|as|and|book|movie|show|"
    r"song|band|game|place|"
    r"type|stuff|thing|feeling|idea|day|time|last|yesterday|today|this|a few|a couple|once|when)\b"
    r"|\bones? (?:about|with|this|next|that|from|in|of mine|on)\b|\bin common\b"
    r"|\bthis(?!\s+(?:past |coming )?(?:week|month|year|weekend|summer|winter|spring|fall|autumn|morning|"
    r"evening|afternoon|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|\w+day)\b)"
    r"|\bthere\b(?! (?:is|are|was|were))",
    re.IGNORECASE,
)
