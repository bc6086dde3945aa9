"""Promise 8 over HTTP: every route, from the route table, against every kind of credential that must not pass."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import jwt
import msgspec
import pytest

from recollect import Forbidden, NotFound, Recollect, Settings
from recollect.server.app import create_app
from recollect.server.rules import Rule
from recollect.server.schema import table
from rfp import ready_to_send
from serving import Served, serving

SECRET = "a secret of the operator, of more than 32 bytes"
AUDIENCE, ISSUER = "authenticated", "https://issuer.example/auth/v1"
CANARY = "zebrafinch"
#: The number of the message that answers in the conversation of Things.
REPLY = 3


class Things(msgspec.Struct):
    """What somebody has, that nobody else may reach."""

    conversation: str
    message: str
    memory: str
    key: str
    rfp: str
    tenant: str


#: For each route, a request that its owner may make: the body, the query, and what the path is filled with. The
#: owner's requests are made too, or a wrong line here would look like a wall.
CASES: dict[str, dict[str, Any]] = {
    "POST /api/conversations": {"json": {"user": "ana", "agent": "cook"}},
    "GET /api/conversations": {"params": {"user": "ana"}},
    "POST /api/conversations/new": {"json": {"user": "ana", "agent": "cook"}},
    "GET /api/conversations/{id}": {"id": "conversation"},
    "PATCH /api/conversations/{id}": {"id": "conversation", "json": {"title": "new"}},
    "DELETE /api/conversations/{id}": {"id": "conversation"},
    "GET /api/conversations/{id}/summary": {"id": "conversation"},
    "GET /api/conversations/{id}/export": {"id": "conversation"},
    "POST /api/conversations/{id}/messages": {"id": "conversation", "json": {"role": "user", "content": "x"}},
    "POST /api/conversations/{id}/messages/batch": {
        "id": "conversation",
        "json": {"messages": [{"role": "user", "content": "x"}]},
    },
    "GET /api/conversations/{id}/messages": {"id": "conversation"},
    "DELETE /api/conversations/{id}/messages": {"id": "conversation"},
    "DELETE /api/conversations/{id}/messages/last": {"id": "conversation"},
    "GET /api/conversations/{id}/window": {"id": "conversation"},
    "GET /api/conversations/{id}/messages/{message}": {"id": "conversation"},
    "GET /api/conversations/{id}/memory": {"id": "conversation"},
    "PUT /api/conversations/{id}/memory": {"id": "conversation", "json": {"value": {"x": 1}}},
    "POST /api/windows": {"json": {"conversations": ["{conversation}"]}},
    "POST /api/conversations/{id}/context": {"id": "conversation", "json": {"message": "what do I keep?"}},
    "GET /api/conversations/{id}/context": {"id": "conversation", "params": {"message": "what do I keep?"}},
    "GET /api/conversations/{id}/state": {"id": "conversation"},
    "PATCH /api/conversations/{id}/state": {"id": "conversation", "json": {"metadata": {"a": 1}}},
    "POST /api/conversations/{id}/state/move": {"id": "conversation", "json": {"step": "done"}},
    "POST /api/conversations/{id}/state/act": {"id": "conversation", "json": {"action": "ring"}},
    "GET /api/conversations/{id}/state/history": {"id": "conversation"},
    "POST /api/conversations/{id}/state/undo": {"id": "conversation", "json": {}},
    "POST /api/chat": {
        "json": {"message": "hi", "agent_id": "cook", "session_id": "{conversation}", "user_id": "ana"},
    },
    "POST /api/conversations/{id}/message": {"id": "conversation", "json": {"message": "hi"}},
    "POST /api/conversations/{id}/stream": {"id": "conversation", "json": {"message": "hi"}},
    "GET /api/live": {"params": {"user": "ana"}},
    "GET /api/conversations/{id}/live": {"id": "conversation"},
    "GET /api/conversations/{id}/turns": {"id": "conversation"},
    "GET /api/conversations/{id}/known/{reply}": {"id": "conversation"},
    "POST /api/ai/send-rfp": {
        "json": {"rfpId": "r1", "vendorIds": ["v1"], "conversationId": "{rfp}"},
    },
    "GET /api/outbox": {},
    "POST /v1/chat/completions": {
        "json": {
            "model": "any",
            "user": "ana",
            "messages": [{"role": "user", "content": "what do I keep?"}],
            "metadata": {"conversation": "{conversation}", "agent": "cook"},
        },
    },
    "GET /v1/models": {},
    "GET /v1/models/{id}": {"model": "recollect-offline"},
    "GET /api/sessions/active": {"params": {"user_id": "ana", "agent_id": "cook"}},
    "PUT /api/sessions/active": {
        "json": {"user_id": "ana", "agent_id": "cook", "session_id": "{conversation}"},
    },
    "GET /api/agents": {"params": {"user": "ana"}},
    "GET /api/agents/{agent}": {},
    "PUT /api/agents/{agent}": {"json": {"window": 5}},
    "GET /api/notes": {"params": {"user": "ana", "agent": "cook"}},
    "POST /api/notes": {"json": {"user": "ana", "agent": "cook", "operation": "append", "content": "x"}},
    "GET /api/notes/versions": {"params": {"user": "ana", "agent": "cook"}},
    "GET /api/notes/diff": {"params": {"user": "ana", "agent": "cook", "old": 0, "new": 1}},
    "POST /api/notes/undo": {"json": {"user": "ana", "agent": "cook"}},
    "GET /api/documents": {"params": {"user": "ana"}},
    "POST /api/documents/search": {"json": {"query": CANARY, "threshold": 0, "user": "ana"}},
    "POST /api/documents/read": {"json": {"places": [{"namespace": ["pets"], "key": "bird"}], "user": "ana"}},
    "POST /api/documents/change": {
        "json": {"changes": [{"operation": "delete", "namespace": ["pets"], "key": "bird", "user": "ana"}]}
    },
    "GET /api/documents/namespaces": {"params": {"user": "ana"}},
    "GET /api/documents/item": {"params": {"namespace": "pets", "key": "bird", "user": "ana"}},
    "PUT /api/documents/item": {
        "params": {"namespace": "pets", "key": "bird", "user": "ana"},
        "json": {"value": {"kind": "finch"}},
    },
    "DELETE /api/documents/item": {"params": {"namespace": "pets", "key": "bird", "user": "ana"}},
    "GET /api/documents/item/versions": {"params": {"namespace": "pets", "key": "bird", "user": "ana"}},
    "GET /api/search": {"params": {"query": CANARY, "user": "ana"}},
    "GET /api/analytics": {"params": {"user": "ana"}},
    "GET /api/whoami": {},
    "GET /api/templates": {},
    "PUT /api/templates/{name}": {"name": "pets", "json": {"pattern": "user has a {pet}"}},
    "GET /api/workflows": {},
    "GET /api/workflows/{name}": {"name": "bell"},
    "GET /api/workflows/{name}/layout": {"name": "bell"},
    "PUT /api/workflows/{name}": {"name": "bells", "json": "{workflow}"},
    "GET /api/users/{user}/export": {},
    "POST /api/users/{user}/import": {"json": [], "params": {"format": "mem0", "agent": "cook"}},
    "DELETE /api/users/{user}": {},
    "GET /api/admin/keys": {},
    "POST /api/admin/keys": {"json": {}},
    "POST /api/admin/keys/{id}/rotate": {"id": "key"},
    "DELETE /api/admin/keys/{id}": {"id": "key"},
    "GET /api/tenants": {},
    "POST /api/tenants": {"json": {"tenant": "{tenant}-made"}},
    "POST /api/tenants/{tenant}/keys": {"json": {"name": "stolen"}},
    "DELETE /api/tenants/{tenant}": {"json": {"confirm": "{tenant}"}},
    "GET /api/work": {},
    "POST /api/admin/retry-work": {"json": {}},
    "POST /api/admin/digest": {"json": {}},
    "POST /api/admin/reembed": {},
    "POST /api/admin/tidy": {},
    "GET /api/retention": {},
    "PUT /api/retention": {"json": {"minutes": "forever"}},
    "GET /api/receipts": {},
    "POST /mcp": {"json": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}},
    "POST /api/import": {"json": [], "params": {"format": "mem0", "agent": "cook"}},
    "POST /api/admin/reembed-later": {},
    "GET /api/memories/{id}": {"id": "memory"},
    "PUT /api/memories/{id}": {"id": "memory", "json": {"importance": 0.7}},
    "DELETE /api/memories/{id}": {"id": "memory"},
    "GET /api/memories/{id}/versions": {"id": "memory"},
    "POST /api/memories/{id}/undo": {"id": "memory", "json": {"to": 1}},
    "POST /api/memories/{id}/release": {"id": "memory"},
}
for face in ("agents", "bots"):
    of = {"params": {"user": "ana"}}
    CASES |= {
        f"POST /api/{face}/{{agent}}/recall": {"json": {"query": CANARY, "over": "both"}, **of},
        f"GET /api/{face}/{{agent}}/refusals": of,
        f"GET /api/{face}/{{agent}}/memories": of,
        f"POST /api/{face}/{{agent}}/memories": {"json": {"keyPoint": "user likes figs"}, **of},
        f"POST /api/{face}/{{agent}}/memories/from-template": {
            "json": {"template": "allergy", "fields": {"what": "figs"}},
            **of,
        },
        f"POST /api/{face}/{{agent}}/memories/summarize": of,
        f"POST /api/{face}/{{agent}}/memories/forget": {"json": {"ids": ["{memory}"]}, **of},
        f"GET /api/{face}/{{agent}}/memories/{{id}}": {"id": "memory", **of},
        f"PUT /api/{face}/{{agent}}/memories/{{id}}": {
            "id": "memory",
            "json": {"importance": 0.7},
            **of,
        },
        f"DELETE /api/{face}/{{agent}}/memories/{{id}}": {"id": "memory", **of},
        f"GET /api/{face}/{{agent}}/memories/{{id}}/versions": {"id": "memory", **of},
        f"POST /api/{face}/{{agent}}/memories/{{id}}/undo": {"id": "memory", "json": {"to": 1}, **of},
        f"POST /api/{face}/{{agent}}/memories/{{id}}/release": {"id": "memory", **of},
    }
#: They begin a conversation of one's own under an id that is not known in one's tenant; tried last, or it would be.
BEGINS = {"POST /api/chat", "PUT /api/sessions/active", "POST /v1/chat/completions"}
#: Of everybody's own: what another tenant or user gets there is theirs, and only must not be ours.
SHARED = {
    "GET /api/agents/{agent}",
    "GET /api/whoami",
    "GET /api/templates",
    "GET /api/workflows",
    "POST /mcp",  # what its tools reach has a test of its own
    "GET /v1/models",
    "GET /v1/models/{id}",
}
BELL = {
    "start": "quiet",
    "steps": [{"name": "quiet", "moves": [{"to": "done"}]}, {"name": "done"}],
    "actions": [{"name": "ring", "steps": ["quiet"]}],
}


def routes() -> list[tuple[str, Rule]]:
    app = create_app(msgspec.UNSET, Settings())  # type: ignore[arg-type]  # pyright: ignore
    return [(f"{method} {path}", rule) for method, path, rule in table(app)]


@pytest.fixture(scope="module")
def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = {"jwt_secret": SECRET, "jwt_audience": AUDIENCE, "jwt_issuer": ISSUER, "metrics_token": "watcher"}
    settings["stream_seconds"] = "0.2"  # or requests would not end
    with serving(tmp_path_factory.mktemp("wall"), "--no-worker", database=dsn, **settings) as running:
        yield running


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=served.url, timeout=30) as opened:
        yield opened


async def things(memory: Recollect) -> Things:
    """Something of everything, of Ana's, with the canary in it."""
    await memory.define_workflow("bell", BELL)
    await memory.configure_agent("cook", workflow="bell", instructions=CANARY)
    chat = await memory.new_conversation(user="ana", agent="cook", title=CANARY)
    said = await chat.append("user", f"I keep a {CANARY}")
    assert (await chat.say(f"What is a {CANARY}?")).messages[0].seq == REPLY
    await chat.update_state({"metadata": {"pet": CANARY}})
    await memory.edit_notes("append", CANARY, user="ana", agent="cook")
    await memory.put_document(("pets",), "bird", {"kind": CANARY}, user="ana")
    kept = await memory.remember(
        f"user keeps a {CANARY} {uuid.uuid4()}", user="ana", agent="cook", trust="untrusted"
    )
    await memory.revise(kept.id, f"user has a {CANARY} {uuid.uuid4()}")
    rfp = await ready_to_send(memory, "ana")
    return Things(chat.id, said.id, kept.id, (await memory.create_key(CANARY)).key.id, rfp.id, memory.tenant)


def request_for(client: httpx.AsyncClient, route: str, mine: Things, key: str | None) -> httpx.Request:
    assert route in CASES, f"{route} is new: say in CASES how its owner asks"
    case = dict(CASES[route])
    method, path = route.split(" ")
    if "id" in case:
        path = path.replace("{id}", getattr(mine, case["id"]))
    path = path.replace("{id}", case.get("model", "{id}"))
    path = (
        path.replace("{message}", mine.message)
        .replace("{agent}", "cook")
        .replace("{user}", "ana")
        .replace("{name}", case.get("name", ""))
    )
    path = path.replace("{reply}", str(REPLY)).replace("{tenant}", mine.tenant)
    body = case.get("json")
    if body == "{workflow}":
        body = BELL
    text = None if body is None else msgspec.json.encode(body).decode()
    for name in ("conversation", "memory", "rfp", "tenant"):
        text = None if text is None else text.replace(f"{{{name}}}", getattr(mine, name))
    headers = {"accept": "application/json, text/event-stream"}
    headers |= {} if text is None else {"content-type": "application/json"}
    headers |= {} if key is None else {"authorization": f"Bearer {key}"}
    return client.build_request(method, path, params=case.get("params"), content=text, headers=headers)


def token(**claims: Any) -> str:
    usual = {"sub": "ana", "aud": AUDIENCE, "iss": ISSUER, "exp": time.time() + 600, "role": "authenticated"}
    given = {name: value for name, value in {**usual, **claims}.items() if value is not None}
    return jwt.encode(given, SECRET, "HS256")


async def bad_credentials(memory: Recollect, admin: asyncpg.Connection) -> dict[str, str | None]:
    """Everything that opens nothing."""
    good = (await memory.create_key(scopes=["read", "write", "admin"])).text
    expired, revoked = await memory.create_key(expires_at=datetime.now(UTC) + timedelta(days=1)), None
    await admin.execute("update recollect.api_keys set expires_at = now() where id = $1", expired.key.id)
    revoked = await memory.create_key()
    await memory.revoke_key(revoked.key.id)
    rotated = await memory.create_key()
    await memory.rotate_key(rotated.key.id)
    _, _, id, secret = good.split("_", 3)
    elsewhere = base64.b32encode(b"somebody else").decode().rstrip("=").lower()
    tenant = {"app_metadata": {"tenant": memory.tenant}}
    none = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (
        b'{"alg":"none","typ":"JWT"}', msgspec.json.encode({"sub": "ana", "aud": AUDIENCE, "iss": ISSUER,
                                                            "exp": int(time.time()) + 60, **tenant}), b""))  # fmt: skip
    return {
        "none": None,
        "expired": expired.text,
        "revoked": revoked.text,
        "the secret before a rotation": rotated.text,
        "another secret": good[:-2] + ("aa" if not good.endswith("aa") else "bb"),
        "a key of this id elsewhere": f"rk_{elsewhere}_{id}_{secret}",
        "not a key": "rk_" + "x" * 60,
        "nonsense": "nonsense",
        "an expired token": token(**tenant, exp=time.time() - 60),
        "a token for others": token(**tenant, aud="others"),
        "a token of others": token(**tenant, iss="https://others.example"),
        "a token without end": token(**tenant, exp=None),
        "a token without a tenant": token(),
        "a token whose user says the tenant": token(user_metadata={"tenant": memory.tenant}),
        "a token of nobody": token(**tenant, role="anon"),
        "a token with another signature": jwt.encode({"sub": "ana"}, SECRET + "!", "HS256"),
        "a token without signature": none,
    }


async def test_nobody_gets_in_without_a_good_credential(
    client: httpx.AsyncClient, memory: Recollect, admin: asyncpg.Connection
) -> None:
    mine = await things(memory)
    asked = 0
    for name, key in (await bad_credentials(memory, admin)).items():
        for route, rule in routes():
            if rule.scope == "public":
                continue
            if rule.scope == "metrics":
                answer = await client.get("/metrics", headers={"authorization": f"Bearer {key}"} if key else {})
            else:
                answer = await client.send(request_for(client, route, mine, key))
            assert answer.status_code == 401, (name, route, answer.text)
            assert CANARY not in answer.text
            assert "www-authenticate" in answer.headers
            asked += 1
    assert asked > 1000
    assert (await client.get("/metrics", headers={"authorization": "Bearer watcher"})).status_code == 200
    assert (await memory.conversation(id=mine.conversation)).title == CANARY


async def test_the_owner_gets_in_everywhere(client: httpx.AsyncClient, memory: Recollect) -> None:
    """Otherwise the other tests would show nothing."""
    key = (await memory.create_key(scopes=["read", "write", "admin"])).text
    service = token(sub="backend", role="service_role", app_metadata={"tenant": memory.tenant})
    for credential in (key, service):
        mine = await things(memory)
        for route, rule in routes():
            if rule.scope in ("public", "metrics"):
                continue
            if rule.scope == "operator":
                assert_kept_out(route, await client.send(request_for(client, route, mine, credential)))
                continue
            answer = await client.send(request_for(client, route, await things(memory), credential))
            assert answer.status_code < 300, (route, answer.status_code, answer.text)


def assert_kept_out(route: str, answer: httpx.Response) -> None:
    """Whoever is not an operator gets a 403 that tells nothing of any tenant."""
    assert answer.status_code == 403, (route, answer.status_code, answer.text)
    assert answer.json()["type"] == "urn:recollect:problem:forbidden"
    assert "tenant-" not in answer.text


async def test_an_operator_reaches_tenants_and_nothing_in_them(
    client: httpx.AsyncClient, memory: Recollect, dsn: str, admin: asyncpg.Connection
) -> None:
    mine = await things(memory)
    before = await memory.export(user="ana")
    async with Recollect.open(dsn, tenant=f"{memory.tenant}-run", operator=True) as running:
        key = (await running.create_key(scopes=["operator"])).text
        # In the operator's own tenant, too, this scope alone reads nothing.
        own = await things(running)
    last = "DELETE /api/tenants/{tenant}"
    for things_of in (own, mine):
        for route, rule in sorted(routes(), key=lambda one: one[0] == last):
            if rule.scope in ("public", "metrics"):
                continue
            if route == last and things_of is mine:
                assert _undated(await memory.export(user="ana")) == _undated(before)
            answer = await client.send(request_for(client, route, things_of, key))
            assert CANARY not in answer.text, route
            if rule.scope == "operator":
                expected = 409 if route == last and things_of is own else 200
                assert answer.status_code in (expected, 201), (route, answer.status_code, answer.text)
            else:
                expected = 200 if route == "GET /api/whoami" else 403
                assert answer.status_code == expected, (route, answer.status_code, answer.text)
    told = "select action from recollect.audit where tenant = $1 and subject = $2 order by id"
    assert [row[0] for row in await admin.fetch(told, f"{memory.tenant}-run", memory.tenant)] == [
        "tenant.key",
        "tenant.delete",
    ]
    with pytest.raises(NotFound):
        await memory.conversation(id=mine.conversation)


async def test_nobody_makes_themselves_an_operator(client: httpx.AsyncClient, memory: Recollect, dsn: str) -> None:
    """Not with all other scopes, not by a token that asks for it, and not by the key of an operator of one's own
    tenant."""
    async with Recollect.open(dsn, tenant=memory.tenant, operator=True) as running:
        operators = (await running.create_key(scopes=["operator"])).key.id
    tenant = {"app_metadata": {"tenant": memory.tenant}}
    for credential in (
        (await memory.create_key(scopes=["read", "write", "admin"])).text,
        token(**tenant, sub="backend", role="service_role", scope="read write admin operator"),
    ):
        for method, path, body in (
            ("POST", "/api/admin/keys", {"scopes": ["operator"]}),
            ("POST", "/api/admin/keys", {"scopes": ["read", "write", "admin", "operator"]}),
            ("POST", f"/api/admin/keys/{operators}/rotate", None),
            ("DELETE", f"/api/admin/keys/{operators}", None),
            ("GET", "/api/tenants", None),
        ):
            headers = {"authorization": f"Bearer {credential}"}
            answer = await client.request(method, path, json=body, headers=headers)
            assert_kept_out(path, answer)
            assert "rk_" not in answer.text
        whoami = await client.get("/api/whoami", headers={"authorization": f"Bearer {credential}"})
        assert whoami.json()["operator"] is False
    users = token(**tenant, scope="read operator")
    assert (await client.get("/api/tenants", headers={"authorization": f"Bearer {users}"})).status_code == 403
    assert [one.revoked_at for one in await memory.keys() if one.id == operators] == [None]
    with pytest.raises(Forbidden):
        await memory.create_key(scopes=["operator"])


async def test_another_tenant_gets_nothing(client: httpx.AsyncClient, memory: Recollect, dsn: str) -> None:
    mine = await things(memory)
    before = await memory.export(user="ana")
    async with Recollect.open(dsn, tenant=f"{memory.tenant}-other") as other:
        key = (await other.create_key(scopes=["read", "write", "admin"])).text
    for route, rule in sorted(routes(), key=lambda one: one[0] in BEGINS):
        if rule.scope in ("public", "metrics"):
            continue
        answer = await client.send(request_for(client, route, mine, key))
        assert CANARY not in answer.text, route
        if rule.scope == "operator":
            assert_kept_out(route, answer)
        elif "id" in CASES[route] or "bell" in CASES[route].values():
            assert answer.status_code == 404, (route, answer.status_code, answer.text)
        else:
            assert answer.status_code < 500, (route, answer.text)
    assert _undated(await memory.export(user="ana")) == _undated(before)
    assert mine.key in [key.id for key in await memory.keys() if key.revoked_at is None]


@pytest.mark.parametrize("kind", ["key", "token"])
async def test_another_user_gets_nothing(client: httpx.AsyncClient, memory: Recollect, kind: str) -> None:
    mine = await things(memory)
    before = await memory.export(user="ana")
    bound = (await memory.create_key(scopes=["read", "write"], user="ben")).text
    key = bound if kind == "key" else token(sub="ben", app_metadata={"tenant": memory.tenant})
    for route, rule in routes():
        if rule.scope in ("public", "metrics"):
            continue
        answer = await client.send(request_for(client, route, mine, key))
        if route in SHARED or route.startswith("GET /api/workflows/{name}"):
            assert answer.status_code == 200, (route, answer.text)
            continue
        assert CANARY not in answer.text, route
        expected = 403 if rule.scope in ("admin", "operator") else 404
        assert answer.status_code == expected, (route, answer.status_code, answer.text)
    assert _undated(await memory.export(user="ana")) == _undated(before)


async def test_a_user_reaches_all_of_their_own(client: httpx.AsyncClient, memory: Recollect) -> None:
    key = (await memory.create_key(scopes=["read", "write"], user="ana")).text
    for route, rule in routes():
        if rule.scope in ("read", "write"):
            mine = await things(memory)
            if route == "DELETE /api/users/{user}":  # with everything, the key itself goes
                continue
            answer = await client.send(request_for(client, route, mine, key))
            assert answer.status_code < 300, (route, answer.status_code, answer.text)
    erased = request_for(client, "DELETE /api/users/{user}", await things(memory), key)
    assert (await client.send(erased)).status_code == 200
    assert (await client.get("/api/whoami", headers={"authorization": f"Bearer {key}"})).status_code == 401


async def test_a_key_for_reading_changes_nothing(client: httpx.AsyncClient, memory: Recollect) -> None:
    mine = await things(memory)
    before = await memory.export(user="ana")
    key = (await memory.create_key(scopes=["read"])).text
    writing = (await memory.create_key(scopes=["write"])).text
    for route, rule in routes():
        if rule.scope in ("public", "metrics"):
            continue
        answer = await client.send(request_for(client, route, mine, key))
        needed = rule.all_users or rule.scope
        assert (answer.status_code < 300) == (needed == "read"), (route, answer.status_code, answer.text)
        assert answer.status_code == 403 or needed == "read", route
        if needed != "write":
            refused = await client.send(request_for(client, route, mine, writing))
            assert refused.status_code == 403, route
    assert _undated(await memory.export(user="ana")) == _undated(before)


def test_a_route_without_a_rule_makes_no_app() -> None:
    from litestar import Litestar, get

    @get("/forgotten")
    async def forgotten() -> None: ...

    with pytest.raises(TypeError, match="forgotten has no rule"):
        table(Litestar([forgotten], openapi_config=None))


def test_no_key_is_written_anywhere(served: Served) -> None:
    log = served.said
    assert "http.request" in log
    assert "rk_" not in log
    assert CANARY not in log
    assert str(Path.home()) not in log


def _undated(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "exported_at"}
