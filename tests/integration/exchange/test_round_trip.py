"""What is exported comes back as it was, here or elsewhere, once, and only as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect import Cause, Chat, Imported, Invalid, KeyReused, NotFound, Recollect, Refused, Source
from recollect.exchange.checking import _words  # pyright: ignore[reportPrivateUsage]
from recollect.exchange.names import derived
from recollect.exchange.restore import restore
from recollect.exchange.wrong import decoded
from recollect.models.generations import Embedders
from recollect.models.wordllama import WordLlama
from recollect.records import Caller
from recollect.workflows.store import apply_update
from steps import calls_of

PACKING = {
    "start": "packing",
    "draft_name": "parcel",
    "ids": ["parcelId"],
    "draft": {
        "type": "object",
        "additionalProperties": False,
        "properties": {"zone": {"type": "string"}, "items": {"type": "array"}, "address": {"type": "string"}},
    },
    "steps": [
        {"name": "packing", "required": ["items", "address"], "moves": [{"to": "sent", "needs": ["items"]}]},
        {"name": "sent", "status": "on its way"},
    ],
    "actions": [{"name": "send", "steps": ["packing"], "to": "sent", "says": "The parcel was sent."}],
}
LATER = {**PACKING, "title": "Parcels"}
GHOST = "00000000-0000-4000-8000-000000000000"
CALLS = [{"id": "call-1", "type": "function", "function": {"name": "oven", "arguments": '{"heat":200}'}}]


@pytest.fixture
async def elsewhere(dsn: str, tenant: str) -> AsyncIterator[Recollect]:
    """Another, empty tenant."""
    async with Recollect.open(dsn, tenant=f"{tenant}-elsewhere") as opened:
        yield opened


async def _fill_states(memory: Recollect) -> Chat:
    """States of every kind: with an own workflow and one of ours, free in form, refused before the first change."""
    await memory.define_workflow("parcel", PACKING)
    await memory.configure_agent("packer", workflow="parcel", learn_every=4)
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.new_conversation(user="ana", agent="packer", title="Parcel")
    await chat.append("user", "send figs")
    with pytest.raises(Refused):
        await chat.move("sent", cause="model:small")
    await chat.update_state({"parcel": {"items": ["figs"]}, "metadata": {"why": [1, None]}}, cause="message:1")
    await chat.append("user", "to Porto")
    await chat.update_state({"parcel": {"address": "Porto"}, "parcelId": "p-1"}, cause="tool:shop")
    await chat.undo_state()
    await chat.act("send", cause="person:boss")
    buyer = await memory.new_conversation(user="ana", agent="buyer")
    await buyer.update_state({"rfpDraft": {"title": "Ovens"}, "lastAction": "two\nlines"})
    fresh = await memory.new_conversation(user="ana", agent="buyer")
    with pytest.raises(Refused):
        await fresh.move("sent")
    free = await memory.new_conversation(user="ana", agent="talker")
    await free.update_state({"draft": {"any": {"thing": [1e22, "ü"]}}})
    await memory.define_workflow("parcel", LATER)
    return chat


async def _states(memory: Recollect) -> list[Any]:
    """All that can be seen of the states of a user and of their history."""
    seen: list[Any] = []
    for one in sorted((await memory.conversations(user="ana")).items, key=lambda one: one.id):
        chat = await memory.conversation(id=one.id)
        seen += [one.status, await chat.state(), (await chat.state_history(1000)).items]
        seen += [await chat.state(at=seq) for seq in range(one.last_seq + 1)]
    return seen


async def _fill(memory: Recollect, admin: asyncpg.Connection) -> Chat:
    await memory.configure_agent("cook", instructions="You cook.", window=7, pool="kitchen", model="openai:tiny")
    chat = await memory.new_conversation(user="ana", agent="cook", title="Dinner")
    said = await chat.append("user", "I am vegan", name="Ana", metadata={"a": [1, 2.5, None, {"ü": True}]})
    await chat.append("assistant", None, tool_calls=CALLS, at=datetime(2024, 5, 1, 10, tzinfo=UTC))
    await chat.append("tool", "hot", tool_call_id="call-1", name="oven")
    await chat.append("assistant", [{"type": "text", "text": "Noted"}, {"type": "image", "url": "x"}], key="k")
    await chat.extend([("user", f"line {number}") for number in range(30)])
    await chat.save_memory_document({"first": "draft"})
    await chat.save_memory_document({"metadata": {"mood": "hungry", "n": [1, 2.5, None]}})
    old = await memory.new_conversation(user="ana", agent="cook", title="Old")
    await old.extend([("user", "gone"), ("assistant", "gone too")])
    await old.clear()
    await old.append("user", "third")
    await old.archive()
    await memory.conversation(user="ana", agent="baker")
    await chat.activate()
    source = Source(chat.id, said.seq, said.seq)
    soon = datetime.now(UTC) + timedelta(days=3)
    kept = await memory.remember(
        "user is vegan", user="ana", agent="cook", importance=0.7, category="food", source=source, expires_at=soon,
        context={"why": ["said so"]}, pinned=True,
    )  # fmt: skip
    await memory.revise(kept.id, "user is vegetarian", importance=1 / 3)
    await memory.undo(kept.id)
    await memory.remember("a rumour", user="ana", agent="baker", author="tool", trust="untrusted")
    await memory.forget((await memory.remember("user likes figs", user="ana", agent="cook", source=source)).id)
    retired = await memory.remember("user lives in Lyon", user="ana", agent="baker", author="extractor:rules")
    await admin.execute(
        "update recollect.memories set status = 'retired', valid_to = now(), superseded_by = $2 where id = $1",
        retired.id,
        kept.id,
    )
    await memory.edit_notes("append", "# Tone\nShort.", user="ana", agent="cook")
    await memory.edit_notes("append", "Really short.", user="ana", agent="cook")
    await admin.execute(
        "insert into recollect.digests (tenant, conversation, learned_seq, summary, summary_seq, summary_by, sentiment) "
        "values ($1, $2, 10, 'About dinner', 10, 'rules', 0.3)",
        memory.tenant,
        chat.id,
    )
    await admin.execute(
        "insert into recollect.refusals (tenant, conversation, user_id, pool, first_seq, last_seq, reason) "
        "values ($1, $2, 'ana', 'kitchen', 1, 2, 'secret')",
        memory.tenant,
        chat.id,
    )
    await admin.execute(
        "insert into recollect.pools (tenant, user_id, pool, updates) values ($1, 'ana', 'kitchen', 3) "
        "on conflict (tenant, user_id, pool) do update set updates = 3",
        memory.tenant,
    )
    return chat


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return {**one, "exported_at": 0} == {**other, "exported_at": 0}


async def test_nothing_is_lost_on_the_way(
    memory: Recollect, elsewhere: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await _fill(memory, admin)
    document = await memory.export(user="ana")
    assert json.loads(json.dumps(document)) == document
    assert all(
        document[section] for section in ("agents", "conversations", "memories", "notes", "pools", "tombstones")
    )
    done = await elsewhere.import_user(document)
    assert done == Imported(conversations=3, messages=35, memories=3, notes=1)
    assert _same(await elsewhere.export(user="ana"), document)

    # It is not only there, it works: found, gone on with, numbered on.
    assert [hit.text for hit in await elsewhere.recall("vegan food", user="ana", agent="cook")] == [
        "user is vegan"
    ]
    assert await elsewhere.search("vegan", user="ana")
    again = await elsewhere.conversation(user="ana", agent="cook")
    assert again.id == chat.id
    assert await again.memory_document() == await chat.memory_document()
    kept = await again.save_memory_document({"goes": "on"}, version=2)
    assert (kept.version, (await elsewhere.agent("cook")).model) == (3, "openai:tiny")
    assert (await again.append("user", "and on")).seq == 35
    assert again.record.message_count == 34
    due = "select kind, subject from recollect.work where tenant = $1 and due_at <= now()"
    assert [tuple(row) for row in await admin.fetch(due, elsewhere.tenant)] == [("extract", chat.id)]


async def test_states_and_their_history_come_back(memory: Recollect, elsewhere: Recollect) -> None:
    chat = await _fill_states(memory)
    document = await memory.export(user="ana")
    # The version that the conversation began with, and the one that the agent's next one begins with.
    assert [(one["name"], [v["version"] for v in one["versions"]]) for one in document["workflows"]] == [
        ("parcel", [1, 2])
    ]
    assert list(document["workflows"][0]["versions"][0]["definition"]["draft"]["properties"]) == [
        "zone",
        "items",
        "address",
    ], "in the order of its definition"
    await elsewhere.import_user(json.loads(json.dumps(document)))
    assert _same(await elsewhere.export(user="ana"), document)
    assert await _states(elsewhere) == await _states(memory)
    # It goes on where it was, and others begin where they would have.
    again = await elsewhere.conversation(id=chat.id)
    assert (again.status, (await again.state()).version, (await again.state()).step) == ("on its way", 4, "sent")
    assert (await again.undo_state(to=2)).draft == {"items": ["figs"], "address": "Porto"}
    assert (await elsewhere.agent("packer")).learn_every == 4
    begun = await elsewhere.new_conversation(user="ana", agent="packer")
    assert (await begun.state()).workflow_version == 2
    # Once more, it adds nothing and changes nothing.
    before = await _states(elsewhere)
    assert (await elsewhere.import_user(document)).known == 4
    assert await _states(elsewhere) == before
    assert await elsewhere.workflows() == await memory.workflows()


async def test_a_workflow_of_the_same_name_gets_a_further_version(
    memory: Recollect, elsewhere: Recollect, admin: asyncpg.Connection
) -> None:
    """The conversation goes on with its own; how others begin here stays as it was."""
    chat = await _fill_states(memory)
    document = await memory.export(user="ana")
    other = {"start": "only", "steps": [{"name": "only"}]}
    await elsewhere.define_workflow("parcel", other)
    await elsewhere.configure_agent("packer", workflow="parcel")
    for _ in range(2):
        await elsewhere.import_user(document)
        state = await (await elsewhere.conversation(id=chat.id)).state()
        assert (state.workflow_version, state.step, state.draft) == (3, "sent", {"items": ["figs"]})
        assert await elsewhere.workflow("parcel", 3) == await memory.workflow("parcel", 1)
        assert await elsewhere.workflow("parcel", 2) == await memory.workflow("parcel", 2)
        begun = await elsewhere.new_conversation(user="ben", agent="packer")
        assert ((await begun.state()).workflow_version, (await begun.state()).step) == (4, "only")
        count = "select count(*) from recollect.workflows where tenant = $1"
        assert await admin.fetchval(count, elsewhere.tenant) == 4


async def test_ours_is_not_overshadowed_where_it_is_used(memory: Recollect, elsewhere: Recollect) -> None:
    await memory.define_workflow("rfp", PACKING)
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    await chat.update_state({"parcel": {"zone": "A"}})
    await elsewhere.configure_agent("other buyer", workflow="rfp")
    await elsewhere.import_user(await memory.export(user="ana"))
    assert (await (await elsewhere.conversation(id=chat.id)).state()).step == "packing"
    begun = await elsewhere.new_conversation(user="ben", agent="other buyer")
    assert (await begun.state()).step == "initial"


async def test_an_importance_is_found_as_it_is_shown(memory: Recollect, elsewhere: Recollect) -> None:
    kept = await memory.remember("user is tall", user="ana", agent="cook")
    document = await memory.export(user="ana")
    document["memories"][0]["importance"] = 0.12346
    await elsewhere.import_user(document)
    assert (await elsewhere.memory(kept.id)).importance == 0.1235
    assert len((await elsewhere.memories("ana", "cook", min_importance=0.1235)).items) == 1


async def test_what_is_there_is_not_added_again(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await _fill(memory, admin)
    document = await memory.export(user="ana")
    assert await memory.import_user(document) == Imported(known=7)
    assert _same(await memory.export(user="ana"), document)
    # What was changed here meanwhile is not undone, and what was forgotten does not come back.
    await chat.append("user", "new")
    await memory.edit_notes("append", "new", user="ana", agent="cook")
    gone = (await memory.memories(user="ana", agent="cook")).items[0]
    await memory.forget(gone.id)
    assert await memory.import_user(document) == Imported(known=7)
    assert (await chat.window(1))[0].content == "new"
    assert "new" in (await memory.notes(user="ana", agent="cook")).text
    with pytest.raises(NotFound):
        await memory.memory(gone.id)


async def test_for_another_user_beside_the_first(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await _fill(memory, admin)
    document = await memory.export(user="ana")
    done = await memory.import_user(document, user="ben")
    assert (done.conversations, done.messages, done.memories, done.notes) == (3, 35, 3, 1)
    assert await memory.import_user(document, user="ben") == Imported(known=7)
    assert _same(await memory.export(user="ana"), document)
    theirs = await memory.export(user="ben")
    assert theirs["user"] == "ben"
    ids = {one["id"] for one in theirs["conversations"]}
    assert chat.id not in ids
    sources = {one["source"]["conversation"] for one in theirs["memories"] if "source" in one}
    assert sources <= ids
    versions = [version for one in theirs["memories"] for version in one["versions"]]
    assert {version["source"]["conversation"] for version in versions if "source" in version} == sources
    assert {(version["author"], version["trust"]) for version in versions} == {
        ("user", "trusted"),
        ("tool", "untrusted"),
        ("extractor:rules", "trusted"),
    }
    assert {one["superseded_by"] for one in theirs["memories"] if "superseded_by" in one} <= {
        one["id"] for one in theirs["memories"]
    }
    # Started again after the first user was erased, it finds what it had done.
    await memory.erase(user="ana")
    assert await memory.import_user(document, user="ben") == Imported(known=7)


async def test_a_conversation_that_somebody_else_put_in_the_way_gets_nothing(memory: Recollect) -> None:
    """The id that an import would choose can be known before."""
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "between us")
    trap = await memory.new_conversation(user="eve", agent="cook", id=str(derived("ben", chat.id)))
    with pytest.raises(Refused, match="of another user"):
        await memory.import_user(await memory.export(user="ana"), user="ben")
    assert await trap.window() == []


async def test_turns_move_along_with_their_keys(memory: Recollect, elsewhere: Recollect) -> None:
    """What was said under a key is not said twice, and what the agent knew can be looked up."""
    kept = await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
    gone = await memory.remember("user has an allergy to peanuts from Peru", user="ana", agent="cook")
    chat = await memory.conversation(user="ana", agent="cook")
    said = await chat.append("user", "hello", key="k1")
    reply = await chat.say("Am I allergic to peanuts?", key="k2")
    before = await chat.known(reply.messages[-1].seq)
    assert {one.id for one in before.memories} == {kept.id, gone.id}
    await memory.forget(gone.id)
    document = json.loads(json.dumps(await memory.export(user="ana")))
    await elsewhere.import_user(document)
    assert _same(await elsewhere.export(user="ana"), document)
    for door, user in ((elsewhere, "ana"), (memory, "ben")):
        await door.import_user(document, user=user)
        there = await door.conversation(user=user, agent="cook")
        own = next(one for one in (await door.memories(user, "cook")).items)
        turns = [msgspec.structs.replace(one, conversation=chat.id) for one in await there.turns()]
        assert turns == await chat.turns()
        again = await there.append("user", "hello", key="k1")
        assert (again.seq, again.id) == (said.seq, (await there.messages(10)).items[0].id)
        assert (await there.say("Am I allergic to peanuts?", key="k2")).text == reply.text
        with pytest.raises(KeyReused):
            await there.append("user", "something else", key="k1")
        assert len((await there.messages(10)).items) == len((await chat.messages(10)).items) == 3
        found = await there.known(reply.messages[-1].seq)
        assert {(one.id, one.memory and one.memory.user) for one in found.memories} == {
            (own.id, user),
            (gone.id, None),
        }


async def test_a_turn_shows_no_memory_of_somebody_else(memory: Recollect, elsewhere: Recollect) -> None:
    theirs = await elsewhere.remember("user hides figs", user="ben", agent="cook")
    await memory.remember("user likes figs", user="ana", agent="cook")
    chat = await memory.conversation(user="ana", agent="cook")
    reply = await chat.say("Do I like figs?")
    document = await memory.export(user="ana")
    document["conversations"][0]["turns"][0]["known"]["memories"] = [[theirs.id, 1.0, "planted"]]
    await elsewhere.import_user(document)
    assert (await (await elsewhere.conversation(id=chat.id)).known(reply.messages[-1].seq)).memories == []


async def test_the_session_of_a_memory_moves_along(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.")
    await memory.digest(everything=True)
    await memory.import_user(await memory.export(user="ana"), user="ben")
    for user in ("ana", "ben"):
        session = await memory.conversation(user=user, agent="cook")
        (learned,) = (await memory.memories(user, "cook")).items
        assert learned.source is not None
        assert learned.context["sessionId"] == learned.source.conversation == session.id


class Stopped(Exception):
    pass


async def test_an_import_that_was_stopped_goes_on(
    memory: Recollect, elsewhere: Recollect, admin: asyncpg.Connection
) -> None:
    await _fill(memory, admin)
    document = await memory.export(user="ana")
    for stop in range(1, 7):

        def progress(done: int, of: int, stop: int = stop) -> None:
            assert of == 7
            if done >= stop:
                raise Stopped

        with pytest.raises(Stopped):
            await elsewhere.import_user(document, progress=progress)
    await elsewhere.import_user(document)
    assert _same(await elsewhere.export(user="ana"), document)


async def test_an_import_that_was_cancelled_between_messages_goes_on(
    memory: Recollect, elsewhere: Recollect
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    for start in range(0, 3000, 500):
        await chat.extend([("user", f"line {start + number}") for number in range(500)])
    document = await memory.export(user="ana")
    stored = 0
    while stored < 3000:
        task = asyncio.create_task(elsewhere.import_user(document))
        await asyncio.wait([task], timeout=0.15 + stored / 3000)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        listed = (await elsewhere.conversations(user="ana")).items
        stored = listed[0].message_count if listed else 0
    assert _same(await elsewhere.export(user="ana"), document)


@pytest.mark.parametrize("goes_on", [False, True])
async def test_what_came_after_an_import_was_stopped_is_digested_too(
    memory: Recollect, elsewhere: Recollect, goes_on: bool
) -> None:
    """Also where somebody has gone on with the conversation meanwhile, under numbers above those that were missing."""
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "We talked about the roses in the garden today.")] * 20)
    await chat.extend([("user", f"My daughter Zelda was born in Kyoto in {1980 + n}.") for n in range(19)])
    await chat.append("user", "I live in Porto.")
    document = await memory.export(user="ana")
    half = copy.deepcopy(document)
    half["conversations"][0] |= {"messages": document["conversations"][0]["messages"][:20], "message_count": 20}
    await elsewhere.import_user(half)
    there = await elsewhere.conversation(id=chat.id)
    if goes_on:
        await there.append("user", "The roses are red.")
    await elsewhere.digest(everything=True)
    assert "roses" in ((await there.summary()).text or "")
    await elsewhere.import_user(document)
    await elsewhere.digest()
    summary = await there.summary()
    assert (summary.upto, "Zelda" in (summary.text or "")) == (40 + goes_on, True)
    assert "user lives in Porto" in {one.text for one in (await elsewhere.memories("ana", "cook")).items}


async def test_a_large_user_is_written_and_read_piece_by_piece(
    memory: Recollect, elsewhere: Recollect, admin: asyncpg.Connection, tmp_path: Path
) -> None:
    await _fill(memory, admin)
    file = tmp_path / "ana.json"
    told: list[tuple[int, int]] = []
    with file.open("wb") as out:
        assert await memory.export_to(out.write, "ana", lambda done, of: told.append((done, of))) == 7
    assert told == [(done, 7) for done in range(8)]
    assert _same(json.loads(file.read_text()), await memory.export(user="ana"))
    told.clear()
    await elsewhere.import_user(file, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (7, 7)
    assert _same(await elsewhere.export(user="ana"), await memory.export(user="ana"))


async def test_notes_of_many_versions_come_back(
    memory: Recollect, elsewhere: Recollect, admin: asyncpg.Connection
) -> None:
    await memory.edit_notes("append", "Likes tea.", user="ana", agent="cook")
    await admin.execute(
        "insert into recollect.note_versions (tenant, user_id, agent, version, text, operation, actor, "
        "created_at) select $1, 'ana', 'cook', n, 'Likes ' || n, 'append', 'test', now() from generate_series(2, 250) n",
        memory.tenant,
    )
    await admin.execute("update recollect.notes set version = 250 where tenant = $1", memory.tenant)
    document = await memory.export(user="ana")
    assert [one["version"] for one in document["notes"][0]["versions"]] == list(range(1, 251))
    await elsewhere.import_user(document)
    assert _same(await elsewhere.export(user="ana"), document)


async def test_a_document_is_read_and_checked_beside_the_loop(
    memory: Recollect, elsewhere: Recollect, tmp_path: Path
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "hello")] * 100)
    file = tmp_path / "ana.json"
    file.write_text(json.dumps(document := await memory.export(user="ana")))
    for given_, user in ((document, "ana"), (file, "ben")):
        with calls_of(_words) as checked, calls_of(decoded) as read:
            assert (await elsewhere.import_user(given_, user=user)).messages == 100
        assert (checked, read) == ([], [])


async def test_a_memory_comes_in_as_one_line_and_with_a_version_to_go_back_to(
    memory: Recollect, elsewhere: Recollect
) -> None:
    await memory.remember("user likes tea", user="ana", agent="cook")
    await memory.edit_notes("append", "- tea", user="ana", agent="cook")
    document = await memory.export(user="ana")
    document["memories"][0] |= {"text": "user likes\n tea", "versions": []}
    document["notes"][0]["versions"] = []
    await elsewhere.import_user(document)
    (known,) = (await elsewhere.memories(user="ana", agent="cook")).items
    assert known.text == "user likes tea"
    await elsewhere.revise(known.id, text="user likes coffee")
    assert [(one.text, one.change) for one in await elsewhere.history(known.id)] == [
        ("user likes tea", "import"),
        ("user likes coffee", "revise"),
    ]
    assert (await elsewhere.undo(known.id)).text == "user likes tea"
    await elsewhere.edit_notes("append", "- coffee", user="ana", agent="cook")
    assert (await elsewhere.undo_notes("ana", "cook")).text == "- tea"


async def test_ids_of_nothing_but_zeros_or_ones_are_ids_as_well(memory: Recollect, elsewhere: Recollect) -> None:
    nobody, last = str(UUID(int=0)), str(UUID(int=(1 << 128) - 1))
    for id in (nobody, last):
        chat = await memory.new_conversation(user="ana", agent="cook", id=id)
        await chat.append("user", "Hello.", at=datetime(2020, 1, 1, tzinfo=UTC))
    await memory.new_conversation(user="ana", agent="cook")
    kept = await memory.remember("user likes tea", user="ana", agent="cook")
    document = await memory.export(user="ana")
    assert [one["id"] for one in document["conversations"]][::2] == [nobody, last]
    document["memories"][0]["id"] = nobody
    assert (await elsewhere.import_user(document)).conversations == 3
    again = await elsewhere.export(user="ana")
    assert again["conversations"] == document["conversations"]
    assert [(one["id"], one["text"]) for one in again["memories"]] == [(nobody, kept.text)]
    await elsewhere.set_retention(60)
    assert (await elsewhere.tidy()).messages == 2


async def test_a_user_of_whom_nothing_is_known(memory: Recollect, elsewhere: Recollect) -> None:
    document = await memory.export(user="ana")
    pieces: list[bytes] = []
    await memory.export_to(pieces.append, "ana")
    assert _same(json.loads(b"".join(pieces)), document)
    assert await elsewhere.import_user(document) == Imported()


async def test_a_conversation_that_went_on_differently_is_refused(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "one")
    document = await memory.export(user="ana")
    document["conversations"][0]["messages"][0]["id"] = str(uuid4())
    with pytest.raises(Refused, match="other messages"):
        await memory.import_user(document)
    assert [message.content for message in await chat.window()] == ["one"]


def _change(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed: Any = copy.deepcopy(document)  # the value itself may be too deep to copy
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at = changed
    for step in way:
        at = at[step]
    at[last] = value
    return changed


deep: dict[str, Any] = {}
for _ in range(3000):
    deep = {"canary": deep}


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("format", "recollect.user/9", "format"),
        ("user", "", "user"),
        ("conversations", {"a": 1}, "conversations"),
        ("secret", 1, "secret"),
        ("conversations.0.secret", "canary", r"conversations\[0\]"),
        ("conversations.0.id", "canary", r"conversations\[0\]\.id"),
        ("conversations.0.agent", "\n", r"conversations\[0\]\.agent"),
        ("conversations.0.message_count", 1, r"conversations\[0\]\.message_count"),
        ("conversations.0.last_seq", -1, r"conversations\[0\]"),
        ("conversations.0.turns.0.known", {"memories": [["canary", 1, ""]]}, r"turns\[0\]\.known"),
        ("conversations.0.turns.0.known", {"dropped": [{"canary": 1}]}, r"turns\[0\]\.known"),
        ("conversations.0.turns.0.known", {"memories": [[GHOST, 1, "canary\0"]]}, r"turns\[0\]\.known"),
        ("conversations.0.turns.0.tokens", {"canary": 1 << 40}, r"turns\[0\]\.tokens"),
        ("conversations.0.turns.0.seconds", -1.0, r"turns\[0\]\.seconds"),
        ("conversations.0.turns.0.status", "running", r"turns\[0\]\.status"),
        ("conversations.0.turns.0.first_seq", None, r"turns\[0\]"),
        ("conversations.0.turns.0.last_seq", 99, r"turns\[0\]"),
        ("conversations.0.turns.0.problems", ["canary\0"], r"turns\[0\]\.problems"),
        ("conversations.0.turns.0.fingerprint", "", r"turns\[0\]\.fingerprint"),
        ("conversations.0.keys.0.ids", [], r"keys\[0\]"),
        ("conversations.0.keys.0.first_seq", 99, r"keys\[0\]"),
        ("conversations.0.keys.0.key", "\n", r"keys\[0\]\.key"),
        ("conversations.0.messages.2.seq", 1, r"conversations\[0\]\.messages\[2\]\.seq"),
        ("conversations.0.messages.2.seq", 99, r"conversations\[0\]\.messages\[2\]\.seq"),
        ("conversations.0.messages.1.role", "canary", r"conversations\[0\]\.messages\[1\]\.role"),
        ("conversations.0.messages.1.content", 5, r"conversations\[0\]\.messages\[1\]\.content"),
        ("conversations.0.messages.1.content", "canary\0", r"conversations\[0\]\.messages\[1\]\.content"),
        ("conversations.0.messages.1.metadata", {"canary": float("nan")}, r"messages\[1\]\.metadata"),
        ("conversations.0.messages.1.metadata", {"a": 10**400}, r"messages\[1\]\.metadata"),
        ("conversations.0.messages.1.metadata", deep, r"conversations\[0\]"),
        ("conversations.0.messages.1.parts", [deep], r"conversations\[0\]"),
        ("conversations.0.messages.1.created_at", "canary", r"messages\[1\]\.created_at"),
        ("memories.0.importance", 2.0, r"memories\[0\]\.importance"),
        ("memories.0.author", "canary", r"memories\[0\]\.author"),
        ("memories.0.text", "canary" * 200, r"memories\[0\]\.text"),
        ("memories.0.versions.0.version", 2, r"memories\[0\]\.versions"),
        ("memories.0.versions.0.author", "canary", r"memories\[0\]\.versions\[0\]\.author"),
        ("memories.0.version", 1 << 40, r"memories\[0\]\.version"),
        ("memories.0.versions.0.text", "canary" * 200, r"memories\[0\]\.versions\[0\]\.text"),
        ("memories.0.versions.0.category", "canary" * 11, r"memories\[0\]\.versions\[0\]\.category"),
        ("memories.0.versions.0.status", "canary", r"memories\[0\]\.versions\[0\]\.status"),
        ("notes.0.text", "canary" * 11_000, r"notes\[0\]\.text"),
        ("notes.0.versions.0.text", "canary" * 11_000, r"notes\[0\]\.versions\[0\]\.text"),
        ("notes.0.versions.0.version", 7, r"notes\[0\]\.versions"),
        ("tombstones.0.fingerprint", "%%%", r"tombstones\[0\]\.fingerprint"),
        ("tombstones.0.conversation", GHOST, r"tombstones\[0\]"),
        ("tombstones.0.last_seq", 3, r"tombstones\[0\]"),
        ("agents.0.workflow", "\n", r"agents\[0\]\.workflow"),
        ("agents.0.instructions", "canary" * 50_000, r"agents\[0\]\.instructions"),
        ("agents.0.window", 1001, r"agents\[0\]\.window"),
        ("agents.0.budget", 0, r"agents\[0\]\.budget"),
        ("agents.0.learn_every", 1001, r"agents\[0\]\.learn_every"),
        ("workflows", {"canary": 1}, "workflows"),
        ("workflows", [], r"conversations\[0\]\.state\.workflow_version"),
        ("workflows.0.name", "canary", r"workflows\[0\]\.versions\[0\]\.definition\.name"),
        ("workflows.0.versions.0.version", 0, r"workflows\[0\]\.versions\[0\]\.version"),
        ("workflows.0.versions.0.definition", {"canary": 1}, r"workflows\[0\]\.versions\[0\]\.definition"),
        ("workflows.0.versions.0.definition", deep, r"workflows\[0\]"),
        ("workflows.0.versions.0.definition.start", "canary", r"versions\[0\]\.definition\.start"),
        ("workflows.0.versions.0.definition.steps.1.moves", ["canary"], r"definition\.steps\[1\]\.moves"),
        ("workflows.0.versions.0.definition.draft.properties", {"canary": 1}, r"definition\.draft\.properties"),
        ("conversations.0.state.workflow", None, r"conversations\[0\]\.state\.workflow_version"),
        ("conversations.0.state.workflow", "canary", r"conversations\[0\]\.state\.workflow_version"),
        ("conversations.0.state.workflow_version", 9, r"conversations\[0\]\.state\.workflow_version"),
        ("conversations.0.state.step", "canary", r"conversations\[0\]\.state\.step"),
        ("conversations.0.state.draft", {"canary": 1}, r"conversations\[0\]\.state\.draft"),
        ("conversations.0.state.draft", {"zone": 5}, r"conversations\[0\]\.state\.draft"),
        ("conversations.0.state.draft", ["canary"], r"conversations\[0\]\.state\.draft"),
        ("conversations.0.state.metadata", {"canary": float("inf")}, r"conversations\[0\]\.state\.metadata"),
        ("conversations.0.state.last_action", "canary\0", r"conversations\[0\]\.state\.last_action"),
        ("conversations.0.state.version", 0, r"conversations\[0\]\.state\.version"),
        ("conversations.0.state.version", 1, r"conversations\[0\]\.state_history\[2\]\.version"),
        ("conversations.0.state", None, r"conversations\[0\]\.state_history\[1\]\.version"),
        ("conversations.0.state_history.1.version", 7, r"state_history\[1\]\.version"),
        ("conversations.0.state_history.2.version", 1, r"state_history\[2\]\.version"),
        ("conversations.0.state_history.1.at_seq", 9, r"state_history\[1\]\.at_seq"),
        ("conversations.0.state_history.1.change", "canary", r"state_history\[1\]\.change"),
        ("conversations.0.state_history.1.cause", "canary", r"state_history\[1\]\.cause"),
        ("conversations.0.state_history.1.patch", deep, r"conversations\[0\]"),
        ("conversations.0.state_history.1.patch", "canary\0", r"state_history\[1\]\.patch"),
        ("conversations.0.state_history.1.snapshot.step", None, r"state_history\[1\]\.snapshot\.step"),
        ("conversations.0.state_history.1.snapshot.draft", {"zone": 5}, r"state_history\[1\]\.snapshot\.draft"),
        ("conversations.0.state_history.0.snapshot", {}, r"state_history\[0\]\.snapshot"),
    ],
)
async def test_bad_input_changes_nothing_and_is_not_quoted(
    memory: Recollect, elsewhere: Recollect, path: str, value: Any, field: str
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "a"), ("user", "b"), ("user", "c")])
    await memory.forget((await memory.remember("gone", user="ana", agent="cook")).id)
    await memory.remember("kept", user="ana", agent="cook")
    await memory.edit_notes("append", "kept", user="ana", agent="cook")
    await memory.define_workflow("parcel", PACKING)
    await memory.configure_agent("cook", workflow="parcel")
    with pytest.raises(Refused):
        await chat.move("sent")
    await chat.update_state({"parcel": {"items": ["figs"]}})
    await chat.move("sent")
    await chat.say("Thanks", key="k")
    document = _change(await memory.export(user="ana"), path, value)
    with pytest.raises(Invalid, match=field) as caught:
        await elsewhere.import_user(document)
    assert "canary" not in str(caught.value)
    assert (await elsewhere.conversations(user="ana")).items == []
    assert (await elsewhere.memories(user="ana", agent="cook")).items == []
    assert [one.name for one in await elsewhere.workflows()] == ["rfp", "support_ticket"]


async def test_something_else_than_a_document(memory: Recollect, tmp_path: Path) -> None:
    for source in (5, None, b"{}"):
        with pytest.raises(Invalid, match="source"):
            await memory.import_user(source)  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="format: must be one of recollect, chatgpt"):
        await memory.import_from("paper", {})
    with pytest.raises(Invalid, match="cannot be read"):
        await memory.import_user(tmp_path / "nowhere.json")


@pytest.mark.parametrize("format", ["recollect", "chatgpt", "mem0", "langchain-postgres"])
@pytest.mark.parametrize(
    "text", ['{"a": "secret"}', '\n[ ["secret"] ]', "a,b\r\nsecret,c", "secret\0", "secret\ud800"]
)
async def test_the_text_of_a_document_is_no_name_of_a_file(memory: Recollect, format: str, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        await memory.import_from(format, text, user="ana")
    assert refused.value.field == "source"
    assert "secret" not in str(refused.value)


async def test_a_file_may_be_called_anything(memory: Recollect, tmp_path: Path) -> None:
    file = tmp_path / "{a}\n.json"
    file.write_text("[]")
    with contextlib.chdir(tmp_path):
        assert await memory.import_from("mem0", file.name) == Imported()


@pytest.mark.parametrize("in_order", [True, False])
async def test_one_conversation_says_what_can_be_imported(memory: Recollect, in_order: bool) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I like tea")
    document = json.loads(await chat.export("json"))
    given = document if in_order else dict(sorted(document.items()))
    with pytest.raises(Invalid, match=r"^format: one conversation, .* recollect\.user/1"):
        await memory.import_user(given)


text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
word = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=20)
number = st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False, width=32)
anything = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
message = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "tool"]),
        "content": text | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": text}), max_size=3),
    },
    optional={
        "name": word,
        "metadata": st.dictionaries(text, anything, max_size=3),
        "tool_calls": st.lists(anything, max_size=2),
        "tool_call_id": word,
        "at": st.datetimes(timezones=st.just(UTC)).filter(lambda at: 1 < at.year < 9999),
    },
)


patch = st.fixed_dictionaries(
    {},
    optional={
        "draft": st.dictionaries(text, anything, max_size=3),
        "parcel": st.dictionaries(st.sampled_from(["zone", "items", "address"]), anything, max_size=3),
        "lastAction": text | st.none(),
        "metadata": st.dictionaries(text, anything, max_size=2),
        "workflowStep": st.sampled_from(["packing", "sent"]) | text,
        "nonsense": anything,
    },
)
#: What happens to a state: a model's update, whatever it says, a way back, or that all is cleared.
changes = st.lists(patch | anything | st.sampled_from(["undo", "clear"]), max_size=5)


async def _happen(memory: Recollect, chat: Chat, what: list[Any]) -> None:
    for one in what:
        if one == "undo":
            with suppress(Refused):  # nothing has changed yet
                await chat.undo_state(to=0)
        elif one == "clear":
            await chat.clear()
        else:
            async with memory.database.transaction(memory.tenant) as transaction:
                cause = Cause("model", "small")
                await apply_update(transaction, Caller(memory.tenant, "test"), chat.id, one, cause)


@settings(max_examples=40, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(talks=st.lists(st.tuples(word, text, st.lists(message, max_size=4), changes), max_size=3), notes=text)
async def test_whatever_can_be_said_comes_back(dsn: str, talks: list[Any], notes: str) -> None:
    async with (
        Recollect.open(dsn, tenant=f"here-{uuid4()}", pool_size=1) as here,
        Recollect.open(dsn, tenant=f"there-{uuid4()}", pool_size=1) as there,
    ):
        await here.define_workflow("parcel", PACKING)
        for agent, title, said, what in talks:
            await here.configure_agent(agent, workflow="parcel" if len(agent) % 2 else "")
            chat = await here.new_conversation(user="ana", agent=agent, title=title)
            if said:
                await chat.extend(said)
            await _happen(here, chat, what)
        await here.edit_notes("append", notes, user="ana", agent="cook")
        document = await here.export(user="ana")
        await there.import_user(json.loads(json.dumps(document)))
        assert _same(await there.export(user="ana"), document)
        assert await _states(there) == await _states(here)


async def test_an_export_that_cannot_be_written_keeps_no_connection(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "hello")
    pool = memory.database._pool  # pyright: ignore[reportPrivateUsage]
    held: list[OSError] = []

    def write(piece: bytes) -> None:
        if b"hello" in piece:
            raise OSError(28, "No space left on device")

    for _ in range(3):
        with pytest.raises(OSError, match="No space") as caught:
            await memory.export_to(write, "ana")
        held.append(caught.value)  # with its frames, which a program may keep for a while
        assert len(pool._borrowed) == 0  # pyright: ignore[reportPrivateUsage]


async def test_what_was_merged_goes_with_the_one_here_that_says_the_same(
    memory: Recollect, elsewhere: Recollect
) -> None:
    for text in ("user lives in Porto", "user is living in Porto"):
        await memory.remember(text, "ana", "cook", author="agent")
    await memory.consolidate("ana", "cook")
    (kept,) = (await memory.memories("ana", "cook")).items
    known = await elsewhere.remember(kept.text, "ana", "cook")
    document = await memory.export("ana")
    assert await elsewhere.import_user(document) == Imported(memories=1, known=1)
    (merged,) = (await elsewhere.memories("ana", "cook", status="retired")).items
    assert merged.superseded_by == known.id
    assert (await elsewhere.history(merged.id))[-1].superseded_by == known.id
    assert await elsewhere.import_user(document) == Imported(known=2)
    await elsewhere.forget(known.id)
    with pytest.raises(NotFound):
        await elsewhere.memory(merged.id)


async def test_what_is_forgotten_while_it_is_imported_stays_so(memory: Recollect, elsewhere: Recollect) -> None:
    known = await memory.remember("user lives in Porto", "ana", "cook")

    class Slow(WordLlama):
        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            await elsewhere.forget((await elsewhere.remember(known.text, "ana", "cook")).id)
            return await super().embed(texts)

    caller, models = Caller(elsewhere.tenant, "test"), Embedders(Slow(), lambda _: None)
    await restore(elsewhere.database, caller, models, await memory.export("ana"), None, None)
    assert (await elsewhere.memories("ana", "cook")).items == []
