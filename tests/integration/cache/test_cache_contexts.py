"""Contexts from the cache: each kind of write is seen by the next one, and so is the clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caches import believed, hits, levels
from recollect import Chat, NotFound, Recollect
from recollect.cache import keys
from recollect.door import Door
from recollect.forget.records import Keeping
from recollect.forget.tidy import tidy
from recollect.handle import Models
from recollect.models.tokens import default_counter
from recollect.remember.digest.store import digest_conversation
from recollect.remember.reembed import reembed_some
from valkeys import Valkey

QUESTION = "Does the user live in Porto, and which tea does the user like?"
WORKFLOW = {"start": "asking", "steps": [{"name": "asking", "moves": ["telling"]}, {"name": "telling"}]}

#: Prepares something, yields, and then writes: that is the write that must be seen.
Case = Callable[[Recollect, Chat], AsyncIterator[None]]


async def _asked(chat: Chat) -> tuple[Any, ...]:
    """All of a context but the scores, which go on with the clock."""
    made = await chat.context(QUESTION)
    return made.messages, made.tokens, [hit.memory for hit in made.memories]


async def _stored(memory: Recollect, chat: Chat) -> tuple[Any, ...]:
    """The same by the database alone."""
    cache, memory.database.cache = memory.database.cache, None
    try:
        return await _asked(chat)
    finally:
        memory.database.cache = cache


async def _warmed(memory: Recollect, chat: Chat) -> tuple[Any, ...]:
    """A context that the cache answers now."""
    await believed(memory)
    async with asyncio.timeout(60):
        while True:
            first = await _asked(chat)
            await levels(memory).settled()
            before = hits(memory)
            again = await _asked(chat)
            if hits(memory) > before:
                assert again == first
                return again


async def append(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await chat.append("user", "And another thing.")


async def extend(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await chat.extend([("user", "And another thing."), ("assistant", "Indeed.")])


async def turn(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await chat.say("What do you know of me?")


async def pop(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await chat.pop()


async def clear(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await chat.clear()


async def delete(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await chat.delete()


async def erase(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.erase("ana")


async def retention(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await chat.append("user", "Long ago.", at=datetime.now(UTC) - timedelta(days=9))
    await memory.set_retention(60)
    yield
    await memory.tidy()


async def old_summary(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    long_ago = datetime.now(UTC) - timedelta(days=9)
    await chat.extend(
        [{"role": "user", "content": f"I moved to Porto in {n}.", "at": long_ago} for n in range(20)]
    )
    await digest_conversation(memory.database, memory._caller, chat.id)
    await memory.set_retention(60)
    yield
    await memory.tidy()


async def summary(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await chat.extend([("user", f"My daughter Inés moved to Porto in 200{n}.") for n in range(20)])
    yield
    await digest_conversation(memory.database, memory._caller, chat.id)


async def state(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.configure_agent("cook", workflow="rfp")
    yield
    await chat.update_state({"rfpDraft": {"budget": 1}})


async def move(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.define_workflow("own", WORKFLOW)
    await memory.configure_agent("cook", workflow="own")
    yield
    await chat.move("telling")


async def undo_state(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.define_workflow("own", WORKFLOW)
    await memory.configure_agent("cook", workflow="own")
    await chat.update_state({"lastAction": "asked for tea"})
    await chat.move("telling")
    yield
    await chat.undo_state()


async def workflow(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.define_workflow("own", WORKFLOW)
    await memory.configure_agent("cook", workflow="own")
    yield
    await memory.define_workflow("own", {"start": "greeting", "steps": [{"name": "greeting"}]})


async def settings(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.configure_agent("cook", instructions="Be brief.")


async def pool(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.remember("user lives in Porto by the river", user="ana", agent="guide")
    yield
    await memory.configure_agent("cook", pool="guide")


async def notes(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.edit_notes("append", "Likes green tea.", user="ana", agent="cook")


async def undo_notes(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.edit_notes("append", "Likes green tea.", user="ana", agent="cook")
    await memory.edit_notes("append", "Likes black tea.", user="ana", agent="cook")
    yield
    await memory.undo_notes("ana", "cook")


async def remember(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.remember("user likes green tea", user="ana", agent="cook")


async def remember_again(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.remember("user lives in Porto", user="ana", agent="cook")


async def revise(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.revise(await _first(memory), "user lives in Porto no more")


async def pin(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.revise(await _first(memory), pinned=True)


async def undo(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.revise(await _first(memory), "user lives in Porto no more")
    yield
    await memory.undo(await _first(memory))


async def forget(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    await memory.forget(await _first(memory))


async def forget_all(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    yield
    assert await memory.forget_all("ana", "cook")


async def release(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    waiting = await memory.remember("user likes black tea", user="ana", agent="cook", trust="untrusted")
    yield
    await memory.release(waiting.id)


async def learn(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await chat.append("user", "I like green tea from Japan.")
    await _first(memory)
    yield
    assert (await memory.digest(everything=True)).added


async def learn_otherwise(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.forget(await _first(memory))
    await chat.append("user", "I live in Braga.", at=datetime(2026, 3, 1, tzinfo=UTC))
    await memory.digest(everything=True)
    await chat.append("user", "I moved to Lisbon last week.", at=datetime(2026, 6, 20, tzinfo=UTC))
    yield
    assert (await memory.digest(everything=True)).replaced


async def consolidate(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    for text in ("I like tea.", "I really like green tea."):
        await chat.append("user", text)
        await memory.digest(everything=True)
    yield
    assert (await memory.consolidate("ana", "cook")).merged


async def clean_up(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    now = datetime.now(UTC)
    await memory.remember("user likes mint tea", user="ana", agent="cook", expires_at=now + timedelta(hours=1))
    yield
    await tidy(memory.database, memory._caller, Keeping(), now + timedelta(hours=2))


async def import_user(memory: Recollect, chat: Chat) -> AsyncIterator[None]:
    await memory.edit_notes("append", "Likes green tea.", user="ana", agent="cook")
    document = await memory.export("ana")
    await memory.erase("ana")
    await memory.new_conversation("ana", "cook", id=chat.id)
    yield
    await memory.import_user(document)


CASES: tuple[Case, ...] = (
    append,
    extend,
    turn,
    pop,
    clear,
    delete,
    erase,
    retention,
    old_summary,
    summary,
    state,
    move,
    undo_state,
    workflow,
    settings,
    pool,
    notes,
    undo_notes,
    remember,
    remember_again,
    revise,
    pin,
    undo,
    forget,
    forget_all,
    release,
    learn,
    learn_otherwise,
    consolidate,
    clean_up,
    import_user,
)


async def _first(memory: Recollect) -> str:
    (one, *_) = (await memory.memories("ana", "cook", text="Porto")).items
    return one.id


@pytest.fixture
async def other(cached: Recollect, cached_dsn: str, cache_server: Valkey) -> AsyncIterator[Recollect]:
    """Another process."""
    async with Recollect.open(cached_dsn, tenant=cached.tenant, cache=cache_server.url) as memory:
        yield memory


async def _talk(memory: Recollect) -> Chat:
    chat = await memory.new_conversation("ana", "cook")
    await chat.extend([("user", "Hello."), ("assistant", "Hello to you.")])
    await memory.remember("user lives in Porto", user="ana", agent="cook")
    return chat


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_each_kind_of_write_is_seen_by_the_next_context(
    cached: Recollect, other: Recollect, case: Case
) -> None:
    chat = await _talk(cached)
    writing = case(other, await other.conversation(id=chat.id))
    await anext(writing)
    before = await _warmed(cached, chat)
    with pytest.raises(StopAsyncIteration):
        await anext(writing)
    if case in (delete, erase):
        with pytest.raises(NotFound):
            await _asked(chat)
        return
    after = await _asked(chat)
    assert after == await _stored(cached, chat)
    assert after != before, "or this would show nothing"
    assert (await cached.verify_cache()).differences == []


def _statements(*memories: Recollect) -> list[str]:
    """What these ask the database from now on."""
    asked: list[str] = []
    for memory in memories:
        real = memory.database._call

        async def counted(query: str, args: Sequence[object], real: Any = real) -> Any:
            asked.append(query)
            return await real(query, args)

        memory.database._call = counted  # pyright: ignore[reportAttributeAccessIssue]
    return asked


async def test_a_context_is_answered_without_the_database(cached: Recollect, other: Recollect) -> None:
    chat = await _talk(cached)
    first = await _warmed(cached, chat)
    same, unseen = await other.conversation(id=chat.id), other.unseen(chat.id)
    await believed(other)
    await _asked(same)  # for the first time here
    asked = _statements(cached, other)
    async with asyncio.timeout(60):  # on a busy machine a lease may run out in between
        while True:
            asked.clear()
            assert await _asked(chat) == await _asked(same) == await _asked(unseen) == first
            if not any(one.startswith("fetch_context") for one in asked):
                break
    assert {one for one in asked if one != "cache_trust"} == set()
    # Another question or another window is another context; another budget is not.
    await chat.context(f"{QUESTION} Really?")
    await chat.context(QUESTION, window=1)
    assert asked.count("fetch_context") == 2


async def test_writes_for_others_leave_it_there(cached: Recollect) -> None:
    chat = await _talk(cached)
    await _warmed(cached, chat)
    asked = _statements(cached)
    await cached.remember("user lives in Porto", user="bob", agent="cook")
    await (await cached.new_conversation("ana", "cook")).append("user", "Something else.")
    before = levels(cached).measures.by_type["context", "hit"]
    async with asyncio.timeout(60):
        while levels(cached).measures.by_type["context", "hit"] == before:
            await chat.context(QUESTION, budget=500)
    assert "fetch_context_to_keep" not in asked, "nothing had to be filled"


@pytest.mark.parametrize("what", ["expires_at", "valid_from"])
async def test_a_context_ends_when_the_clock_changes_it(
    cached: Recollect, cache_server: Valkey, what: str
) -> None:
    chat = await _talk(cached)
    await _warmed(cached, chat)
    for seconds in (2, 5, 15, 40):  # the longer, the slower the machine
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        given: Any = {what: moment}
        text = f"user likes tea number {seconds}"
        await cached.remember(text, user="ana", agent="cook", **given)
        before = hits(cached)
        while hits(cached) == before and datetime.now(UTC) < moment:
            await _asked(chat)
            await levels(cached).settled()
        remaining = (moment - datetime.now(UTC)).total_seconds()
        if remaining > 0:
            break
    else:
        pytest.fail("nothing was cached")
    with cache_server.client as client:
        left = int(str(client.pttl(keys.key(cached.tenant, chat.id, keys.CONTEXT))))
    assert left <= remaining * 1000 + 2
    while datetime.now(UTC) <= moment:  # noqa: ASYNC110 - the clock tells nobody
        await asyncio.sleep(0.01)
    texts = [hit.text for hit in (await chat.context(QUESTION)).memories]
    assert (text in texts) == (what == "valid_from")
    assert await _asked(chat) == await _stored(cached, chat)


class Words:
    """A model that finds everything near, so that what has a vector of it is found."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), self.dimension), self.dimension**-0.5, np.float32)

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cosine, np.float32)


async def test_new_vectors_are_seen(cached: Recollect) -> None:
    """A process that has only the model that fills finds what has its vectors so far."""
    old, new = Words("old", 4), Words("new", 7)

    def door(embedder: Words) -> Door:
        return Door(cached.database, cached._caller, Models(lambda: embedder, default_counter))

    for number in range(3):
        await door(old).remember(f"user owns {number} hats", user="ana", agent="cook")
    id = (await cached.new_conversation("ana", "cook")).id
    await believed(cached)
    seen: list[int] = []
    for _ in range(8):
        for embedder in (old, new):
            chat = await door(embedder).conversation(id=id)
            for _ in range(2):
                assert await _asked(chat) == await _stored(cached, chat)
                await levels(cached).settled()
            seen.append(len((await _asked(chat))[2]))
        await reembed_some(cached.database, cached._caller, door(new)._models.embedders, 1)
    assert {0, 1, 2, 3} == set(seen)


async def test_nothing_is_left_of_an_erased_user(cached: Recollect, cache_server: Valkey) -> None:
    chat = await cached.new_conversation("ana-to-be-erased", "cook")
    await cached.remember("user lives in Porto-to-be-erased", user="ana-to-be-erased", agent="cook")
    async with asyncio.timeout(60):
        while "Porto-to-be-erased" not in cache_server.everything():
            await chat.context(QUESTION)
            await levels(cached).settled()
    await cached.erase("ana-to-be-erased")
    assert "to-be-erased" not in cache_server.everything()


async def test_no_tenant_is_answered_with_the_context_of_another(cached: Recollect) -> None:
    chat = await _talk(cached)
    await _warmed(cached, chat)
    other = cached.for_tenant(cached.tenant + "-other")
    stolen = Chat(other._database, other._caller, other._models, chat.record)
    with pytest.raises(NotFound):
        await _asked(stolen)


async def test_what_cannot_be_read_is_no_error(cached: Recollect, cache_server: Valkey) -> None:
    chat = await _talk(cached)
    first = await _warmed(cached, chat)
    name = keys.key(cached.tenant, chat.id, keys.CONTEXT)
    with cache_server.client as client:
        questions: Any = client.hkeys(name)
        (question,) = questions
        entry: Any = client.hget(name, question)
        client.hset(name, question, entry[:-5])
    assert await _asked(chat) == first
    # Nor is what was changed there believed to be the database's.
    await levels(cached).settled()
    with cache_server.client as client:
        client.hset(name, question, entry.replace(b"Porto", b"Paris"))
    async with asyncio.timeout(60):  # on a busy machine a lease may run out in between
        while not (found := (await cached.verify_cache()).differences):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    assert found == [f"{chat.id}:context:{question.hex()}"]
