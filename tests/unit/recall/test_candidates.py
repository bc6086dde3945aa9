from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.recall.candidates import NAMED, Candidate, Found, ranked, sense_of

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


def _texts(question: str, stems: list[str], *rows: Candidate, limit: int = 5) -> list[str]:
    found = Found(None, "ana", "librarian", stems, rows, sense_of(question))
    return [hit.text for hit in ranked(found, Plain(), limit, 0.5).hits]


def _said(text: str, day: int, occurring: int, cosine: float = 0.6) -> Candidate:
    return row(text, 0.6, cosine)._replace(valid_from=NOW + timedelta(days=day), occurring=occurring)


@pytest.mark.parametrize(
    ("question", "stems", "older", "newer"),
    [
        ("order 88123", ["88123", "order"], "order 88123 was refunded", "order 88124 is delayed"),
        ("is alpha saved?", ["alpha", "save"], "server alpha is saved at 2", "server beta is saved at 3"),
        ("is alpha saved?", ["alpha", "save"], "server alpha is saved at 2", "server beta is now saved at 3"),
        ("work phone?", ["work", "phone"], "user's work phone is a Nokia", "user's phone is a Pixel"),
    ],
)
def test_what_lacks_a_word_of_the_question_does_not_come_first_for_being_newer(
    question: str, stems: list[str], older: str, newer: str
) -> None:
    assert _texts(question, stems, _said(older, 0, 3, 0.7), _said(newer, 1, 2)) == [older, newer]


def test_what_says_that_something_has_changed_need_not_have_all_words() -> None:
    older, newer = "the school play begins at six", "the play now begins at seven"
    assert _texts("when is the school play?", ["school", "play"], _said(older, 0, 3, 0.7), _said(newer, 1, 2)) == [
        newer,
        older,
    ]


def test_what_is_known_of_somebody_else_is_no_newer_version() -> None:
    own, other = "user's phone number is 555-1234", "user's mother's phone number is 555-7777"
    stems = ["phone", "number"]
    assert _texts("what is my phone number?", stems, _said(own, 0, 3, 0.7), _said(other, 1, 3)) == [own, other]


def test_what_is_known_of_the_user_comes_before_what_is_known_of_others() -> None:
    own, other = "user is 34 years old", "user's mother is 70 years old"
    rows = _said(other, 1, 1, 0.7), _said(own, 0, 1)
    assert _texts("how old am I?", ["old"], *rows) == [own, other]
    assert _texts("how old is my mum?", ["old"], *rows) == [other, own]


def test_the_newest_of_many_versions_comes_first_however_few_are_wanted() -> None:
    rows = [_said(f"user weighs {82 - day} kg", day, 1, 0.8 - 0.01 * day) for day in range(12)]
    newest = [row.key_point for row in reversed(rows)]
    for limit in (1, 2, 5):
        assert _texts("how much do I weigh?", ["weigh"], *rows, limit=limit) == newest[:limit]
    assert not ranked(Found(None, "ana", "librarian", ["weigh"], rows[:6]), Plain(), 5, 0.5).full


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ana owes Bob 50 euros", "Bob owes Ana 50 euros", False),
        ("user flies from Porto to Lisbon", "user flies from Lisbon to Porto", False),
        (
            "user meets Alice to go through the yearly budget of the whole department in the large room upstairs",
            "user meets Bob to go through the yearly budget of the whole department in the large room upstairs",
            False,
        ),
        (
            "user likes to drink a strong coffee in the morning before work begins",
            "user likes to drink strong coffee in the morning before work begins",
            True,
        ),
        ("user prefers C++ over Java", "user prefers C# over Java", False),
        ("user's blood type is A+", "user's blood type is A-", False),
        ("user signs with \N{SLICE OF PIZZA}", "user signs with \N{GUITAR}", False),
        ("user likes tea, a lot", "User likes tea a lot.", True),
    ],
)
def test_what_says_nearly_the_same_is_left_out_unless_names_signs_or_their_order_differ(
    one: str, other: str, same: bool
) -> None:
    texts = _texts("", [], row(one, 0.7, 0.7), row(other, 0.6, 0.7))
    assert texts == ([one] if same else [one, other])


def test_a_code_that_was_never_said_makes_nothing_sure() -> None:
    rows = [_said("error E1042 means that the disk is full", 0, 1, 0.9)]
    found = Found(None, "ana", "librarian", ["error"], rows, sense_of("error E1043"))
    assert [hit.score for hit in ranked(found, Plain(), 5, 0.5).hits] == [0.6]
    assert ranked(found, Plain(), 5, 0.8).hits == []
    known = Found(None, "ana", "librarian", ["error"], rows, sense_of("error E1042"))
    assert ranked(known, Plain(), 5, 0.5).hits[0].score > 0.9
