"""Of statements about the same thing the newest comes first, however it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Recollect

START = datetime(2024, 3, 4, 9, tzinfo=UTC)
WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}
BESIDE = [
    "The weather has been dreadful all week.",
    "I watched a documentary about whales.",
    "My sister came over for dinner.",
    "The printer at the office is broken again.",
    "We planted tomatoes on the balcony.",
    "The meeting about the budget was long.",
]


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        (
            "when does the school play begin?",
            "The school play begins at six.",
            "The play begins at seven instead.",
        ),
        (
            "when is the launch of the app?",
            "The launch of the app is on 2 May.",
            "The launch was postponed to 9 June.",
        ),
        (
            "what time is my piano lesson?",
            "My piano lesson is at 4 pm.",
            "My piano lesson is at 5 pm from now on.",
        ),
        ("how much rent do I pay?", "I pay 900 euros of rent.", "I pay 980 euros of rent."),
        ("how tall is my sunflower?", "My sunflower is 80 cm.", "My sunflower is 120 cm."),
        ("what kind of bike do I have?", "My bike is a Brompton.", "I sold the Brompton, my bike is a Cube now."),
        (
            "how long is the queue at the clinic?",
            "The queue at the clinic is 3 weeks.",
            "The queue is now 6 weeks.",
        ),
        ("¿dónde trabajo?", "Trabajo en una librería.", "Ahora trabajo en una imprenta."),
        ("where do I live?", "I live in Turku.", "We have just moved to Oulu."),
        ("where do I live?", "We live in a flat by the river.", "Last week we moved into a house with a garden."),
        ("where do I work?", "I work at a bakery.", "Good news, I started working for a florist."),
        ("¿dónde vivo?", "Vivo en Soria.", "Me he mudado a Teruel."),
        ("¿cuánto mide mi hijo?", "Mi hijo mide un metro diez.", "Mi hijo mide ya un metro veinte."),
    ],
)
async def test_among_messages(memory: Recollect, question: str, older: str, newer: str) -> None:
    chat = await memory.conversation("ana", "guide")
    for place, text in enumerate([*BESIDE[:2], older, *BESIDE[2:4], newer, *BESIDE[4:]]):
        await chat.append("user", text, at=START + timedelta(days=place))
    hits = await memory.recall(question, "ana", "guide", over="messages")
    assert [hit.text for hit in hits[:2]] == [newer, older]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    "said", ["We moved to the next question.", "My cousin moved to Oulu.", "I moved the sofa."]
)
async def test_not_all_that_moves_lives_elsewhere(memory: Recollect, said: str) -> None:
    chat = await memory.conversation("ana", "guide")
    for place, text in enumerate([*BESIDE[:2], "I live in Turku.", said, *BESIDE[2:]]):
        await chat.append("user", text, at=START + timedelta(days=place))
    hits = await memory.recall("where do I live?", "ana", "guide", over="messages")
    assert hits[0].text == "I live in Turku."


async def test_what_happened_once_has_no_newer_version(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guide")
    await chat.append("user", "The bridge in our village was opened on 3 May.", at=START)
    await chat.append("user", "There was a party on the bridge, now it is closed.", at=START + timedelta(days=1))
    hits = await memory.recall("when was the bridge in the village opened?", "ana", "guide", over="messages")
    assert hits[0].text == "The bridge in our village was opened on 3 May."


@pytest.mark.parametrize(
    ("question", "told", "best"),
    [
        ("Where am I living now?", ["user lives in Graz", "user has recently moved to Linz"], 1),
        ("which city do I live in?", ["user lives in Graz", "user relocated to Linz"], 1),
        ("where do I live?", ["user moved to Linz", "user lives in Graz"], 1),
        ("where do I live?", ["user lives in Graz", "user's uncle moved to Linz"], 0),
        ("where do I live?", ["user lives in Graz", "user moved the piano to the attic"], 0),
        ("¿dónde vivo?", ["usuario vive en Vigo", "la usuaria se ha mudado a Lugo"], 1),
        ("¿dónde vivo?", ["usuario se mudó a Lugo", "el tío de la usuaria vive en Vigo"], 0),
        ("where do I work?", ["user works at the zoo", "user started a new job at the aquarium"], 1),
        ("where do I work?", ["user works at the zoo", "user started a course in pottery"], 0),
    ],
)
async def test_who_has_moved_lives_elsewhere(memory: Recollect, question: str, told: list[str], best: int) -> None:
    for text in [*told, "user enjoys jazz", "user dislikes olives", "user plays chess on Fridays"]:
        await memory.remember(text, user="ana", agent="guide")
    hits = await memory.recall(question, "ana", "guide")
    assert hits[0].text == told[best]
    assert {hit.text for hit in hits} <= set(told)
    chat = await memory.conversation("ana", "guide")
    context = await chat.context(question)
    assert context.memories[0].text == told[best]


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        (
            "when is the pottery workshop?",
            "the date of the pottery workshop is 4 December",
            "the date of the pottery workshop was moved to 11 December",
        ),
        (
            "how much is a season ticket?",
            "the price of a season ticket is 310 euros",
            "a season ticket now costs 345 euros",
        ),
        ("how many lakes have I swum in?", "user has swum in 21 lakes", "user has now swum in 23 lakes"),
    ],
)
async def test_among_memories(memory: Recollect, question: str, older: str, newer: str) -> None:
    for number, text in enumerate(
        (older, newer, "user bought a season of opera on video", "user dislikes workshops")
    ):
        await memory.remember(text, **WHO, valid_from=START + timedelta(days=number))
    assert [hit.text for hit in await memory.recall(question, **WHO)][:2] == [newer, older]


async def test_what_is_said_of_another_is_no_newer_version(memory: Recollect) -> None:
    for number, text in enumerate(("Ines rides a green bicycle to school", "Omar rides a green bicycle to work")):
        await memory.remember(text, **WHO, valid_from=START + timedelta(days=number))
    hits = await memory.recall("what colour is the bicycle of Ines?", **WHO)
    assert hits[0].text.startswith("Ines")


@pytest.mark.parametrize("over", ["memories", "messages"])
async def test_what_is_over_is_no_newer_state_of_things(memory: Recollect, over: str) -> None:
    chat = await memory.conversation("ana", "guide")
    texts = ["My favourite colour is green", "My favourite colour was purple when I was a child"]
    for day, text in enumerate(texts):
        at = START + timedelta(days=day)
        await chat.append("user", text, at=at)
        await memory.remember(text, user="ana", agent="guide", valid_from=at)

    async def first(question: str) -> str:
        return (await memory.recall(question, user="ana", agent="guide", over=over))[0].text

    assert await first("what is my favourite colour?") == texts[0]
    assert await first("what was my favourite colour as a child?") == texts[1]


@pytest.mark.parametrize(
    ("question", "said", "found"),
    [
        ("where do I live?", "We moved to Oulu last week.", True),
        ("where do I work?", "I started a new job at the aquarium.", True),
        ("where do I work?", "Guess what, I joined Globex!", True),
        ("where do I work?", "I joined the Globex Running Club.", False),
        ("where do I live?", "My cousin moved to Oulu.", False),
        ("where do I live?", "We moved to the next question.", False),
        ("where do I sleep?", "We moved to Oulu last week.", False),
    ],
)
async def test_a_change_is_found_though_nothing_was_said_before(
    memory: Recollect, question: str, said: str, found: bool
) -> None:
    chat = await memory.conversation("ana", "guide")
    await chat.extend([("user", said), ("assistant", "Noted."), ("user", "I like jazz."), ("assistant", "Nice.")])
    hits = await memory.recall(question, "ana", "guide", over="messages")
    assert [hit.text for hit in hits] == ([said] if found else [])
    assert await memory.recall(question, "ana", "guide", over="messages", threshold=0.7) == []


async def test_who_has_joined_a_company_works_there(memory: Recollect) -> None:
    joined, trade = "user joined Globex", "user is a nurse"
    await memory.remember(joined, user="ana", agent="guide", valid_from=START)
    await memory.remember("user likes jazz", user="ana", agent="guide", valid_from=START)
    for question in ("where do I work?", "who is my employer?", "which company am I with?"):
        (hit,) = await memory.recall(question, "ana", "guide")
        assert hit.text == joined
        assert hit.why.startswith("speaks of ")
        assert await memory.recall(question, "ana", "guide", threshold=0.7) == []
    # What is known by other words than those of the question, and newer, leaves it a place.
    await memory.remember(trade, user="ana", agent="guide", valid_from=START + timedelta(days=9))
    assert [hit.text for hit in await memory.recall("where do I work?", "ana", "guide")] == [trade, joined]
    await memory.remember("user joined Acme", user="ana", agent="guide", valid_from=START + timedelta(days=10))
    hits = await memory.recall("where do I work?", "ana", "guide", limit=1)
    assert [hit.text for hit in hits] == ["user joined Acme"]
