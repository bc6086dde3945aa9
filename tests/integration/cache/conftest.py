"""One Valkey and one database for the tests of the cache; processes that share a database share its cache."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from caches import believed
from recollect import Recollect
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
