"""How two readings relate: the same thing, another value of the same thing, or two things. Pure."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from recollect.remember.compare.ended import ended
from recollect.remember.compare.figures import clash
from recollect.remember.compare.lexicon import ANIMAL, DIETS, OPPOSITES, SLOT_WORDS
from recollect.remember.compare.reading import Reading
from recollect.remember.compare.several import (
    DATES,
    NUMBERS,
    SEVERAL_VERBS,
    at_other_hours,
    on_other_days,
    stand_together,
)
from recollect.remember.compare.slots import PERSONS, Slot
from recollect.remember.compare.words import folded, words_in

Relation = Literal["same", "update", "other"]

#: The cosine from which two texts with the same words in another order are one.
NEAR = 0.95


class Comparison(msgspec.Struct, frozen=True):
    """How two texts relate, and by what it is known."""

    relation: Relation
    why: str


def judge(old: Reading, new: Reading, cosine: float) -> Comparison:
    """Compare two readings; the texts themselves were not equal."""
    for rule in (_same_words, _slots, _denied, _ended, _opposites, _figures, _places, _diet):
        found = rule(old, new, cosine)
        if found is not None:
            return found
    return Comparison("other", "different things")


def _same_words(old: Reading, new: Reading, cosine: float) -> Comparison | None:
    """The same content words, figures, signs and denials; in another order only if the order cannot matter."""
    if old.denies != new.denies or sorted(old.figures) != sorted(new.figures) or not old.words:
        return None
    if old.signs != new.signs:
        return None
    if old.words == new.words and old.figures == new.figures:
        return Comparison("same", "same words")
    free = not (_ORDERED.search(old.plain) or _ORDERED.search(new.plain))
    if cosine >= NEAR and free and sorted(old.words) == sorted(new.words) and old.words[0] == new.words[0]:
        return Comparison("same", "same words")
    return None


#: Says itself that what was known still stands.
_ALSO = re.compile(r"\b(?:also|as well|too|another|besides|tambien|ademas)\b", re.IGNORECASE)

#: What makes it matter who comes first.
_ORDERED = re.compile(
    r"\b(?:to|over|than|from|after|before|until|against|for|by|into|prefers?|gave|gives|then|al|que|desde|hasta|antes)\b",
    re.IGNORECASE,
)


def _slots(old: Reading, new: Reading, _: float) -> Comparison | None:
    """One slot, and another value in it; or the same value, and nothing else said."""
    if old.denies or new.denies or not old.slots or _ALSO.search(new.plain):
        return None
    mine = {one.key: one for one in old.slots}
    shared = [(mine[one.key], one) for one in new.slots if one.key in mine]
    apart = at_other_hours(old, new)
    for ours, theirs in shared:
        if _differ(ours, theirs) and not (apart or on_other_days(old, new, theirs)):
            return Comparison("update", theirs.kind)
    for ours, theirs in shared:
        if ours == theirs and old.figures == new.figures and not (_beside(old, ours) or _beside(new, theirs)):
            return Comparison("same" if old.signs == new.signs else "update", theirs.kind)
    return None


def _beside(reading: Reading, slot: Slot) -> set[str]:
    """What a text says that is not in the slot."""
    return set(reading.words) - set(slot.value) - set(slot.who) - SLOT_WORDS


def _differ(old: Slot, new: Slot) -> bool:
    one, other = set(old.value), set(new.value)
    if old.kind == "preferred ":  # of an unknown sort: only one word of several may have changed
        changed = [pair for pair in zip(old.value, new.value, strict=False) if pair[0] != pair[1]]
        return len(old.value) == len(new.value) > 1 and len(changed) == 1
    return not one <= other and not other <= one


def _denied(old: Reading, new: Reading, _: float) -> Comparison | None:
    if old.denies == new.denies:
        return None
    said, denied = (new, old) if old.denies else (old, new)
    touches = denied.core and denied.core <= said.core and _whose(denied) == _whose(said)
    return Comparison("update", "negation") if touches and not clash(old.figures, new.figures) else None


def _ended(old: Reading, new: Reading, _: float) -> Comparison | None:
    over = not (old.denies or new.denies) and ended(old.plain, new.plain)
    return Comparison("update", "ended") if over else None


def _whose(reading: Reading) -> str:
    """Of somebody who is not the user: what the user's brother likes is not denied by what the user does not."""
    owner = _OWNER.match(reading.plain)
    person = folded(owner[1].lower()) if owner else ""
    return person if person in PERSONS else ""


_OWNER = re.compile(
    r"user's (?:(?:older|younger|elder|big|little|best|oldest|youngest|eldest) )?(\w+)", re.IGNORECASE
)


def _opposites(old: Reading, new: Reading, _: float) -> Comparison | None:
    gone, come = old.core - new.core, new.core - old.core
    if len(gone) == len(come) == 1 and old.denies == new.denies and opposite(*gone, *come):
        return Comparison("update", "opposites")
    return None


def _figures(old: Reading, new: Reading, _: float) -> Comparison | None:
    """Another number or date of the same thing, unless it happened twice or there may be several of it."""
    kind = clash(old.figures, new.figures)
    if kind is None or old.core != new.core or old.denies != new.denies or (old.happened and new.happened):
        return None
    if stand_together(old, new):
        return None
    return Comparison("update", NUMBERS if kind in ("number", "ordinal") else DATES)


def _places(old: Reading, new: Reading, _: float) -> Comparison | None:
    """What takes place in one town does not take place in another, unless there may be several of it."""
    one, other = _PLACED.fullmatch(old.plain), _PLACED.fullmatch(new.plain)
    if one is None or other is None or old.denies or new.denies or old.happened or new.happened:
        return None
    here, there = set(words_in(one["where"])), set(words_in(other["where"]))
    what = [word for word in old.words if word not in here]
    alike = what == [word for word in new.words if word not in there] and old.figures == new.figures
    if what and alike and not here & there and not SEVERAL_VERBS & set(what):
        return Comparison("update", "place")
    return None


_PLACED = re.compile(r"(?P<what>.+) (?:in|at|en) (?P<where>[A-Z][\w' -]*)\.?")


def _diet(old: Reading, new: Reading, _: float) -> Comparison | None:
    if old.denies or new.denies:
        return None
    one, other = _eats(old), _eats(new)
    if one is None or other is None or one[0] != other[0]:
        return None
    both = one[1] and other[1] and one[2] != other[2]
    mixed = one[1] != other[1] and (one[2] > other[2] if other[1] else other[2] > one[2])
    return Comparison("update", "diet") if both or mixed else None


def _eats(reading: Reading) -> tuple[frozenset[str], bool, int] | None:
    """Who, whether it is a rule, and how much of an animal is eaten by it."""
    for word, most in DIETS.items():
        if word in reading.core and len(reading.core) <= 2:
            return reading.core - {word}, True, most
    eaten = [ANIMAL[word] for word in reading.core if word in ANIMAL]
    if "eat" in reading.core and eaten:
        return reading.core - {"eat"} - set(ANIMAL), False, max(eaten)
    return None


def opposite(one: str, other: str) -> bool:
    """Whether two folded words are opposites, by the list or by a prefix."""
    if frozenset((one, other)) in _OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 5 and any(
        long == prefix + short for prefix in ("un", "in", "im", "il", "ir", "dis", "des", "non", "non-")
    )


_OPPOSITES = frozenset(frozenset(folded(word) for word in pair) for pair in OPPOSITES)
