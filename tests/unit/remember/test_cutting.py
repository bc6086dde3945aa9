"""Of more insights than a run may give, those that matter most are kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.records import Message
from recollect.remember.cutting import MOST_FOUND, cut
from recollect.remember.extract import extracted
from recollect.remember.learning import Candidate

FOUND = [
    ("user prefers short answers", "preference"),
    ("user works as a nurse", "work"),
    ("user is vegetarian", "identity"),
    ("user likes hiking", "preference"),
    ("user's son Theo is five years old", "family"),
    ("user is allergic to peanuts", "health"),
]


def message(seq: int, content: str) -> Message:
    return Message("c", seq, str(seq), "user", content, datetime(2026, 3, 1, tzinfo=UTC))


def candidates() -> list[Candidate]:
    return [Candidate(text=text, first=1, last=1, category=category) for text, category in FOUND]


@pytest.mark.parametrize(
    ("most", "kept"),
    [(0, []), (2, [2, 5]), (3, [1, 2, 5]), (4, [1, 2, 3, 5]), (5, [1, 2, 3, 4, 5]), (6, [0, 1, 2, 3, 4, 5])],
)
def test_health_and_diet_come_first_and_how_to_answer_is_last(most: int, kept: list[int]) -> None:
    chosen, left = cut(candidates(), most, lambda one: one)
    assert [one.text for one in chosen] == [FOUND[place][0] for place in kept], "in the order given"
    assert len(chosen) + len(left) == len(FOUND)


def test_what_is_left_out_is_told() -> None:
    said = [
        "I prefer short answers.", "I work as a nurse.", "I am vegetarian.", "I have two cats.",
        "My son Theo is five years old.", "I am allergic to peanuts.",
    ]  # fmt: skip
    chosen, left = extracted([message(number, text) for number, text in enumerate(said, 1)], 3)
    assert [one.text for one in chosen] == [
        "user is vegetarian",
        "user's son Theo is five years old",
        "user is allergic to peanuts",
    ]
    assert {one.text for one in left} == {
        "user prefers short answers",
        "user works as a nurse",
        "user has two cats",
    }
    assert extracted([message(1, said[0])], 3)[1] == []


def test_a_page_that_is_pasted_is_not_told_in_full() -> None:
    """Each of these would be written down as refused, while nobody else may learn into the pool."""
    things = (
        first + last
        for first in ("bim", "dor", "fal", "gun", "kel")
        for last in ("ada", "ego", "ilu", "oru", "uma")
    )
    page = " ".join(f"I own a {thing}." for thing in things)
    chosen, left = extracted([message(1, page)], 3)
    assert (len(chosen), len(chosen) + len(left)) == (3, MOST_FOUND)
