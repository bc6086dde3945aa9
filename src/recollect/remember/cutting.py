"""Of more insights than a run may give, those that matter most. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from recollect.remember.learning import Candidate

T = TypeVar("T")

#: More are not looked at: a pasted page, or a model that does not keep to its number, could tell of thousands.
MOST_FOUND = 20

_DIET = re.compile(
    r"\b(?:vegetarian|vegan|pescatarian|lactose|gluten|coeliac|celiac|halal|kosher|vegetarian[oa]|vegan[oa]|celíac[oa])s?\b",
    re.IGNORECASE,
)
#: How an assistant should answer is said again when it does not; who somebody is, is said once.
_ANSWERS = re.compile(
    r"\b(?:answers?|answered|repl(?:y|ies)|responses?|explanations?|bullet(?: points|s)?|emojis?|"
    r"respuestas?|explicaci(?:ón|ones)|viñetas)\b",
    re.IGNORECASE,
)


def cut(found: Sequence[T], most: int, candidate: Callable[[T], Candidate]) -> tuple[list[T], list[T]]:
    """What is kept and what is left out, each in the order given; of two that matter as much the first is kept."""
    places = sorted(range(len(found)), key=lambda place: _place(candidate(found[place])))
    kept = set(places[:most])
    return (
        [one for place, one in enumerate(found) if place in kept],
        [one for place, one in enumerate(found) if place not in kept],
    )


def _place(candidate: Candidate) -> int:
    """Health and what somebody eats first, how they want to be answered last; all else as it was found."""
    if candidate.category == "health" or _DIET.search(candidate.text):
        return 0
    return 2 if candidate.category == "preference" and _ANSWERS.search(candidate.text) else 1
