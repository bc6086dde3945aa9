"""English sentences in the first person, split into clauses and rewritten into the third. Pure.

Inside a clause the speaker becomes "they", after which verbs keep the form they have after "I"; only the verb of
the subject itself has to be inflected.
"""

from __future__ import annotations

import re

import msgspec

from recollect.remember.extract.english_lists import apart
from recollect.remember.extract.english_predicate import AUXILIARIES, DOUBTFUL, inside, named_again, predicate
from recollect.remember.extract.english_words import (
    DANGLING,
    DETERMINERS,
    FICTION,
    HEDGES,
    HYPOTHETICAL,
    LEAD_INS,
    NOT_SUBJECTS,
    OPENERS,
    TRAILERS,
    UNREAL,
)
from recollect.remember.extract.pronouns import PERSON
from recollect.remember.extract.requests import asks_to_keep, told_in_english
from recollect.remember.extract.statement import Statement, Tense
from recollect.remember.extract.topics import FAMILY, category_of
from recollect.text.english_verbs import BASES, base_of, is_past, maybe_past

_CLAUSE = re.compile(
    r"\s*(?:;|,|\s[-–—]+(?=\s)|…|\.\.\.)?\s+(?:and|but|so|plus|yet)\s+(?=(?:then |now |also |actually |"
    r"currently |sometimes |"
    r"recently |just )?(?:i|we|my|our|he|she|it|they|that|this|you|your|there|his|her|their|what|who|let|if|"
    r"when|me(?= &))\b)"
    r"|\s*;\s*|\s+[-–—]+\s+|\.\.\.\s*|…\s*",
    re.IGNORECASE,
)
#: "I'm a baker, what about you?": the question goes, what was told stays.
_ASKED_BACK = re.compile(
    r"(?:,|\s+[-–—]+|;|\.\.\.|\s+and|\s+but|,\s*(?:and|but|so))\s+(?:what(?:'s| is| are| do| did| about|\b)|"
    r"how(?:'s| is| about|\b)|do|does|did|are|is|have|has|where|who|which|when|you)\b[^,;?]*\?$"
    r"|,?\s+(?:you|and you|right|huh|no|isn't it|don't you)\?$",
    re.IGNORECASE,
)
_COMMA_SUBJECT = re.compile(
    r",\s+(?=(?:(?:now|instead|currently) )?(?:i|i'm|i've|we|we're)\b|"
    r"(?:it's|that's|he's|she's|just (?:got|had|moved|bought|started|finished))\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,\s*|\s+)(?:because|cause|cuz|since i|so that|although|though|even though|whereas|even if|"
    r"which means)\b(?! of\b).*$"
    r"|,\s*(?:which|who|where|when|while|since|as|especially|so|but|if|it|that|he|she|they|you|just|like|not|"
    r"hence|thus|been)\b.*$"
    r"|\s+(?:but|whenever|as soon as|as long as|so much|so that|even when|so (?:don't|do not|never|no))\b.*$"
    r"|,?\s+so (?:(?:please|pls|just) )?(?:keep|use|check|avoid|make|give|write|show|tell|skip|leave|"
    r"remember|remind|speak|talk|explain|stick|bear|be|go easy|mind|watch) (?!\w+ed\b).*$"
    r"|\s+so (?=(?:[\w-]+ ){1,3}(?:is|are|was|were|can't|don't|doesn't)\b).*$"
    r"|,\s*(?:probably|maybe|perhaps) (?:about |around |for )?(?:an?|\d+|two|three|four|five|six|seven|ten)\b.*$",
    re.IGNORECASE,
)
#: "…, probably two weeks": what it is about is sure.
_GUESSED = re.compile(
    r",\s*(?:probably|maybe|perhaps) (?:about |around |for )?(?:an?|\d+|two|three|four|five|six|seven|ten)\b.*$",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\s*\([^()]*\)")
_SELF = re.compile(r"^(?:i|we)('m|'ve|'d|'ll|'re)?\s+(.*)$", re.IGNORECASE)
_TOGETHER = (
    re.compile(r"^my ((?:[\w'-]+ ){0,3}?[\w'-]+) & i\s+(.*)$", re.IGNORECASE),
    re.compile(
        r"^(?:me|i) & my ((?:(?:best|older|younger|little|big|twin|eldest|youngest|good|close|new|old) )?[\w'-]+"
        r"(?: (?-i:[A-Z])[\w'-]+)?)\s+(.*)$",
        re.IGNORECASE,
    ),
)
#: "Me and my wife": one subject, and not two clauses.
_ME_AND = re.compile(r"((?:^|, |\band |\bbut |\bso )(?:me|i)) and (?=my\b)", re.IGNORECASE)
#: Why something is asked for or done tells who does it: "skip the cheese, since I'm vegan", "as a diabetic I …".
_REASON = re.compile(
    r"(?:\b(?:because|since|cause|cuz|given that|considering|seeing (?:that|as)|"
    r"(?:reason|why) (?:i ask|i'm asking|for asking|for this) is(?: that)?)|(?:^|,\s*)as)\s+"
    r"(?P<fact>(?:i'm|im|i am|i have|i've (?:got|been)|we have|my (?:[\w-]+ ){1,3}(?:is|are|has|have)) "
    r"[^,;.!?]{3,80})",
    re.IGNORECASE,
)
_AS_ONE = re.compile(
    r"(?:^|,\s*)(?:as|being) (?P<what>an? (?:[\w-]+ )?(?:diabetic|vegan|vegetarian|pescatarian|co?eliac|asthmatic|"
    r"epileptic|wheelchair user|muslim|jew|hindu|buddhist|christian|catholic|single (?:mum|mom|dad|mother|father|"
    r"parent)|(?:mum|mom|dad|mother|father) of \w+))(?=,| i\b| my\b| we\b)",
    re.IGNORECASE,
)
#: "My brother and his wife": the same.
_AND_THEIRS = re.compile(
    r"(?P<who>(?:^|, |\band |\bbut |\bso )(?:my|our) (?:[\w-]+ ){1,2}?)and (?=(?:his|her|their) [\w-]+ \w)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"((?:^|, |and |but )my (?:[\w'-]+ ){0,2}[\w'-]+) and (?:i|me)\b(?!')", re.IGNORECASE)
#: "My daughter, who is 9, has …".
_ASIDE = re.compile(
    r",\s+(?:who|which|whose)\b[^,;]{1,60},\s+(?!(?:and|but|so|i|i'm|we|my|it|he|she)\b)", re.IGNORECASE
)
#: "My wife's a nurse", "my name's Tom", "my mum's been ill"; but "my wife's birthday" is hers.
_SHORT = re.compile(
    r"\b(?P<who>(?:my|our) (?:[\w-]+ ){0,2}?[\w-]+)['’]s (?:(?P<has>(?=been |got (?:an?|no|two|three|the)\b))|"
    r"(?=(?:also |not |very |really |severely |only |just |now )*(?:an? |"
    r"\d+(?=$|[ ,.!]+(?:years|and|but|so)|[,.!])|from |called |named |allergic|vegan\b|vegetarian\b|co?eliac|"
    r"diabetic|lactose|pregnant|asthmatic|autistic|dyslexic|left-handed|retired|blind\b|deaf\b|(?:on|at|in) |"
    r"afraid of|scared of)))",
    re.IGNORECASE,
)
_NAME_IS = re.compile(r"\b(my (?:first |full |last |real )?name)['’]s (?=(?-i:[A-Z]))", re.IGNORECASE)
#: "My mum, who uses a wheelchair": what is told of them beside the rest.
_WHO_IS = re.compile(
    r"\b(?P<who>(?:my|our) (?:(?:older|younger|little|big|eldest|youngest|best) )?[\w-]+(?: (?-i:[A-Z])\w+)?), who"
    r"(?P<is>['’]s)? (?P<rest>(?!i\b|we\b|you\b)[^,;.]{4,60})(?:,(?= (?!and\b|but\b|so\b))|(?=[,.;!]|$))",
    re.IGNORECASE,
)
#: "We're a team of five": each of them is one of it.
_ONE_OF = re.compile(
    r"^(?:we're|we are) (?P<what>an? (?:[\w-]+ ){0,3}?(?:team|couple|family|company|startup|start-up|group|band|"
    r"duo|household|non-?profit|agency|studio)\b)",
    re.IGNORECASE,
)
#: "My pronouns are they/them", who are nobody else here.
_PRONOUNS = re.compile(
    r"^my (?:preferred )?pronouns are (?P<said>(?:she|he|they)/(?:her|him|them|they|she|he))(?=\W|$)",
    re.IGNORECASE,
)
#: As it is typed in a hurry.
_TYPED = re.compile(
    r"\b(?:im|ive|(?:do|does|did|ca|is|was|are|have|has|could|would)nt)\b|(?<!\ban )(?-i:\brn\b)", re.IGNORECASE
)
#: "I'm Ben, 29, from Leeds", and "I'm from Egypt but living in Toronto", in which the speaker is not named again.
_WHO_AND_AGE = re.compile(
    r"^((?:(?:hi|hello|hey)(?: there)?[,!]? )?i(?:'m| am) (?-i:[A-Z])[\w'-]+), "
    r"(?:i'm )?(\d\d)(?: years old)?,? (?:and )?(?=(?:from|an?|living|based|working)\b)",
    re.IGNORECASE,
)
_WHO_ELSE = re.compile(
    r"\b(i(?:'m| am) (?:originally )?from [^,.;]{2,30}?),? (but|and) "
    r"(?=(?:(?:currently|now) )?(?:living|based|working|studying) )",
    re.IGNORECASE,
)
#: "My husband, God rest him, passed away"
_BLESSING = re.compile(
    r",\s+(?:god (?:rest|bless)|bless|rest in peace|rip|poor|sadly|unfortunately|"
    r"thankfully|luckily)(?: [\w']+){0,3},\s+",
    re.IGNORECASE,
)
#: "Did I mention that I'm allergic to bees?" is no question.
_DID_I_SAY = re.compile(
    r"^(?:(?:wait|oh|so|and|btw|by the way|hey|also)[, ]+)*(?:did i (?:mention|tell (?:you|u))|"
    r"have i (?:mentioned|told (?:you|u))|"
    r"i(?:'ve| have)?(?: already)? (?:told (?:you|u)|mentioned))(?: already| yet| before)?(?: that)? "
    r"(?=(?:i'm|im|i am|i have|i've|my)\b)",
    re.IGNORECASE,
)
#: "I have a dog and walk him every morning": who "him" is has just been said.
_POINTING_BACK = re.compile(
    r"^(?P<named>(?:i|we) (?:[\w-]+ )?(?:have|own|keep|run|rent|got|am) an? [\w' -]{2,40}? and "
    r"(?!am\b|was\b)[a-z]+) (?:him|her|it|them|its|his)\b",
    re.IGNORECASE,
)
_WHOM = {"me", "us", "my", "our", "his", "her", "its", "their"}
#: "Met her in Rome": nothing is hers there.
_NO_NOUN_AFTER = (
    r"(?:in|at|on|for|to|from|with|and|or|when|while|who|that|a|an|the|again|there|then|once|last|yesterday)\b"
)
#: "It's my birthday on 3 June".
_ITS_MY = re.compile(
    r"^(?:it's|it is|its) (?P<what>(?:my|our) (?:[\w-]+ ){0,2}(?:birthday|anniversary|name day))"
    r" (?P<when>on|in|today|tomorrow|this|next)\b",
    re.IGNORECASE,
)
_YOUNG = re.compile(r"\b(when |while |since )(?:i|we) (?:was|were)\b", re.IGNORECASE)
#: "My knee hurts when I run".
_WHEN_I = re.compile(r"\b(when|while|after) (?:i|we) (?!(?:am|was|were)\b)(?=[a-z]+\b)", re.IGNORECASE)
_OWN = re.compile(
    r"^(?:(?P<many>both|all|one|two|three|some|most|half|none)(?: of)? )?(?:my|our)\s+(?P<said>.*)$", re.IGNORECASE
)
#: "The booking reference is HX-4432": whoever says so has booked.
_THE_NUMBER = re.compile(
    r"(?:(?<=^)|(?<=, )|(?<=\band ))the (?=(?:[\w-]+ )?(?:booking|reservation|confirmation|policy|membership|"
    r"customer|order|flight|registration|tracking|invoice) (?:number|reference|ref|code|id|no)\.? is \S*\d)",
    re.IGNORECASE,
)
_OF_SEVERAL = re.compile(r"(?:s|children|family|team|staff|class|crew|band|village|town)$", re.IGNORECASE)
#: "Diabetes runs in my family", "there's a history of cancer in my family".
_IN_FAMILY = re.compile(
    r"^(?:(?P<what>(?:[\w'-]+ ){1,4}?)runs in (?:my|our) family|"
    r"(?:there's|there is|we have) (?P<history>(?:a (?:\w+ )?history of )?(?:[\w'-]+ ){0,4}?[\w'-]+) "
    r"in (?:my|our) family)$",
    re.IGNORECASE,
)
#: "Luis, my colleague, is vegan".
_APPOSED = re.compile(
    r"^(?P<name>(?-i:[A-Z])[\w-]+), (?P<who>(?:my|our) (?:[\w-]+ ){0,2}[\w-]+), (?=[a-z])", re.IGNORECASE
)
_IS_MINE = re.compile(
    r"^((?:[\w'&-]+,? ){1,6}?)(is|are|was|were|has been|have been)\s+((?:\w+ )?(?:my|our)\s+.*|(?:one|some|"
    r"part) of (?:my|our)\s+.*)$",
    re.IGNORECASE,
)
_DOES_ME = re.compile(
    r"^((?:[\w'&-]+ ){1,5}?)((?:has |have |really |always |has really )?(?:makes?|made|helps?|helped|gives?|"
    r"gave|given|"
    r"relaxes|relax|calms?|inspires?|inspired|scares?|terrif(?:y|ies)|annoys?|bores?|stress(?:es)?|taught|"
    r"keeps?|bit|hired|fired|"
    r"promoted|diagnosed))\s+(me|us)\b(.*)$",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^([^,]{2,60}),\s+(?=(?:i|i'm|i've|i'd|i'll|we|we're|we've|my|our)\b)", re.IGNORECASE)
_MOVABLE = re.compile(
    r"^(?:in|on|at|for|during|after|before|since|as a|as an|from|outside|every|each|once|twice|\w+ times|"
    r"growing up|yesterday|today|tomorrow|last|this|"
    r"next|the (?:other|day)|two|three|four|five|six|a (?:few|couple)|(?:\d+|one|a|an) (?:day|week|month|year)|"
    r"right now|"
    r"these days|currently|nowadays|sometimes|usually|back in)\b",
    re.IGNORECASE,
)
_TIME_FIRST = re.compile(
    r"^((?:yesterday|today|tomorrow|tonight|last (?:week|month|year|night|weekend|summer|winter|spring|fall|"
    r"autumn|\w+day)|"
    r"this (?:morning|week|month|year|weekend|summer|winter|spring|fall|autumn)|next (?:week|month|year|"
    r"weekend|summer|\w+day)|"
    r"(?:\w+ ){1,3}(?:days?|weeks?|weekends?|months?|years?) ago|in (?:19|20)\d\d|(?:in|"
    r"on) [A-Z]\w+(?: \d+(?:st|nd|rd|th)?)?|"
    r"(?:every|each) (?:other )?(?!time\b)\w+|"
    r"(?:once|twice|(?:three|four|five) times) an? (?:day|week|month|year)|"
    r"these days|right now|nowadays))\s+(?=(?:i|i'm|i've|i'll|we|we're|my)\b)",
    re.IGNORECASE,
)
_LEFT_OUT = (
    r"got|moved|bought|started|finished|adopted|joined|quit|graduated|signed|landed|became|won|lost|broke|sold|"
    r"visited|attended|ran|went|took|passed|completed|had|made|met|gonna|married|planning|studying|working|"
    r"thinking|training|trying"
)
_ELIDED = re.compile(rf"^((?:just|finally|recently|already)\s+)?({_LEFT_OUT})\s+(.+)$", re.IGNORECASE)
#: "Can't do dairy", "allergic to nuts", "turned 40 yesterday"; an order begins with other words.
_ELIDED_OF_ONESELF = re.compile(
    r"^(?P<said>(?:can't|cannot|can not|cant) (?:eat|do|have|drink|stand|drive|swim|tolerate) .+|"
    r"(?:don't|dont|do not) (?:like|own|have) .+|never (?:eat|drink) .+|"
    r"turned (?:1[3-9]|[2-9]\d)\b.*)$"
    r"|^(?P<have>never (?:been|had|eaten|tried|seen|learned) .+)$"
    r"|^(?P<being>(?:severely |highly |also )?allergic to .+|not (?:a |much of a )(?:big |huge )?fan of .+|"
    r"(?:lactose|gluten) intolerant.*)$",
    re.IGNORECASE,
)
#: Without one of these a sentence says nothing of its speaker, and need not be looked at closely.
_OF_SPEAKER = re.compile(rf"\b(?:i|im|ive|my|me|we|our|us|{_LEFT_OUT})\b", re.IGNORECASE)
_MAY_BE_OF_SPEAKER = re.compile(
    rf"{_OF_SPEAKER.pattern}|\b(?:can't|cannot|cant|can not|don't|dont|do not|never|turned|allergic|not|"
    r"intolerant)\b",
    re.IGNORECASE,
)


#: Something, and what it is, has or does; not what somebody must do, how to answer, or who may do what.
_SAYS = re.compile(
    r"(?!(?:this|that|these|those|there|when|how|what|where|who|why)\b)"
    r"(?!.*\b(?:must|should|shall|ha(?:s|ve) to|needs? to|allowed|answers?|repl(?:y|ies)|responses?|users?|"
    r"admins?|administrators?|assistants?|agents?|system|prompts?|instructions?|rules?)\b)(?:[\w'&-]+,? ){1,6}?"
    r"(?:is|are|isn't|aren't|was|were|has|have|hasn't|will|won't|can|can't|cannot|doesn't|don't|"
    r"lives?|works?|likes?|loves?|hates?|needs?|prefers?|eats?|drinks?|speaks?|opens?|closes?|starts?|ends?|"
    r"begins?|costs?|takes?)\b .",
    re.IGNORECASE,
)

#: "Call me Jim", "my friends call me Bea".
_CALL_ME = re.compile(
    r"(?:^|[,;]\s+|\s+but\s+)(?:(?:please|just|so|but|and|hi|hello|hey|you can|you may|everyone|everybody|"
    r"i(?:'d| would) (?:like|prefer|love) you to|i want you to|feel free to|"
    r"(?:most )?people|(?:all )?my (?:friends|family))[,!]?\s+)*calls? me "
    r"(?P<name>(?-i:(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|If|When|Back|Later|Crazy|Old)[A-Z])[\w'-]+)"
    r"(?=\s*(?:[,.!;]|$)| (?:for short|please|by the way|and|but|instead)\b)",
    re.IGNORECASE,
)


#: "Tom and I broke up".
_WITH_ME = re.compile(
    r"^(?P<name>(?-i:[A-Z])[\w'-]+) and (?:i|me) (?P<did>(?:have |just |recently |finally )*(?:(?P<apart>broke up|"
    r"broken up|split up|are dating)|(?P<from>separated|got divorced|are divorced|are separated)|got engaged|"
    r"got married|are engaged|are married|are getting married))(?P<rest>.*)$",
    re.IGNORECASE,
)


def _of_both(sentence: str) -> str:
    """What somebody did with another, as what the speaker did: "I broke up with Tom"."""
    both = _WITH_ME.match(sentence)
    if both is None:
        return sentence
    did = re.sub(r"\bare\b", "am", both["did"], flags=re.IGNORECASE)
    link = "with" if both["apart"] else "from" if both["from"] else "to"
    return f"I {did} {link} {both['name']}{both['rest']}"


def statements(sentence: str, subject: str, names: frozenset[str] = frozenset()) -> list[Statement]:
    """What an English sentence says about its speaker, who is called ``subject``; also in telling why."""
    facts = [f"I'm {one['what']}" for one in _AS_ONE.finditer(sentence)]
    if not UNREAL.search(sentence):
        facts += [one["fact"] for one in _REASON.finditer(sentence)]
    found = _statements(sentence, subject, names)
    known = {one.text for one in found}
    told = [one for fact in facts for one in _statements(fact, subject, names)]
    return [*found, *(one for one in told if one.text not in known and _says_who(one))]


def _says_who(reason: Statement) -> bool:
    """Whether why somebody does something tells who they are: not that they have a meeting."""
    return (
        (reason.about == "self" and reason.verb == "be")
        or FAMILY.search(reason.text) is not None
        or category_of(reason, "event") == "health"
    )


def _statements(sentence: str, subject: str, names: frozenset[str]) -> list[Statement]:
    sentence = _THE_NUMBER.sub("my ", sentence)
    if not _MAY_BE_OF_SPEAKER.search(sentence) and not asks_to_keep(sentence):
        return []
    if (reminded := _DID_I_SAY.match(sentence)) is not None:
        sentence = re.sub(r",? (?:right|remember|yes|no)?\?$|\?$", ".", sentence[reminded.end() :])
    sentence, urged = told_in_english(_of_both(_BLESSING.sub(" ", sentence)), HYPOTHETICAL)
    if sentence.endswith("?"):
        sentence = _ASKED_BACK.sub("", sentence)
    named = _CALL_ME.search(sentence)
    if named is not None and not sentence.endswith("?"):
        return [_called(named["name"], subject), *_statements(sentence[: named.start()], subject, names)]
    if sentence.rstrip("\"')").endswith("?") or HYPOTHETICAL.search(sentence) or FICTION.match(sentence):
        return []
    if (known := _PRONOUNS.match(sentence)) is not None:
        return [_of_pronouns(known["said"].lower(), subject)]
    sentence = _NAME_IS.sub(r"\1 is ", _SHORT.sub(_in_full, sentence))
    told = [f"{one['who']} {'is ' if one['is'] else ''}{one['rest']}" for one in _WHO_IS.finditer(sentence)]
    if told:
        rest = _statements(_WHO_IS.sub(r"\g<who>", sentence), subject, names)
        return [*rest, *(one for text in told for one in _statements(text, subject, names))]
    text = _PARENTHESIS.sub("", sentence).strip().rstrip(".!…\"' ")
    text += '"' * (text.count('"') % 2)
    text = _ONE_OF.sub(r"I'm in \g<what>", _ASIDE.sub(" ", _TYPED.sub(_spelled, text)))
    text = _APPOSED.sub(r"\g<who> \g<name> ", text)
    text = _AND_THEIRS.sub(r"\g<who> & ", _ME_AND.sub(r"\1 & ", text))
    text = _WHO_ELSE.sub(r"\1, \2 I'm ", _WHO_AND_AGE.sub(r"\1, I'm \2, I'm ", _PAIR.sub(_joined, text)))
    found: list[Statement] = []
    for piece in _clauses(text):
        for clause in _COMMA_SUBJECT.split(piece):
            for part in apart(_trimmed(clause, names)):
                statement = _statement(part, subject)
                if statement is not None:
                    found.append(statement)
    if urged and not found and (fact := _fact(_TAIL.sub("", text), subject)):
        found.append(fact)
    return [msgspec.structs.replace(one, urged=True) for one in found] if urged else found


def _clauses(text: str) -> list[str]:
    """The clauses of a sentence; "my girlfriend and our two cats in a flat in Leeds" is one, and not two."""
    clauses: list[str] = []
    begin = start = 0
    for joint in _CLAUSE.finditer(text):
        clauses, begin, start = _another(clauses, text[begin:start], text[start : joint.start()]), *joint.span()
    return _another(clauses, text[begin:start], text[start:])


def _another(clauses: list[str], joint: str, clause: str) -> list[str]:
    joined = clauses and joint.strip() == "and" and _OWN.match(clause)
    if joined and (_own(clause, "") is None or _is_bare(clauses[-1])):
        return [*clauses[:-1], clauses[-1] + joint + clause]
    return [*clauses, clause]


def _is_bare(clause: str) -> bool:
    """My brother: nothing is said of him yet."""
    words = _trimmed(clause, frozenset()).lower().split()
    return 1 < len(words) <= 4 and words[0] in ("my", "our") and not any(map(_is_verb, words[2:]))


def _is_verb(word: str) -> bool:
    """Whether a word can be what somebody of theirs does, is or has."""
    return (
        word in AUXILIARIES
        or word in ("are", "were", "have", "aren't", "don't")
        or is_past(word)
        or (base_of(word) is not None and word not in BASES and not word.endswith("ing"))
    )


def _in_full(short: re.Match[str]) -> str:
    if short["has"] is None:
        return f"{short['who']} is "
    return f"{short['who']} has " if FAMILY.search(short["who"]) else short[0]  # how a week has been is no news


def _of_pronouns(said: str, subject: str) -> Statement:
    return Statement(
        text=f"{subject}'s pronouns are {said}", language="en", about="own", verb="be", rest=f"pronouns | {said}"
    )


def _fact(text: str, subject: str) -> Statement | None:
    """What is to be kept in mind, though it is about nobody who speaks: "the meeting room is 4B". Who says so
    comes last, since what begins with a person is taken to be told of them."""
    if DANGLING.search(text) or _OF_SPEAKER.search(text) or not _SAYS.match(text):
        return None
    return Statement(
        text=f"{_kept_case(text)}, as {subject} says", language="en", about="other", verb="say", rest=text.lower()
    )


def _spelled(word: re.Match[str]) -> str:
    short = word[0].lower()
    return {"im": "I'm", "ive": "I've", "rn": "right now"}.get(short) or f"{short[:-1]}'t"


def _joined(pair: re.Match[str]) -> str:
    """My wife and I; but of "my dog barks and I" the first is a clause of its own."""
    words = pair[1].lower().rpartition("my ")[2].split()
    clause = not AUXILIARIES.isdisjoint(words) or any(base_of(one) and one not in BASES for one in words[1:-1])
    return pair[0] if clause else f"{pair[1]} & I"


def _called(name: str, subject: str) -> Statement:
    return Statement(
        text=f"{subject} is called {name}", language="en", about="self", verb="call", rest=name.lower()
    )


def _statement(clause: str, subject: str) -> Statement | None:
    clause = _ITS_MY.sub(r"\g<what> is \g<when>", _GUESSED.sub("", clause))
    doubt = HEDGES.search(clause) is not None
    clause, moved = _front(OPENERS.sub("", clause))
    clause = TRAILERS.sub("", _TAIL.sub("", clause)).strip(" ,.!")
    if moved and not re.search(rf"\b{re.escape(moved)}\b", clause, re.IGNORECASE):
        clause = f"{clause} {moved}"
    in_family = _in_family(clause, subject)
    if in_family is None and (DANGLING.search(_without_what_is_told(clause)) or len(clause) > 220):
        return None
    for read in (_together, _self, _is_mine, _own, _does_me, _elided):
        statement = in_family or read(clause, subject)
        if statement is not None:
            return msgspec.structs.replace(statement, doubt=doubt or statement.doubt)
    return None


def _without_what_is_told(clause: str) -> str:
    """Without the pronouns of which the clause itself says whom they mean."""
    clause = _POINTING_BACK.sub(r"\g<named>", clause)
    person = PERSON.match(clause)
    if person is None:
        return clause
    whose = "his|their" if person["he"] else "her|their" if person["she"] else "his|her|its|their"
    return re.sub(rf"\b(?:{whose}) (?!{_NO_NOUN_AFTER})(?=\w)", "", clause, flags=re.IGNORECASE)


def _trimmed(clause: str, names: frozenset[str]) -> str:
    """Without what only keeps the talk going, and without the name of the one who is spoken to."""
    clause = clause.strip(" ,.!-–—")
    while True:
        shorter = LEAD_INS.sub("", clause, count=1).lstrip(" ,.!-–—:")
        first, comma, rest = shorter.partition(",")
        if (
            comma
            and (first.lower() in names or first.istitle())
            and re.match(r"\s*(?:i|we|my)\b", rest, re.IGNORECASE)
        ):
            shorter = rest.strip()
        if shorter == clause:
            break
        clause = shorter
    head, comma, last = clause.rpartition(",")
    return head if comma and last.strip().lower() in names else clause


def _front(clause: str) -> tuple[str, str]:
    """The clause, and a phrase of time or place from before its subject."""
    for pattern in (_PREFIX, _TIME_FIRST):
        match = pattern.match(clause)
        if match:
            phrase = match[1]
            keep = _MOVABLE.match(phrase) and not re.search(
                r"\b(?:you|your|it|that|thing|course|fact)\b", phrase, re.IGNORECASE
            )
            return clause[match.end() :], _lowered(inside(phrase)) if keep else ""
    return clause, ""


def _lowered(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:]


def _self(clause: str, subject: str) -> Statement | None:
    match = _SELF.match(clause)
    if match is None:
        return None
    return predicate(subject, (match[1] or "").lower(), match[2].split(), plural=False)


def _together(clause: str, subject: str) -> Statement | None:
    match = next((match for pattern in _TOGETHER if (match := pattern.match(clause))), None)
    if match is None:
        return None
    return predicate(f"{subject} and their {match[1]}", "", match[2].split(), plural=True)


def _own(clause: str, subject: str) -> Statement | None:
    """My sister lives in Lyon: the verb is in the third person already."""
    match = _OWN.match(clause)
    if match is None:
        return None
    words = match["said"].replace(" & ", " and ").split()
    for place, word in enumerate(words[1:7], 1):
        if word.istitle():  # Rose, Mark and Will are names here
            continue
        plain = word.lower().strip(",")
        copula = plain.endswith("'s") and place + 1 < len(words) and words[place + 1].lower() in DETERMINERS
        if plain in AUXILIARIES or plain in ("are", "were", "have", "aren't", "don't") or copula:
            verb = "be" if plain in ("is", "are", "was", "were", "isn't", "aren't", "wasn't") or copula else plain
        elif is_past(plain) or (base_of(plain) is not None and plain not in BASES and not plain.endswith("ing")):
            verb = base_of(plain) or plain
        elif maybe_past(plain) and words[place + 1 : place + 2] and words[place + 1].lower() in _WHOM:
            verb = plain  # "my doctor put me on metformin"
        elif plain in BASES and (words[place - 1].lower().endswith("s") or "and" in words[:place]):
            verb = plain
        else:
            continue
        rest = " ".join(words[place + 1 :])
        said = _WHEN_I.sub(r"\1 they ", _YOUNG.sub(r"\1they were", rest))
        says_nothing = rest in ("", "been") and verb != "die"
        if re.search(r"\b(?:i|we)(?:'\w+)?\b", said, re.IGNORECASE) or says_nothing or plain in DOUBTFUL:
            return None
        if verb in ("has", "have", "had", "hasn't"):
            verb = "have"
        text = f"{subject}'s {_head(words[: place + 1], subject)} {named_again(said, subject)}".rstrip()
        if match["many"]:
            if not _OF_SEVERAL.search(" ".join(words[:place])):
                return None  # "all my hard work paid off"
            text = f"{match['many'].lower()} of {text}"
        past = is_past(plain) or maybe_past(verb) or plain in ("was", "were", "had", "did", "didn't")
        tense: Tense = "past" if past else "future" if plain in ("will", "won't") else "present"
        head = " ".join(words[:place]).lower()
        return Statement(
            text=text,
            language="en",
            about="own",
            verb=verb,
            rest=f"{head} | {rest.lower()}",
            tense=tense,
            negated=plain.endswith("n't"),
        )
    return None


def _head(words: list[str], subject: str) -> str:
    """favourite thing about my pets is: the speaker is not named twice in it, but is no stranger to it."""
    shown = re.sub(r"\b(?:my|our)\b", "their", " ".join(words), flags=re.IGNORECASE)
    return re.sub(r"\bme\b", subject, re.sub(r"\bmyself\b", "themselves", shown))


def _is_mine(clause: str, subject: str) -> Statement | None:
    """Knitting is my passion."""
    match = _IS_MINE.match(clause)
    if match is None or match[1].split()[0].lower() in NOT_SUBJECTS:
        return None
    head = match[1].strip()
    if _OWN.match(head) or re.search(r"\b(?:i|we|you)\b", clause, re.IGNORECASE):
        return None
    rest = re.sub(r"\b(?:my|our)\b", f"{subject}'s", match[3], flags=re.IGNORECASE)
    tense: Tense = "past" if match[2].lower() in ("was", "were") else "present"
    return Statement(
        text=f"{_kept_case(head)} {match[2]} {named_again(rest, subject)}",
        language="en",
        about="other",
        verb="be",
        rest=match[3].lower(),
        tense=tense,
    )


def _does_me(clause: str, subject: str) -> Statement | None:
    """Thunder scares me."""
    match = _DOES_ME.match(clause)
    if match is None or match[1].split()[0].lower() in NOT_SUBJECTS:
        return None
    head, verb, after = match[1].strip(), match[2], match[4].strip()
    if _OWN.match(head) or re.search(r"\b(?:i|we|you)\b", after, re.IGNORECASE):
        return None
    plain = verb.split()[-1].lower()
    text = f"{_kept_case(head)} {verb.lower()} {subject} {named_again(after, subject)}".strip()
    tense: Tense = "past" if is_past(plain) else "present"
    return Statement(text=text, language="en", about="other", verb="affect", rest=after.lower(), tense=tense)


def _in_family(clause: str, subject: str) -> Statement | None:
    """Diabetes runs in my family."""
    match = _IN_FAMILY.match(clause)
    if match is None:
        return None
    what, history = match.group("what", "history")
    said = f"{_kept_case(what.strip())} runs" if what else f"there is {history}"
    return Statement(
        text=f"{said} in {subject}'s family",
        language="en",
        about="other",
        verb="be",
        rest=(what or history).lower(),
    )


def _elided(clause: str, subject: str) -> Statement | None:
    """Just got a puppy: in chat the subject is often left out."""
    of_oneself = _ELIDED_OF_ONESELF.match(clause)
    if of_oneself is not None:
        said, have, being = of_oneself.group("said", "have", "being")
        return _self(f"I {said}" if said else f"I've {have}" if have else f"I'm {being}", subject)
    match = _ELIDED.match(clause)
    if match is None:
        return None
    verb = match[2].lower()
    words = [verb, *match[3].split()]
    if match[1]:
        words.insert(0, match[1].strip().lower())
    if verb == "gonna" and words[-len(match[3].split())].lower() in ("be", "have", "miss", "need"):
        return None
    contracted = "'m" if verb.endswith("ing") or verb == "gonna" else ""
    found = predicate(subject, contracted, words, plural=False)
    return found if found is not None and (match[1] or len(words) > 3) else None


def _kept_case(head: str) -> str:
    """A noun phrase inside a sentence: a capital stays only where the word is a name or short for one."""
    first, _, rest = head.partition(" ")
    common = (
        first.lower() in DETERMINERS or first.lower().endswith("ing") or (first.lower().endswith("s") and not rest)
    )
    return head[:1].lower() + head[1:] if common else head
