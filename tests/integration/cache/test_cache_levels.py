"""What is cached, and what makes it go, with a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from caches import believed, hits, levels, warm
from recollect import Chat, Conflict, NotFound, Recollect, Unauthorized, Unavailable
from recollect.access.keys import holder_of
from recollect.cache import keys
from recollect.cache.address import read_address
from recollect.cache.levels import Levels
from recollect.cache.servers import Servers
from recollect.cache.shared import Shared
from recollect.cache.trust import Trust
from valkeys import Proxy, Valkey


async def _talk(memory: Recollect, user: str = "ana") -> Chat:
    chat = await memory.new_conversation(user, "cook")
    await chat.extend([("user", f"secret {number}") for number in range(15)])
    await chat.save_memory_document({"what": "secret"})
    return chat


def _there(server: Valkey, memory: Recollect, chat: Chat) -> set[str]:
    with server.client as client:
        return {kind for kind in keys.KINDS if client.exists(keys.key(memory.tenant, chat.id, kind))}


async def test_a_window_is_filled_once_and_extended_by_appends(cached: Recollect, cache_server: Valkey) -> None:
    chat = await _talk(cached)
    before = hits(cached)
    read = await chat.window()
    await levels(cached).settled()
    assert hits(cached) == before
    assert await chat.window() == read
    said = await chat.append("assistant", "and more", metadata={"b": 1, "a": [1.5, None]}, name="cook")
    many = await chat.extend([("user", "one"), ("user", "two")])
    assert await chat.window() == [*read[3:], said, *many]
    assert hits(cached) == before + 2, "read from the cache"
    assert (await cached.verify_cache()).differences == []
    with cache_server.client as client:
        life = {kind: client.pttl(keys.key(cached.tenant, chat.id, kind)) for kind in (keys.MESSAGES,)}
    assert 23 * 3600_000 < int(str(life[keys.MESSAGES])) <= 24 * 3600_000


async def test_longer_windows_than_are_cached_are_right_too(cached: Recollect) -> None:
    chat = await cached.new_conversation("ana", "cook")
    await chat.extend([("user", f"{number}") for number in range(60)])
    for limit in (3, 24, 25, 60, 100, 3, 500, 1):
        assert [one.seq for one in await chat.window(limit)] == list(range(max(1, 61 - limit), 61)), limit
        await levels(cached).settled()
    assert await chat.window(0) == []


async def _clear(_: Recollect, chat: Chat) -> None:
    await chat.clear()


async def _delete(_: Recollect, chat: Chat) -> None:
    await chat.delete()


async def _archive(_: Recollect, chat: Chat) -> None:
    await chat.archive()


async def _erase(memory: Recollect, chat: Chat) -> None:
    await memory.erase(chat.user)


async def _tidy(memory: Recollect, chat: Chat) -> None:
    await memory.set_retention(1)
    await memory.tidy()


@pytest.mark.parametrize("removing", [_clear, _delete, _archive, _erase, _tidy])
async def test_what_removes_messages_removes_what_is_cached(
    cached: Recollect, cache_server: Valkey, removing: Callable[[Recollect, Chat], Awaitable[None]]
) -> None:
    chat = await cached.new_conversation("ana", "cook")
    await chat.append("user", "secret", at=datetime.now(UTC) - timedelta(hours=1))
    await chat.save_memory_document({"what": "secret"})
    await warm(cached, chat)
    assert _there(cache_server, cached, chat) == set(keys.KINDS)
    await removing(cached, chat)
    assert _there(cache_server, cached, chat) == set()
    if removing is _clear:
        assert (await chat.window(), (await chat.memory_document()).version) == ([], 0)


async def test_an_import_into_a_conversation_is_seen(cached: Recollect) -> None:
    chat = await _talk(cached)
    document = await cached.export("ana")
    await warm(cached, chat)
    await chat.clear()
    await cached.import_user(document)
    await warm(cached, chat)
    assert len(await chat.window(100)) == 15


async def test_a_turn_is_seen(cached: Recollect) -> None:
    chat = await _talk(cached)
    await warm(cached, chat)
    reply = await chat.say("what do you know of me?")
    assert [one.role for one in await chat.window(2)] == ["user", "assistant"]
    assert (await chat.window(1))[0].content == reply.text
    assert (await cached.verify_cache()).differences == []


async def test_documents_are_versioned(cached: Recollect) -> None:
    chat = await cached.new_conversation("ana", "cook")
    assert (await chat.memory_document()).version == 0
    for number in range(1, 4):
        saved = await chat.save_memory_document({"number": number}, version=number - 1)
        assert saved.version == number
        assert await chat.memory_document() == await chat.memory_document() == saved
    with pytest.raises(Conflict, match="at version 3, not 1"):
        await chat.save_memory_document({}, version=1)


async def test_no_tenant_reads_what_another_has_cached(cached: Recollect) -> None:
    chat = await _talk(cached)
    await warm(cached, chat)
    message = (await chat.window(1))[0]
    other = cached.for_tenant(cached.tenant + "-other")
    stolen = Chat(other._database, other._caller, other._models, chat.record)
    for steal in (stolen.window(), stolen.memory_document(), other.windows([chat.id])):
        with pytest.raises(NotFound):
            await steal
    with pytest.raises(NotFound):
        await stolen.message(message.id)
    with pytest.raises(NotFound):
        await (await other.new_conversation("eve", "cook")).message(message.id)


async def test_several_windows_are_asked_for_together(cached: Recollect) -> None:
    chats = [await _talk(cached) for _ in range(5)]
    ids = [chat.id for chat in chats]
    first = await cached.windows(ids, 3)
    await levels(cached).settled()
    before = hits(cached)
    assert await cached.windows(ids, 3) == first
    assert hits(cached) == before + 5
    assert [len(window) for window in first.values()] == [3] * 5


async def test_settings_and_keys_are_kept_by_a_process_and_never_old(
    cached: Recollect, cached_dsn: str, cache_server: Valkey
) -> None:
    async with Recollect.open(cached_dsn, tenant=cached.tenant, cache=cache_server.url) as other:
        await believed(other)
        made = await cached.create_key("k")
        await cached.configure_agent("cook", budget=1234)
        for _ in range(3):
            assert (await other.agent("cook")).budget == 1234
            assert (await holder_of(other.database, made.text)).tenant == cached.tenant
        before = hits(other)
        await other.agent("cook")
        await holder_of(other.database, made.text)
        assert hits(other) == before + 2
        await cached.configure_agent("cook", budget=4321)
        assert (await other.agent("cook")).budget == 4321
        await cached.revoke_key(made.key.id)
        with pytest.raises(Unauthorized):
            await holder_of(other.database, made.text)


async def test_a_process_without_the_cache_lets_the_others_know(cached: Recollect, cached_dsn: str) -> None:
    chat = await _talk(cached)
    await warm(cached, chat)
    async with Recollect.open(cached_dsn, tenant=cached.tenant) as deaf:
        said = await (await deaf.conversation(id=chat.id)).append("user", "from elsewhere")
        assert (await chat.window())[-1] == said


async def test_who_shares_a_redis_says_so_for_as_long_as_it_lives(
    new_database: Callable[[], Awaitable[str]], cache_server: Valkey, tenant: str
) -> None:
    """Or a process without one, opened a day later, would write without a word."""
    dsn = await new_database()
    async with Recollect.open(dsn, tenant=tenant, migrate=True) as memory:
        away, tried = False, asyncio.Event()

        async def ask(query: str, *args: object) -> Sequence[Any]:
            if away:
                tried.set()
                raise Unavailable("database", "it is away")
            return await memory.database.call(query, *args)

        trust = Trust(ask)
        shared = Shared(Servers(read_address(cache_server.url), 5.0), trust, sharing=0.05)
        cache = Levels(trust, shared)
        async with asyncio.timeout(60):
            await cache.open()
            away = True
            await tried.wait()
            await _a_day_later(dsn)
            assert not (await memory.database.call("cache_trust"))[0]["shared"]
            away = False
            while not (await memory.database.call("cache_trust"))[0]["shared"]:  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(0.02)
        await cache.close()
        await _a_day_later(dsn)
        await asyncio.sleep(0.2)
        assert not (await memory.database.call("cache_trust"))[0]["shared"], "and no longer"


async def _a_day_later(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("update recollect.cache_trust set shared_at = shared_at - interval '26 hours'")
    await connection.close()


async def test_what_was_erased_while_redis_was_away_is_gone_when_it_is_back(
    cached_dsn: str, cache_server: Valkey, tenant: str
) -> None:
    async with (
        Proxy(cache_server.port) as proxy,
        Recollect.open(cached_dsn, tenant=tenant, cache=proxy.url) as memory,
    ):
        await believed(memory)
        chat = await _talk(memory)
        await warm(memory, chat)
        assert _there(cache_server, memory, chat) == set(keys.KINDS)
        proxy.refuse = True
        proxy.cut()
        await memory.erase("ana")
        with pytest.raises(NotFound):
            await chat.window()
        proxy.refuse = False
        async with asyncio.timeout(60):
            while _there(cache_server, memory, chat):  # noqa: ASYNC110 - Valkey tells nobody
                await asyncio.sleep(0.1)


async def test_rebuild_verify_and_stats(cached: Recollect, cache_server: Valkey) -> None:
    chat = await _talk(cached)
    seen: list[tuple[int, int]] = []
    assert await cached.rebuild_cache(progress=lambda done, of: seen.append((done, of))) == 2
    assert seen[-1] == (2, 2)
    assert await cached.rebuild_cache(chat.id) == 1
    verified = await cached.verify_cache()
    assert (verified.looked_at, verified.cached, verified.differences) == (2, 4, [])
    # It sees what is wrong: a line that the database does not have.
    name = keys.key(cached.tenant, chat.id, keys.MESSAGES)
    with cache_server.client as client:
        entry = client.get(name)
        assert isinstance(entry, bytes)
        client.set(name, entry.replace(b"secret 7", b"secret 8"))
    assert (await cached.verify_cache()).differences == [f"{chat.id}:messages"]
    # What cannot be read is no error.
    with cache_server.client as client:
        client.set(name, entry[:-5])
        memory = keys.key(cached.tenant, chat.id, keys.MEMORY)
        client.setrange(memory, int(str(client.strlen(memory))) - 1, b"]")
    assert len(await chat.window()) == 12
    assert (await chat.memory_document()).value == {"what": "secret"}
    facts = await cached.cache_stats()
    assert facts["breaker"] == "closed"
    assert len(facts["servers"]) == 1
    assert 'result="hit"' in "\n".join(levels(cached).lines())


async def test_two_databases_may_use_one_redis_by_mistake(cached: Recollect, cache_server: Valkey) -> None:
    """Entries say which database they are from."""
    chat = await _talk(cached)
    await warm(cached, chat)
    name = keys.key(cached.tenant, chat.id, keys.MESSAGES)
    with cache_server.client as client:
        entry = client.get(name)
        assert isinstance(entry, bytes)
        client.set(name, b"0" * 24 + entry[24:])
    before = hits(cached)
    assert len(await chat.window()) == 12
    assert hits(cached) == before


async def test_many_readers_who_miss_read_the_database_a_few_times(cached: Recollect) -> None:
    chat = await _talk(cached)
    reads = 0
    real = cached.database.windows.call

    async def counted(tenant: str, *values: object) -> Sequence[object]:
        nonlocal reads
        reads += 1
        return await real(tenant, *values)

    cached.database.windows.call = counted
    windows = await asyncio.gather(*(chat.window() for _ in range(50)))
    assert all(window == windows[0] for window in windows)
    assert 1 <= reads <= 10
