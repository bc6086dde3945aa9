from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.cache.vectors import Remembering
from recollect.models.questions import ease, slack, vector_of
from recollect.models.wordllama import (
    AT_ONCE,
    EASE,
    FEW_WORDS,
    MANY,
    MOST_CHARACTERS,
    MOST_EASE,
    MOST_SLACK,
    SLACK,
    WordLlama,
)


class Wide:
    """An embedder with nothing but what it must have."""

    name = "wide-2"
    dimension = 2

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(texts), 2), np.float32)

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return cosine


async def test_vectors_have_length_one_and_are_in_the_order_of_the_texts() -> None:
    embedder = WordLlama()
    texts = ["a long walk along the river, and then home again", "tea", "a cup of green tea"]
    rows = await embedder.embed(texts)
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[1] @ rows[2] > rows[0] @ rows[2]
    assert np.allclose(await embedder.embed([texts[1]]), rows[1:2], atol=1e-5)


async def test_nothing_to_embed_is_a_row_of_zeros() -> None:
    rows = await WordLlama().embed(["", "tea"])
    assert not rows[0].any()
    assert np.isfinite(rows).all()
    assert (await WordLlama().embed([])).shape == (0, 256)


async def test_what_is_not_in_its_script_means_nothing_to_it() -> None:
    rows = await WordLlama().embed(
        ["у меня две кошки", "用户住在上海", "el niño está aquí", "I work at 銀行", "42 ?!"]
    )
    assert [bool(row.any()) for row in rows] == [False, False, True, True, True]


async def test_only_the_beginning_of_a_very_long_text_counts() -> None:
    start = "tea " * (MOST_CHARACTERS // 4)
    one, other = await WordLlama().embed([start, start + "coffee " * 10_000])
    assert np.allclose(one, other)


async def test_a_short_question_is_read_at_once_and_more_in_a_thread() -> None:
    """A thread takes longer to begin than a question takes."""
    embedder = WordLlama()
    await embedder.embed(["the model is loaded, in a thread"])

    def at_once(texts: list[str]) -> bool:
        waiting = embedder.embed(texts)
        try:
            waiting.send(None)
        except StopIteration:
            return True
        finally:
            waiting.close()
        return False

    assert at_once(["what should I cook tonight?", "cook tonight"])
    assert not at_once(["tea " * AT_ONCE])
    assert not at_once(["a cup of green tea"] * AT_ONCE)


async def test_the_event_loop_goes_on_while_it_embeds() -> None:
    embedder = WordLlama()
    await embedder.embed(["warm"])
    longest = 0.0
    done = asyncio.Event()

    async def watch() -> None:
        nonlocal longest
        while not done.is_set():
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - start)

    watching = asyncio.create_task(watch())
    start = time.perf_counter()
    await embedder.embed(["the quick brown fox jumps over the lazy dog " * 8] * 3000)
    took = time.perf_counter() - start
    done.set()
    await watching
    assert longest < took / 2


async def test_loading_it_leaves_the_logging_of_the_application_alone() -> None:
    before = logging.getLogger().handlers[:], logging.getLogger().level
    await WordLlama().embed(["tea"])
    assert (logging.getLogger().handlers[:], logging.getLogger().level) == before


async def test_the_common_scale_tells_related_from_unrelated() -> None:
    embedder = WordLlama()
    asked, near, far = await embedder.embed(
        ["Where did I go on holiday?", "My holiday was in Greece, by the sea", "The compiler rejects this type"]
    )
    related, unrelated = embedder.relatedness(np.array([asked @ near, asked @ far], np.float32))
    assert related > 0.5 > unrelated
    scale = embedder.relatedness(np.linspace(-1, 1, 50, dtype=np.float32))
    assert (np.diff(scale) >= 0).all()
    assert scale.min() >= 0
    assert scale.max() <= 1


def test_it_reads_english_only() -> None:
    for embedder in (WordLlama(), Remembering(WordLlama())):
        assert embedder.reads("where is the son of Los Angeles?")
        assert not embedder.reads("¿dónde está mi hijo?")


async def test_a_question_that_it_does_not_read_is_near_to_nothing() -> None:
    assert (await vector_of(WordLlama(), "where do I live?")).any()
    assert not (await vector_of(WordLlama(), "wo wohne ich?")).any()


def test_few_memories_are_met_with_ease() -> None:
    for embedder in (WordLlama(), Remembering(WordLlama())):
        eases = [embedder.ease(size) for size in (MANY, MANY // 2, MANY // 4, 2, 1)]
        assert eases == [0, pytest.approx(EASE), pytest.approx(2 * EASE), MOST_EASE, MOST_EASE]
        assert embedder.ease(0) == embedder.ease(10_000) == 0
    assert ease(Wide(), 3) == 0, "one that says nothing of it has none"


def test_long_messages_are_given_slack_up_to_a_point() -> None:
    for embedder in (WordLlama(), Remembering(WordLlama())):
        slacks = [embedder.slack(" ".join(["word"] * many)) for many in (1, FEW_WORDS, 2 * FEW_WORDS, 60, 500)]
        assert slacks[:2] == [0, 0]
        assert slacks == sorted(slacks)
        assert slacks[2] == pytest.approx(SLACK)
        assert slacks[-1] == MOST_SLACK
    assert slack(Wide(), "word " * 100) == 0, "one that says nothing of it has none"
