"""Recall over memories: what is related comes, and nothing else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect import Invalid, Recollect, Unavailable
from recollect.handle import Models
from recollect.models.tokens import default_counter
from recollect.models.wordllama import WordLlama

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


@pytest.mark.parametrize(
    ("query", "told", "beside"),
    [
        ("what's my aunt's name?", "user's aunt Greta keeps bees", "user's uncle keeps goats"),
        ("what is the name of my landlord?", "user's landlord Mr Ito lives upstairs", "user's street is loud"),
        ("what is my boat called?", "user's boat Selkie lies in Cork", "user called the plumber"),
        ("which tooth did I break?", "user broke a molar on a nut", "user's brother takes a break"),
        ("what did I sew?", "user sewed and has sewn a tent", "user mends nets"),
        ("what is my job?", "user is the founder of a bakery", "user's lawyer is Ada Quist"),
    ],
)
async def test_a_word_in_common_is_enough_where_the_others_need_not_be_said(
    memory: Recollect, query: str, told: str, beside: str
) -> None:
    for text in (told, beside, "user enjoys jazz", "user dislikes olives", "user plays chess on Fridays"):
        await memory.remember(text, user="ana", agent="librarian")
    assert [hit.text for hit in await memory.recall(query, user="ana", agent="librarian")] == [told]


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


@pytest.mark.parametrize(
    "query",
    [
        "where does the user live now?",
        "where do I live these days",
        "where do I currently live?",
        "in which city do I live",
        "where did I live in 2023?",
    ],
)
async def test_when_it_is_asked_for_is_not_what_is_asked_for(memory: Recollect, query: str) -> None:
    await memory.remember("user lives in Oslo", user="ana", agent="librarian")
    assert [hit.text for hit in await memory.recall(query, user="ana", agent="librarian")] == [
        "user lives in Oslo"
    ]


@pytest.mark.parametrize("query", ["What do you know about me?", "user profile", "¿qué sabes de mí?"])
async def test_all_that_is_known_is_asked_for(known: Recollect, query: str) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    await known.remember("user plans a surprise", **who, expires_at=datetime.now(UTC) - timedelta(days=1))
    await known.remember("user is somebody else", user="ben", agent="librarian")
    hits = await known.recall(query, **who)
    assert len(hits) == 5
    assert all(0.6 <= hit.score < 0.8 and hit.why == "known of the user" for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    everything = await known.recall(query, **who, limit=30)
    assert sorted(hit.text for hit in everything) == sorted(KNOWN)
    assert [hit.text for hit in everything[:5]] == [hit.text for hit in hits]
    chat = await known.conversation(**who)
    assert [hit.text for hit in (await chat.context(query)).memories] == [hit.text for hit in hits]
    assert await known.recall(query, **who, threshold=0.8) == []
    assert await known.recall(query, **who, as_of=datetime(2020, 1, 1, tzinfo=UTC)) == []
    assert len(await known.recall(query, **who, as_of=datetime.now(UTC))) == 5
    assert await known.recall(query, user="cem", agent="librarian") == []


async def test_of_all_that_is_known_the_newest_version_comes_first(memory: Recollect) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    for text, year in (("user's name is Ana Roth", 2020), ("user's name is Ana Silva", 2024)):
        await memory.remember(text, **who, valid_from=datetime(year, 1, 1, tzinfo=UTC))
    hits = await memory.recall("who am I?", **who)
    assert [hit.text for hit in hits] == ["user's name is Ana Silva", "user's name is Ana Roth"]


SCRIPTS = {
    "ru": (["пользователь играет на скрипке", "у пользователя аллергия на молоко"], "аллергия есть?", 1, "привет"),
    "zh": (["用户喜欢喝绿茶", "用户的车是红色的"], "我的车是什么颜色？", 1, "明天会下雨吗"),
    "ja": (["ユーザーは京都で育った", "ユーザーは犬が苦手だ"], "犬は苦手ですか", 1, "数学を教えて"),
    "ar": (["المستخدم يحب القهوة", "المستخدم يعمل طبيبا"], "القهوة", 0, "ما هو الطقس غدا"),
    "ko": (["사용자는 커피를 좋아한다", "사용자는 의사이다"], "커피를 마실까", 0, "안녕하세요"),
}


@pytest.mark.parametrize("language", SCRIPTS)
async def test_other_scripts_are_told_apart_by_their_words(memory: Recollect, language: str) -> None:
    """The offline model knows English; to it any two texts in another script would say the same."""
    texts, asked, best, other = SCRIPTS[language]
    chat = await memory.conversation(user="ana", agent="librarian")
    for text in texts:
        await memory.remember(text, user="ana", agent="librarian")
        await chat.append("user", text)
    for over in ("memories", "messages"):
        hits = await memory.recall(asked, user="ana", agent="librarian", over=over, threshold=0.3)
        assert [hit.text for hit in hits][:1] == [texts[best]], over
        assert await memory.recall(other, user="ana", agent="librarian", over=over) == [], over


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "user does eat pork and beef and chicken and lamb and fish and eggs",
            "user does not eat pork and beef and chicken and lamb and fish and eggs",
        ),
        (
            "the flight to Lima with pork for dinner leaves on a Friday night from terminal two and gate 12",
            "the flight to Lima with pork for dinner leaves on a Friday night from terminal two and gate 47",
        ),
    ],
)
async def test_a_number_or_a_negation_makes_it_something_else(memory: Recollect, old: str, new: str) -> None:
    for text in (old, new):
        await memory.remember(text, user="ana", agent="librarian")
    assert [hit.text for hit in await memory.recall("pork", user="ana", agent="librarian")] == [new, old]


async def test_of_two_statements_about_the_same_the_newer_comes_first(memory: Recollect) -> None:
    now = datetime.now(UTC)
    for text, days in (("user lives in Lyon", 20), ("user lives in Nice", 2000), ("user lives near a lake", 900)):
        await memory.remember(text, user="ana", agent="librarian", valid_from=now - timedelta(days=days))
    hits = await memory.recall("where do I live?", user="ana", agent="librarian")
    assert [hit.text for hit in hits] == ["user lives in Lyon", "user lives near a lake", "user lives in Nice"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    await memory.remember("user lives in a tent", user="ana", agent="librarian", importance=0.1)
    assert (await memory.recall("where do I live?", user="ana", agent="librarian"))[0].text == "user lives in Lyon"


async def test_a_date_in_the_question_favours_what_was_true_then(memory: Recollect) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    await memory.remember("user visited friends in Japan", **who, valid_from=datetime(2021, 5, 9, tzinfo=UTC))
    await memory.remember("user visited friends in Chile", **who, valid_from=datetime(2024, 2, 2, tzinfo=UTC))
    await memory.remember("user visited friends in Ghent in July 2022", **who)
    for number in range(12):
        await memory.remember(f"user visited friends who {'abcdefghijkl'[number] * 3}", **who, importance=1)
    for when, where in (("in May 2021", "Japan"), ("in 2024", "Chile"), ("in July 2022", "July")):
        hits = await memory.recall(f"which friends have I visited {when}?", **who)
        assert where in hits[0].text, when


class Down(WordLlama):
    """An endpoint that does not answer."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise Unavailable("embedder", "it is down")


async def test_without_the_model_words_do(known: Recollect, caplog: pytest.LogCaptureFixture) -> None:
    chat = await known.conversation(user="ana", agent="librarian")
    await chat.append("user", "hello")
    known._models = Models(Down, default_counter)  # pyright: ignore[reportPrivateUsage]
    with caplog.at_level(logging.WARNING):
        hits = await known.recall("who is allergic to peanuts?", user="ana", agent="librarian")
    assert [hit.text for hit in hits] == [KNOWN[2]]
    assert "recall.words_only" in caplog.text
    assert "peanuts" not in caplog.text
    context = await chat.context("who is allergic to peanuts?")
    assert [hit.text for hit in context.memories] == [KNOWN[2]]
    with pytest.raises(Unavailable):
        await known.remember("user likes foxes", user="ana", agent="librarian")


@pytest.mark.parametrize(
    "question", ["What is Peter's phone number?", "What's up?", "who’s Germany’s chancellor?"]
)
async def test_a_possessive_is_not_a_word(memory: Recollect, question: str) -> None:
    for text in ("user's mother turns 70 in March", "user's dog is a beagle", "user's sister Clara is a nurse"):
        await memory.remember(text, user="ana", agent="librarian")
    assert await memory.recall(question, user="ana", agent="librarian") == []
    assert [hit.text for hit in await memory.recall("Clara's job?", user="ana", agent="librarian")] == [
        "user's sister Clara is a nurse"
    ]


async def test_what_had_expired_by_then_is_not_recalled_and_what_held_is(memory: Recollect) -> None:
    now = datetime.now(UTC)
    await memory.remember(
        "user has a parking permit",
        user="ana",
        agent="librarian",
        valid_from=now - timedelta(days=300),
        expires_at=now + timedelta(days=300),
    )
    pass_ = await memory.remember(
        "user has a swimming pass", user="ana", agent="librarian", valid_from=now - timedelta(days=300)
    )
    await memory.revise(pass_.id, expires_at=now + timedelta(seconds=0.05))
    await asyncio.sleep(0.1)

    async def found(question: str, days: int) -> bool:
        moment = now + timedelta(days=days)
        hits = await memory.recall(question, user="ana", agent="librarian", as_of=moment)
        listed = await memory.memories("ana", "librarian", as_of=moment)
        assert {hit.text for hit in hits} <= {one.text for one in listed.items}
        return bool(hits)

    assert await found("parking permit", 100)
    assert not await found("parking permit", 400)
    assert await found("swimming pass", -100)
    assert not await found("swimming pass", 100)


async def test_a_hit_tells_since_when_it_holds(memory: Recollect) -> None:
    since = datetime(2025, 5, 12, tzinfo=UTC)
    await memory.remember("user went to Iceland on holiday", user="ana", agent="librarian", valid_from=since)
    [hit] = await memory.recall("holiday in Iceland", user="ana", agent="librarian")
    assert hit.at == since
    chat = await memory.conversation(user="ana", agent="librarian")
    context = await chat.context("tell me about my holiday in Iceland")
    assert "2025-05-12 - user went to Iceland on holiday" in context.messages[0]["content"]


@pytest.mark.parametrize(
    "query", ["what should I cook for dinner?", "dinner ideas", "any good restaurant for lunch?"]
)
async def test_what_the_user_must_not_eat_is_told_whatever_else_is_known_of_meals(
    memory: Recollect, query: str
) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    for text in (
        "user is allergic to peanuts",
        "user is vegetarian",
        "user's brother is allergic to cats",
        "user drives a red van",
        *(
            f"user cooked dinner for {name} in a restaurant"
            for name in ("Olga", "Piet", "Rui", "Sami", "Tess", "Uma")
        ),
    ):
        await memory.remember(text, **who)
    hits = await memory.recall(query, **who)
    assert len(hits) == 5
    assert {"user is allergic to peanuts", "user is vegetarian"} <= {hit.text for hit in hits[-2:]}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all("allerg" not in hit.text for hit in await memory.recall("what does the red van cost?", **who))
