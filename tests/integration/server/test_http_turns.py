"""Whole turns over HTTP, without a language model: the offline responder answers."""

from __future__ import annotations

import asyncio
import json
import uuid

import httpx

from recollect import Recollect
from rfp import ready_to_send


async def test_a_turn_as_seed_000_has_it(client: httpx.AsyncClient) -> None:
    session = str(uuid.uuid4())
    asked = {"message": "I moved to Porto", "session_id": session, "agent_id": "cook", "user_id": "ana"}
    first = await client.post("/api/chat", json=asked)
    assert first.status_code == 200, first.text
    reply = first.json()
    assert (reply["session_id"], bool(reply["response"])) == (session, True)
    assert reply["messages"][-1]["content"] == reply["response"]
    loaded = (await client.get(f"/api/conversations/{session}")).json()
    assert [one["role"] for one in loaded["messages"]] == ["user", "assistant"]
    assert (await client.get("/api/sessions/active", params={"user_id": "ana", "agent_id": "cook"})).json()[
        "active_session_id"
    ] == session
    stolen = await client.post("/api/chat", json={**asked, "user_id": "ben"})
    assert stolen.status_code == 409
    turns = (await client.get(f"/api/conversations/{session}/turns")).json()
    assert [(one["status"], one["asked"]) for one in turns] == [("done", 1)]


async def test_the_same_key_answers_once(client: httpx.AsyncClient, chat: str) -> None:
    key = {"idempotency-key": "t1"}
    first = (await client.post(f"{chat}/message", json={"message": "hello"}, headers=key)).json()
    again = (await client.post(f"{chat}/message", json={"message": "hello"}, headers=key)).json()
    assert (again["message"], again["turn"]) == (first["message"], first["turn"])
    assert first["conversation"]["messages"][-1]["content"] == first["message"]
    for one in (first, again):
        assert (one["conversation"]["messageCount"], one["conversation"]["lastSeq"]) == (2, 2)
    assert set(first) >= {"conversation", "message", "stateUpdate"}
    other = await client.post(f"{chat}/message", json={"message": "goodbye"}, headers=key)
    assert (other.status_code, other.json()["type"]) == (422, "urn:recollect:problem:key-reused")
    assert (await client.get(chat)).json()["messageCount"] == 2


async def test_one_at_a_time_in_a_conversation(client: httpx.AsyncClient, chat: str) -> None:
    answers = await asyncio.gather(*(client.post(f"{chat}/message", json={"message": "hi"}) for _ in range(6)))
    assert {one.status_code for one in answers} <= {200, 409}
    for one in answers:
        if one.status_code == 409:
            assert one.json()["type"] == "urn:recollect:problem:busy"
            assert int(one.headers["retry-after"]) >= 1
    won = sum(one.status_code == 200 for one in answers)
    assert won >= 1
    assert (await client.get(chat)).json()["messageCount"] == 2 * won


async def test_a_streamed_turn(client: httpx.AsyncClient, chat: str) -> None:
    events: list[tuple[str, dict]] = []
    async with client.stream("POST", f"{chat}/stream", json={"message": "hello"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        kind = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                events.append((kind, json.loads(line.removeprefix("data: "))))
    assert events[0][0] == "started"
    assert events[-1][0] == "done"
    text = "".join(data["text"] for kind, data in events if kind == "piece")
    assert text == events[-1][1]["response"]
    assert (await client.get(chat)).json()["messages"][-1]["content"] == text


async def test_a_request_for_proposals_is_sent_once_it_is_ready(
    client: httpx.AsyncClient, memory: Recollect
) -> None:
    chat = await ready_to_send(memory, "ana")
    order = {"rfpId": "r1", "vendorIds": ["v1", "v2"], "conversationId": chat.id}
    await chat.move("selecting_vendors")
    refused = await client.post("/api/ai/send-rfp", json=order)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:recollect:problem:refused")
    await chat.move("ready_to_send")
    sent = await client.post("/api/ai/send-rfp", json=order, headers={"idempotency-key": "s1"})
    assert sent.status_code == 200, sent.text
    assert (sent.json()["conversation"]["status"], sent.json()["state"]["step"]) == ("sent", "sent")
    assert (sent.json()["conversation"]["messageCount"], sent.json()["conversation"]["lastSeq"]) == (1, 1)
    assert sent.json()["state"]["agentState"]["rfpDraft"]["vendorsSelected"] == ["v1", "v2"]
    again = await client.post("/api/ai/send-rfp", json=order, headers={"idempotency-key": "s1"})
    assert again.status_code == 200
    schema = (await client.get("/schema/openapi.json")).json()["paths"]["/api/ai/send-rfp"]["post"]
    assert [one["name"] for one in schema["parameters"]] == ["Idempotency-Key"]
    assert (await client.post("/api/ai/send-rfp", json=order)).status_code == 409
    loaded = (await client.get(f"/api/conversations/{chat.id}")).json()
    assert [one["role"] for one in loaded["messages"]] == ["system"]
    outbox = (await client.get("/api/outbox")).json()
    assert [one["payload"]["arguments"]["rfpId"] for one in outbox] == ["r1"]
    without = await client.post("/api/ai/send-rfp", json={"rfpId": "r1", "vendorIds": []})
    assert (without.status_code, without.json()["field"]) == (422, "conversationId")


async def test_a_request_that_is_refused_stays_as_it_was(client: httpx.AsyncClient, memory: Recollect) -> None:
    chat = await ready_to_send(memory, "ana")
    order = {"rfpId": "r1", "vendorIds": ["v2"], "conversationId": chat.id}
    before = await chat.state()
    nobody = await client.post("/api/ai/send-rfp", json={**order, "vendorIds": []})
    assert (nobody.status_code, nobody.json()["field"]) == (422, "vendorIds")
    assert await chat.state() == before
    before = await chat.update_state({"rfpDraft": {"title": None}})
    assert (await client.post("/api/ai/send-rfp", json=order)).status_code == 409
    assert await chat.state() == before


async def test_of_several_who_send_at_once_the_state_tells_who_did(
    client: httpx.AsyncClient, memory: Recollect
) -> None:
    for _ in range(5):
        chat = await ready_to_send(memory, "ana")
        orders = [{"rfpId": f"r{n}", "vendorIds": [f"v{n}"], "conversationId": chat.id} for n in range(4)]
        answers = await asyncio.gather(*(client.post("/api/ai/send-rfp", json=order) for order in orders))
        sent = [order["vendorIds"] for order, one in zip(orders, answers, strict=True) if one.status_code == 200]
        assert {one.status_code for one in answers} <= {200, 409, 412}
        assert sent == [(await chat.state()).draft["vendorsSelected"]]


async def test_what_cannot_be_said_begins_no_session(client: httpx.AsyncClient, memory: Recollect) -> None:
    asked = {"message": "hello", "session_id": str(uuid.uuid4()), "agent_id": "cook"}
    for message, key in ((" ", "k"), ("a\0b", "k"), ("hello", "x" * 300)):
        refused = await client.post(
            "/api/chat", json={**asked, "message": message}, headers={"idempotency-key": key}
        )
        assert refused.status_code == 422
    assert (await memory.conversations(user="ana")).items == []
