"""A caller who is cancelled hears nothing; what was committed all the same is not kept from others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from caches import hits, levels
from recollect import Chat, Recollect
from recollect.storage.joining import AT_ONCE


@pytest.fixture
async def chat(cached: Recollect) -> AsyncIterator[Chat]:
    """A conversation that is cached."""
    chat = await cached.new_conversation("ana", "cook")
    await chat.extend([("user", "one"), ("assistant", "two")])
    before = hits(cached)
    async with asyncio.timeout(60):
        while hits(cached) == before:
            await chat.window()
            await levels(cached).settled()
    yield chat
    window, stored = await chat.window(), (await chat.messages()).items
    assert window == stored


async def _gone() -> None:
    """Whoever runs this is cancelled here."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


def _cut_off_after(memory: Recollect, name: str) -> None:
    """The caller is cancelled in the moment in which the answer to a statement is there."""
    real = memory.database._call

    async def call(query: str, args: Sequence[object]) -> Sequence[Any]:
        rows = await real(query, args)
        if query == name:
            await _gone()
        return rows

    memory.database._call = call


def _cut_off_after_commit(memory: Recollect) -> None:
    real = memory.database._begin

    class Cut:
        def __init__(self, begun: Any) -> None:
            self._begun = begun

        async def commit(self) -> None:
            await self._begun.commit()
            await _gone()

    async def begin(tenant: str, snapshot: bool) -> Any:
        connection, begun = await real(tenant, snapshot)
        return connection, begun if snapshot else Cut(begun)

    memory.database._begin = begin


async def _append(chat: Chat) -> None:
    await chat.append("user", "three")


async def _extend(chat: Chat) -> None:
    await chat.extend([("user", "three"), ("assistant", "four")])


@pytest.mark.parametrize(
    ("statement", "appending"), [("append_message", _append), ("append_messages", _extend)], ids=["one", "many"]
)
async def test_an_append_whose_caller_has_gone_is_seen(
    cached: Recollect, chat: Chat, statement: str, appending: Callable[[Chat], Awaitable[None]]
) -> None:
    _cut_off_after(cached, statement)
    with pytest.raises(asyncio.CancelledError):
        await appending(chat)
    await cached.database.told()
    assert len(await chat.window()) > 2


async def test_a_statement_whose_caller_has_gone_is_seen(cached: Recollect, chat: Chat) -> None:
    _cut_off_after(cached, "begin_turn")
    with pytest.raises(asyncio.CancelledError):
        await chat.say("three")
    await cached.database.told()
    assert len(await chat.window()) == 3


async def test_a_transaction_whose_caller_has_gone_is_seen(cached: Recollect, chat: Chat) -> None:
    _cut_off_after_commit(cached)
    with pytest.raises(asyncio.CancelledError):
        await chat.clear()
    del cached.database._begin
    await cached.database.told()
    assert await chat.window() == []


async def test_an_append_that_went_out_with_others_is_seen_although_its_caller_went_before(
    cached: Recollect, chat: Chat
) -> None:
    """The cache is told after the commit: whoever reads before it caches what was."""
    others = [await cached.new_conversation("ben", f"agent-{number}") for number in range(AT_ONCE + 1)]
    real = cached.database._call
    held, waits = asyncio.Event(), asyncio.Event()

    async def call(query: str, args: Sequence[object]) -> Sequence[Any]:
        if query == "append_message":
            await waits.wait()
        elif query == "append_together":
            held.set()
            mine.cancel()
            await asyncio.wait([mine])
            assert len(await chat.window()) == 2
            await levels(cached).settled()
        return await real(query, args)

    cached.database._call = call
    first = [asyncio.ensure_future(other.append("user", "x")) for other in others[:AT_ONCE]]
    await asyncio.sleep(0)
    mine = asyncio.ensure_future(chat.append("user", "three"))
    last = asyncio.ensure_future(others[-1].append("user", "x"))
    await asyncio.sleep(0)
    waits.set()
    async with asyncio.timeout(60):
        await held.wait()
        await asyncio.gather(*first, last)
    assert mine.cancelled()
    await cached.database.told()
    assert len(await chat.window()) == 3


async def test_closing_waits_until_it_is_told(cached: Recollect, cached_dsn: str, chat: Chat) -> None:
    async with Recollect.open(cached_dsn, tenant=cached.tenant) as deaf:
        _cut_off_after(deaf, "append_message")
        with pytest.raises(asyncio.CancelledError):
            await (await deaf.conversation(id=chat.id)).append("user", "three")
    assert len(await chat.window()) == 3
