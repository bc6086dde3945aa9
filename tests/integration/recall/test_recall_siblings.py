"""What is newer does not come before what the question names, nor what is somebody else's before one's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from recollect import Hit, Recollect

START = datetime(2024, 3, 4, 9, tzinfo=UTC)
WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}
Over = Literal["memories", "messages"]


async def told(memory: Recollect, over: Over, texts: list[str]) -> None:
    """Day by day, one after the other."""
    chat = await memory.conversation("ana", "librarian")
    for day, text in enumerate(texts):
        at = START + timedelta(days=day)
        if over == "memories":
            await memory.remember(text, **WHO, valid_from=at)
        else:
            await chat.append("user", text, at=at)


async def asked(memory: Recollect, over: Over, question: str, limit: int = 5) -> list[Hit]:
    return await memory.recall(question, **WHO, limit=limit, over=over)


@pytest.mark.parametrize("over", ["memories", "messages"])
@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("was invoice 7 paid?", "invoice 7 was paid", "invoice 8 was not paid"),
        ("order 88123", "order 88123 was refunded", "order 88124 is delayed"),
        (
            "when does the backup of alpha run?",
            "backup of server alpha runs at 2:00",
            "backup of server beta runs at 3:00",
        ),
        (
            "when does my flight to rome leave?",
            "my flight to Rome leaves at 7:40",
            "my flight to Paris now leaves at 9:15",
        ),
        ("what is the price of tea?", "the price of tea is 3 euros", "the price of coffee is now 4 euros"),
    ],
)
async def test_the_one_that_is_named_comes_first(
    memory: Recollect, over: Over, question: str, older: str, newer: str
) -> None:
    await told(memory, over, [older, newer])
    for limit in (1, 5):
        hits = await asked(memory, over, question, limit)
        assert hits[0].text == older


@pytest.mark.parametrize("over", ["memories", "messages"])
async def test_of_many_that_are_numbered_the_one_that_is_asked_for(memory: Recollect, over: Over) -> None:
    texts = [f"my score in quiz number {number} was {50 + 3 * number} points" for number in range(1, 13)]
    await told(memory, over, texts)
    hits = await asked(memory, over, "what was my score in quiz number 3?")
    assert hits[0].text == texts[2]
    assert all(hit.score <= 0.6 < hits[0].score for hit in hits[1:])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("question", "own", "others"),
    [
        ("what is my phone number?", "user's phone number is 555-1", "user's mother's phone number is 555-7"),
        ("how old am I?", "user is 34 years old", "user's mother is 70 years old"),
        ("how old am I?", "user is 34 years old", "Tom is 70 years old"),
        ("when is my birthday?", "user's birthday is on 3 May", "user's wife's birthday is on 9 July"),
        ("what is my favourite colour?", "user's favourite colour is red", "Tom's favourite colour is blue"),
        ("what is my cat called?", "user's cat is called Pudding", "user's sister's cat is called Biscuit"),
        ("how much do I owe Tom?", "user owes Tom 200 euros", "Tom owes user 50 euros"),
        ("how much does Tom owe me?", "Tom owes user 50 euros", "user owes Tom 200 euros"),
        ("¿en qué trabajo?", "el usuario trabaja de cocinero", "la hermana del usuario trabaja de enfermera"),
        ("¿dónde vivo?", "usuario vive en Valencia", "la madre de usuario vive en Teruel"),
    ],
)
async def test_ones_own_comes_first(memory: Recollect, question: str, own: str, others: str, turned: bool) -> None:
    await told(memory, "memories", [others, own] if turned else [own, others])
    hits = await asked(memory, "memories", question)
    assert hits[0].text == own


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("question", "own", "others"),
    [
        ("how old am I?", "I am 34 years old", "My mother is 70 years old"),
        ("who is my doctor?", "My doctor is Dr. Silva", "My mother's doctor is Dr. Costa"),
        ("what's my shirt size?", "My shirt size is M", "My husband's shirt size is XL"),
        ("when is my birthday?", "My birthday is on 3 May", "My wife's birthday is on 9 July"),
        ("what is my cat called?", "Our cat is called Pudding", "My sister's cat is called Biscuit"),
        ("how much do I owe Tom?", "I owe Tom 200 euros", "Tom owes me 50 euros"),
        ("¿cuándo es mi cumpleaños?", "Mi cumpleaños es el 4 de abril", "El cumpleaños de Marta es el 9 de julio"),
    ],
)
async def test_what_one_says_of_oneself_comes_first(
    memory: Recollect, question: str, own: str, others: str, turned: bool
) -> None:
    await told(memory, "messages", [others, own] if turned else [own, others])
    hits = await asked(memory, "messages", question)
    assert hits[0].text == own


@pytest.mark.parametrize("over", ["memories", "messages"])
async def test_who_is_asked_for_comes_before_oneself(memory: Recollect, over: Over) -> None:
    texts = ["My mother's phone number is 555-7", "My phone number is 555-1"]
    await told(memory, over, texts)
    hits = await asked(memory, over, "what is my mother's phone number?")
    assert hits[0].text == texts[0]


@pytest.mark.parametrize("over", ["memories", "messages"])
@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_the_newest_of_many_comes_first_however_few_are_wanted(
    memory: Recollect, over: Over, limit: int
) -> None:
    texts = [
        f"{'user weighs' if over == 'memories' else 'I weigh'} {82.4 - step / 3:.1f} kg" for step in range(12)
    ]
    await told(memory, over, texts)
    hits = await asked(memory, over, "how much do I weigh?", limit)
    assert [hit.text for hit in hits] == texts[: -limit - 1 : -1]


@pytest.mark.parametrize("limit", [1, 5])
async def test_the_newer_of_two_comes_first_however_few_are_wanted(memory: Recollect, limit: int) -> None:
    await told(memory, "memories", ["user weighs 82 kg", "user weighs 78 kg"])
    hits = await asked(memory, "memories", "how much do I weigh?", limit)
    assert hits[0].text == "user weighs 78 kg"


async def test_the_same_words_in_another_order_are_another_fact(memory: Recollect) -> None:
    await told(memory, "memories", ["Ana owes Bob 50 euros", "Bob owes Ana 50 euros"])
    assert len(await asked(memory, "memories", "who owes 50 euros?")) == 2


@pytest.mark.parametrize("over", ["memories", "messages"])
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("error E1043", "error E1042 means that the disk is full"),
        ("what about order 88125?", "order 88124 is delayed"),
        ("what is the goal of Q3?", "the goal of Q4 is 12 new deals"),
    ],
)
async def test_a_code_that_was_never_said_makes_nothing_sure(
    memory: Recollect, over: Over, question: str, text: str
) -> None:
    await told(memory, over, [text])
    assert all(hit.score <= 0.6 for hit in await asked(memory, over, question))
    assert not await memory.recall(question, **WHO, threshold=0.8, over=over)
