"""A vector of words keeps 255 places of each and none after the 16,383rd; a search finds phrases all the same."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator

import pytest

from recollect import Recollect

BOOKS = "我的书。" * 300 + "我爱北京的烤鸭"
DRAGONS = "我的书。" * 5000 + "龍鳳"
ENGLISH = (
    " ".join(f"word{number % 3000}" for number in range(17_000))
    + " a well-known foo.bar@example.com said: Alphas, betas and gammas"
)
NUMBERS = " ".join(f"{number:08x}" for number in range(115_000)) + " the zebra crossing"
SHORT = "alpha beta, well known"


@pytest.fixture(scope="module")
async def library(dsn: str) -> AsyncIterator[Recollect]:
    async with Recollect.open(dsn, tenant=f"tenant-{uuid.uuid4().hex[:12]}") as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        await chat.extend([("user", text) for text in (BOOKS, DRAGONS, ENGLISH, NUMBERS, SHORT)])
        yield memory


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("北京", [BOOKS]),
        ("我爱", [BOOKS]),
        ("的烤鸭", [BOOKS]),
        ("爱我", []),
        ("我爱书", []),
        ("龍鳳", [DRAGONS]),
        ("鳳龍", []),
        ("书我", [BOOKS, DRAGONS]),
        ("well-known", [ENGLISH, SHORT]),
        ("foo.bar@example.com", [ENGLISH]),
        ('"alpha beta"', [ENGLISH, SHORT]),
        ('"betas and gamma"', [ENGLISH]),
        ('"alpha gamma"', []),
        ('"beta an"', []),
        ('"known foo"', [ENGLISH]),
        ('said -"alpha beta"', []),
        ('said -"alpha gamma"', [ENGLISH]),
        ('"gamma beta" or 我爱', [BOOKS]),
        ("zebra", [NUMBERS]),
        ("ZEBRAS crossing", [NUMBERS]),
        ('"the zebra"', [NUMBERS]),
        ('"crossing zebra"', []),
        ("00000001 -zebra", []),
        ("0001c000 -giraffe", [NUMBERS]),
        ("giraffe", []),
    ],
)
async def test_found_in_long_texts(library: Recollect, query: str, found: list[str]) -> None:
    hits = await library.search(query, user="ana")
    assert sorted(hit.text[-20:] for hit in hits) == sorted(text[-20:] for text in found)
    assert all(0 <= hit.score < 1 for hit in hits)


async def test_the_best_stands_first(library: Recollect) -> None:
    assert [hit.text for hit in await library.search('"alpha beta"', user="ana")] == [SHORT, ENGLISH]


@pytest.mark.parametrize("query", ["我爱", '"a b"', "-x", '-"a b"', "or or", "a or", 'x or "a b" or', "-or or y"])
async def test_the_text_and_the_words_agree(memory: Recollect, query: str) -> None:
    """The same texts, short and behind so much else that their places are lost."""
    texts = ["我爱书", "爱我", "a b", "a bc", "b a", "x", "y or", "a x b"]
    padding = "a b x y or 我 爱 ".replace(" ", " z ") * 300
    short = await memory.conversation(user="short", agent="librarian")
    long = await memory.conversation(user="long", agent="librarian")
    await short.extend([("user", f"{text} q {padding[:33]}") for text in texts])
    await long.extend([("user", f"{padding} {text} q {padding[:33]}") for text in texts])
    hits = await memory.search(query, user="short"), await memory.search(query, user="long")
    seqs = [sorted(hit.message.seq for hit in each if hit.message) for each in hits]
    assert seqs[0] == seqs[1]


async def test_eight_times_the_question_takes_about_eight_times_as_long(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "我住在北京" * 2000)

    async def takes(query: str) -> float:
        """The quickest of a few tries: the machine may be busy."""
        tries: list[float] = []
        for _ in range(3):
            begun = time.perf_counter()
            assert len(await memory.search(query, user="ana")) == 1
            tries.append(time.perf_counter() - begun)
        return min(tries)

    few, many = await takes("我住在北京" * 8), await takes("我住在北京" * 64)
    assert many < 30 * few  # to compare all words with all their places would take 64 times as long
