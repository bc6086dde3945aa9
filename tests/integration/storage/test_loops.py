"""A door belongs to the event loop that it was opened in."""

from __future__ import annotations

import asyncio
import gc
import warnings

import pytest

from recollect import Chat, Recollect, Unavailable


def test_a_door_whose_loop_has_ended(dsn: str, tenant: str) -> None:
    async def opened() -> tuple[Recollect, Chat]:
        memory = await Recollect.open(dsn, tenant=tenant)
        chat = await memory.conversation(user="ana", agent="librarian")
        await chat.append("user", "one")
        return memory, chat

    async def used(memory: Recollect, chat: Chat) -> None:
        for call in (chat.window(), chat.append("user", "two"), chat.turns(), memory.conversations(user="ana")):
            with pytest.raises(Unavailable, match="an event loop that has ended; open a new one"):
                await call
        await memory.close()
        async with Recollect.open(dsn, tenant=tenant) as again:
            kept = await again.conversation(user="ana", agent="librarian")
            assert [one.content for one in await kept.window()] == ["one"]

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ResourceWarning)  # a loop that has ended closes nothing any more
        asyncio.run(used(*asyncio.run(opened())))
        gc.collect()


async def test_a_door_of_another_loop(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    with pytest.raises(Unavailable, match="another event loop"):
        await asyncio.to_thread(lambda: asyncio.run(chat.append("user", "one")))
    assert await chat.window() == []
