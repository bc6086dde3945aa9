"""Recall over memories: what is related comes, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from recollect import Invalid, Recollect

KNOWN = [
    "user is vegetarian and does not eat meat or fish",
    "user moved to Porto in May 2024",
    "user is allergic to peanuts",
    "user works as a nurse at the city hospital",
    "user runs a kubernetes (k8s) cluster at home",
    "user's daughter is called Marta and plays the violin",
    "user prefers short answers without emojis",
    "user drives a red Seat Ibiza",
    "al usuario le gusta la música clásica",
    "user is learning Portuguese",
]


@pytest.fixture
async def known(memory: Recollect) -> AsyncIterator[Recollect]:
    for text in KNOWN:
        await memory.remember(text, user="ana", agent="librarian")
    return memory  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("which food can she not eat because of an allergy?", 2),
        ("where has the user moved?", 1),
        ("what is her job at the hospital?", 3),
        ("help me with my k8s setup, it fails again since yesterday evening", 4),
        ("what instrument does Marta play?", 5),
        ("what car do I have, an Ibiza?", 7),
        ("¿qué música me gusta?", 8),
        ("peanuts", 2),
    ],
)
async def test_the_right_one_is_found(known: Recollect, query: str, best: int) -> None:
    hits = await known.recall(query, user="ana", agent="librarian")
    assert KNOWN[best] in [hit.text for hit in hits[:2]]
    assert all(hit.memory is not None and hit.message is None and hit.why for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    "query",
    [
        "how do I reset the oven clock after a power cut?",
        "what is the capital of Mongolia?",
        "write a haiku about snow",
        "thanks!",
        "ok",
        "what do you think about it?",
        "???",
        "12345",
    ],
)
async def test_when_nothing_is_related_nothing_comes(known: Recollect, query: str) -> None:
    assert [hit.text for hit in await known.recall(query, user="ana", agent="librarian")] == []


async def test_limits_and_thresholds(known: Recollect) -> None:
    assert len(await known.recall("user", user="ana", agent="librarian", threshold=0, limit=3)) == 3
    assert await known.recall("peanuts", user="ben", agent="librarian") == []
    for wrong in ("", "  ", "a\0"):
        with pytest.raises(Invalid, match="query"):
            await known.recall(wrong, user="ana", agent="librarian")
    with pytest.raises(Invalid, match="threshold"):
        await known.recall("x", user="ana", agent="librarian", threshold=2)


async def test_pinned_and_important_first_among_equals(memory: Recollect) -> None:
    await memory.remember("user likes green tea in the morning", user="ana", agent="librarian", importance=0.1)
    await memory.remember(
        "user likes black tea in the morning", user="ana", agent="librarian", importance=0.9, pinned=True
    )
    hits = await memory.recall("which tea in the morning?", user="ana", agent="librarian")
    assert [hit.text for hit in hits] == [
        "user likes black tea in the morning",
        "user likes green tea in the morning",
    ]
    assert "pinned" in hits[0].why


async def test_the_better_match_comes_before_the_newer_one(memory: Recollect) -> None:
    texts = [
        "user's favourite food is pizza with olives",
        "user's favourite food is sushi",
        "user's favourite food is soup",
    ]
    for text in texts:
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall("is pizza with olives the favourite food?", user="ana", agent="librarian")
    assert hits[0].text == texts[0]


async def test_what_says_nearly_the_same_comes_once(memory: Recollect) -> None:
    for end in ("now", "now now", "today"):
        await memory.remember(
            f"the user of this house is very much allergic to peanuts {end}", user="ana", agent="librarian"
        )
    hits = await memory.recall("allergic to peanuts", user="ana", agent="librarian")
    assert sorted(hit.text.split()[-1] for hit in hits) == ["now", "today"]
