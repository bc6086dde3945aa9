"""The routes of whoever runs the installation: tenants are made, given their first key, and removed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import httpx
import pytest

from recollect import Recollect
from serving import Served, serving

KEY = {"id", "name", "scopes", "user", "createdAt", "expiresAt", "revokedAt", "lastUsedAt", "text"}


def with_key(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@pytest.fixture
async def operator(served: Served, dsn: str, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    """An operator whose key is good for nothing else, and belongs to another tenant than the test's."""
    async with Recollect.open(dsn, tenant=f"{tenant}-run", operator=True) as running:
        key = (await running.create_key("operator", scopes=["operator"])).text
    async with httpx.AsyncClient(base_url=served.url, headers=with_key(key), timeout=60) as opened:
        yield opened


async def _audit(admin: asyncpg.Connection, tenant: str) -> list[tuple[str, str, str]]:
    rows = await admin.fetch(
        "select action, actor, subject from recollect.audit where tenant = $1 and action like 'tenant.%' order by id",
        tenant,
    )
    return [tuple(row) for row in rows]


async def test_a_tenant_from_its_making_to_its_end(
    operator: httpx.AsyncClient, tenant: str, admin: asyncpg.Connection
) -> None:
    me = (await operator.get("/api/whoami")).json()
    assert (me["operator"], me["scopes"], me["tenant"]) == (True, ["operator"], f"{tenant}-run")
    made = await operator.post("/api/tenants", json={"tenant": tenant})
    assert made.status_code == 201
    assert set(made.json()) == {"tenant", "createdAt", "keys"}
    assert (made.json()["tenant"], made.json()["keys"]) == (tenant, 0)
    again = await operator.post("/api/tenants", json={"tenant": tenant})
    assert (again.status_code, again.json()["type"]) == (409, "urn:recollect:problem:refused")

    first = await operator.post(f"/api/tenants/{tenant}/keys", json={"name": "first"})
    assert first.status_code == 201
    assert set(first.json()) == KEY
    assert first.json()["scopes"] == ["read", "write", "admin"]
    theirs = with_key(first.json()["text"])
    assert (await operator.get("/api/whoami", headers=theirs)).json()["tenant"] == tenant
    said = await operator.post("/api/conversations", json={"user": "ana", "agent": "cook"}, headers=theirs)
    await operator.post(
        f"/api/conversations/{said.json()['id']}/messages",
        json={"role": "user", "content": "hello"},
        headers=theirs,
    )
    await operator.post(
        "/api/agents/cook/memories", params={"user": "ben"}, json={"keyPoint": "user likes figs"}, headers=theirs
    )
    await operator.put("/api/agents/cook", json={"instructions": "You cook."}, headers=theirs)

    listed = await _all(operator)
    assert [one["keys"] for one in listed if one["tenant"] == tenant] == [1]
    assert len({one["tenant"] for one in listed}) == len(listed)

    for wrong in ("", "else", tenant.upper()):
        refused = await operator.request("DELETE", f"/api/tenants/{tenant}", json={"confirm": wrong})
        assert (refused.status_code, refused.json()["field"]) == (422, "confirm")
    assert (await operator.get("/api/whoami", headers=theirs)).status_code == 200
    gone = await operator.request("DELETE", f"/api/tenants/{tenant}", json={"confirm": tenant})
    assert gone.status_code == 200
    assert (gone.json()["tenant"], gone.json()["users"]) == (tenant, 2)
    assert gone.json()["counts"].items() >= {"messages": 1, "conversations": 1, "memories": 1}.items()
    assert (await operator.get("/api/whoami", headers=theirs)).status_code == 401
    assert tenant not in [one["tenant"] for one in await _all(operator)]
    missing = await operator.request("DELETE", f"/api/tenants/{tenant}", json={"confirm": tenant})
    assert (missing.status_code, missing.json()["what"], missing.json()["key"]) == (404, "tenant", tenant)
    assert (await operator.post(f"/api/tenants/{tenant}/keys", json={})).status_code == 404

    key = me["actor"]
    assert await _audit(admin, f"{tenant}-run") == [
        (action, key, tenant) for action in ("tenant.create", "tenant.key", "tenant.delete")
    ]
    assert await _audit(admin, tenant) == [
        (action, f"operator:{key}", tenant) for action in ("tenant.create", "tenant.delete")
    ]


async def _all(operator: httpx.AsyncClient) -> list[dict]:
    """Every tenant, page by page."""
    found, cursor = [], None
    while True:
        asked = {"limit": 100} if cursor is None else {"limit": 100, "cursor": cursor}
        page = (await operator.get("/api/tenants", params=asked)).json()
        found += page["items"]
        cursor = page["cursor"]
        if cursor is None:
            return found


async def test_nothing_is_left_of_a_tenant_but_what_its_audit_tells(
    dsn: str, memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", f"line {number}") for number in range(30)], key="k")
    await chat.update_state({"draft": {"a": 1}})
    await chat.save_memory_document({"a": 1})
    await chat.say("hello")
    await memory.forget((await memory.remember("user likes figs", user="cleo", agent="cook")).id)
    await memory.remember("user likes plums", user="ben", agent="cook")
    await memory.edit_notes("append", "short", user="dan", agent="cook")
    await memory.put_document(("a",), "mine", {"a": 1}, user="eve")
    await memory.put_document(("a",), "ours", {"a": 1})
    await memory.define_template("t", "user has {what}")
    await memory.define_workflow("w", {"start": "a", "steps": [{"name": "a"}]})
    await memory.configure_agent("cook", instructions="x")
    await memory.set_retention("forever")
    await memory.create_key()
    await memory.erase(user="somebody")
    tables = await admin.fetch(
        "select c.table_name from information_schema.columns c join information_schema.tables t "
        "using (table_schema, table_name) where table_schema = 'recollect' and column_name = 'tenant' "
        "and t.table_type = 'BASE TABLE'"
    )
    assert len(tables) > 25
    async with Recollect.open(dsn, tenant=f"{memory.tenant}-run", operator=True) as running:
        gone = await running.delete_tenant(memory.tenant, confirm=memory.tenant)
    assert gone.users == 5
    left = {}
    for (table,) in tables:
        count = f"select count(*) from recollect.{table} where tenant = $1"
        left[table] = await admin.fetchval(count, memory.tenant)
    assert left.pop("audit") > 0
    assert {name: count for name, count in left.items() if count} == {}
    named = "select count(*) from recollect.audit where tenant = $1 and user_id = any ($2)"
    assert await admin.fetchval(named, memory.tenant, ["ana", "ben", "cleo", "dan", "eve"]) == 0


async def test_it_begins_anew_under_the_same_name(dsn: str, memory: Recollect) -> None:
    old = await memory.conversation(user="ana", agent="cook")
    await memory.configure_agent("cook", instructions="old")
    async with Recollect.open(dsn, tenant=f"{memory.tenant}-run", operator=True) as running:
        await running.delete_tenant(memory.tenant, confirm=memory.tenant)
    assert (await memory.agent("cook")).instructions == ""
    new = await memory.conversation(user="ana", agent="cook")
    assert new.id != old.id
    assert (await new.append("user", "hello")).seq == 1


async def test_an_operator_keeps_their_own_tenant_and_keys(operator: httpx.AsyncClient, tenant: str) -> None:
    own = f"{tenant}-run"
    kept = await operator.request("DELETE", f"/api/tenants/{own}", json={"confirm": own})
    assert (kept.status_code, kept.json()["type"]) == (409, "urn:recollect:problem:refused")
    another = await operator.post(f"/api/tenants/{own}/keys", json={"scopes": ["admin", "operator"]})
    assert another.json()["scopes"] == ["admin", "operator"]
    both = with_key(another.json()["text"])
    more = await operator.post("/api/admin/keys", json={"scopes": ["operator"]}, headers=both)
    assert more.status_code == 201
    rotated = await operator.post(f"/api/admin/keys/{more.json()['id']}/rotate", headers=both)
    assert (await operator.get("/api/tenants", headers=with_key(rotated.json()["text"]))).status_code == 200
    bound = await operator.post(f"/api/tenants/{own}/keys", json={"scopes": ["operator"], "user": "ana"})
    assert (bound.status_code, bound.json()["field"]) == (422, "scopes")


async def test_the_same_idempotency_key_makes_one_tenant(operator: httpx.AsyncClient, tenant: str) -> None:
    headers = {"idempotency-key": "once"}
    made = [await operator.post("/api/tenants", json={"tenant": tenant}, headers=headers) for _ in range(2)]
    assert [one.status_code for one in made] == [201, 201]
    assert made[0].json() == made[1].json()
    assert made[1].headers["idempotent-replayed"] == "true"


async def test_a_tenants_name_may_be_anything(operator: httpx.AsyncClient, tenant: str) -> None:
    name = f"{tenant} Ärzte/№ 1"
    assert (await operator.post("/api/tenants", json={"tenant": name})).json()["tenant"] == name
    path = f"/api/tenants/{tenant}%20%C3%84rzte%2F%E2%84%96%201"
    assert (await operator.post(f"{path}/keys", json={})).status_code == 201
    assert (await operator.request("DELETE", path, json={"confirm": name})).json()["tenant"] == name
    for wrong in ("", "a\u0000b", "x" * 300):
        assert (await operator.post("/api/tenants", json={"tenant": wrong})).status_code == 422
    for limit in ("0", "1001", "x"):
        assert (await operator.get("/api/tenants", params={"limit": limit})).status_code == 422
    assert (await operator.get("/api/tenants", params={"cursor": "!!"})).json()["field"] == "cursor"


async def test_without_keys_whoever_is_on_this_machine_is_the_operator(
    tmp_path: Path, new_database: Callable[[], Awaitable[str]]
) -> None:
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True):
        pass
    with serving(tmp_path, "--no-worker", database=dsn) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            assert (await client.get("/api/whoami")).json()["operator"] is True
            assert (await client.post("/api/tenants", json={"tenant": "acme"})).status_code == 201
            page = (await client.get("/api/tenants", params={"limit": 1})).json()
            assert [one["tenant"] for one in page["items"]] == ["acme"]
            rest = (await client.get("/api/tenants", params={"limit": 1, "cursor": page["cursor"]})).json()
            assert ([one["tenant"] for one in rest["items"]], rest["cursor"]) == (["default"], None)
            assert (await client.get("/api/tenants", headers={"x-forwarded-for": "10.0.0.1"})).status_code == 401
            # The first key closes it, so the operator makes their own first.
            own = await client.post("/api/admin/keys", json={"scopes": ["operator"]})
            assert (await client.get("/api/tenants")).status_code == 401
            headers = with_key(own.json()["text"])
            assert (await client.post("/api/tenants/acme/keys", json={}, headers=headers)).status_code == 201
            assert [
                one["keys"] for one in (await client.get("/api/tenants", headers=headers)).json()["items"]
            ] == [
                1,
                1,
            ]
