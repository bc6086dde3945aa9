"""An embedding endpoint, through the real client, and what happens when the model changes."""

from __future__ import annotations

import pytest

from recollect import Recollect, Settings, Unavailable
from scripted_model import ScriptedModel

WORDS = ["tea", "coffee", "porto", "lisbon", "cat", "dog", "car", "bike"]


def count_words(text: str) -> list[float]:
    """Counts eight words; that is its idea of meaning."""
    return [text.lower().count(word) + 0.01 for word in WORDS]


@pytest.fixture
def url(scripted: ScriptedModel) -> str:
    scripted.embed = count_words
    return scripted.url


async def test_an_endpoint_makes_the_vectors(dsn: str, tenant: str, url: str, scripted: ScriptedModel) -> None:
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        assert memory.model == "counting-8"
        await memory.remember("user drinks tea all day, tea and tea again", user="ana", agent="cook")
        await memory.remember("user drives a car", user="ana", agent="cook")
        hits = await memory.recall("Tea?", user="ana", agent="cook")
        assert [hit.text for hit in hits] == ["user drinks tea all day, tea and tea again"]
        scripted.embed = None
        with pytest.raises(Unavailable, match="counting did not answer"):
            await memory.recall("tea?", user="ana", agent="cook")
        with pytest.raises(Unavailable):
            await memory.remember("user likes coffee", user="ana", agent="cook")


async def test_vectors_of_two_models_are_never_compared(dsn: str, tenant: str, url: str) -> None:
    async with Recollect.open(dsn, tenant=tenant) as memory:
        await memory.remember("user has a dog called Rex", user="ana", agent="cook")
        await (await memory.conversation(user="ana", agent="cook")).append("user", "my dog is called Rex")
        assert await memory.recall("dog", user="ana", agent="cook", over="messages")
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        for over in ("memories", "messages"):
            hits = await memory.recall("Rex", user="ana", agent="cook", over=over)
            assert len(hits) == 1, "found by its words"
            assert "meaning" not in hits[0].why


async def test_new_vectors_after_a_change_of_model(dsn: str, tenant: str, url: str) -> None:
    async with Recollect.open(dsn, tenant=tenant) as memory:
        for number in range(450):
            await memory.remember(f"fact {number} of a dog", user="ana", agent="cook")
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        seen: list[tuple[int, int]] = []

        def stop_after_one(done: int, of: int) -> None:
            seen.append((done, of))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await memory.reembed(stop_after_one)
        assert seen == [(200, 450)]
        assert await memory.reembed(lambda done, of: seen.append((done, of))) == 250
        assert seen[1:] == [(200, 250), (250, 250)]
        assert await memory.reembed() == 0
        hits = await memory.recall("Doggy?", user="ana", agent="cook")
        assert hits, "not by its words: only the new vectors know that a doggy has to do with a dog"
        assert "meaning" in hits[0].why
