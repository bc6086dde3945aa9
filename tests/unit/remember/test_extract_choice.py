"""What is taken apart, what is chosen, and that neither depends on what somebody is called."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.records import Message
from recollect.remember.extract import extract

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)


def learned(*texts: str, name: str | None = None, start: int = 21) -> list[str]:
    messages = [
        Message(conversation="c", seq=seq, id=str(seq), role="user", content=text, created_at=SAID, name=name)
        for seq, text in enumerate(texts, start)
    ]
    return [one.text for one in extract(messages)]


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("I'm a baker who keeps bees.", ["user is a baker", "user keeps bees"]),
        (
            "I like to restore clocks, carve spoons, and breed canaries.",
            ["user likes to restore clocks", "user likes to carve spoons", "user likes to breed canaries"],
        ),
        (
            "I live in a houseboat on the Spree and work as a piano tuner.",
            ["user lives in a houseboat on the Spree", "user works as a piano tuner"],
        ),
        ("I'm a beekeeper, what about you?", ["user is a beekeeper"]),
        (
            "My grandmother taught chess when I was young.",
            ["user's grandmother taught chess when they were young"],
        ),
        ("Now I live in the US.", ["user lives in the US"]),
        ("I have two daughters and a son.", ["user has two daughters and a son"]),
        ("I'm 34 years old and live in Berlin.", ["user is 34 years old and lives in Berlin"]),
        ("I really love pottery.", ["user loves pottery"]),
    ],
)
def test_a_sentence_is_taken_apart_when_it_says_much(sentence: str, facts: list[str]) -> None:
    assert learned(sentence) == facts


@pytest.mark.parametrize(
    "text",
    [
        "I love his music.",
        "I'm reading.",
        "I'm going to go for a walk.",
        "I have a favourite song.",
        "We have a lot in common.",
        "We should meet and watch a film about whales.",
    ],
)
def test_what_tells_of_the_moment_or_of_nothing_is_not_learned(text: str) -> None:
    assert learned(text) == []


def test_a_name_does_not_change_what_is_learned() -> None:
    texts = [
        "I love jazz.",
        "I'm a nurse at a hospital.",
        "My brother races pigeons.",
        "I like to read.",
        "I fish.",
    ]
    nameless = learned(*texts)
    assert nameless
    for name in ("Ines", "User 1", "Ana Maria de la Cruz", "Al"):
        assert learned(*texts, name=name) == [text.replace("user", name) for text in nameless]


def test_what_was_talked_about_before_is_less_of_a_news() -> None:
    before = ("Is opera popular?", "An opera house was built.")
    assert learned("I love opera.", "I love sailing.") == ["user loves opera", "user loves sailing"]
    assert learned(*before, "I love opera.", "I love sailing.") == ["user loves sailing"]


def test_a_row_of_tastes_is_conversation() -> None:
    tastes = ("I love opera.", "I love sailing.", "I love pottery.")
    assert learned(*tastes) == ["user loves opera", "user loves sailing"]
    assert learned(*tastes, "I am a plumber.") == ["user loves opera", "user loves sailing", "user is a plumber"]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I work as a nurse at a hospital.", "work"),
        ("I'm a nurse at the city hospital.", "work"),
        ("I'm in the hospital.", "health"),
        ("I'm allergic to penicillin.", "health"),
        ("Soy enfermera en un hospital.", "work"),
    ],
)
def test_who_helps_is_told_from_who_is_ill(text: str, category: str) -> None:
    message = Message(conversation="c", seq=1, id="1", role="user", content=text, created_at=SAID)
    assert [one.category for one in extract([message])] == [category]
