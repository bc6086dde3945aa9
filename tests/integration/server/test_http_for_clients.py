"""What clients in code need of the wire: errors with their fields, exactly-once edits, whole replies, any name."""

from __future__ import annotations

import asyncio

import httpx

from recollect import Recollect


async def test_problems_say_what_the_errors_know(client: httpx.AsyncClient, chat: str) -> None:
    missing = await client.get("/api/memories/0190d3f0-0000-7000-8000-000000000000")
    assert missing.status_code == 404
    assert missing.json()["what"] == "memory"
    assert missing.json()["key"] == "0190d3f0-0000-7000-8000-000000000000"
    key = {"idempotency-key": "k"}
    await client.post(f"{chat}/messages", json={"role": "user", "content": "a"}, headers=key)
    reused = await client.post(f"{chat}/messages", json={"role": "user", "content": "b"}, headers=key)
    assert (reused.status_code, reused.json()["key"]) == (422, "k")


async def test_an_edit_of_notes_happens_once_under_a_key(client: httpx.AsyncClient) -> None:
    edit = {"user": "ana", "agent": "cook", "operation": "append", "content": "x"}
    key = {"idempotency-key": "edit"}
    first = await client.post("/api/notes", json=edit, headers=key)
    again = await client.post("/api/notes", json=edit, headers=key)
    assert first.json() == again.json()
    assert first.headers["etag"] == again.headers["etag"]
    assert again.headers["idempotent-replayed"] == "true"
    assert (await client.get("/api/notes", params={"user": "ana", "agent": "cook"})).json()["version"] == 1


async def test_a_key_that_is_under_way_says_when_to_ask_again(client: httpx.AsyncClient) -> None:
    memories = [{"keyPoint": f"user likes fruit {number}"} for number in range(12)]
    key = {"idempotency-key": "same"}
    answers = await asyncio.gather(
        *(client.post("/api/agents/cook/memories", json=memories[0], headers=key) for _ in range(12))
    )
    assert {one.status_code for one in answers} <= {201, 409}
    for answer in answers:
        if answer.status_code == 409:
            assert answer.json()["type"] == "urn:recollect:problem:under-way"
            assert int(answer.headers["retry-after"]) >= 1
    listed = (await client.get("/api/agents/cook/memories")).json()
    assert [one["updateCount"] for one in listed["items"]] == [0]


async def test_a_conversation_alone_and_a_reply_with_its_context(client: httpx.AsyncClient, chat: str) -> None:
    await client.post(f"{chat}/messages", json={"role": "user", "content": "hello"})
    alone = (await client.get(chat, params={"messages": 0})).json()
    assert (alone["messageCount"], alone["messages"], alone["memories"], alone["agentState"]) == (1, [], [], {})
    plain = (await client.post(f"{chat}/message", json={"message": "hi"})).json()
    assert plain["context"] is None
    whole = (await client.post(f"{chat}/message", params={"context": True}, json={"message": "hi"})).json()
    assert whole["context"]["messages"][-1] == {"role": "user", "content": "hi"}
    assert whole["asked"] == plain["asked"] + 2


async def test_a_name_may_have_a_slash(client: httpx.AsyncClient, memory: Recollect) -> None:
    for name, spelled in {"a/b": "a%2Fb", "a/b%": "a%2fb%25", "%2F": "%252F", "a/%2F": "a%2F%252F"}.items():
        for _ in range(2):  # the router remembers paths
            put = await client.put(f"/api/agents/{spelled}", json={"window": 5})
            assert (put.status_code, put.json()["agent"]) == (200, name)
        assert (await memory.agent(name)).window == 5


async def test_a_lease_must_make_sense(client: httpx.AsyncClient) -> None:
    for lease in (0, -1, 1e9):
        refused = await client.post("/api/admin/digest", json={"lease": lease})
        assert (refused.status_code, refused.json()["field"]) == (422, "lease")
    assert (await client.post("/api/admin/digest", json={"lease": 30})).status_code == 200


async def test_a_document_for_several_users_needs_admin(client: httpx.AsyncClient, memory: Recollect) -> None:
    rows = [{"id": "0190d3f0-0000-7000-8000-000000000001", "memory": "Likes figs", "user_id": "cleo"}]
    asked = {"format": "mem0", "agent": "cook"}
    key = (await memory.create_key(scopes=["read", "write"])).text
    denied = await client.post("/api/import", params=asked, json=rows, headers={"authorization": f"Bearer {key}"})
    assert denied.status_code == 403
    assert (await client.post("/api/import", params=asked, json=rows)).json()["memories"] == 1
    assert len((await memory.memories("cleo", "cook")).items) == 1
