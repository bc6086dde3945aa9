from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import Invalid, Source
from recollect.remember.compare import relation
from recollect.remember.insight import fingerprint, insight


def test_defaults() -> None:
    given = insight({"text": "  user is\n vegetarian ", "category": None})
    assert (given.text, given.category, given.importance, given.status) == (
        "user is vegetarian",
        None,
        0.5,
        "active",
    )
    assert given.by_person


def test_what_nobody_vouches_for_waits() -> None:
    given = insight({"text": "user is vegetarian", "author": "tool", "trust": "untrusted"})
    assert (given.status, given.by_person) == ("quarantined", False)
    assert insight({"text": "x", "author": "tool"}).status == "quarantined", "a tool brings other people's text"
    assert insight({"text": "x", "author": "tool:search", "trust": "trusted"}).status == "active"
    assert insight({"text": "x", "author": "extractor:rules-1"}).author == "extractor:rules-1"


def test_a_person_who_is_named_is_a_person() -> None:
    assert insight({"text": "x", "author": "user:ana"}).by_person
    assert not insight({"text": "x", "author": "agent:ana"}).by_person


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n "}, "text"),
        ({"text": None}, "text"),
        ({"text": "x" * 1001}, "text"),
        ({"text": "a\0"}, "text"),
        ({"category": "c" * 65}, "category"),
        ({"category": ""}, "category"),
        ({"importance": 1.5}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"importance": True}, "importance"),
        ({"expires_at": "tomorrow"}, "expires_at"),
        ({"context": [1]}, "context"),
        ({"context": {"a": float("inf")}}, "context"),
        ({"author": "mallory"}, "author"),
        ({"trust": "maybe"}, "trust"),
        ({"trust": "trusted:by me"}, "trust"),
        ({"pinned": "false"}, "pinned"),
        ({"source": "c"}, "source"),
        ({"source": Source("x", 1, 2)}, "source.conversation"),
        ({"source": Source("00000000-0000-4000-8000-000000000000", 5, 2)}, "source.last"),
    ],
)
def test_the_error_names_the_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        insight({"text": "user likes foxes"} | change)
    assert caught.value.field == field
    assert "foxes" not in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user programs in C", "user programs in C++"),
        ("user programs in C", "user programs in C#"),
        ("user works with .NET", "user works with net"),
        ("rent is $900", "rent is €900"),
        ("rent went up by 10%", "rent went up by 10"),
        ("it was -5 degrees", "it was 5 degrees"),
        ("x = 1", "x != 1"),
        ("a < b", "a > b"),
        ("user signs with 🙂", "user signs with 🙁"),
        ("user signs with 👍🏽", "user signs with 👍"),
        ("user supports 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "user supports 🏴󠁧󠁢󠁳󠁣󠁴󠁿"),
        ("user's sister is called मीना", "user's sister is called मोना"),
        ("ผู้ใช้ชอบกิน", "ผู้ใช้ชอบกัน"),
        ("user's word is வீடு", "user's word is வாடு"),
        ("user's word is かき", "user's word is かぎ"),
        ("user's mail is ana.lopez@x.com", "user's mail is ana-lopez@x.com"),
        ("user reads https://x.com/a-b", "user reads https://x.com/a.b"),
        ("the printer is at 10.0.0.1", "the printer is at 10-0-0-1"),
        ("user gave the film 4/5", "user gave the film 4.5"),
        ("user gave the film 4/5", "user gave the film 4-5"),
        ("user runs 3-5 km", "user runs 3.5 km"),
        ("user got an A* in maths", "user got an A in maths"),
        ("user got an A- in maths", "user got an A in maths"),
        ("user got an A* in maths", "user got an A- in maths"),
        ("user's blood group is AB-", "user's blood group is AB"),
        ("the answer is 5²", "the answer is 52"),
    ],
)
def test_a_sign_can_make_it_another_thing(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)
    assert relation(one, other, 0.99) != "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user's dog (Rex) is small.", "user’s dog Rex is small"),
        ("well-known, and loved!", "well known and loved"),
        ("«Hola», dijo…", "hola dijo"),
        ("it was −5 degrees", "it was -5 degrees"),
        ("**bold** - `code`", "bold code"),
        ("from 9-5", "from 9 – 5"),
        ("user lives in Porto.", "user lives in Porto"),
        ("user has an e-mail address", "user has an e mail address"),
        ("user has a 5-year-old son", "user has a 5 year old son"),
        ("write to (ana@x.com).", "write to ana@x.com"),
        ("see https://x.com/", "see <https://x.com>"),
        ("user likes ❤️", "user likes ❤"),
        ("the **A** team", "the A team"),
        ("about CO₂, in m²", "about CO2 in m2"),
        ("it takes 1½ hours", "it takes 1 1/2 hours"),
    ],
)
def test_punctuation_does_not(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("user works from 9:00", "user works from 9 am"), ("rent is 1,000 euros", "rent is 1000 euros")],
)
def test_how_a_figure_is_written_makes_it_no_other(one: str, other: str) -> None:
    assert relation(one, other, 0.99) == "same"


def test_fingerprints_look_at_the_words_only() -> None:
    assert fingerprint("User likes FOXES!") == fingerprint("user  likes foxes")
    assert fingerprint("user likes foxes") != fingerprint("user likes boxes")
    assert fingerprint("café") == fingerprint("cafe\u0301")
    assert fingerprint("!!!") != fingerprint("???")
    assert insight({"text": "x", "expires_at": datetime(2030, 1, 1, tzinfo=UTC)}).expires_at
