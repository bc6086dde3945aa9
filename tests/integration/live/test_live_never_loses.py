"""No event is lost, doubled or out of order: many writers, two servers, broken connections, late commits."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from recollect import Chat, Recollect
from recollect.conversations.append import append_within
from recollect.conversations.incoming import drafts
from recollect.live.following import Keeping, follow
from serving import Served, serving

PATIENCE = 120
WRITERS, EACH = 8, 25


@pytest.fixture(scope="module")
def two_servers(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    folders = [tmp_path_factory.mktemp(name) for name in ("left", "right")]
    with (
        serving(folders[0], "--no-worker", database=dsn) as left,
        serving(folders[1], "--no-worker", database=dsn) as right,
    ):
        yield [left, right]


@asynccontextmanager
async def _following(url: str, path: str, key: str, after: str | None) -> AsyncIterator[AsyncIterator[Any]]:
    headers = {"authorization": f"Bearer {key}"} | ({} if after is None else {"last-event-id": after})
    async with (
        httpx.AsyncClient(base_url=url, headers=headers, timeout=PATIENCE) as client,
        client.stream("GET", path) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _events(answer)


async def _events(answer: httpx.Response) -> AsyncIterator[Any]:
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


async def _write(memory: Recollect, chats: list[Chat], number: int) -> None:
    for turn in range(EACH):
        await chats[(number + turn) % len(chats)].append("user", f"{number}/{turn}")
        if turn % 10 == 5:
            await memory.edit_notes("append", f"{number}/{turn}", user="ana", agent="cook")


def _whole(events: list[dict[str, Any]], chats: list[Chat]) -> None:
    """Every message once, each conversation in its order."""
    for chat in chats:
        told = [
            one["seq"] for one in events if one["kind"] == "message.created" and one["conversationId"] == chat.id
        ]
        assert told == list(range(1, len(told) + 1))
    assert len([one for one in events if one["kind"] == "message.created"]) == WRITERS * EACH
    assert len({one["id"] for one in events}) == len(events)


async def test_two_devices_on_two_servers_hear_the_same_in_the_same_order(
    memory: Recollect, two_servers: list[Served]
) -> None:
    key = (await memory.create_key(user="ana")).text
    chats = [await memory.new_conversation(user="ana", agent="cook") for _ in range(3)]
    started = [asyncio.Event(), asyncio.Event()]

    async def device(number: int) -> list[dict[str, Any]]:
        heard: list[dict[str, Any]] = []
        async with _following(two_servers[number].url, "/api/live", key, None) as events:
            async for event in events:
                heard.append(event)
                started[number].set()
                if len([one for one in heard if one["kind"] == "message.created"]) == WRITERS * EACH:
                    break
        return heard

    async with asyncio.timeout(PATIENCE):
        devices = [asyncio.create_task(device(n)) for n in range(2)]
        await asyncio.gather(*(one.wait() for one in started))
        await asyncio.gather(*(_write(memory, chats, n) for n in range(WRITERS)))
        left, right = await asyncio.gather(*devices)
    assert [one["kind"] for one in (left[0], right[0])] == ["ready", "ready"]
    _whole(left[1:], chats)
    _whole(right[1:], chats)
    shorter = min(len(left), len(right))
    assert left[1:shorter] == right[1:shorter]


async def test_a_device_that_connects_again_and_again_misses_nothing(
    memory: Recollect, two_servers: list[Served]
) -> None:
    key = (await memory.create_key(user="ana")).text
    chats = [await memory.new_conversation(user="ana", agent="cook") for _ in range(3)]
    chance = random.Random(7)
    heard: list[dict[str, Any]] = []
    place: str | None = None
    connections = 0
    writing: asyncio.Future[Any] | None = None
    async with asyncio.timeout(PATIENCE):
        while len([one for one in heard if one["kind"] == "message.created"]) < WRITERS * EACH:
            url = chance.choice(two_servers).url
            connections += 1
            async with _following(url, "/api/live", key, place) as events:
                left = chance.randint(1, 12)
                async for event in events:
                    place = event["id"]
                    assert event["kind"] != "reset"
                    heard.append(event)
                    writing = writing or asyncio.gather(*(_write(memory, chats, n) for n in range(WRITERS)))
                    left -= 1
                    if left == 0 or len([e for e in heard if e["kind"] == "message.created"]) == WRITERS * EACH:
                        break
    assert writing is not None
    await writing
    assert connections > 10
    assert [one["kind"] for one in heard].count("ready") == 1
    _whole(heard[1:], chats)


async def test_an_append_that_commits_late_is_told_late_and_not_lost(memory: Recollect, new_database: Any) -> None:
    """The naive way, a number from a sequence and "what is greater than the last one", loses it."""
    address = await new_database()
    writer, other = await asyncpg.connect(address), await asyncpg.connect(address)
    await writer.execute("create table events (number bigserial primary key, what text)")
    late = writer.transaction()
    await late.start()
    await writer.execute("insert into events (what) values ('late')")
    await other.execute("insert into events (what) values ('early')")
    newer = "select number, what from events where number > $1 order by number"
    seen = [tuple(row) for row in await other.fetch(newer, 0)]
    await late.commit()
    seen += [tuple(row) for row in await other.fetch(newer, seen[-1][0])]
    assert seen == [(2, "early")], "the naive way has lost one"
    await other.close()
    await writer.close()

    one, two = [await memory.new_conversation(user="ana", agent="cook") for _ in range(2)]
    heard: list[str] = []
    async with aclosing(memory.live(user="ana")) as events, asyncio.timeout(PATIENCE):
        assert (await anext(events)).kind == "ready"
        async with memory.database.transaction(memory.tenant) as transaction:
            caller = memory._caller  # pyright: ignore[reportPrivateUsage]
            await append_within(transaction, caller, one.id, drafts([("user", "late")]), [uuid4()])
            await two.append("user", "early")
            event = await anext(events)
            heard += [event.message.content if event.message else event.kind]
        event = await anext(events)
        heard += [event.message.content if event.message else event.kind]
    assert heard == ["early", "late"]


async def test_a_listening_connection_that_breaks_loses_nothing(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    heard: list[int | None] = []
    # By the clock it would take longer than this test may.
    keeping = Keeping(look_again=600.0, at_first=600.0)
    listening = follow(memory.database, memory._caller, "ana", None, keeping=keeping)  # pyright: ignore[reportPrivateUsage]
    async with aclosing(listening) as events, asyncio.timeout(PATIENCE):
        assert (await anext(events)).kind == "ready"
        for round in range(5):
            ended = await admin.fetch(
                "select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid "
                "where l.locktype = 'advisory' and (l.classid::bigint << 32) + l.objid::bigint = 7317654803 "
                "and a.datname = current_database()"
            )
            assert ended
            await chat.append("user", f"{round}")
            heard.append((await anext(events)).seq)
    assert heard == [1, 2, 3, 4, 5]
