"""What tests of the cache do again and again."""

from __future__ import annotations

import asyncio

from recollect import Chat, Recollect
from recollect.cache.levels import Levels


async def believed(*memories: Recollect) -> None:
    """Wait until the cache of each is asked; whatever had been distrusted is over then."""
    async with asyncio.timeout(60):
        for memory in memories:
            chat = await memory.new_conversation("nobody", "probe")
            await chat.append("user", "x")
            before = hits(memory)
            while hits(memory) == before:
                await chat.window(1)
                await asyncio.sleep(0.05)


def levels(memory: Recollect) -> Levels:
    assert isinstance(memory.database.cache, Levels)
    return memory.database.cache


def hits(memory: Recollect) -> int:
    return levels(memory).measures.results["hit"]


async def warm(memory: Recollect, chat: Chat) -> None:
    """Fill the cache with a conversation, its document, its first message and a context."""
    first = (await chat.window(200))[0]
    await chat.memory_document()
    await chat.message(first.id)
    # A question is kept when it is asked again; the first one loads a model, and meanwhile trust may have run out.
    async with asyncio.timeout(60):
        before = hits(memory)
        while hits(memory) == before:
            await chat.context("what was said?")
            await levels(memory).settled()
