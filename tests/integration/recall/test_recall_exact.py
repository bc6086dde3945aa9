"""Recall over memories misses nothing: the nearest by vector are the nearest of all, small vectors or large."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import asyncpg
import numpy as np
import pytest
from numpy.typing import NDArray

from recollect import Recollect
from recollect.handle import Models
from recollect.models.tokens import default_counter
from recollect.recall.scale import least_cosine

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


async def test_choosing_the_best_early_chooses_the_same(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store sends only the best, and leaves words alone that cannot make anything related. Asked for all
    candidates, or for what was held to be true a moment ago, which is read in another way, it says the same."""
    random = Random(5)
    vocabulary = ["tea", "rain", "jazz", "moss", "Porto", "Ines", "violin", "kettle", "xq77", "heron", "salt"]
    memory._models = Models(lambda: Made(64), default_counter)  # pyright: ignore[reportPrivateUsage]
    for number in range(60):
        words = random.choices(vocabulary, weights=range(len(vocabulary), 0, -1), k=random.randint(1, 6))
        await memory.remember(
            f"{' '.join(words)} n{number}",
            user="ana",
            agent="librarian",
            importance=random.choice([0.1, 0.5, 0.9]),
            pinned=random.random() < 0.1,
        )

    async def asked(
        question: str, threshold: float, as_of: datetime | None = None
    ) -> list[tuple[str, float, str]]:
        hits = await memory.recall(question, "ana", "librarian", threshold=threshold, limit=4, as_of=as_of)
        return [(hit.text, round(hit.score, 3), hit.why) for hit in hits]

    found = 0
    for number in range(60):
        words = random.sample([*vocabulary[4 * (number % 2) :], "unheard", "neverland"], k=random.randint(1, 4))
        question, threshold = f"which {' '.join(words).lower()}", random.choice([0.0, random.uniform(0.2, 0.9)])
        question = question.title() if number % 5 == 0 else question  # names and codes count by themselves
        with monkeypatch.context() as patch:
            best = await asked(question, threshold)
            patch.setattr("recollect.recall.asking.SPARE", 1000)
            assert best == await asked(question, threshold), number
        with monkeypatch.context() as patch:
            patch.setattr("recollect.recall.search.NEAREST", 1000)  # else of many equals each takes others
            best = await asked(question, threshold)
            assert best == await asked(question, threshold, datetime.now(UTC)), number
        found += len(best)
    assert found > 60


class Told:
    """Vectors that are as near to any question as is told, on a scale that is the cosine itself."""

    dimension = 2
    name = "told-2"

    def __init__(self, **near: float) -> None:
        self.near = near

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cosines = [next((near for word, near in self.near.items() if word in text), 0.0) for text in texts]
        return np.array([[one, (1 - one * one) ** 0.5] for one in cosines], np.float32)

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.clip(np.asarray(cosine, np.float32), 0, 1)


@pytest.mark.parametrize("as_of", [None, datetime.now(UTC) + timedelta(days=1)])
async def test_what_is_nearly_related_both_by_vector_and_by_words_is_related(
    memory: Recollect, as_of: datetime | None
) -> None:
    told = Told(upstairs=1.0, quiet=0.45, sleepy=0.45, noisy=0.1)
    memory._models = Models(lambda: told, default_counter)  # pyright: ignore[reportPrivateUsage]
    for text in ("a heron, quiet", "a stork, sleepy", "a heron, noisy", *(f"bird {n}" for n in range(12))):
        await memory.remember(text, user="ana", agent="librarian")
    question = "which heron is upstairs"
    hits = await memory.recall(question, user="ana", agent="librarian", as_of=as_of)
    assert [hit.text for hit in hits] == ["a heron, quiet"]
    nearly = await memory.recall(question, user="ana", agent="librarian", threshold=0.2, as_of=as_of)
    scores = {hit.text: hit.score for hit in nearly}
    assert scores["a stork, sleepy"] < 0.5 <= hits[0].score


class Lenient(Told):
    """One whose cosines are lower for long questions."""

    def slack(self, text: str) -> float:
        return 0.1 if len(text) > 30 else 0.0


@pytest.mark.parametrize("as_of", [None, datetime.now(UTC) + timedelta(days=1)])
async def test_a_long_question_need_not_be_as_near(memory: Recollect, as_of: datetime | None) -> None:
    told = Lenient(upstairs=1.0, quiet=0.45, noisy=0.35)
    memory._models = Models(lambda: told, default_counter)  # pyright: ignore[reportPrivateUsage]
    for text in ("a heron, quiet", "a stork, noisy"):
        await memory.remember(text, user="ana", agent="librarian")
    asked = {"user": "ana", "agent": "librarian", "as_of": as_of}
    assert await memory.recall("who is upstairs", **asked) == []
    (hit,) = await memory.recall("who is upstairs, and has been since yesterday?", **asked)
    assert hit.text == "a heron, quiet"
    assert 0.5 <= hit.score < 0.65


@pytest.mark.parametrize("as_of", [None, datetime.now(UTC) + timedelta(days=1)])
async def test_a_memory_need_not_say_half_of_a_message_that_is_far_longer(
    memory: Recollect, as_of: datetime | None
) -> None:
    memory._models = Models(lambda: Told(never=1.0), default_counter)  # pyright: ignore[reportPrivateUsage]
    said = "heron violin kettle stove ladder compass teapot lantern anchor"
    for text in (
        said,
        *(f"bird{n} lake{n} tree{n} stone{n} path{n} cloud{n} rain{n} moss{n} sand{n}" for n in range(12)),
    ):
        await memory.remember(text, user="ana", agent="librarian")
    never = " ".join(f"never{letter * 3}" for letter in "abcdefghijklmnopqrstuvwxyz")
    asked = {"user": "ana", "agent": "librarian", "as_of": as_of}
    assert await memory.recall(f"kettle stove {never}", **asked) == []
    assert [hit.text for hit in await memory.recall(f"{said} {never}", **asked)] == [said]


@pytest.mark.parametrize("as_of", [None, datetime.now(UTC) + timedelta(days=1)])
async def test_a_name_is_taken_out_of_a_question_only_if_somebody_has_it(
    memory: Recollect, as_of: datetime | None
) -> None:
    """Without the name the question would be about anybody: who asks for Olga is not told of somebody else."""
    told = Told(Olga=0.0, earn=1.0, wages=1.0)
    memory._models = Models(lambda: told, default_counter)  # pyright: ignore[reportPrivateUsage]
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    await memory.remember("Ben has good wages", **who)
    assert await memory.recall("What does Olga earn?", **who, as_of=as_of) == []
    await memory.remember("Olga rides a horse", **who)
    found = [hit.text for hit in await memory.recall("What does Olga earn?", **who, as_of=as_of)]
    assert set(found) == {"Ben has good wages", "Olga rides a horse"}


@pytest.mark.parametrize("as_of", [None, datetime.now(UTC) + timedelta(days=1)])
async def test_of_many_about_somebody_those_that_are_meant_are_found(
    memory: Recollect, as_of: datetime | None
) -> None:
    """The name makes each of them related. Which are meant, only vectors tell, though none is near."""
    birds = {"heron": 0.19, "stork": 0.17, "crane": 0.15, "egret": 0.14, "ibis": 0.13}
    memory._models = Models(lambda: Told(upstairs=1.0, **birds), default_counter)  # pyright: ignore[reportPrivateUsage]
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    things = [f"thing{number}" for number in range(195)]
    for text in (*things[:100], *birds, *things[100:]):
        await memory.remember(f"Ines drew a {text}", **who)
    hits = await memory.recall("What did Ines see upstairs?", **who, limit=10, as_of=as_of)
    assert {hit.text for hit in hits} == {f"Ines drew a {bird}" for bird in birds}


@pytest.mark.parametrize("limit", [5, 6])
async def test_what_is_near_is_not_crowded_out_by_those_with_the_name(memory: Recollect, limit: int) -> None:
    """Who has nothing but the name may be as near as can be, for all that is known without looking."""
    told = Told(upstairs=1.0, weighs=0.55, stone=0.45, thing=0.05)
    memory._models = Models(lambda: told, default_counter)  # pyright: ignore[reportPrivateUsage]
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    for text in ("the dog weighs thirty kilos", *(f"Bruno met thing{number}" for number in range(30))):
        await memory.remember(text, **who)
    for number in range(90):
        await memory.remember(f"Ines met stone{number}", **who)
    hits = await memory.recall("How is Bruno upstairs?", **who, limit=limit)
    assert hits[0].text == "the dog weighs thirty kilos"


async def test_there_is_enough_even_if_many_say_the_same(memory: Recollect) -> None:
    same = (
        "user tells everybody in the house and also all guests who come for dinner that peanuts are what she is "
        "so very allergic to"
    )
    for letter in "abcdefghijkl":
        await memory.remember(f"{same} {letter * 3}", user="ana", agent="librarian", importance=1)
    for number in range(4):
        others = ["aunt", "cousin", "niece", "nephew"]
        await memory.remember(f"{others[number]} is allergic to peanuts", user="ana", agent="librarian")
    hits = await memory.recall("who is allergic to peanuts?", user="ana", agent="librarian")
    assert len(hits) == 5
    assert sum(hit.text.startswith(same) for hit in hits) == 1


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


async def test_a_word_that_grows_when_it_is_folded(memory: Recollect) -> None:
    """What is kept of a word is its first forty letters; a ligature becomes several."""
    long = "ﬃ" * 14 + "heron"
    await memory.remember(f"user says {long}", user="ana", agent="librarian")
    (hit,) = await memory.recall(long, user="ana", agent="librarian")
    assert long in hit.text
