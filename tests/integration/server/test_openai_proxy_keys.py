"""What the proxy keeps under a key goes with the conversation that it quotes; that it was answered stays known."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import asyncpg
import httpx
import pytest
from proxied import Proxied, bound, proxying

from recollect import Chat, Recollect
from scripted_model import Raw

BODY = {"model": "m", "messages": [{"role": "user", "content": "what shall I cook?"}]}
KEY = {"idempotency-key": "k"}


@pytest.fixture(scope="module")
def proxied(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    with proxying(tmp_path_factory.mktemp("proxy"), dsn) as running:
        yield running


@pytest.fixture
async def client(proxied: Proxied, memory: Recollect) -> AsyncIterator[httpx.AsyncClient]:
    proxied.upstream.requests.clear()
    proxied.upstream.respond = lambda _: "Try zinnwaldite."
    headers = {"authorization": f"Bearer {await bound(memory)}"}
    async with httpx.AsyncClient(base_url=f"{proxied.served.url}/v1", headers=headers, timeout=60) as opened:
        yield opened


async def _asked(client: httpx.AsyncClient, memory: Recollect, admin: asyncpg.Connection) -> Chat:
    first = await client.post("/chat/completions", json=BODY, headers=KEY)
    again = await client.post("/chat/completions", json=BODY, headers=KEY)
    assert (first.status_code, again.content) == (200, first.content)
    assert await _quoting(admin, memory) == 1
    return await memory.conversation(id=first.headers["x-recollect-conversation"])


async def _quoting(admin: asyncpg.Connection, memory: Recollect) -> int:
    return await admin.fetchval(
        "select count(*) from recollect.answers where tenant = $1 and position('zinnwaldite'::bytea in body) > 0",
        memory.tenant,
    )


async def _refused(client: httpx.AsyncClient, proxied: Proxied) -> None:
    """It is not done again, and nobody is told what is gone."""
    again = await client.post("/chat/completions", json=BODY, headers=KEY)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "refused")
    assert "zinnwaldite" not in again.text
    assert len(proxied.upstream.requests) == 1


async def test_a_cleared_conversation_leaves_no_reply(
    client: httpx.AsyncClient, proxied: Proxied, memory: Recollect, admin: asyncpg.Connection
) -> None:
    await (await _asked(client, memory, admin)).clear()
    assert await _quoting(admin, memory) == 0
    await _refused(client, proxied)


async def test_a_message_that_is_taken_back_leaves_no_reply(
    client: httpx.AsyncClient, proxied: Proxied, memory: Recollect, admin: asyncpg.Connection
) -> None:
    await (await _asked(client, memory, admin)).pop()
    assert await _quoting(admin, memory) == 0
    await _refused(client, proxied)


async def test_retention_holds_for_replies_under_keys(
    client: httpx.AsyncClient, proxied: Proxied, memory: Recollect, admin: asyncpg.Connection
) -> None:
    await _asked(client, memory, admin)
    await memory.set_retention(60)
    for table in ("messages", "answers"):
        await admin.execute(
            f"update recollect.{table} set created_at = created_at - interval '2 hours' where tenant = $1",
            memory.tenant,
        )
    assert (await memory.tidy()).messages == 2
    assert await _quoting(admin, memory) == 0
    await _refused(client, proxied)


async def test_a_deleted_conversation_takes_its_answers_along(
    client: httpx.AsyncClient, memory: Recollect, admin: asyncpg.Connection
) -> None:
    await (await _asked(client, memory, admin)).delete()
    kept = await admin.fetchval("select count(*) from recollect.answers where tenant = $1", memory.tenant)
    assert kept == 0


async def test_an_answer_that_is_too_large_to_keep_is_not_given_twice(
    client: httpx.AsyncClient, proxied: Proxied, memory: Recollect
) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "figs"}, "finish_reason": "stop"}
    large = json.dumps({"object": "chat.completion", "model": "m", "choices": [choice], "notes": "x" * (5 << 20)})
    proxied.upstream.respond = lambda _: Raw(large.encode())
    first = await client.post("/chat/completions", json=BODY, headers=KEY)
    assert (first.status_code, len(first.content) > 4 << 20) == (200, True)
    await _refused(client, proxied)
    chat = await memory.conversation("ana", "assistant")
    assert (await memory.conversation(id=chat.id)).record.message_count == 2
