"""Recall over memories misses nothing: the nearest by vector are the nearest of all, small vectors or large."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import asyncpg
import numpy as np
import pytest
from numpy.typing import NDArray

from recollect import Recollect
from recollect.handle import Models
from recollect.models.tokens import default_counter
from recollect.recall.memories import least_cosine

KNOWN = [f"fact {number} about {word}" for number, word in enumerate(["tea", "rain", "jazz", "moss"] * 20)]
ASKED = [f"qz{letter}" for letter in "abcdefghij"]


class Made:
    """Vectors that have nothing to do with meaning, the same for the same text."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.name = f"made-{dimension}"

    def vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        drawn = np.random.default_rng(seed).standard_normal(self.dimension, np.float32)
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.vector(text) for text in texts])

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return ((1 + np.asarray(cosine, np.float32)) / 2).astype(np.float32)


@pytest.fixture(params=[64, 1536])
async def known(request: pytest.FixtureRequest, memory: Recollect) -> tuple[Recollect, Made]:
    made = Made(request.param)
    memory._models = Models(lambda: made, default_counter)  # pyright: ignore[reportPrivateUsage]
    for text in KNOWN:
        await memory.remember(text, user="ana", agent="librarian")
    return memory, made


def nearest(made: Made, question: str, count: int) -> list[str]:
    far = [-float(made.vector(text) @ made.vector(question)) for text in KNOWN]
    return [KNOWN[place] for place in np.argsort(far)[:count]]


async def test_the_nearest_are_the_nearest_of_all(
    known: tuple[Recollect, Made], admin: asyncpg.Connection
) -> None:
    memory, made = known
    for question in ASKED:
        hits = await memory.recall(question, user="ana", agent="librarian", threshold=0)
        assert {hit.text for hit in hits} == set(nearest(made, question, 5))
    compact = "select bool_and(compact) from recollect.memories where tenant = $1"
    assert await admin.fetchval(compact, memory.tenant) is (made.dimension == 64)


async def test_a_threshold_cuts_where_it_says(known: tuple[Recollect, Made]) -> None:
    """What the store leaves out as too far would not have been returned anyway."""
    memory, made = known
    for question in ASKED:
        near = {text for text in KNOWN if (1 + made.vector(text) @ made.vector(question)) / 2 >= 0.55}
        hits = await memory.recall(question, user="ana", agent="librarian", threshold=0.55, limit=40)
        assert {hit.text for hit in hits} == near


async def test_as_of_now_is_now(known: tuple[Recollect, Made]) -> None:
    memory, _ = known
    for question in ASKED[:3]:
        now, then = [
            await memory.recall(question, user="ana", agent="librarian", threshold=0, as_of=as_of)
            for as_of in (None, datetime.now(UTC))
        ]
        assert [hit.text for hit in now] == [hit.text for hit in then]


async def test_what_is_not_in_the_index_is_found_as_well(memory: Recollect, admin: asyncpg.Connection) -> None:
    long = "user collects " + " ".join(f"w{number}" for number in range(190))
    soon = datetime.now(UTC) + timedelta(days=30)
    await memory.remember(long, user="ana", agent="librarian", expires_at=soon)
    await memory.remember("user is allergic to peanuts", user="ana", agent="librarian")
    hits = await memory.recall("does the user have w142?", user="ana", agent="librarian")
    assert [hit.text for hit in hits] == [long]
    compact = "select array_agg(compact order by created_at) from recollect.memories where tenant = $1"
    assert await admin.fetchval(compact, memory.tenant) == [False, True]


async def test_words_are_found_while_they_count(memory: Recollect) -> None:
    """Words are kept beside the memories; whatever happens to a memory happens to its words."""

    async def found(query: str) -> list[str]:
        return [hit.text for hit in await memory.recall(query, user="ana", agent="librarian", threshold=0.4)]

    code = "a1" * 40
    made = await memory.remember(f"user has the locker {code}", user="ana", agent="librarian")
    assert await found(f"whose is {code}?") == [made.text]
    revised = await memory.revise(made.id, "user has the locker xq77", version=made.version)
    assert await found(f"whose is {code}?") == []
    assert await found("whose is xq77?") == [revised.text]
    other = await memory.remember("user shares the locker xq77", user="ben", agent="librarian")
    assert await found("whose is xq77?") == [revised.text], "of another user"
    await memory.forget(made.id)
    assert await found("whose is xq77?") == []
    assert await memory.recall("whose is xq77?", user="ben", agent="librarian", threshold=0.4) != []
    await memory.forget(other.id)


async def test_the_words_kept_are_those_of_the_active(memory: Recollect, admin: asyncpg.Connection) -> None:
    kept = "select count(*) from recollect.memory_words where tenant = $1"
    made = await memory.remember("user plays the violin in Ghent", user="ana", agent="librarian")
    assert await admin.fetchval(kept, memory.tenant) == 3  # user, the and in say nothing
    for status, count in (("retired", 0), ("active", 3), ("quarantined", 0), ("active", 3)):
        await admin.execute(
            "update recollect.memories set status = $3 where tenant = $1 and id = $2::text::uuid",
            memory.tenant,
            made.id,
            status,
        )
        assert await admin.fetchval(kept, memory.tenant) == count, status
    await admin.execute("delete from recollect.memories where tenant = $1", memory.tenant)
    assert await admin.fetchval(kept, memory.tenant) == 0


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.999, 1.0])
def test_the_least_cosine_is_below_all_that_count(threshold: float) -> None:
    made = Made(8)
    cosines = np.linspace(-1, 1, 9999, dtype=np.float32)
    counts = cosines[made.relatedness(cosines) >= threshold]
    assert len(counts) == 0 or least_cosine(made, threshold) <= counts.min()
