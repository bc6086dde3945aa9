"""One server for these tests, and a client of a tenant of its own for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from recollect import Recollect
from serving import Served, serving


@pytest.fixture(scope="session")
def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = {"cors_origins": "https://app.example", "metrics_token": "watcher", "max_body": "2000000"}
    settings["stream_seconds"] = "0.2"  # or whoever asks for everything would wait
    with serving(tmp_path_factory.mktemp("http"), "--no-worker", database=dsn, **settings) as running:
        yield running


@pytest.fixture
async def client(served: Served, memory: Recollect) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who may do everything in their tenant, and means Ana unless they say otherwise."""
    key = (await memory.create_key(scopes=["read", "write", "admin"])).text
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=served.url, headers=headers, timeout=30) as opened:
        opened.params = httpx.QueryParams({"user": "ana"})
        yield opened


@pytest.fixture
async def chat(client: httpx.AsyncClient) -> str:
    """The address of Ana's conversation with the cook."""
    made = await client.post("/api/conversations", json={"user": "ana", "agent": "cook"})
    return f"/api/conversations/{made.json()['id']}"
