"""Conversations, messages and sessions over HTTP."""

from __future__ import annotations

import asyncio
import io
import uuid

import httpx
import pypdf

from recollect import Recollect


async def _say(client: httpx.AsyncClient, chat: str, text: str, role: str = "user") -> dict:
    answer = await client.post(f"{chat}/messages", json={"role": role, "content": text})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_going_on_gives_the_conversation_with_messages_and_memories_beside(
    client: httpx.AsyncClient,
) -> None:
    first = (await client.post("/api/conversations", json={"sessionId": "ana", "agent": "cook"})).json()
    await _say(client, f"/api/conversations/{first['id']}", "I eat no meat")
    await client.post("/api/bots/cook/memories", json={"keyPoint": "user eats no meat"})
    again = await client.post("/api/conversations", json={"user": "ana", "agent": "cook"})
    assert again.status_code == 200
    loaded = again.json()
    assert (loaded["id"], loaded["sessionId"], loaded["user"]) == (first["id"], "ana", "ana")
    assert [one["content"] for one in loaded["messages"]] == ["I eat no meat"]
    assert [one["keyPoint"] for one in loaded["memories"]] == ["user eats no meat"]
    assert loaded["messages"][0]["conversationId"] == first["id"]
    assert set(loaded["agentState"]) >= {"workflowStep", "metadata"}
    assert (await client.get(f"/api/conversations/{first['id']}")).json() == loaded
    other = (await client.post("/api/conversations", json={"user": "ana", "agent": "poet"})).json()
    assert other["id"] != first["id"]


async def test_a_new_one_becomes_the_active_one_and_all_are_listed(client: httpx.AsyncClient, chat: str) -> None:
    new = await client.post("/api/conversations/new", json={"user": "ana", "agent": "cook", "title": "Soup"})
    assert new.status_code == 201
    active = (await client.post("/api/conversations", json={"user": "ana", "agent": "cook"})).json()
    assert active["id"] == new.json()["id"]
    page = (await client.get("/api/conversations", params={"user": "ana", "limit": 1})).json()
    assert [one["title"] for one in page["items"]] == ["Soup"]
    rest = (await client.get("/api/conversations", params={"user": "ana", "cursor": page["cursor"]})).json()
    assert [f"/api/conversations/{one['id']}" for one in rest["items"]] == [chat]
    assert rest["cursor"] is None
    taken = await client.post("/api/conversations/new", json={"user": "ana", "id": active["id"]})
    assert (taken.status_code, taken.json()["type"]) == (409, "urn:recollect:problem:refused")


async def test_change_clear_delete(client: httpx.AsyncClient, chat: str) -> None:
    await _say(client, chat, "hello")
    changed = (await client.patch(chat, json={"title": "Greetings", "archived": True})).json()
    assert (changed["title"], changed["archivedAt"] is not None) == ("Greetings", True)
    for change in ({"active": True}, {"title": "T", "active": True}, {"archived": True, "active": True}):
        assert (await client.patch(chat, json=change)).status_code == 409
    assert (await client.get(chat)).json()["title"] == "Greetings"
    again = (await client.patch(chat, json={"title": None, "archived": False, "active": True})).json()
    assert (again["title"], again["archivedAt"]) == (None, None)
    both = {"title": "T", "archived": True, "active": True}
    assert (await client.patch(chat, json=both)).status_code == 409
    as_before = (await client.get(chat)).json()
    assert (as_before["title"], as_before["archivedAt"]) == (None, None)
    assert (await client.delete(f"{chat}/messages")).json()["messageCount"] == 0
    assert (await _say(client, chat, "hello"))["seq"] == 2
    assert (await client.delete(chat)).status_code == 204
    gone = await client.get(chat)
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:recollect:problem:not-found")


async def test_messages_are_paged_and_windowed(client: httpx.AsyncClient, chat: str) -> None:
    many = [{"role": "user", "content": str(n)} for n in range(1, 121)]
    batch = await client.post(f"{chat}/messages/batch", json={"messages": many})
    assert (batch.status_code, len(batch.json()["items"])) == (201, 120)
    seen: list[str] = []
    cursor = None
    while True:
        params = {"limit": 70} | ({"cursor": cursor} if cursor else {})
        page = (await client.get(f"{chat}/messages", params=params)).json()
        seen += [one["content"] for one in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == [str(n) for n in range(1, 121)]
    window = (await client.get(f"{chat}/window", params={"limit": 2})).json()
    assert [one["content"] for one in window["items"]] == ["119", "120"]
    since = (await client.get(f"{chat}/window", params={"since": "2999-01-01T00:00:00Z"})).json()
    assert since["items"] == []


async def test_messages_are_read_back_from_a_number_on(
    client: httpx.AsyncClient, chat: str, memory: Recollect
) -> None:
    door = await memory.conversation(id=chat.rsplit("/", 1)[1])
    for start in range(1, 1200, 400):
        await door.extend([("user", f"line {seq}") for seq in range(start, start + 400)])

    async def back(**asked: int | str) -> dict:
        return (await client.get(f"{chat}/messages", params={"limit": 400, **asked})).json()

    page = await back(before=201)
    assert ([one["seq"] for one in page["items"]], page["cursor"]) == ([*range(1, 201)], None)
    page, seen = await back(before=1 << 60), []
    while True:
        seqs = [one["seq"] for one in page["items"]]
        assert seqs == sorted(seqs)
        seen = seqs + seen
        if page["cursor"] is None:
            break
        page = await back(cursor=page["cursor"])
    assert seen == [*range(1, 1201)]
    assert (await back(before=1)) == {"items": [], "cursor": None}
    both = await client.get(f"{chat}/messages", params={"before": 5, "cursor": "MQ"})
    assert (both.status_code, both.json()["field"]) == (422, "before")
    for wrong in (0, -1, 1 << 80):
        assert (await client.get(f"{chat}/messages", params={"before": wrong})).status_code == 422
    none = await client.get(f"/api/conversations/{uuid.uuid4()}/messages", params={"before": 5})
    assert none.status_code == 404


async def test_no_answer_is_too_large(client: httpx.AsyncClient, chat: str) -> None:
    for n in range(14):
        long = {"role": "user", "content": f"{n} " + "x" * 900_000}
        assert (await client.post(f"{chat}/messages", json=long)).status_code == 201
    refused = await client.get(f"{chat}/window", params={"limit": 14})
    assert (refused.status_code, refused.json()["field"]) == (422, "limit")
    assert (await client.get(f"{chat}/window", params={"limit": 2})).status_code == 200
    too_much = await client.post(f"{chat}/messages", content=b'"' + b"x" * 2_100_000 + b'"')
    assert (too_much.status_code, too_much.json()["type"]) == (413, "urn:recollect:problem:too-large")


async def test_the_context_of_the_next_prompt(client: httpx.AsyncClient, chat: str) -> None:
    await client.put("/api/agents/cook", json={"instructions": "You cook."})
    await client.post("/api/agents/cook/memories", json={"keyPoint": "user is allergic to peanuts"})
    await _say(client, chat, "hello")
    asked = {"message": "is there a peanut in it?", "budget": 500}
    context = await client.post(f"{chat}/context", json=asked)
    assert context.status_code == 200
    said = context.json()
    assert said["messages"][0]["role"] == "system"
    assert "allergic to peanuts" in said["messages"][0]["content"]
    assert said["memories"][0]["memory"]["keyPoint"] == "user is allergic to peanuts"
    assert said["tokens"]["total"] <= 500
    assert (await client.get(f"{chat}/context", params=asked)).json() == said
    assert len((await client.get(f"{chat}/window")).json()["items"]) == 1


async def test_export_and_summary(client: httpx.AsyncClient, chat: str) -> None:
    await _say(client, chat, "hello")
    document = await client.get(f"{chat}/export")
    assert document.json()["messages"][0]["content"] == "hello"
    text = await client.get(f"{chat}/export", params={"format": "markdown"})
    assert text.headers["content-type"].startswith("text/markdown")
    assert "hello" in text.text
    paper = await client.get(f"{chat}/export", params={"format": "pdf"})
    assert paper.headers["content-type"] == "application/pdf"
    assert paper.headers["content-disposition"] == 'attachment; filename="conversation.pdf"'
    assert "hello" in pypdf.PdfReader(io.BytesIO(paper.content)).pages[0].extract_text()
    assert (await client.get(f"{chat}/export", params={"format": "exe"})).status_code == 422
    assert (await client.get(f"{chat}/summary")).json()["upto"] == 0


async def test_the_lifecycle_of_a_session(client: httpx.AsyncClient) -> None:
    """None, then one that the client makes up, then the same from another device."""
    asked = {"user_id": "ana", "agent_id": "cook"}
    assert (await client.get("/api/sessions/active", params=asked)).status_code == 404
    mine = str(uuid.uuid4())
    made = await client.put("/api/sessions/active", json={**asked, "session_id": mine})
    assert made.status_code == 200
    active = (await client.get("/api/sessions/active", params=asked)).json()
    assert (active["active_session_id"], active["user_id"], active["agent_name"]) == (mine, "ana", "cook")
    assert (await client.put("/api/sessions/active", json={**asked, "session_id": mine})).json() == active
    poet = {"user_id": "ana", "agent_id": "poet"}
    assert (await client.get("/api/sessions/active", params=poet)).status_code == 404
    stolen = await client.put("/api/sessions/active", json={**poet, "session_id": mine})
    assert stolen.status_code == 409
    ben = await client.put("/api/sessions/active", json={"user_id": "ben", "agent_id": "cook", "session_id": mine})
    assert ben.status_code == 409
    newer = str(uuid.uuid4())
    await client.put("/api/sessions/active", json={**asked, "session_id": newer})
    assert (await client.get("/api/sessions/active", params=asked)).json()["active_session_id"] == newer
    bad = await client.put("/api/sessions/active", json={**asked, "session_id": "session_123"})
    assert (bad.status_code, bad.json()["field"]) == (422, "session_id")


async def test_an_id_of_somebody_else_is_not_there(client: httpx.AsyncClient, memory: Recollect) -> None:
    hers = (await client.post("/api/conversations/new", json={"user": "ana", "agent": "cook"})).json()["id"]
    key = (await memory.create_key(scopes=["read", "write"], user="ben")).text
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=client.base_url, headers=headers, timeout=30) as ben:
        session = {"agent_id": "cook", "session_id": hers}
        answers = [
            await ben.post("/api/chat", json={**session, "message": "hello"}),
            await ben.put("/api/sessions/active", json=session),
            await ben.post("/api/conversations/new", json={"agent": "cook", "id": hers}),
        ]
        never = await ben.get(f"/api/conversations/{hers}")
        mine = (await ben.post("/api/conversations/new", json={"agent": "cook"})).json()["id"]
        again = await ben.post("/api/conversations/new", json={"agent": "cook", "id": mine})
    for one in answers:
        assert one.status_code == 404, one.text
        assert {**one.json(), "request": ""} == {**never.json(), "request": ""}
    assert again.status_code == 409
    assert (await client.get(f"/api/conversations/{hers}")).json()["messageCount"] == 0


async def test_the_same_key_stores_one_message(client: httpx.AsyncClient, chat: str, memory: Recollect) -> None:
    body = {"role": "user", "content": "once"}
    key = {"idempotency-key": "k1"}
    tries = await asyncio.gather(*(client.post(f"{chat}/messages", json=body, headers=key) for _ in range(20)))
    assert {one.status_code for one in tries} == {201}
    assert len({one.json()["id"] for one in tries}) == 1
    other = await client.post(f"{chat}/messages", json={**body, "content": "twice"}, headers=key)
    assert (other.status_code, other.json()["type"]) == (422, "urn:recollect:problem:key-reused")
    assert len(await (await memory.conversation(id=chat.split("/")[-1])).window()) == 1


async def test_the_same_key_begins_one_conversation(client: httpx.AsyncClient, memory: Recollect) -> None:
    body = {"user": "ana", "agent": "cook"}
    key = {"idempotency-key": "k2"}
    tries = await asyncio.gather(
        *(client.post("/api/conversations/new", json=body, headers=key) for _ in range(8))
    )
    assert {one.status_code for one in tries} <= {201, 409}
    later = await client.post("/api/conversations/new", json=body, headers=key)
    assert (later.status_code, later.headers["idempotent-replayed"]) == (201, "true")
    assert {one.json()["id"] for one in tries if one.status_code == 201} == {later.json()["id"]}
    assert len((await memory.conversations(user="ana")).items) == 1
    other = await client.post("/api/conversations/new", json={**body, "title": "x"}, headers=key)
    assert other.json()["type"] == "urn:recollect:problem:key-reused"
    # What came to nothing leaves the key free.
    bad = {"user": "ana", "agent": "cook", "id": "no uuid"}
    for _ in range(2):
        assert (await client.post("/api/conversations/new", json=bad, headers={"idempotency-key": "k3"})).json()[
            "field"
        ] == "id"
    await memory.erase(user="ana")
    begun = await client.post("/api/conversations/new", json=body, headers=key)
    assert begun.json()["id"] != later.json()["id"], "the answer went with the user"


async def test_states_move_by_the_workflow(client: httpx.AsyncClient) -> None:
    assert "rfp" in [one["name"] for one in (await client.get("/api/workflows")).json()]
    await client.put("/api/agents/buyer", json={"workflow": "rfp"})
    made = (await client.post("/api/conversations", json={"user": "ana", "agent": "buyer"})).json()
    state = f"/api/conversations/{made['id']}/state"
    assert made["agentState"]["workflowStep"] == "initial"
    refused = await client.post(f"{state}/act", json={"action": "send_rfp"})
    assert refused.status_code == 409
    changed = await client.patch(state, json={"rfpDraft": {"title": "Chairs"}}, headers={"if-match": '"0"'})
    assert changed.json()["agentState"]["rfpDraft"] == {"title": "Chairs"}
    stale = await client.patch(state, json={"rfpDraft": {"title": "Tables"}}, headers={"if-match": '"0"'})
    assert stale.status_code == 412
    moved = await client.post(f"{state}/move", json={"step": "collecting_requirements"})
    assert (moved.json()["step"], moved.json()["version"]) == ("collecting_requirements", 2)
    assert moved.headers["etag"].startswith('"2-')
    assert (await client.post(f"{state}/move", json={"step": "sent"})).status_code == 409
    changes = (await client.get(f"{state}/history")).json()["items"]
    assert [one["change"] for one in changes] == ["refused", "move", "update", "refused"]
    assert (await client.post(f"{state}/undo", json={})).json()["step"] == "initial"
    assert (await client.get(state)).json()["version"] == 3


async def test_whom_the_address_names_is_meant_where_the_body_names_nobody(
    client: httpx.AsyncClient, memory: Recollect
) -> None:
    words = {"message": "hello", "agent_id": "cook"}
    for path, body in (
        ("/api/conversations", {}),
        ("/api/conversations/new", {}),
        ("/api/notes", {"agent": "cook", "operation": "append", "content": "x"}),
    ):
        for named, meant in (({}, "ana"), ({"user": "ben"}, "ben")):
            assert (await client.post(path, json={**body, **named})).json()["user"] == meant
    for named, meant in (({}, "ana"), ({"user_id": "ben"}, "ben")):
        said = (await client.post("/api/chat", json={**words, **named})).json()
        assert (await memory.conversation(id=said["session_id"])).user == meant
    own = {"authorization": f"Bearer {(await memory.create_key(user='ben')).text}"}
    assert (await client.post("/api/chat", json=words, headers=own)).status_code == 404


async def test_what_is_refused_begins_no_conversation(client: httpx.AsyncClient, memory: Recollect) -> None:
    for path in ("/api/conversations", "/api/conversations/new"):
        for messages in (-1, 1001):
            refused = await client.post(path, json={"agent": "cook"}, params={"messages": messages})
            assert (refused.status_code, refused.json()["field"]) == (422, "messages")
    assert (await memory.conversations(user="ana")).items == []
