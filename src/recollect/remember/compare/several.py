"""What one may have several of: another date, number or name is then another thing, not a newer value. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.remember.compare.figures import IN_THE_DAY, clashes
from recollect.remember.compare.lexicon import SEVERAL
from recollect.remember.compare.reading import Reading
from recollect.remember.compare.slots import ACQUAINTED, Slot
from recollect.remember.compare.words import folded

#: Why two texts are held to contradict each other where only a figure differs.
NUMBERS, DATES = "numbers differ", "dates differ"
BY_FIGURES = frozenset({NUMBERS, DATES})

_I = re.IGNORECASE
_COUNTS = frozenset({"number", "ordinal"})
_AGAIN = frozenset({"part", "time", "weekday"})
SEVERAL_VERBS = frozenset(folded(word) for word in SEVERAL)
#: One of those that there may be: an appointment, a class, a dose.
_ONE_OF_THEM = re.compile(r"\b(?:(?:has|have) (?:an?|another|una?)|owns?|takes?|toma)\b", _I)
#: A number that tells one thing from another and measures nothing: "bike 2", "track 5 of the record".
_LABEL = re.compile(
    r"\b(?!(?:of|about|around|over|under|nearly|almost|than|for|worth|at|is|costs?|de) )[a-z]+ (?:#|no\.? ?)?\d+"
    r"(?=$|[.,;!]| (?:in|on|at|from|of|for|with|and|near|en|de|con)\b)",
    _I,
)
_SOMEBODY = re.compile(r"(?:(?:user's|an?|one) )?(?:(?:old|new|good) )?([a-z]+)\b(?! (?-i:[A-Z]))", _I)


def stand_together(old: Reading, new: Reading) -> bool:
    """Whether figures that differ tell of two things."""
    differ = set(clashes(old.figures, new.figures))
    counts = differ & _COUNTS
    return (
        at_other_hours(old, new)
        or _of_acquaintances(old, new)
        or bool(counts and differ & _AGAIN)
        or bool(differ - counts and _both(_ONE_OF_THEM, old, new))
        or bool(counts and _both(_LABEL, old, new) and SEVERAL_VERBS & set(old.words))
    )


def at_other_hours(old: Reading, new: Reading) -> bool:
    """Whether each tells of another part of the day: who takes a pill in the morning may take one at night."""
    return "part" in clashes(old.figures, new.figures) and _both(IN_THE_DAY, old, new)


def on_other_days(old: Reading, new: Reading, slot: Slot) -> bool:
    """Whether each tells of another day of the week, and that is not what is in the slot."""
    mine, theirs = (
        [figure for figure in one.figures if figure[0] == "weekday" and figure[1] not in slot.value]
        for one in (old, new)
    )
    return bool(clashes(mine, theirs))


def _of_acquaintances(old: Reading, new: Reading) -> bool:
    """Whether both tell of somebody without a name of whom there are many: a colleague, a friend."""
    return _is_acquaintance(old) and _is_acquaintance(new)


def _is_acquaintance(reading: Reading) -> bool:
    who = _SOMEBODY.match(reading.plain)
    return who is not None and folded(who[1].lower()) in ACQUAINTED


def _both(pattern: re.Pattern[str], old: Reading, new: Reading) -> bool:
    return pattern.search(old.plain) is not None and pattern.search(new.plain) is not None


def is_list(contradicted: Iterable[Reading]) -> bool:
    """Whether one text would end several that differ only in a figure: then they are a list, and all stand."""
    figures = (sorted(one.figures) for one in contradicted)
    first = next(figures, None)
    return any(other != first for other in figures)
