"""An English clause that tells several things of its speaker, taken apart: each is judged for itself. Pure."""

from __future__ import annotations

import re

from recollect.remember.extract.english_words import ADVERBS, DETERMINERS
from recollect.remember.extract.verb_worth import TASTES
from recollect.text.english_verbs import BASES, base_of, is_past
from recollect.text.grounding import content_words

#: Two short facts of one sentence stay together; what is longer says more when it is told apart.
MOST_TOGETHER = 5

_WHO = re.compile(
    r"^((?:i'm|i am|i was|we're|we are) (?:also |just |actually )?an? [^,]+?),? who (?:also |really |just )?"
    r"([a-z']+) ([^,]+)$",
    re.IGNORECASE,
)
_TASTES = re.compile(
    r"^((?:i|we) (?:do |also |really |just |mostly |usually |especially |always |absolutely |mainly |still )*"
    r"(?:like|love|enjoy|hate|prefer|adore|dislike|want) (?:to |doing things like )?)(.+)$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*,\s*(?:and |or )?(?:also |then )?|\s+(?:and|or)\s+(?:also |then )?", re.IGNORECASE)
_SUBJECT = re.compile(r"^(i'm|i am|i've|i have|i|we're|we've|we) (.+)$", re.IGNORECASE)
_ADDED = re.compile(r",?\s+(?:and|but)\s+(?:i )?(?:also |currently |now |then |am |i'm )*", re.IGNORECASE)
#: What is told apart, however short.
_ADDED_TASTE = re.compile(
    rf" but |^(?:i'm|i am) .* and (?:{'|'.join(sorted(TASTES & frozenset(BASES)))}) ", re.IGNORECASE
)
_AFTER_VERB = DETERMINERS | {"as", "at", "in", "for", "with", "on", "to", "from", "about"}
#: A verb before "and" that the one after it may depend on as well: to fish and cook, will fish and cook.
_GOVERNS = re.compile(
    rf"\bto (?:{'|'.join(sorted(BASES))})\b|\b(?:should|could|can|would|will|may|might|must|did|let)\b"
    r"|\b(?:help|helps|make)\b",
    re.IGNORECASE,
)
_THIRD = {"is": "am", "has": "have", "does": "do", "was": "was", "had": "had"}


def apart(clause: str) -> list[str]:
    """The clauses, each in the first person, that a clause is made of; itself if it is one."""
    return [part for whole in _who(clause) for part in _tastes(whole) or _predicates(whole)]


def _who(clause: str) -> list[str]:
    """I'm a baker who keeps bees: I'm a baker, I keep bees."""
    match = _WHO.match(clause)
    if match is None:
        return [clause]
    verb = match[2].lower()
    shown = _THIRD.get(verb) or (base_of(verb) if verb.endswith("s") else verb if base_of(verb) else None)
    return [match[1], f"I {shown} {match[3]}"] if shown else [clause]


def _tastes(clause: str) -> list[str]:
    """I like to fish, knit hats, and read: what is liked, one by one."""
    match = _TASTES.match(clause)
    if match is None:
        return []
    before, items = match[1], _items(match[2], infinitive=match[1].lower().endswith(" to "))
    if len(items) < 2 or (len(items) == 2 and len(content_words(match[2])) < MOST_TOGETHER):
        return []
    return [before + item for item in items]


def _items(text: str, *, infinitive: bool) -> list[str]:
    """The items of a list; what is not of the kind of the first one belongs to the item before it."""
    parts: list[str] = []
    marks = [*(found.group() for found in _ITEM.finditer(text)), ""]
    gerund = text.split()[0].lower().endswith("ing")
    joint = ""
    for part, mark in zip(_ITEM.split(text), marks, strict=True):
        first = part.split()[0].lower() if part.split() else ""
        if infinitive and first == "to":
            part, first = part[3:], (part.split()[1:2] or [""])[0].lower()
        alike = first in BASES if infinitive else first.endswith("ing") if gerund else "," in text
        if parts and not alike:
            parts[-1] += joint + part
        else:
            parts.append(part)
        joint = mark
    return [part.strip(" ,") for part in parts if part.strip(" ,")]


def _predicates(clause: str) -> list[str]:
    """I work at a bakery in the old town and have three little dogs: two verbs, two facts. What follows a "but"
    or tells a taste beside who somebody is, is always told apart."""
    match = _SUBJECT.match(clause)
    if match is None or (len(content_words(clause)) <= MOST_TOGETHER and not _ADDED_TASTE.search(clause)):
        return [clause]
    subject, rest = match[1], match[2]
    for joint in _ADDED.finditer(rest):
        left, right = rest[: joint.start()], rest[joint.end() :]
        words = [word for word in right.split() if word.lower() not in ADVERBS]
        if len(words) < 2 or not left or _GOVERNS.search(left):
            continue
        first, second = words[0].lower(), words[1].lower()
        continued = subject.lower() in ("i'm", "i am", "we're")
        if first.endswith("ing") and continued:
            return [f"{subject} {left}", f"{subject} {right}"]
        if first in BASES:
            told = (
                second in _AFTER_VERB or first == "take" or (first in TASTES and (continued or "but" in joint[0]))
            )
        else:
            told = is_past(first) and "but" in joint[0]
        if told and subject.lower() not in ("i've", "we've", "i have"):
            return [f"{subject} {left}", f"I {right}"]
    return [clause]
