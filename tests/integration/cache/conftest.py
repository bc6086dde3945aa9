"""One Valkey and one database for the tests of the cache; processes that share a database share its cache."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from recollect import Chat, Recollect
from recollect.cache.levels import Levels
from recollect.storage import embedded
from valkeys import Valkey, valkey


@pytest.fixture(scope="session")
def cache_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with valkey(tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture(scope="session")
async def cached_dsn(server: embedded.Server, admin: asyncpg.Connection) -> str:
    name = f"cached_{uuid.uuid4().hex}"
    await admin.execute(f"create database {name}")
    address = f"postgresql://postgres@/{name}?host={server.socket}&port={server.port}"
    async with Recollect.open(address, migrate=True):
        return address


@pytest.fixture
async def cached(cached_dsn: str, cache_server: Valkey, tenant: str) -> AsyncIterator[Recollect]:
    """A door with a cache that is believed."""
    async with Recollect.open(cached_dsn, tenant=tenant, cache=cache_server.url) as memory:
        await believed(memory)
        yield memory


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
    """Fill the cache with a conversation, its document and its first message."""
    first = (await chat.window(200))[0]
    await chat.document()
    await chat.message(first.id)
    await levels(memory).settled()
