"""The same story, told to the library and to a server through the client: the same answers from both."""

from __future__ import annotations

import json
import math
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

import recollect
from recollect import (
    Agent,
    Conflict,
    DeleteDocument,
    Document,
    DocumentHit,
    Done,
    Forbidden,
    Hit,
    Invalid,
    KeyReused,
    Memory,
    Message,
    Notes,
    NotFound,
    Page,
    Piece,
    PutDocument,
    Refused,
    Reply,
    Source,
    Started,
    State,
    Vectors,
    client,
)
from recollect.recall.pack import Context
from rfp import ready_to_send
from serving import Served

WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}
THEN = datetime(2024, 5, 1, 12, tzinfo=UTC)


async def test_conversations(door: Any) -> None:
    assert await door.active_conversation("ana", "librarian") is None
    chat = await door.conversation(**WHO)
    assert (chat.user, chat.agent, chat.title, chat.status) == ("ana", "librarian", None, "open")
    assert (await door.active_conversation("ana", "librarian")).id == chat.id
    other = await door.new_conversation(**WHO, title="Trips")
    mine = uuid4()
    third = await door.new_conversation(**WHO, id=mine)
    assert third.id == str(mine)
    with pytest.raises(recollect.Refused):
        await door.new_conversation(**WHO, id=mine)
    page = await door.conversations(user="ana", limit=2)
    assert isinstance(page, Page)
    assert [one.id for one in page.items] == [third.id, other.id]
    rest = await door.conversations(user="ana", limit=2, cursor=page.cursor)
    assert ([one.id for one in rest.items], rest.cursor) == ([chat.id], None)
    again = await door.conversation(id=UUID(other.id))
    assert again.record == page.items[1] == other.record
    await again.rename("Journeys")
    await again.archive()
    assert (again.title, again.record.archived_at is not None) == ("Journeys", True)
    assert [one.id for one in (await door.conversations("ana", archived=True)).items] == [other.id]
    await again.archive(False)
    await again.activate()
    assert (await door.conversation(**WHO)).id == other.id
    await again.rename(None)
    assert again.title is None
    await again.delete()
    with pytest.raises(NotFound) as missing:
        await door.conversation(id=other.id)
    assert (missing.value.what, missing.value.key) == ("conversation", other.id)


async def test_messages(door: Any) -> None:
    chat = await door.conversation(**WHO)
    first = await chat.append(
        "user", "I moved to Porto", key="k/1 ü", metadata={"a": [1, None, {"b": "c"}]}, name="Ana", at=THEN
    )
    assert isinstance(first, Message)
    assert (first.seq, first.created_at, first.metadata) == (1, THEN, {"a": [1, None, {"b": "c"}]})
    assert first == await chat.append(
        "user", "I moved to Porto", key="k/1 ü", metadata={"a": [1, None, {"b": "c"}]}, name="Ana", at=THEN
    )
    with pytest.raises(KeyReused):
        await chat.append("user", "I moved to Faro", key="k/1 ü")
    calls = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    made = await chat.extend(
        [
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "content": "sunny", "tool_call_id": "c1"},
            ("assistant", "It is sunny in Porto."),
            {"role": "user", "content": [{"type": "text", "text": "and in Faro?"}]},
        ]
    )
    assert [one.seq for one in made] == [2, 3, 4, 5]
    assert (made[0].tool_calls, made[1].tool_call_id, made[2].answers) == (calls, "c1", 1)
    assert (made[3].content, made[3].parts) == ("and in Faro?", [{"type": "text", "text": "and in Faro?"}])
    assert await chat.window() == [first, *made]
    assert await chat.window(2) == made[-2:]
    assert await chat.window(since=datetime.now(UTC) - timedelta(hours=1)) == made
    page = await chat.messages(limit=3)
    assert page.items == [first, *made[:2]]
    assert (await chat.messages(3, page.cursor)).items == made[2:]
    older = await chat.messages(2, before=made[-1].seq)
    assert older.items == made[-3:-1]
    assert (await chat.messages(1, older.cursor)).items == made[-4:-3]
    again = await chat.append("user", "Faro!", key="k2")
    assert (await chat.extend([again]))[0].seq == 7
    hits = await door.search("porto", user="ana")
    assert all(isinstance(hit, Hit) for hit in hits)
    assert {hit.message.seq for hit in hits} == {1, 4}
    assert "sunny in Porto" in await chat.export("markdown")
    assert json.loads(await chat.export())["messages"][0]["content"] == "I moved to Porto"
    assert (await chat.pop()).content == "Faro!"
    await chat.clear()
    assert await chat.pop() is None
    assert (chat.record.message_count, (await chat.append("user", "on")).seq) == (0, 8)


async def test_context(door: Any) -> None:
    await door.configure_agent("librarian", instructions="You help {user}.", budget=900, window=4, model="")
    await door.remember("user is vegetarian", **WHO)
    await door.edit_notes("append", "# Tone\nShort.", **WHO)
    chat = await door.conversation(**WHO)
    await chat.extend([("user", "hello"), ("assistant", "hi"), ("user", "what is for dinner?")])
    found = await chat.context("what should I cook, being vegetarian?", budget=500)
    assert type(found) is Context
    assert [hit.text for hit in found.memories] == ["user is vegetarian"]
    assert found.tokens["total"] <= 500
    assert set(found.tokens) == {"instructions", "notes", "memories", "state", "summary", "window", "total"}
    assert found.to_openai()[-1] == {"role": "user", "content": "what should I cook, being vegetarian?"}
    assert "vegetarian" in found.to_anthropic()["system"]
    assert [one.type for one in found.to_langchain()][-1] == "human"
    small = await chat.context("and now?", budget=10)
    assert {one.section for one in small.dropped} >= {"notes", "window"}
    assert (await chat.summary()).upto == 0


async def test_memories(door: Any) -> None:
    chat = await door.conversation(**WHO)
    await chat.append("user", "I eat no meat")
    mem = await door.remember(
        "user is vegetarian",
        **WHO,
        category="food",
        importance=0.7,
        pinned=True,
        expires_at=datetime(2099, 1, 1, tzinfo=UTC),
        source=Source(chat.id, 1, 1),
        context={"why": ["said so"]},
    )
    assert type(mem) is Memory
    assert (mem.category, mem.importance, mem.pinned, mem.source) == ("food", 0.7, True, Source(chat.id, 1, 1))
    assert mem.context["why"] == ["said so"]
    assert await door.memory(mem.id) == mem
    hits = await door.recall("is the user vegetarian?", **WHO, limit=3)
    assert hits[0].memory == mem
    assert 0 < hits[0].score <= 1
    said = await door.recall("meat", **WHO, over="messages")
    assert said[0].message.content == "I eat no meat"
    assert [hit.memory.id for hit in await door.recall("vegetarian", **WHO, threshold=0.1)] == [mem.id]
    vegan = await door.revise(mem.id, "user is vegan", version=mem.version, importance=0.9)
    assert (vegan.text, vegan.importance, vegan.version) == ("user is vegan", 0.9, mem.version + 1)
    with pytest.raises(Conflict):
        await door.revise(mem.id, "user eats fish", version=mem.version)
    soon = datetime.now(UTC) + timedelta(days=3)
    passing = await door.remember("user has a cold", **WHO, category="health", expires_at=soon, importance=0.5)
    kept = await door.revise(passing.id, pinned=True)
    assert (kept.category, kept.expires_at) == ("health", soon)
    lasting = await door.revise(passing.id, category=None, expires_at=None)
    assert (lasting.category, lasting.expires_at, lasting.pinned) == (None, None, True)
    await door.forget(passing.id)
    assert await door.memories(**WHO, min_importance=0.95) == Page(items=[], cursor=None)
    assert [one.id for one in (await door.memories(**WHO, min_importance=0.9)).items] == [mem.id]
    assert [one.text for one in await door.history(mem.id)][:2] == ["user is vegetarian", "user is vegan"]
    assert (await door.undo(mem.id)).text == "user is vegetarian"
    assert (await door.undo(mem.id, to=2)).text == "user is vegan"
    secret = await door.remember("user hides gold", **WHO, trust="untrusted", author="tool")
    assert secret.status == "quarantined"
    page = await door.memories(**WHO, status="quarantined")
    assert [one.id for one in page.items] == [secret.id]
    assert (await door.release(secret.id)).status == "active"
    await door.define_template("pets", "user has a {pet}", category="home", importance=0.6)
    assert "pets" in [one.name for one in await door.templates()]
    pet = await door.remember_as("pets", {"pet": "zebra finch"}, **WHO, source=Source(chat.id, 1, 1))
    assert (pet.text, pet.category, pet.source.first) == ("user has a zebra finch", "home", 1)
    listed = await door.memories(**WHO, limit=2)
    assert [one.id for one in listed.items] == [pet.id, secret.id]
    assert [one.id for one in (await door.memories(**WHO, cursor=listed.cursor)).items] == [mem.id]
    assert [one.id for one in (await door.memories(**WHO, limit=1, offset=1)).items] == [secret.id]
    assert [one.id for one in (await door.memories(**WHO, text="finch", category="home")).items] == [pet.id]
    assert (await door.memories(**WHO, as_of=THEN)).items == []
    long = await door.remember("猫" * 998 + " 犬", user="ben", agent="cook")
    for text in (long.text, "猫\n \t犬"):
        assert [one.id for one in (await door.memories("ben", "cook", text=text)).items] == [long.id]
    with pytest.raises(Conflict):
        await door.forget(pet.id, version=99)
    await door.forget(pet.id, version=pet.version)
    with pytest.raises(NotFound):
        await door.memory(pet.id)
    assert (await door.consolidate(**WHO)).done == 1
    assert await door.refusals(**WHO) == []


async def test_notes(door: Any) -> None:
    empty = await door.notes(**WHO)
    assert (type(empty), empty.version, empty.text) == (Notes, 0, "")
    one = await door.edit_notes("append", "# Tone\nShort.", **WHO)
    two = await door.edit_notes("append", "# Food\nNo meat.", **WHO, version=one.version)
    with pytest.raises(Conflict):
        await door.edit_notes("append", "x", **WHO, version=one.version)
    await door.edit_notes("replace_section_by_header", "# Tone\nLong.", **WHO, section_header="# Tone")
    assert "+" in await door.diff_notes(**WHO, old=1, new=2)
    assert (await door.notes(**WHO, version=1)).text == one.text
    assert [one.version for one in (await door.notes_history(**WHO, limit=2)).items] == [3, 2]
    assert (await door.undo_notes(**WHO)).text == two.text


async def test_documents(door: Any) -> None:
    soups = ("recipes/old", "soups & ünd")
    value = {
        "text": "Caldo verde",
        "tags": ["kale", None],
        "serves": 4,
        "hot": True,
        "x": 1e300,
        "deep": {"a": [{}]},
    }
    first = await door.put_document(soups, "caldo?", value, user="ana", version=0, ttl=3600)
    assert (type(first), first.namespace, first.key, first.value) == (Document, soups, "caldo?", value)
    assert (first.version, first.user, first.expires_at is not None) == (1, "ana", True)
    assert await door.document(soups, "caldo?") == await door.document(soups, "caldo?", user="ana") == first
    with pytest.raises(Conflict):
        await door.put_document(soups, "caldo?", {}, version=0)
    with pytest.raises(recollect.Refused):
        await door.put_document(soups, "caldo?", {}, user="ben")
    second = await door.put_document(soups, "caldo?", {"text": "Green soup"}, version=1, texts=["about zebras"])
    changes = [
        PutDocument(namespace=soups, key="mine", value={"n": 1}, texts=["t"], vectors=Vectors("own", [[1, 0]])),
        PutDocument(
            namespace=("recipes/old",), key="end", value={"n": 5}, expires_at=datetime(2099, 1, 1, tzinfo=UTC)
        ),
        DeleteDocument(namespace=soups, key="nothing", user="ana"),
    ]
    mine, end, none = await door.change_documents(changes)
    assert (mine.user, end.expires_at, none) == (None, datetime(2099, 1, 1, tzinfo=UTC), None)
    another = PutDocument(namespace=soups, key="mine", value={}, created_at=end.created_at)
    with pytest.raises(Conflict, match="not the one that was read"):
        await door.change_documents([another])
    assert await door.change_documents([]) == await door.documents_at([]) == []
    assert await door.documents_at([(soups, "mine"), (soups, "gone"), (soups, "caldo?")]) == [mine, None, second]
    assert await door.documents() == [end, mine, second]
    assert await door.documents(soups, limit=1, offset=1, refresh=True) == [second]
    assert await door.documents(filter={"n": {"$gt": 3}}) == [end]
    assert await door.documents(user="ana") == [second]
    hits = await door.search_documents("zebras", ("recipes/old",))
    assert ([type(hit) for hit in hits], hits[0].document) == ([DocumentHit], second)
    own = await door.search_documents("t", vectors=Vectors("own", [[1, 0]]), threshold=0.9)
    assert [(hit.document, hit.score) for hit in own] == [(mine, pytest.approx(1.0))]
    versions = await door.document_history(soups, "caldo?", user="ana")
    assert [(one.version, one.value) for one in versions] == [(1, value), (2, {"text": "Green soup"})]
    assert await door.document_history(soups, "caldo?", limit=1) == versions[1:]
    assert await door.document_namespaces() == [("recipes/old",), soups]
    assert await door.document_namespaces(("*",), soups[1:], user="ana", max_depth=1) == [("recipes/old",)]
    assert await door.delete_document(soups, "caldo?", user="ben") is False
    with pytest.raises(Conflict):
        await door.delete_document(soups, "caldo?", version=1)
    assert await door.delete_document(soups, "caldo?", version=2) is True
    assert await door.delete_document(soups, "caldo?") is False
    with pytest.raises(NotFound) as missing:
        await door.document(soups, "caldo?")
    assert (missing.value.what, missing.value.key) == ("document", "caldo?")


async def test_states_and_workflows(door: Any) -> None:
    toml = 'start = "a"\n[[steps]]\nname = "a"\nmoves = ["b"]\n[[steps]]\nname = "b"\n'
    assert (await door.define_workflow("tiny", toml)).start == "a"
    assert (await door.workflow("tiny")).steps[0].moves[0].to == "b"
    assert {"tiny", "rfp", "support_ticket"} <= {one.name for one in await door.workflows()}
    with pytest.raises(Invalid):
        await door.define_workflow("bad", {"start": "nowhere", "steps": []})
    agent = await door.configure_agent("librarian", workflow="tiny", learn_every=5)
    assert (type(agent), agent.workflow, agent.learn_every) == (Agent, "tiny", 5)
    with pytest.raises(Conflict):
        await door.configure_agent("librarian", window=3, version=agent.version + 7)
    assert await door.agent("librarian") == agent
    chat = await door.new_conversation(**WHO)
    state = await chat.update_state({"metadata": {"x": 1}}, version=0, cause="tool:look")
    assert (type(state), state.step, state.moves, state.metadata) == (State, "a", ["b"], {"x": 1})
    assert (await chat.move("b", cause=recollect.Cause("system"))).step == "b"
    with pytest.raises(recollect.Refused):
        await chat.move("a")
    changes = (await chat.state_history()).items
    assert [one.change for one in changes] == ["refused", "move", "update"]
    assert changes[-1].cause == recollect.Cause("tool", "look")
    assert (await chat.undo_state(cause="message:1")).step == "a"
    assert (await chat.state(at=0)) == await chat.state()
    assert "librarian" in await door.agents()


async def test_acting(door: Any) -> None:
    chat = await ready_to_send(door, "ana")
    sent = await chat.act("send_rfp", key="once", vendorIds=["v1"])
    assert await chat.act("send_rfp", key="once", vendorIds=["v1"]) == sent
    assert chat.status == sent.status
    assert [one.payload["arguments"] for one in await door.outbox(waiting=True)] == [{"vendorIds": ["v1"]}]


async def test_turns(door: Any) -> None:
    chat = await door.conversation(**WHO)
    reply = await chat.say("hello", key="t1")
    assert (type(reply), reply.asked, reply.model) == (Reply, 1, "offline")
    assert type(reply.context) is Context
    assert reply.messages[0].content == reply.text
    saved = await chat.say("hello", key="t1")
    assert (saved.text, saved.messages, saved.context) == (reply.text, reply.messages, None)
    events = [event async for event in chat.stream("how are you?")]
    assert isinstance(events[0], Started)
    assert isinstance(events[-1], Done)
    assert "".join(one.text for one in events if isinstance(one, Piece)) == events[-1].reply.text
    assert events[-1].reply.context is not None
    assert [one.status for one in await chat.turns()] == ["done", "done"]
    with pytest.raises(Invalid) as refused:
        await chat.say(" ")
    assert refused.value.field == "message"
    with pytest.raises(Invalid):
        _ = [event async for event in chat.stream(" ")]


async def test_work_and_care(door: Any, tmp_path: Path) -> None:
    chat = await door.conversation(**WHO)
    await chat.extend([("user", "I live in Porto and I work as a nurse."), ("assistant", "Nice!")])
    done = await door.digest(everything=True, lease=30.0)
    assert done.messages == 2
    assert done.added >= 1
    assert [one.kind for one in await door.work()] == ["settle"], "somebody has just talked"
    assert await door.retry_work() == 0
    assert (await door.set_retention(60, "librarian")).agents == {"librarian": 60}
    assert (await door.set_retention("forever", "librarian")).agents == {"librarian": "forever"}
    assert (await door.set_retention(None, "librarian")) == await door.retention()
    assert (await door.tidy()).messages == 0
    assert await door.reembed() == 0
    counted = await door.analytics(user="ana", days=2)
    assert (counted.conversations, counted.messages, counted.messages_by_day[-1].count > 0) == (1, 2, True)
    document = await door.export(user="ana")
    file = tmp_path / "ana.json"
    with file.open("wb") as out:
        told: list[tuple[int, int]] = []
        assert await door.export_to(out.write, "ana", lambda *at: told.append(at)) >= 2
    assert told[-1][0] == told[-1][1]
    assert {**json.loads(file.read_text()), "exported_at": ""} == {**document, "exported_at": ""}
    receipt = await door.erase(user="ana")
    assert receipt.counts["messages"] == 2
    assert await door.receipts("ana") == [receipt]
    assert (await door.import_user(document)).messages == 2
    assert (await door.import_user(file, user="ben")).conversations == 1
    assert (await door.import_user(str(file), user="ben")).known > 0
    assert [one.agent for one in (await door.conversations("ben")).items] == ["librarian"]
    rows = [{"id": str(uuid4()), "memory": "Likes figs", "user_id": "cleo"}]
    assert (await door.import_from("mem0", rows, agent="librarian")).memories == 1
    with pytest.raises(Invalid):
        await door.import_user(tmp_path / "nothing.json")
    made = await door.create_key("phone", scopes=["read"], user="ana", expires_at=datetime(2099, 1, 1, tzinfo=UTC))
    assert made.key in await door.keys()
    turned = await door.rotate_key(made.key.id)
    assert turned.text != made.text
    assert (await door.revoke_key(made.key.id)).revoked_at is not None


@pytest.mark.parametrize("way", ["library", "client"])
async def test_tenants(way: str, dsn: str, tenant: str, client_server: Served) -> None:
    async with (
        recollect.Recollect.open(dsn, tenant=f"{tenant}-run", operator=True) as running,
        client.Recollect.open(
            client_server.url, key=(await running.create_key(scopes=["operator"])).text
        ) as remote,
    ):
        door: Any = running if way == "library" else remote
        assert door.tenant == f"{tenant}-run"
        made = await door.create_tenant(tenant)
        assert (made.tenant, made.keys) == (tenant, 0)
        with pytest.raises(Refused, match="there already"):
            await door.create_tenant(tenant)
        key = await door.create_tenant_key(tenant, "first")
        assert (key.key.scopes, key.key.name) == (("read", "write", "admin"), "first")
        page = await door.tenants(limit=1)
        found = [*page.items]
        while page.cursor is not None:
            page = await door.tenants(limit=100, cursor=page.cursor)
            found += page.items
        assert msgspec.structs.replace(made, keys=1) in found
        with pytest.raises(Invalid, match="confirm"):
            await door.delete_tenant(tenant, confirm=f"{tenant}-run")
        gone = await door.delete_tenant(tenant, confirm=tenant)
        assert (gone.tenant, gone.users, gone.counts) == (tenant, 0, {})
        with pytest.raises(NotFound, match="there is no tenant"):
            await door.create_tenant_key(tenant)


async def test_tenants_are_the_operators(door: Any) -> None:
    with pytest.raises(Forbidden):
        await door.tenants()
    with pytest.raises(Forbidden):
        await door.delete_tenant(door.tenant, confirm=door.tenant)


async def test_names_of_every_kind(door: Any) -> None:
    for agent in ("team/cook", "50%", "a b?c#d", "..", "é/%2F", "memories"):
        who = {"user": "ana/ö 100%", "agent": agent}
        chat = await door.conversation(**who)
        assert (chat.user, chat.agent) == (who["user"], agent)
        mem = await door.remember("user is tall", **who)
        assert (mem.agent, mem.user) == (agent, who["user"])
        assert (await door.configure_agent(agent, window=7)).agent == agent
        assert len((await door.memories(**who)).items) == 1
    assert (await door.erase("ana/ö 100%")).counts["memories"] == 6


async def test_keys_of_every_kind(door: Any) -> None:
    chat = await door.conversation(user="ana", agent="cook")
    keys = ("k" * 255, "北" * 100, "北" * 99 + "京", "é" * 60, " k ", "%E5")
    said = [await chat.append("user", "hello", key=key) for key in keys]
    assert [await chat.append("user", "hello", key=key) for key in keys] == said
    assert [one.seq for one in said] == [1, 2, 3, 4, 5, 6]
    with pytest.raises(KeyReused):
        await chat.append("user", "another", key=keys[1])


WRONG: dict[str, Any] = {
    "no agent": (lambda d, c: d.conversation(user="ana"), "agent"),
    "nobody": (lambda d, c: d.conversation(), "user"),
    "both": (lambda d, c: d.conversation(user="ana", id=c.id), "id"),
    "empty agent": (lambda d, c: d.memories("ana", " "), "agent"),
    "empty user": (lambda d, c: d.erase(""), "user"),
    "not text": (lambda d, c: d.erase(None), "user"),
    "not an id": (lambda d, c: d.memory("x"), "id"),
    "role": (lambda d, c: c.append("nobody", "x"), "role"),
    "content": (lambda d, c: c.append("user", 5), "content"),
    "surrogate": (lambda d, c: c.append("user", "\ud800"), "content"),
    "nul": (lambda d, c: c.append("user", "a\0b"), "content"),
    "nan": (lambda d, c: c.append("user", "x", metadata={"a": math.nan}), "metadata"),
    "metadata": (lambda d, c: c.append("user", "x", metadata={1: 2}), "metadata"),
    "at": (lambda d, c: c.append("user", "x", at="now"), "at"),
    "nothing": (lambda d, c: c.extend([]), "messages"),
    "second": (lambda d, c: c.extend([("user", "x"), ("user", None)]), "messages[1].content"),
    "limit": (lambda d, c: c.window(-1), "limit"),
    "cursor": (lambda d, c: c.messages(cursor="!!"), "cursor"),
    "over": (lambda d, c: d.recall("x", "ana", "cook", over="all"), "over"),
    "threshold": (lambda d, c: d.recall("x", "ana", "cook", threshold=math.inf), "threshold"),
    "memory": (lambda d, c: d.remember("", "ana", "cook"), "text"),
    "importance": (lambda d, c: d.remember("user is x", "ana", "cook", importance=7), "importance"),
    "expires": (lambda d, c: d.remember("user is x", "ana", "cook", expires_at="soon"), "expires_at"),
    "operation": (lambda d, c: d.edit_notes("shred", user="ana", agent="cook"), "operation"),
    "patch": (lambda d, c: c.update_state([]), "patch"),
    "cause": (lambda d, c: c.update_state({}, cause="weather"), "cause"),
    "budget": (lambda d, c: c.context("x", budget=-1), "budget"),
    "format": (lambda d, c: c.export("pdfs"), "format"),
    "minutes": (lambda d, c: d.set_retention(-5), "minutes"),
    "scopes": (lambda d, c: d.create_key(scopes=["all"]), "scopes"),
    "days": (lambda d, c: d.analytics(days=0), "days"),
    "import": (lambda d, c: d.import_from("yaml", {}, user="ana"), "format"),
    "text of an import": (lambda d, c: d.import_user('{"memories": []}'), "source"),
    "long name of a file": (lambda d, c: d.import_from("mem0", "x" * 300, user="ana"), "file"),
    "namespace": (lambda d, c: d.put_document("recipes", "k", {}), "namespace"),
    "no namespace": (lambda d, c: d.document((), "k"), "namespace"),
    "key": (lambda d, c: d.documents_at([(("a",), " ")]), "key"),
    "value": (lambda d, c: d.put_document(("a",), "k", {"n": math.nan}), "value"),
    "large value": (lambda d, c: d.put_document(("a",), "k", {"t": ["x" * 999_999] * 2}), "value"),
    "ttl": (lambda d, c: d.put_document(("a",), "k", {}, ttl=-1), "ttl"),
    "version": (lambda d, c: d.put_document(("a",), "k", {}, version=-1), "version"),
    "texts": (lambda d, c: d.put_document(("a",), "k", {}, texts=["a\0"]), "texts"),
    "vectors": (lambda d, c: d.search_documents("x", vectors=Vectors("m", [])), "vectors"),
    "query": (lambda d, c: d.search_documents(" "), "query"),
    "close": (lambda d, c: d.search_documents("x", threshold=math.nan), "threshold"),
    "filter": (lambda d, c: d.documents(filter={"$near": 1}), "filter"),
    "offset": (lambda d, c: d.documents(offset=-1), "offset"),
    "depth": (lambda d, c: d.document_namespaces(max_depth=0), "max_depth"),
    "versions": (lambda d, c: d.document_history(("a",), "k", limit=0), "limit"),
    "archived": (lambda d, c: c.archive("yes"), "archived"),
    "long key": (lambda d, c: c.append("user", "x", key="k" * 256), "key"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_bad_input_names_the_same_field(door: Any, wrong: str) -> None:
    chat = await door.conversation(user="ana", agent="cook")
    call, field = WRONG[wrong]
    with pytest.raises(Invalid) as refused:
        await call(door, chat)
    assert refused.value.field.split("[")[0] == field.split("[")[0]
    assert refused.value.problem
    assert (await door.conversation(id=chat.id)).record == chat.record


async def test_both_give_equal_records(memory: recollect.Recollect, remote: Any) -> None:
    """What one has written, the other reads, to the last field."""
    chat = await memory.conversation(**WHO)
    await chat.extend([("user", "I live in Porto."), ("assistant", "Nice!")])
    mem = await memory.remember("user lives in Porto", **WHO)
    await memory.edit_notes("append", "x", **WHO)
    await chat.update_state({"metadata": {"pet": "finch"}})
    there = await remote.conversation(id=chat.id)
    assert there.record == (await memory.conversation(id=chat.id)).record
    for name, args in {
        "window": (), "messages": (), "state": (), "state_history": (), "turns": (), "summary": (), "export": ("markdown",),
    }.items():  # fmt: skip
        assert await getattr(there, name)(*args) == await getattr(chat, name)(*args), name
    for name, args in {
        "memory": (mem.id,), "history": (mem.id,), "memories": ("ana", "librarian"), "notes": ("ana", "librarian"),
        "notes_history": ("ana", "librarian"), "agent": ("librarian",), "agents": (), "workflows": (),
        "templates": (), "analytics": (), "retention": (), "receipts": (), "outbox": (), "refusals": ("ana", "librarian"),
    }.items():  # fmt: skip
        assert await getattr(remote, name)(*args) == await getattr(memory, name)(*args), name
    assert remote.tenant == memory.tenant
    ours, theirs = await chat.context("where?"), await there.context("where?")
    assert msgspec.to_builtins(theirs)["messages"] == msgspec.to_builtins(ours)["messages"]
    assert theirs == ours


async def test_changes_are_heard(door: Any) -> None:
    """Both doors tell the same; whoever comes back goes on after the last event."""
    chat = await door.new_conversation(user="ana", agent="cook")
    async with aclosing(door.live("ana")) as events:
        ready = await anext(events)
        assert ready.kind == "ready"
        said = await chat.append("user", "hello\u2028data:\u2028id: 999\u2028\u2028")
        heard = await anext(events)
    assert (heard.kind, heard.conversation, heard.message) == ("message.created", chat.id, said)
    kept = await door.remember("user is here", "ana", "cook")
    async with aclosing(door.live("ana", heard.id)) as events:
        after = await anext(events)
    assert (after.kind, after.memory, after.version) == ("memory.created", kept.id, 1)
    async with aclosing(chat.live(ready.id)) as events:
        assert (await anext(events)).message == said
    await door.reembed_later()
    assert "reembed" in {work.kind for work in await door.work()}
