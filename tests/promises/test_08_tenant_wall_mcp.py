"""Promise 8 over MCP: every tool, from the table, against every kind of credential that must not pass."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from recollect import Recollect
from recollect.adapters.mcp.tools import TOOLS
from serving import Served, serving

CANARY = "zebrafinch"
#: How the owner calls each tool; a tool without a line here fails.
CASES: dict[str, dict[str, Any]] = {
    "add_memory": {"text": "user likes figs"},
    "search_memories": {"query": CANARY},
    "get_memories": {},
    "get_memory": {"id": "{memory}"},
    "update_memory": {"id": "{memory}", "text": "user has no bird"},
    "delete_memory": {"id": "{memory}"},
    "delete_all_memories": {"confirm": True},
    "get_context": {"message": CANARY, "conversation": "{conversation}"},
    "manage_long_term_memory": {"operation": "append", "content": "x"},
    "search_messages": {"query": CANARY},
}


@pytest.fixture(scope="module")
def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("mcp-wall"), "--no-worker", database=dsn) as running:
        yield running


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=served.url, timeout=30) as opened:
        yield opened


async def call(client: httpx.AsyncClient, key: str, tool: str, given: dict[str, Any]) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    headers = {"authorization": f"Bearer {key}", "accept": "application/json, text/event-stream"}
    return await client.post("/mcp", json=body, headers=headers)


async def things(memory: Recollect) -> dict[str, str]:
    chat = await memory.new_conversation(user="ana", agent="cook")
    await chat.append("user", f"I keep a {CANARY}")
    await memory.edit_notes("overwrite", CANARY, user="ana", agent="cook")
    return {
        "{conversation}": chat.id,
        "{memory}": (await memory.remember(f"user keeps a {CANARY}", "ana", "cook")).id,
    }


def filled(tool: str, mine: dict[str, str]) -> dict[str, Any]:
    assert tool in CASES, f"{tool} is new: say in CASES how its owner calls it"
    return {"user": "ana", "agent": "cook"} | {
        name: mine.get(value, value) if isinstance(value, str) else value for name, value in CASES[tool].items()
    }


async def test_the_owner_may_use_every_tool(client: httpx.AsyncClient, memory: Recollect) -> None:
    for key in (
        (await memory.create_key(scopes=["read", "write"])).text,
        (await memory.create_key(scopes=["read", "write"], user="ana")).text,
    ):
        for tool in TOOLS:
            answer = await call(client, key, tool, filled(tool, await things(memory)))
            assert answer.json()["result"]["isError"] is False, (tool, answer.text)


@pytest.mark.parametrize("who", ["another tenant", "another user", "a reader", "revoked"])
async def test_nobody_else_may(client: httpx.AsyncClient, memory: Recollect, dsn: str, who: str) -> None:
    mine = await things(memory)
    before = (await memory.export(user="ana")), await memory.notes("ana", "cook")
    match who:
        case "another tenant":
            async with Recollect.open(dsn, tenant=f"{memory.tenant}-other") as other:
                key = (await other.create_key(scopes=["read", "write"])).text
        case "another user":
            key = (await memory.create_key(scopes=["read", "write"], user="ben")).text
        case "a reader":
            key = (await memory.create_key(scopes=["read"])).text
        case _:
            made = await memory.create_key(scopes=["read", "write"])
            await memory.revoke_key(made.key.id)
            key = made.text
    for name, tool in TOOLS.items():
        answer = await call(client, key, name, filled(name, mine))
        if who == "revoked":
            assert answer.status_code == 401
            continue
        assert answer.status_code == 200, answer.text
        if who != "a reader":
            assert CANARY not in answer.text, name
        writes = tool.scope == "write" or name == "manage_long_term_memory"
        named = any("{" in str(value) for value in CASES[name].values())
        refused = {"another user": True, "another tenant": named, "a reader": writes}[who]
        assert answer.json()["result"]["isError"] is refused, (name, answer.text)
    after = (await memory.export(user="ana")), await memory.notes("ana", "cook")
    assert after[0]["memories"] == before[0]["memories"]
    assert after[1] == before[1]
