"""What a short answer says together with its question: "Any pets?" and "Yes, two dogs" is "I have two dogs". Pure.

The outcome is a sentence in the first person of the one who answers, to be read like any other.
"""

from __future__ import annotations

import re

from recollect.remember.compare.lexicon import NOT_OCCUPATIONS, OCCUPATIONS, TRADES
from recollect.remember.extract import spanish_answers
from recollect.text.english_verbs import BASES

#: Longer answers are told in sentences of their own.
MOST_WORDS = 8
#: So much is read of an answer, and of the end of what it answers: a question and a short answer need no more, and
#: either message may be as long as a book.
READ = 400
MOST_QUESTION = 120

_ENDS = re.compile(r"(?<=[.!?])\s+")
_YES = re.compile(
    r"^(?:oh |well |why |haha )?,?\s*(?:(?:yes|yeah|yep|yup|yea|absolutely|definitely|certainly|indeed|of course|"
    r"sure|totally)\b[,.!]*\s*)+(?:i (?:do|am|have|sure do|really do|certainly do|did)\b)?(?: indeed| actually|"
    r" too| as well)*[.!,\s]*$"
    r"|^(?:i (?:do|am|have|sure do|really do|certainly do))(?: indeed| actually| too| as well)*[.!,\s]*$",
    re.IGNORECASE,
)
#: "Yes, since 2019", "yeah, for ten years".
_YES_SINCE = re.compile(
    r"^(?:yes|yeah|yep|yup)[,.!]*\s+"
    r"((?:ever )?since [\w' ]{3,30}|for (?:about |over |almost )?\w+ (?:years|months))[.!]*$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:oh |well )?,?\s*(?:no|nope|nah|not at all)\b[,.!]*\s*(?:i (?:don't|do not|am not|haven't|have not)|"
    r"i'm not)?(?: actually| unfortunately| at all)*[.!,\s]*$"
    r"|^(?:unfortunately,? |sadly,? )?(?:i (?:don't|do not|haven't|am not)|i'm not)(?: actually| unfortunately|"
    r" at all)*[.!,\s]*$",
    re.IGNORECASE,
)
_LED_IN = re.compile(
    r"^(?:(?:oh|wow|nice|cool|great|so|and|but|well|hey|hi|okay|ok|hmm|by the way|that's \w+)\b[,.!]*\s+)+",
    re.IGNORECASE,
)
_DO_YOU = re.compile(
    r"^do you (?:also |ever |really |still |happen to |currently )*([a-z]+) (.+)\?$", re.IGNORECASE
)
_ARE_YOU = re.compile(r"^are you (?:also |still |currently |really )*(.+)\?$", re.IGNORECASE)
_HAVE_YOU = re.compile(r"^have you (ever |always |also )*(.+)\?$", re.IGNORECASE)
_YOUR = re.compile(r"^(?:and )?what(?:'s| is| are|s|'re) your (.+)\?$", re.IGNORECASE)
_ASKED_FOR = (
    (re.compile(r"^where (?:do you live|are you living)\b", re.IGNORECASE), "in", "I live in {}."),
    (re.compile(r"^where (?:are you|do you come) from\b|^where were you born\b", re.IGNORECASE), "from|in",
     "I am from {}."),
    (re.compile(r"^where do you work\b", re.IGNORECASE), "at|in|for", "I work at {}."),
    (re.compile(r"^where are you based\b", re.IGNORECASE), "in|at", "I am based in {}."),
)  # fmt: skip
#: "Which framework are you using?", "what do you code in?".
_USING = re.compile(
    r"^(?:what|which) (?P<what>[\w -]{2,30}?) (?:(?P<use>are you using|do you use)|are you on|"
    r"do you (?P<do>code|program|write|work|speak|drive|play)(?P<in> in| with| on)?)\?$",
    re.IGNORECASE,
)
_ZONE = re.compile(r"^(?:what|which) (time ?zone) are you in\?$", re.IGNORECASE)
_CONFIRM = re.compile(
    r"^(?:could|can|would) you (?:please )?(?:confirm|tell me|give me|share|send me) (?:your|the) (.+)\?$",
    re.IGNORECASE,
)
_TRADE = re.compile(
    r"^what do you do(?: for (?:a living|work))?\?$|^what(?:'s| is) your (?:job|profession)\?$", re.IGNORECASE
)
_KIN = re.compile(
    r"^(?:do you have|have you got) (?:any )?(?:pets?|kids|children|siblings|brothers|sisters|animals)\b",
    re.IGNORECASE,
)
#: What these are called is no name: the capital only begins the answer.
_COMMON_THING = re.compile(
    r"\b(?:colou?r|food|dish|meal|fruit|drink|season|sport|animal|subject|genre|hobby|hobbies|flavou?r|flower)$",
    re.IGNORECASE,
)
#: Of what one has one, beside what is a favourite.
_ONE_OF = re.compile(
    r"favou?rite\b|name$|hobb(?:y|ies)$|(?:\w+ )?(?:birthday|budget|time ?zone|job title|shoe size|"
    r"e-?mail(?: address)?|address|phone(?: number)?|nationality|role|employer)$",
    re.IGNORECASE,
)
_WHEN = re.compile(r"^when(?:'s| is) your ((?:\w+ )?(?:birthday|anniversary))\?$", re.IGNORECASE)
_ALLERGIC = re.compile(r"\ballergic to\b", re.IGNORECASE)
_ALLERGIES = re.compile(r"\b(allerg|intoleranc)(?:y|ies|es?)\b", re.IGNORECASE)
_DIET = re.compile(r"\bdiet(?:ary)? (restriction|requirement|need|preference)s?\b", re.IGNORECASE)
_NOT_THAT = re.compile(r"no \w+(?:(?:,| or| and|, or|, and) (?:no )?\w+)*", re.IGNORECASE)
_DIETS = re.compile(
    r"(?:(?:vegan|vegetarian|pescatarian|halal|kosher|keto|paleo|no \w+|"
    r"(?:gluten|dairy|lactose|nut|sugar)[- ]free)(?:,? (?:and|but) |, |$))+",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"(?:none|nobody|nowhere|never|n/a|unknown|unsure|no (?:idea|clue|one|thanks|problem|worries|comment))\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"^how old are you\?$", re.IGNORECASE)
#: What begins an answer with a capital though it is no name.
_SMALL = re.compile(
    r"^(?:an?|the|one|two|three|four|five|six|seven|eight|nine|ten|around|about|no|only|just)\b", re.IGNORECASE
)
_HOW_MANY = re.compile(r"^how many ([\w -]{2,30}) do you have\?$", re.IGNORECASE)
_COUNT = re.compile(
    r"^(?:i(?:'ve| have)? (?:have |got )?)?(just |only )?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|twelve|a dozen)(?: of them)?[.!]*$",
    re.IGNORECASE,
)
#: What stands before the thing itself: "mine is", "my favourite is probably", "I'd say".
_MINE = re.compile(
    r"^(?:(?:oh|well|hmm|yes|yeah|sure|probably|definitely|maybe)\b,?\s*)*(?:mine(?:'s| is| are)|"
    r"my (?:absolute |personal )?favou?rites?(?: ones?)? (?:is|are|has to be|would be|would have to be)|"
    r"it(?:'s| is| has to be)|i'd (?:have to )?say|that would be)\s+(?:probably |definitely |called )*",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?:,|\s+and|\s+but)?\s+(?:what about you|how about you|what's yours|you|yourself|and you)\?*$", re.IGNORECASE
)
_TALK = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|we|us|you|your|it|it's|its|that|that's|this|them|they|they're|these|those|he|she|"
    r"my|is|are|was|has|have|not|no|don't|know|sure|too|all|everything|nothing|thanks|thank|lol|haha|there|so|because|but|mean|think|hi|hey|hello|"
    r"yes|yeah|good|fine|great|well|nice)\b|[\[\]{}<>]",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:i|me|we|us|my|it|that|this|them|they|these|those|he|she|him|her|here|there|one|ones|or|think|mean|know|"
    r"of your|favou?rite (?:thing|part)|an? favou?rite|heard|mind|remember|agree|believe|"
    r"need|want me|feel|help|see|any (?:advice|tips|ideas?|questions?|suggestions?|"
    r"recommendations?|plans?))\b",
    re.IGNORECASE,
)


def completed(before: str, answer: str) -> str | None:
    """The sentence that an answer comes to after the message before it; None if it says nothing more by that."""
    first = _ENDS.split(answer.strip()[: READ + 1].replace("’", "'"), maxsplit=1)[0]
    said = _ENDS.split(before.strip()[-READ:].replace("’", "'"))
    question = _LED_IN.sub("", said[-1])
    if not question.endswith("?") or len(question) > MOST_QUESTION or len(first) > READ:
        return None
    if "¿" in question:
        return spanish_answers.completed(question, first)
    if _YES.match(first):
        return _confirmed(question)
    if (since := _YES_SINCE.match(first)) and (told := _confirmed(question)):
        return f"{told[:-1]} {since[1]}."
    if _NO.match(first):
        return _denied(question)
    if len(first.split()) > MOST_WORDS:
        return None
    return _filled(question, _BACK.sub("", first))


def _confirmed(question: str) -> str | None:
    if (match := _DO_YOU.match(question)) and match[1].lower() in BASES and not _POINTS.search(match[0]):
        return f"I {match[1]} {_mine(re.sub(r'^any ', '', match[2]))}."
    if (match := _ARE_YOU.match(question)) and not _POINTS.search(match[1]):
        return f"I am {_mine(match[1])}."
    if (match := _HAVE_YOU.match(question)) and not _POINTS.search(match[2]):
        return f"I have {_mine(match[2])}."
    return None


def _denied(question: str) -> str | None:
    if (match := _DO_YOU.match(question)) and match[1].lower() in BASES and not _POINTS.search(match[0]):
        return f"I don't {match[1]} {_mine(match[2])}."
    return None


def _filled(question: str, answer: str) -> str | None:
    counted = _COUNT.match(answer)
    if counted is not None:
        if _AGE.match(question):
            return f"I am {counted[2]}."
        many = _HOW_MANY.match(question)
        return f"I have {counted[2].lower()} {many[1]}." if many else None
    thing = _MINE.sub("", answer).strip(" .!,")
    led = thing != answer.strip(" .!,")
    thing = re.sub(r", (?:she|he|it|they)\b.*$", "", thing)  # "a daughter, she's 4"
    thing = re.sub(r"^(?:yes|yeah|yep|yup|well|oh|sure|hmm)\b[,.!]*\s*", "", thing, flags=re.IGNORECASE)
    may_deny = _NOT_THAT.fullmatch(thing) or _DIETS.fullmatch(thing)
    if not thing.isprintable() or (_TALK.search(thing) and not may_deny):
        return None
    if _SMALL.match(thing):
        thing = thing[:1].lower() + thing[1:]
    if not thing or _NONE.match(thing):
        return None
    if told := _bound(question, thing):
        return told
    if (
        (match := _YOUR.match(question) or _CONFIRM.match(question))
        and len(match[1].split()) <= 6
        and not _POINTS.search(match[1])
    ):
        if _COMMON_THING.search(match[1]):
            thing = thing[:1].lower() + thing[1:]
        plural = "are" if match[1].endswith("ies") else "is"
        return f"My {match[1]} {plural} {thing}." if _ONE_OF.match(match[1]) else None
    if led:
        return None
    if match := _WHEN.match(question) or _ZONE.match(question):
        return f"My {match[1]} is {thing}."
    for asked, prepositions, sentence in _ASKED_FOR:
        if asked.match(question):
            place = re.sub(rf"^(?:{prepositions}) ", "", thing, flags=re.IGNORECASE)
            return sentence.format(place) if place[:1].isupper() or place.startswith(("a ", "the ")) else None
    if _TRADE.match(question):
        return _trade(thing)
    if match := _USING.match(question):
        return _used(match, re.sub(r"^(?:mostly|mainly) ", "", thing, flags=re.IGNORECASE))
    if _KIN.match(question) and re.match(r"(?:an?|one|two|three|four|five|\d+|my) ", thing, re.IGNORECASE):
        return f"I have {thing}."
    return None


def _bound(question: str, thing: str) -> str | None:
    """What somebody must not be given, in the words of the question."""
    low = thing[:1].lower() + thing[1:]
    if diet := _DIET.search(question):
        return f"My dietary {diet[1].lower()} is {low}."
    if low.startswith("no "):
        return None
    if _ALLERGIC.search(question):
        return f"I am allergic to {low}."
    if kind := _ALLERGIES.search(question):
        return f"I have an {'allergy' if kind[1].lower() == 'allerg' else 'intolerance'} to {low}."
    return None


def _used(asked: re.Match[str], thing: str) -> str | None:
    """What somebody uses, is on, or does something in."""
    if asked["use"]:
        return f"I use {thing}."
    if asked["do"]:
        return f"I {asked['do'].lower()}{asked['in'] or ''} {thing}."
    return f"My {asked['what']} is {thing}."


def _trade(thing: str) -> str | None:
    if trade := re.match(r"(an?) (.+)", thing, re.IGNORECASE):
        return f"I am {trade[1].lower()} {trade[2]}."
    head = re.split(r" (?:at|in|for|with)\b", thing)[0].lower()
    last = head.split()[-1]
    if last in OCCUPATIONS or (last.endswith(TRADES) and len(last) > 4 and last not in NOT_OCCUPATIONS):
        return f"I am {'an' if head[0] in 'aeiou' else 'a'} {thing[:1].lower()}{thing[1:]}."
    return None


def _mine(text: str) -> str:
    text = re.sub(r"\byour\b", "my", text, flags=re.IGNORECASE)
    return re.sub(r"\byourself\b", "myself", text, flags=re.IGNORECASE).strip()
