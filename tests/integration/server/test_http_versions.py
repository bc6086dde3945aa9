"""``If-Match`` and ``If-None-Match`` over the whole route table: compared where the schema lists it, and refused everywhere else."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from typing import Any

import httpx
import msgspec
import pytest

from recollect import Recollect, Settings
from recollect.server.app import create_app
from recollect.server.schema import described, table
from recollect.server.versions import SAFE

ITEM = "/api/documents/item"
#: For each route that compares versions, a request for something that is at another one.
STALE: dict[str, tuple[str, Any]] = {
    "PATCH /api/conversations/{id}/state": ("/api/conversations/{chat}/state", {"metadata": {"a": 2}}),
    "POST /api/conversations/{id}/state/move": ("/api/conversations/{chat}/state/move", {"step": "done"}),
    "POST /api/conversations/{id}/state/act": ("/api/conversations/{chat}/state/act", {"action": "ring"}),
    "POST /api/conversations/{id}/state/undo": ("/api/conversations/{chat}/state/undo", {}),
    "PUT /api/conversations/{id}/memory": ("/api/conversations/{chat}/memory", {"value": {}}),
    "PUT /api/agents/{agent}": ("/api/agents/cook", {"window": 3}),
    "POST /api/notes": ("/api/notes", {"user": "ana", "agent": "cook", "operation": "append", "content": "b"}),
    "POST /api/notes/undo": ("/api/notes/undo", {"user": "ana", "agent": "cook"}),
    "PUT /api/documents/item": (ITEM, {"value": {}}),
    "DELETE /api/documents/item": (ITEM, None),
    **{
        f"{method} /api/{whose}memories/{{id}}": (
            f"/api/{whose.replace('{agent}', 'cook')}memories/{{memory}}",
            {"importance": 0.1} if method == "PUT" else None,
        )
        for method in ("PUT", "DELETE")
        for whose in ("agents/{agent}/", "bots/{agent}/", "")
    },
}


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(msgspec.UNSET, Settings())  # type: ignore[arg-type]  # pyright: ignore


def test_the_schema_lists_it_where_it_is_compared(app: Any) -> None:
    listed = {
        f"{method.upper()} {path}"
        for path, operations in described(app)["paths"].items()
        for method, operation in operations.items()
        if any(one["name"] == "If-Match" for one in operation.get("parameters", []))
    }
    assert listed == {f"{method} {path}" for method, path, rule in table(app) if rule.versioned} == set(STALE)


async def test_elsewhere_it_is_refused_before_anything_happens(
    app: Any, client: httpx.AsyncClient, memory: Recollect
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "hello")
    asked = 0
    for method, path, rule in table(app):
        if rule.versioned or method in SAFE:
            continue
        path = path.replace("{id}", chat.id).replace("{tenant}", memory.tenant).replace("{user}", "ana")
        path = re.sub(r"{\w+}", "x", path)
        for header, value in (("If-Match", '"7"'), ("If-None-Match", "*")):
            answer = await client.request(method, path, headers={header: value}, json={})
            problem = answer.json()
            if path.startswith("/v1"):
                problem = {"field": problem["error"]["param"]}
            assert (answer.status_code, problem["field"]) == (422, header), (method, path, answer.text)
        asked += 1
    assert asked > 40
    assert len(await chat.window()) == 1
    assert (await client.get("/api/whoami", headers={"if-match": '"7"'})).status_code == 200


async def test_a_stale_version_changes_nothing(client: httpx.AsyncClient, memory: Recollect) -> None:
    await memory.configure_agent("cook", window=9)
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.update_state({"metadata": {"a": 1}})
    await chat.save_memory_document({"a": 1})
    await memory.edit_notes("append", "a", user="ana", agent="cook")
    await memory.put_document(("pets",), "bird", {"a": 1}, user="ana")
    kept = await memory.remember("user keeps a finch", user="ana", agent="cook", importance=0.5)
    for route, (path, body) in STALE.items():
        method = route.split(" ")[0]
        address = path.replace("{chat}", chat.id).replace("{memory}", kept.id)
        at = {"namespace": "pets", "key": "bird"} if path == ITEM else None
        # What never was a version is no longer the current one.
        stale = [("if-match", tag) for tag in ('"7"', '"0"', '"999999999999999999"', f'"7-{"0" * 16}"')]
        for header, tag in [*stale, ("if-none-match", "*")]:
            answer = await client.request(method, address, params=at, json=body, headers={header: tag})
            assert (answer.status_code, answer.json()["type"]) == (412, "urn:recollect:problem:conflict"), route
    assert (await chat.state()).version == 1
    assert (await chat.memory_document()).version == 1
    assert (await memory.notes("ana", "cook")).version == 1
    assert (await memory.document(("pets",), "bird", user="ana")).version == 1
    assert (await memory.memory(kept.id)).version == kept.version
    assert (await memory.agent("cook")).window == 9
    undo = {"user": "ana", "agent": "cook"}
    assert (await client.post("/api/notes/undo", json=undo, headers={"if-match": '"1"'})).json()["text"] == ""
    back = await client.post(f"/api/conversations/{chat.id}/state/undo", json={}, headers={"if-match": '"1"'})
    assert back.json()["metadata"] == {}


async def test_a_tag_is_of_what_was_sent(client: httpx.AsyncClient, memory: Recollect) -> None:
    """What changes without a new version is sent again."""
    chat = await memory.conversation(user="ana", agent="buyer")
    kept = await memory.remember("user keeps a finch", user="ana", agent="buyer")
    await memory.edit_notes("append", "a", user="ana", agent="buyer")

    async def changed(path: str, change: Awaitable[object], **params: str) -> bool:
        tag = (await client.get(path, params=params)).headers["etag"]
        assert (await client.get(path, params=params, headers={"if-none-match": tag})).status_code == 304
        await change
        answer = await client.get(path, params=params, headers={"if-none-match": tag})
        return answer.status_code == 200 and answer.headers["etag"] != tag

    state = f"/api/conversations/{chat.id}/state"
    assert await changed(state, memory.configure_agent("buyer", workflow="rfp"))
    again = memory.remember("user keeps a finch", user="ana", agent="buyer")
    assert await changed(f"/api/memories/{kept.id}", again)

    async def forgotten() -> None:
        await memory.erase("ana")
        await memory.edit_notes("append", "b", user="ana", agent="buyer")

    assert await changed("/api/notes", forgotten(), user="ana", agent="buyer")
