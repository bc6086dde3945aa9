"""One server, and the two ways to the same tenant: the library, and the client of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from recollect import Recollect, client
from serving import Served, serving


@pytest.fixture(scope="session")
def client_server(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("client"), "--no-worker", database=dsn) as running:
        yield running


@pytest.fixture
async def key(memory: Recollect) -> str:
    return (await memory.create_key(scopes=["read", "write", "admin"])).text


@pytest.fixture
async def remote(client_server: Served, key: str) -> AsyncIterator[client.Recollect]:
    async with client.Recollect.open(client_server.url, key=key) as opened:
        yield opened


@pytest.fixture(params=["library", "client"])
def door(request: pytest.FixtureRequest, memory: Recollect, remote: client.Recollect) -> Any:
    """Either; what is done with it must not be able to tell."""
    return memory if request.param == "library" else remote
