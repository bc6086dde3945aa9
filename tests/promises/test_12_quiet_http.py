"""Promise 12 over HTTP: a canary in every input appears in no log line and in no error."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest

from recollect import Recollect
from serving import Served, serving

CANARY = "canary7f3a"
NewDatabase = Callable[[], Awaitable[str]]


@pytest.fixture
async def open_server(new_database: NewDatabase, tmp_path: Path) -> AsyncIterator[tuple[Served, str]]:
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True):
        pass
    with serving(tmp_path, database=dsn) as served:
        yield served, dsn


def bodies() -> list[bytes]:
    """Everything that a body can get wrong, with the canary where the mistake is."""
    wrong: list[Any] = [
        {"role": CANARY, "content": "x"},
        {"role": "user", "content": {CANARY: 1}},
        {"role": "user", "content": "x", CANARY: CANARY},
        {"role": "user", "content": "x", "at": CANARY},
        {"role": "user", "content": "x", "metadata": CANARY},
        {"role": "user", "content": "x", "toolCalls": CANARY},
        {"role": "user", "content": CANARY + "\0"},
        {"role": "user", "content": CANARY * 200_000},
        {"role": "user", "content": CANARY, "name": CANARY + "\n"},
        [CANARY],
        CANARY,
    ]
    return [
        *(msgspec.json.encode(one) for one in wrong),
        b'{"role": "user", "content": "' + CANARY.encode(),
        b'{"role": "user", "content": "' + CANARY.encode() + b'\\ud800"}',
        b'{"role": "user", "content": "' + CANARY.encode() + b'\xff"}',
        b'{"role": "user", "metadata": {"' + CANARY.encode() + b'": 1e400}, "content": "x"}',
        b'{"role": "user", "content": "x", "metadata": ' + b'{"' + CANARY.encode() + b'":' + b"[" * 5000,
        CANARY.encode(),
    ]


async def test_content_is_in_no_log_and_no_error(
    open_server: tuple[Served, str], admin: asyncpg.Connection
) -> None:
    served, dsn = open_server
    errors: list[httpx.Response] = []
    async with httpx.AsyncClient(base_url=served.url, timeout=30) as client:
        chat = (await client.post("/api/conversations", json={"agent": "cook"})).json()
        messages = f"/api/conversations/{chat['id']}/messages"
        said = {"role": "user", "content": f"I keep a {CANARY}", "metadata": {CANARY: CANARY}}
        assert (await client.post(messages, json=said, headers={"idempotency-key": "k"})).status_code == 201
        assert CANARY in (await client.get("/api/search", params={"query": CANARY})).text
        errors += [await client.post(messages, content=body) for body in bodies()]
        errors.append(
            await client.post(messages, json=said | {"content": CANARY}, headers={"idempotency-key": "k"})
        )
        for path in ("/api/notes", "/api/bots/cook/memories", "/api/conversations/new", "/api/admin/keys"):
            errors += [await client.post(path, content=body) for body in bodies()]
        query = {
            "limit": CANARY,
            "query": CANARY,
            "since": CANARY,
            "days": CANARY,
            "agent": "cook",
            "cursor": CANARY,
        }
        for path in ("/api/search", f"/api/conversations/{chat['id']}/window", "/api/analytics", messages):
            errors.append(await client.get(path, params=query))
        errors.append(await client.get(f"/{CANARY}"))
        errors.append(await client.get("/api/whoami", headers={"authorization": f"Basic {CANARY}"}))
        errors.append(await client.put("/api/agents/cook", json={"window": 1}, headers={"if-match": CANARY}))
        errors.append(await client.post(messages, content=b'{"role": "' + CANARY.encode() * (2 << 20) + b'"}'))
        # A statement that the database itself refuses, with the text in its arguments.
        other = await asyncpg.connect(dsn)
        await other.execute(
            "alter table recollect.messages add constraint no_birds check (content not like '%canary%') not valid"
        )
        await other.close()
        errors.append(await client.post(messages, json=said))
        assert errors[-1].status_code == 503
        assert errors[-2].status_code == 413
    for answer in errors:
        assert 400 <= answer.status_code < 500 or answer.status_code == 503, answer.text
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        assert CANARY not in answer.text.replace(f"/{CANARY}", ""), answer.text
        assert CANARY not in str(answer.headers)
        assert answer.json()["request"] == answer.headers["x-request-id"]
    log = served.said
    assert log.count("http.request") > len(errors)
    assert "storage.failed" in log
    assert CANARY not in log


async def test_whoever_did_something_is_known(open_server: tuple[Served, str]) -> None:
    served, dsn = open_server
    async with Recollect.open(dsn) as memory:
        key = await memory.create_key()
    headers = {"authorization": f"Bearer {key.text}"}
    async with httpx.AsyncClient(base_url=served.url, headers=headers, timeout=60) as client:
        made = await client.post("/api/conversations", json={"agent": "cook", "user": "ana"})
        url = f"/api/conversations/{made.json()['id']}"
        await client.post(f"{url}/messages", json={"role": "user", "content": "hello"})
        asked = {"query": "what was said?", "over": "both"}
        assert (await client.post("/api/agents/cook/recall?user=ana", json=asked)).status_code == 200
        assert (await client.post(f"{url}/context", json={"message": "hello again"})).status_code == 200
        await client.delete(url)
    connection = await asyncpg.connect(dsn)
    audit = await connection.fetch("select actor, action from recollect.audit where user_id = 'ana'")
    await connection.close()
    assert {(row["actor"], row["action"]) for row in audit} >= {
        (f"key:{key.key.id}", "conversation.create"),
        (f"key:{key.key.id}", "conversation.delete"),
    }
    assert f'"actor":"key:{key.key.id}"' in served.said
    recalls = [msgspec.json.decode(line) for line in served.said.splitlines() if "memory.recalled" in line]
    assert {(one["actor"], one["over"]) for one in recalls} == {
        (f"key:{key.key.id}", over) for over in ("memories", "messages", "context")
    }
    assert key.text not in served.said
