"""Whom "she" is about: "My daughter is seven. She's allergic to eggs." Pure.

Only where it is plain: the speaker's last sentence names one person or animal of theirs whom it can mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from recollect.remember.extract.corrections import Said
from recollect.remember.extract.elided import elided, mentions_nobody

_HE = (
    "husband|fiancé|boyfriend|father|dad|daddy|stepfather|stepdad|son|stepson|brother|stepbrother|grandfather|"
    "grandpa|grandad|granddad|grandson|uncle|nephew|father-in-law|brother-in-law|son-in-law"
)
_SHE = (
    "wife|fiancée|girlfriend|mother|mum|mom|mama|stepmother|stepmum|stepmom|daughter|stepdaughter|sister|stepsister|"
    "grandmother|grandma|gran|granddaughter|aunt|auntie|niece|mother-in-law|sister-in-law|daughter-in-law"
)
_EITHER = (
    "partner|fiance|fiancee|spouse|child|kid|baby|toddler|cousin|twin|friend|bff|neighbou?r|room-?mate|flat-?mate|"
    "boss|manager|colleague|co-?worker|teammate|mentor|teacher|doctor|therapist|coach|landlord|"
    "dog|puppy|cat|kitten|horse|pony|rabbit|bunny|parrot|hamster|pet"
)
PERSON = re.compile(
    r"\b(?P<whose>my|our|an?|one)\s+(?P<kind>(?:(?:younger|older|elder|eldest|oldest|youngest|little|big|only|best|new|"
    r"late|ex|\d+-year-old|golden|german) )*(?:ex-)?"
    rf"(?:(?P<he>{_HE})|(?P<she>{_SHE})|(?P<either>{_EITHER})))\b(?!-|'|’|s\b)"
    r"(?:,?\s+(?:(?:called|named)\s+)?(?P<name>(?-i:[A-Z])[\w-]+))?",
    re.IGNORECASE,
)
_KIN = re.compile(rf"\b(?:{_HE}|{_SHE}|{_EITHER})\b", re.IGNORECASE)
#: Others who could be meant.
_OTHERS = re.compile(
    r"\b(?:he|she|him|her|they|them|parents|kids|children|friends|brothers|sisters)\b", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"^(?:(?:and|but|also|sadly|luckily|unfortunately|now|oh)[,]?\s+)*(?P<who>he|she)(?P<is>'s|’s)?(?=[\s'’])",
    re.IGNORECASE,
)
#: "She's been", "he's got".
_HAS = re.compile(
    r"^\s+(?:(?:also|just|always|never|already)\s+)?(?:been|got|had|gone|become|moved|started|lived|worked)\b"
)
#: "A kitten, she's called Olive".
_NAMED_AFTER = re.compile(
    r"\b(?P<what>(?:an?|my|our)(?: [\w-]+){1,3}), (?:and )?(?:(?:she|he|it)(?:'s|’s| is) (?P<called>called|named)|"
    r"(?:her|his|its) name(?:'s|’s| is)) (?P<name>(?-i:[A-Z])[\w-]+)",
    re.IGNORECASE,
)


class Meant(msgspec.Struct, frozen=True):
    """A sentence with whom it is about, and the message that says so."""

    text: str
    seq: int


def named_at_once(sentence: str) -> str:
    """The same, where the name of somebody follows after a comma: "a kitten called Olive"."""
    return _NAMED_AFTER.sub(
        lambda found: f"{found['what']} {found['called'] or 'named'} {found['name']}", sentence
    )


def meant(sentence: str, earlier: Sequence[Said], between: str) -> Meant | None:
    """What a sentence about "he" or "she" says, if the one before it tells who that is; ``between`` is what
    somebody else said since, who may have spoken of another."""
    pronoun = _PRONOUN.match(sentence)
    if not earlier:
        return None
    before = earlier[-1]
    if pronoun is None:
        told = elided(sentence, before.text) if mentions_nobody(between) else None
        return None if told is None else Meant(told, before.seq)
    other = "she" if pronoun["who"].lower() == "he" else "he"
    people = [one for one in PERSON.finditer(before.text) if one[other] is None]
    kinds = {one["kind"].lower() for one in people}
    if len(kinds) != 1 or _OTHERS.search(before.text) or {*map(str.lower, _KIN.findall(between))} - kinds:
        return None
    name = next((one["name"] for one in people if one["name"]), None)
    who = f"My {people[0]['kind']} {name}" if name else f"My {people[0]['kind']}"
    rest = sentence[pronoun.end() :]
    verb = "" if pronoun["is"] is None else " has" if _HAS.match(rest) else " is"
    return Meant(f"{who}{verb}{rest}", before.seq)
