"""An embedding endpoint, through the real client, and what happens when the model changes."""

from __future__ import annotations

from collections.abc import Callable

import asyncpg
import pytest

from recollect import Recollect, Settings, Unavailable
from recollect.recall import vectors
from scripted_model import ScriptedModel, Status, Step

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
        hits = await memory.recall("tea?", user="ana", agent="cook")
        assert [(hit.text[:15], hit.why) for hit in hits] == [("user drinks tea", "shares tea")], "words alone"
        with pytest.raises(Unavailable, match="counting answered 500"):
            await memory.remember("user likes coffee", user="ana", agent="cook")


async def test_what_an_endpoint_makes_of_a_question_may_be_nonsense(
    dsn: str, tenant: str, url: str, scripted: ScriptedModel
) -> None:
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:v1.5:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        assert memory.model == "counting:v1.5-8", "a name may have a tag"
        await memory.remember("user drinks tea", user="ana", agent="cook")
        scripted.embed = lambda _: [float("nan")] * len(WORDS)
        (hit,) = await memory.recall("tea?", user="ana", agent="cook")
        assert hit.why == "shares tea", "words alone"
        chat = await memory.conversation(user="ana", agent="cook")
        assert (await chat.context("tea?")).memories
        with pytest.raises(Unavailable, match="embedder: counting"):
            await memory.remember("user likes coffee", user="ana", agent="cook")


async def test_what_comes_along_serves_until_the_endpoint_has_made_all(dsn: str, tenant: str, url: str) -> None:
    async with Recollect.open(dsn, tenant=tenant) as memory:
        await memory.remember("user plays the violin in a car", user="ana", agent="cook")
        await (await memory.conversation(user="ana", agent="cook")).append("user", "I play the violin in a car")
        assert await memory.recall("violin", user="ana", agent="cook", over="messages")
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        (hit,) = await memory.recall("a musical instrument", user="ana", agent="cook", threshold=0.2)
        assert "meaning" in hit.why or "related" in hit.why, "only the old model knows what an instrument is"
        assert await memory.recall("Carriage?", user="ana", agent="cook") == []
        await memory.reembed()
        assert await memory.recall("a musical instrument", user="ana", agent="cook", threshold=0.5) == []
        assert await memory.recall("Carriage?", user="ana", agent="cook")


async def test_an_old_endpoint_that_is_gone_leaves_the_words(dsn: str, tenant: str, url: str) -> None:
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        await memory.remember("user has a dog called Rex", user="ana", agent="cook")
        assert await memory.recall("Doggy?", user="ana", agent="cook")
    for gone in (None, "http://127.0.0.1:9/v1"):
        settings = Settings(database=dsn, tenant=tenant, openai_base_url=gone)
        async with Recollect.open(settings=settings) as memory:
            (hit,) = await memory.recall("Rex", user="ana", agent="cook")
            assert "meaning" not in hit.why
            new = await memory.remember("user plays the violin", user="ana", agent="cook")
            (hit,) = await memory.recall("musical instrument", user="ana", agent="cook")
            assert hit.memory is not None
            assert hit.memory.id == new.id, "what is new is found by meaning at once"
            await memory.forget(new.id)


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


def refuse(word: str) -> Callable[[list[str]], Step | None]:
    return lambda texts: Status(400, f"not {texts}") if any(word in text for text in texts) else None


async def test_a_message_that_is_refused_leaves_its_neighbours_their_vectors(
    dsn: str, tenant: str, url: str, scripted: ScriptedModel
) -> None:
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.extend([("user", "my doggy sleeps"), ("user", "poison"), ("user", "teatime is at five")])
        scripted.instead = refuse("poison")
        for _ in range(2):
            hits = await memory.recall("Doghouse?", user="ana", agent="cook", over="messages")
            assert [hit.text for hit in hits] == ["my doggy sleeps"]
        await chat.append("user", "more poison")
        await memory.recall("Doghouse!", user="ana", agent="cook", over="messages")
        sent = len(scripted.embedded)
        await memory.recall("Doghouse.", user="ana", agent="cook", over="messages")
        assert scripted.embedded[sent:] == [["Doghouse."]], "what is refused is not sent for ever"


async def test_new_vectors_are_made_although_some_texts_are_refused(
    dsn: str, tenant: str, url: str, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    async with Recollect.open(dsn, tenant=tenant) as memory:
        await memory.remember("fact of poison", user="ana", agent="cook")
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.append("user", "poison too")
        assert await memory.recall("poison", user="ana", agent="cook", over="both")
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        scripted.instead = refuse("")
        with pytest.raises(Unavailable):
            await memory.reembed()
        scripted.instead = refuse("poison")
        assert await memory.reembed() == 1
        assert len(await memory.recall("poison", user="ana", agent="cook", over="both")) == 2, "by its words"
    rows = await admin.fetch(
        "select model from recollect.memories where tenant = $1 union all "
        "select model from recollect.message_vectors where tenant = $1",
        tenant,
    )
    assert {row["model"] for row in rows} == {"counting-8"}


async def test_documents_that_cannot_be_given_vectors_cost_the_others_nothing(
    dsn: str, tenant: str, url: str, scripted: ScriptedModel
) -> None:
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        await memory.put_document(("pets",), "rex", {"text": "my doggy"})
        scripted.instead = lambda texts: Status(500) if "a cat" in texts else None
        await memory.put_document(("pets",), "tom", {"text": "a cat"})
        assert [hit.document.key for hit in await memory.search_documents("Doghouse?", ("pets",))] == ["rex"]
        scripted.instead = lambda texts: None
        assert [hit.document.key for hit in await memory.search_documents("Catnip?", ("pets",))] == ["tom"]


@pytest.mark.parametrize("number", [0.0, 1e25])
async def test_a_vector_without_a_length_is_not_kept(
    dsn: str, tenant: str, url: str, scripted: ScriptedModel, number: float
) -> None:
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.append("user", "my doggy sleeps")
        scripted.embed = lambda _: [number] * len(WORDS)
        with pytest.raises(Unavailable):
            await memory.remember("user has a doggy", user="ana", agent="cook")
        await memory.recall("Doghouse?", user="ana", agent="cook", over="messages")
        scripted.embed = count_words
        assert await memory.recall("Doghouse?", user="ana", agent="cook", over="messages")


async def test_a_recall_that_has_taken_long_begins_no_more_vectors(
    dsn: str, tenant: str, url: str, admin: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "LONGEST_FILL", 0.0)
    settings = Settings(database=dsn, tenant=tenant, embedder="openai:counting:8", openai_base_url=url)
    count = "select count(*) from recollect.message_vectors where tenant = $1"
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.extend([("user", f"teapot {number}") for number in range(vectors.BATCH + 30)])
        for made in (vectors.BATCH, vectors.BATCH + 30):
            await memory.recall("Tea?", user="ana", agent="cook", over="messages")
            assert await admin.fetchval(count, tenant) == made
