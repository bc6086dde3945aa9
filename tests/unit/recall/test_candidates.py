from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.recall.candidates import NAMED, Candidate, Found, ranked

NOW = datetime(2024, 5, 6, tzinfo=UTC)


class Plain:
    """A scale that is the cosine itself."""

    name = "plain-2"
    dimension = 2

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(texts), 2), np.float32)

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cosine, np.float32)


def row(text: str, wording: float, cosine: float | None) -> Candidate:
    nothing: dict[str, Any] = dict.fromkeys(Candidate._fields)
    given: dict[str, Any] = {
        "id": text,
        "key_point": text,
        "wording": wording,
        "cosine": cosine,
        "standing": 0.0,
        "through": "librarian",
        "importance": 0.5,
        "pinned": False,
        "status": "active",
        "author": "user",
        "trust": "trusted",
        "version": 1,
        "update_count": 0,
        "created_at": NOW,
        "updated_at": NOW,
        "valid_from": NOW,
    }
    return Candidate(**nothing | given)


def test_what_the_arms_say_together_comes_first_and_scores_never_rise_on_the_way_down() -> None:
    rows = [row("near, and nothing more", 0.0, 0.95), row("has its words and is near", 0.5, 0.6)]
    hits, full = ranked(Found(None, "ana", "librarian", [], rows), Plain(), 2, 0.5)
    assert [hit.text for hit in hits] == ["has its words and is near", "near, and nothing more"]
    assert [hit.score for hit in hits] == [0.95, 0.9357]
    assert full


def test_what_has_no_vector_goes_by_its_words() -> None:
    rows = [row("said in so many words", 0.7, None), row("hardly said", 0.3, None)]
    hits, full = ranked(Found(None, "ana", "librarian", [], rows), Plain(), 2, 0.5)
    assert [(hit.text, hit.score) for hit in hits] == [("said in so many words", 0.7)]
    assert not full


@pytest.mark.parametrize(
    ("older", "newer", "newest_first"),
    [
        ("user swam in 21 lakes", "user swam in 23 cold lakes", True),
        ("the monthly price of a season ticket for two zones is 310", "a season ticket now costs 345", True),
        ("the monthly price of a season ticket for two zones is 310", "a season ticket costs 345", False),
        ("user swam in 21 lakes", "user paints lakes and rivers", False),
    ],
)
def test_the_newest_first_of_what_speaks_of_the_same(older: str, newer: str, newest_first: bool) -> None:
    assert _order_of(older, newer) == ([newer, older] if newest_first else [older, newer])


def test_of_two_people_who_do_the_same_the_one_who_is_named_stays_first() -> None:
    older, newer = "Ines rides a green racing bicycle to school", "Omar rides a green racing bicycle to work"
    assert _order_of(older, newer) == [newer, older]
    assert _order_of(older, newer, named=True) == [older, newer]


def _order_of(older: str, newer: str, *, named: bool = False) -> list[str]:
    """With the older one a little better by its words; it alone has the name that is asked for, if there is one."""
    first = row(older, 0.7, 0.6)._replace(occurring=NAMED if named else 0)
    later = row(newer, 0.4, 0.6)._replace(valid_from=NOW + timedelta(days=1), occurring=0)
    return [hit.text for hit in ranked(Found(None, "ana", "librarian", [], [first, later]), Plain(), 2, 0.5).hits]
