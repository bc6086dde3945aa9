"""A problem names what was sent: by the names of the request, and not by those of the library."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest

ID = str(uuid.uuid4())
LONG = "x" * 3000
WHO = {"agent_id": "cook", "user_id": "ana"}
RULES: list[tuple[str, str, Any, dict[str, Any], str]] = [
    ("POST", "/api/chat", {**WHO, "message": "hi", "session_id": "s1"}, {}, "session_id"),
    ("POST", "/api/chat", {**WHO, "message": " "}, {}, "message"),
    ("POST", "/api/chat", {**WHO, "message": "hi", "agent_id": ""}, {}, "agent_id"),
    ("POST", "/api/chat", {**WHO, "message": "hi", "user_id": LONG}, {}, "user_id"),
    ("PUT", "/api/sessions/active", {**WHO, "session_id": "s1"}, {}, "session_id"),
    ("GET", "/api/sessions/active", None, {"agent_id": LONG, "user_id": "ana"}, "agent_id"),
    ("POST", "{chat}/message", {"message": ""}, {}, "message"),
    ("POST", "{chat}/stream", {"message": ""}, {}, "message"),
    ("POST", "/api/ai/send-rfp", {"rfpId": "r", "vendorIds": [], "conversationId": "c"}, {}, "conversationId"),
    ("POST", "/api/conversations", {"user": LONG}, {}, "user"),
    ("POST", "/api/conversations", {"sessionId": LONG}, {}, "sessionId"),
    ("POST", "/api/conversations", {}, {}, "user"),
    ("POST", "/api/conversations/new", {"user": "ana", "id": "x"}, {}, "id"),
    ("GET", "{chat}", None, {"messages": -1}, "messages"),
    ("POST", "/api/agents/cook/memories", {"keyPoint": ""}, {}, "keyPoint"),
    ("POST", "/api/bots/cook/memories", {"keyPoint": LONG}, {}, "keyPoint"),
    (
        "POST",
        "/api/agents/cook/memories",
        {"keyPoint": "user is here", "source": {"conversation": "x", "first": 1, "last": 1}},
        {},
        "source.conversation",
    ),
    ("POST", "/api/agents/cook/memories/forget", {"ids": ["x"]}, {}, "ids"),
    ("GET", "/api/agents/cook/memories", None, {"minImportance": 2}, "minImportance"),
    ("GET", "/api/agents/cook/memories", None, {"minImportance": "x"}, "minImportance"),
    ("GET", "/api/agents/cook/memories", None, {"text": LONG * 10}, "text"),
    ("PUT", "/api/agents/cook", {"learnEvery": -1}, {}, "learnEvery"),
    ("POST", "/api/admin/keys", {"expiresAt": "2001-01-01T00:00:00Z"}, {}, "expiresAt"),
    (
        "POST",
        "/api/notes",
        {"user": "ana", "agent": "cook", "operation": "replace_section_by_header", "content": "x"},
        {},
        "sectionHeader",
    ),
    ("PATCH", "{chat}/state", {"workflowStep": 5}, {}, "workflowStep"),
    ("POST", "{chat}/state/move", {"step": ""}, {}, "step"),
    ("POST", "{chat}/messages", {"role": "user", "content": "x", "toolCallId": ""}, {}, "toolCallId"),
    ("POST", "/api/windows", {"conversations": ["x"]}, {}, "conversations"),
    ("GET", "/api/documents/namespaces", None, {"maxDepth": -1}, "maxDepth"),
]


@pytest.mark.parametrize(("method", "path", "body", "params", "field"), RULES)
async def test_what_a_rule_refuses(
    client: httpx.AsyncClient, chat: str, method: str, path: str, body: Any, params: dict[str, Any], field: str
) -> None:
    client.params = httpx.QueryParams() if "/conversations" in path else client.params
    answer = await client.request(method, path.format(chat=chat), json=body, params=params)
    problem = answer.json()
    assert (answer.status_code, problem["field"]) == (422, field), answer.text
    assert problem["detail"].startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("method", "path", "body", "params", "said"),
    [
        (
            "POST",
            "/api/notes",
            {"user": "ana", "agent": "cook", "operation": "add"},
            {},
            "operation: must be one of read, overwrite, append, prepend, delete_section_by_header, "
            "replace_section_by_header, delete_all_notes",
        ),
        (
            "GET",
            "/api/agents/cook/memories",
            None,
            {"status": "new"},
            "status: must be one of active, quarantined, retired",
        ),
        (
            "POST",
            "/api/agents/cook/recall",
            {"query": "x", "over": "all"},
            {},
            "over: must be one of memories, messages, both",
        ),
        ("GET", "{chat}/export", None, {"format": "doc"}, "format: must be one of json, markdown, pdf"),
        (
            "POST",
            "{chat}/messages/batch",
            {"messages": [{"role": "bot", "content": "x"}]},
            {},
            "messages[0].role: must be one of user, assistant, system, tool",
        ),
        (
            "POST",
            "/api/admin/keys",
            {"scopes": ["read", "all"]},
            {},
            "scopes[1]: must be one of read, write, admin, operator",
        ),
        ("PUT", "/api/retention", {"minutes": "ever"}, {}, "minutes: has a wrong value"),
    ],
)
async def test_what_may_be_said_is_listed(
    client: httpx.AsyncClient, chat: str, method: str, path: str, body: Any, params: dict[str, Any], said: str
) -> None:
    answer = await client.request(method, path.format(chat=chat), json=body, params=params)
    assert (answer.status_code, answer.json().get("detail")) == (422, said), answer.text


async def test_a_field_that_is_not_known_is_named_as_it_was_sent(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/agents/cook/memories", json={"key_point": "user is here"})
    assert (answer.status_code, answer.json()["detail"]) == (422, "key_point: is not a field that is known here")


async def test_an_idempotency_key_is_a_header(client: httpx.AsyncClient, chat: str) -> None:
    headers = {"idempotency-key": LONG}
    answer = await client.post(f"{chat}/messages", json={"role": "user", "content": "x"}, headers=headers)
    assert (answer.status_code, answer.json()["field"]) == (422, "Idempotency-Key")


@pytest.mark.parametrize(
    ("path", "params", "field"),
    [
        ("/api/notes", {}, "agent"),
        ("/api/sessions/active", {}, "agent_id"),
        ("/api/search", {}, "query"),
        ("/api/documents/item", {"key": "k"}, "namespace"),
        ("/api/documents/item", {"namespace": "n"}, "key"),
        ("{chat}/context", {}, "message"),
    ],
)
async def test_what_is_missing_in_an_address(
    client: httpx.AsyncClient, chat: str, path: str, params: dict[str, str], field: str
) -> None:
    answer = await client.get(path.format(chat=chat), params=params)
    assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
    assert answer.json()["detail"] == f"{field}: is missing"


@pytest.mark.parametrize(
    ("method", "path", "name", "known"),
    [
        ("GET", "/api/agents/cook/memories", "categry", "category"),
        ("GET", "/api/agents/cook/memories", "as_of", "asOf"),
        ("GET", "/api/search", "q", "query"),
        ("DELETE", "{chat}/messages", "before", "none"),
        ("POST", "/api/agents/cook/memories/forget", "category", "user"),
    ],
)
async def test_an_unknown_parameter_is_refused_before_anything_happens(
    client: httpx.AsyncClient, chat: str, method: str, path: str, name: str, known: str
) -> None:
    await client.post(f"{chat}/messages", json={"role": "user", "content": "x"})
    made = await client.post("/api/agents/cook/memories", json={"keyPoint": "user is here"})
    body = {"ids": [made.json()["id"]]} if method == "POST" else None
    answer = await client.request(method, path.format(chat=chat), json=body, params={name: "5"})
    assert (answer.status_code, answer.json()["field"]) == (422, name), answer.text
    said, there = answer.json()["detail"].split("; this address takes ")
    assert said == f"{name}: is not a field that is known here"
    assert known in there.split(", ")
    assert len((await client.get(f"{chat}/messages")).json()["items"]) == 1
    assert len((await client.get("/api/agents/cook/memories")).json()["items"]) == 1


@pytest.mark.parametrize(
    ("path", "params", "field"),
    [
        ("/api/agents/cook/memories", [("limit", "1"), ("limit", "2")], "limit"),
        ("/api/agents/cook/memories", [("category", "a"), ("category", "b")], "category"),
        ("/api/notes", [("agent", "cook"), ("user", "ana"), ("user", "ben")], "user"),
        ("{chat}/messages", [("user", "ana"), ("user", "ana")], "user"),
    ],
)
async def test_a_parameter_that_is_given_twice_is_refused(
    client: httpx.AsyncClient, chat: str, path: str, params: Any, field: str
) -> None:
    answer = await client.get(path.format(chat=chat), params=params)
    assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
    assert answer.json()["detail"] == f"{field}: is given more than once"


async def test_what_takes_several_may_be_given_twice(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/documents", params=[("namespace", "a"), ("namespace", "b")])
    assert answer.status_code == 200, answer.text


async def test_an_empty_body_has_no_fields(client: httpx.AsyncClient, chat: str) -> None:
    for path, field in ((f"{chat}/messages", "role"), ("/api/notes", "agent"), (f"{chat}/message", "message")):
        answer = await client.post(path)
        assert (answer.status_code, answer.json()["detail"]) == (422, f"{field}: is missing")
    nothing = await client.put("/api/workflows/w")
    assert (nothing.status_code, nothing.json()["detail"]) == (422, "body: is missing")
    for path in ("/api/admin/retry-work", "/api/admin/digest"):
        assert (await client.post(path)).status_code == 200
    assert (await client.post("/api/admin/keys")).status_code == 201
