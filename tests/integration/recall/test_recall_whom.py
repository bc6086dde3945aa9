"""Who asks for one is not told of another, and what a question need not say does not stand in its way."""

from __future__ import annotations

from typing import Any

import pytest

from recollect import Recollect

WHO: dict[str, Any] = {"user": "u-1", "agent": "librarian"}
KNOWN = [
    "user lives in Bergen",
    "user's mother lives in Voss",
    "user's brother Aksel lives on a boat",
    "user is vegetarian",
    "user's colleague Jorunn bakes bread",
    "user weaves with a Louet",
    "user worked at Telenor for nine years",
    "user's grandmother was born in a farmhouse above the fjord, in 1931",
    "user is insured with Gjensidige",
    "user has a kayak called Selkie",
    "user's kayak leaks on Sundays",
    "user dislikes liquorice",
]


@pytest.fixture
async def known(memory: Recollect) -> Recollect:
    for text in KNOWN:
        await memory.remember(text, **WHO)
    return memory


async def found(memory: Recollect, question: str) -> list[str]:
    hits = await memory.recall(question, **WHO)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    chat = await memory.conversation(**WHO)
    assert [hit.text for hit in (await chat.context(question)).memories] == [hit.text for hit in hits]
    return [hit.text for hit in hits]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where do I live?", [0]),
        ("Where does my mother live?", [1]),
        ("Am I vegetarian?", [3]),
        ("Is Wout vegetarian?", []),
        ("Is my sister vegetarian?", []),
        ("Where does my uncle live?", []),
        ("Does Jorunn live in Bergen?", [4]),
    ],
)
async def test_an_answer_is_about_whom_the_question_is_about(
    known: Recollect, question: str, told: list[int]
) -> None:
    assert await found(known, question) == [KNOWN[place] for place in told]


async def test_what_others_do_says_nothing_of_somebody_whom_nobody_knows(memory: Recollect) -> None:
    told = ["Ines ran a charity race in Porto", "Rui's road trip took him to Faro"]
    for text in told:
        await memory.remember(text, **WHO)
    assert await found(memory, "When did Ines run a charity race?") == told[:1]
    assert await found(memory, "When did Wout run a charity race?") == []
    assert await found(memory, "When did Wout break a record in a race?") == [], "nor by another form of the verb"
    assert await found(memory, "Did Wout enjoy the road trip?") == []
    assert await found(memory, "Did Rui enjoy the road trip?") == told[1:]
    assert await found(memory, "Did I enjoy the road trip?") == told[1:]


async def test_who_is_known_may_be_meant_where_another_is_spoken_of(memory: Recollect) -> None:
    told = ["Rui gave his sister a red kite for her birthday", "Ines collects kites"]
    for text in told:
        await memory.remember(text, **WHO)
    assert await found(memory, "Did Ines get a kite for her birthday?") == told


async def test_what_is_about_others_does_not_fill_the_places(memory: Recollect) -> None:
    for number in range(12):
        await memory.remember(f"user's cousin lives in village {number}", **WHO)
    await memory.remember("user lives in the capital, on a hill behind the old harbour and its cranes", **WHO)
    assert [text[:22] for text in await found(memory, "Where do I live?")] == ["user lives in the capi"]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Which company did I work for?", 6),
        ("How old is my granny?", 7),
        ("Which insurance company am I with?", 8),
        ("What sweets do I dislike?", 11),
        ("Do you remember which company I worked for?", 6),
    ],
)
async def test_of_what_kind_the_answer_is_need_not_be_told(known: Recollect, question: str, best: int) -> None:
    (hit,) = await known.recall(question, **WHO)
    assert hit.text == KNOWN[best]
    assert hit.score < 0.8
    assert await known.recall(question, **WHO, threshold=0.8) == []


@pytest.mark.parametrize("question", ["What music do I like?", "Which paint do I like?"])
async def test_what_one_does_with_anything_is_not_enough(known: Recollect, question: str) -> None:
    await known.remember("user likes rain", **WHO)
    assert await found(known, question) == []


@pytest.mark.parametrize(
    "question", ["Do you remember where I live?", "could you tell me where I live", "I forgot where I live"]
)
async def test_how_a_question_is_put_says_nothing(known: Recollect, question: str) -> None:
    assert await found(known, question) == [KNOWN[0]]


async def test_what_gives_the_name_that_is_asked_for_comes_first(known: Recollect) -> None:
    assert (await found(known, "What's the name of my kayak?"))[0] == KNOWN[9]


async def test_messages_are_found_however_the_question_is_put(memory: Recollect) -> None:
    chat = await memory.new_conversation(**WHO)
    for text in (
        "We moor the kayak at Voss",
        "I remember every face",
        "Remind Ida of the soup",
        "I forgot my hat",
    ):
        await chat.append("user", text)
    for put in ("Do you remember", "Could you please remind me", "I forgot"):
        hits = await memory.recall(f"{put} where we moor it", **WHO, over="messages")
        assert [hit.text for hit in hits] == ["We moor the kayak at Voss"], put
