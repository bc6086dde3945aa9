"""Bring a user's document back: what is missing is added, what is there stays. It can be resumed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound, Refused
from recollect.exchange.checking import entry
from recollect.exchange.document import (
    FORMAT,
    SECTIONS,
    KeptAgent,
    KeptConversation,
    KeptDocument,
    KeptMemory,
    KeptMemoryVersion,
    KeptMessage,
    KeptNotes,
    KeptPool,
    KeptSource,
    KeptTombstone,
    Record,
)
from recollect.exchange.memories import restore_memories
from recollect.exchange.names import chosen, derived, source_id
from recollect.exchange.reading import Given, beside, entries
from recollect.exchange.records import Imported, Progress, told
from recollect.exchange.states import check_state, moved_state, restore_state
from recollect.exchange.turns import restore_turns
from recollect.exchange.workflows import Versions, known_workflows, restore_workflows, workflows_in
from recollect.forget.since import Since, since_now
from recollect.ids import new_id
from recollect.models.generations import Embedders
from recollect.records import Caller
from recollect.remember.insight import fingerprint
from recollect.storage.database import Database, Transaction
from recollect.workflows.definition import Workflow

Kept = TypeVar("Kept", KeptMemory, KeptMemoryVersion)

BATCH = 500
#: Memories that are embedded together.
TOGETHER = 200


async def restore(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    given: Given,
    user: str | None,
    progress: Progress | None,
    *,
    own: bool = False,
) -> Imported:
    """Check the whole document first, then write it, for the user that it names or for another one. Where it is to
    be the user's ``own`` alone, what concerns all users of the tenant stays as it is."""
    found = await asyncio.to_thread(checked, given)
    user = found.user if user is None else inputs.identifier("user", user)
    ids = {
        "conversations": await _chosen_ids(database, caller, "conversation_owners", user, found.conversations),
        "memories": await _chosen_ids(database, caller, "memory_owners", user, found.memories),
    }
    ids["memories"] |= await _said_here(database, caller, user, found.said, ids["memories"])
    if own:
        versions = await known_workflows(database, caller, found.workflows, found.followed)
    else:
        versions = await restore_workflows(database, caller, found.workflows)
    sum_, done, since = Imported(), 0, await since_now(database, caller, user)
    memories: list[KeptMemory] = []
    last: list[KeptTombstone] = []

    async def remember() -> Imported:
        nonlocal done
        added = await restore_memories(database, caller, embedders, since, memories)
        done += len(memories)
        memories.clear()
        return added

    told(progress, 0, found.entries)
    async for record in beside(_records(given, ids, versions)):
        match record:
            case KeptConversation():
                sum_ += await _conversation(database, caller, since, record, ids["memories"])
                done += 1
            case KeptMemory():
                memories.append(record)
                if len(memories) == TOGETHER:
                    sum_ += await remember()
            case KeptAgent() if own:
                pass
            case KeptTombstone():
                last.append(record)  # what is buried here must not keep out what comes along with it
            case _:
                sum_ += await _small(database, caller, since, record)
                done += isinstance(record, KeptNotes | KeptDocument)
        told(progress, done, found.entries)
    sum_ += await remember()
    told(progress, done, found.entries)
    await _finish(database, caller, since, last, ids["conversations"])
    return sum_


class Checked(msgspec.Struct, frozen=True):
    """What a document that is right in all of its parts says of itself."""

    user: str
    entries: int
    conversations: list[UUID]
    memories: list[UUID]
    said: dict[UUID, tuple[str, bytes]]
    """Of each memory that is not retired, the pool and what it says."""
    workflows: dict[str, dict[int, Workflow]]
    followed: set[tuple[str, int]]
    """The versions of workflows that states follow, but for ours."""


def checked(given: Given) -> Checked:
    """Read a whole document; Invalid if anything in it is wrong."""
    _check_format(given)
    user: object = None
    total = 0
    ids: dict[type[Record], list[UUID]] = {KeptConversation: [], KeptMemory: []}
    said: dict[UUID, tuple[str, bytes]] = {}
    followed: set[tuple[str, int]] = set()
    workflows = workflows_in(entries(given))
    for name, place, value in entries(given):
        if name in SECTIONS and place >= 0:
            record = entry(name, place, value)
            if isinstance(record, KeptConversation):
                check_state(record, workflows, f"{name}[{place}]")
                if (state := record.state) is not None and state.workflow is not None and state.workflow_version:
                    followed.add((state.workflow, state.workflow_version))
            if isinstance(record, KeptConversation | KeptMemory):
                ids[type(record)].append(record.id)
            if isinstance(record, KeptMemory) and record.status != "retired":
                said[record.id] = record.pool, fingerprint(record.text)
            total += isinstance(record, KeptConversation | KeptMemory | KeptNotes | KeptDocument)
        elif name == "user" and place < 0:
            user = value
        elif name not in ("format", "exported_at") or place >= 0:
            raise Invalid(name if name.isidentifier() else "document", f"does not belong into a {FORMAT} document")
    user = inputs.identifier("user", user)
    return Checked(user, total, ids[KeptConversation], ids[KeptMemory], said, workflows, followed)


def _check_format(given: Given) -> None:
    """Before anything else is looked at: what is wrong in a document of another kind says nothing."""
    found = next((value for name, place, value in entries(given) if name == "format" and place < 0), None)
    if found == "recollect.conversation/1":
        raise Invalid(
            "format",
            f"one conversation, as chat.export() gives it, cannot be imported; a whole user can, as {FORMAT}: "
            "memory.export(user), or `recollect export`",
        )
    if found != FORMAT:
        raise Invalid("format", f"must be {FORMAT}, or choose another format")


def _records(given: Given, ids: dict[str, dict[UUID, UUID]], versions: Versions) -> Iterator[Record]:
    """What is to be written, under the ids that it gets here."""
    for name, place, value in entries(given):
        if name in SECTIONS and place >= 0:
            match entry(name, place, value):
                case KeptConversation() as conversation:
                    yield _moved_conversation(conversation, ids, versions)
                case KeptMemory() as memory:
                    yield _moved_memory(memory, ids)
                case record:
                    yield record


async def _chosen_ids(
    database: Database, caller: Caller, query: str, user: str, found: list[UUID]
) -> dict[UUID, UUID]:
    ids: dict[UUID, UUID] = {}
    for start in range(0, len(found), 10_000):
        async with database.transaction(caller.tenant) as transaction:
            ids |= await chosen(transaction, query, user, found[start : start + 10_000])
    return ids


async def _said_here(
    database: Database,
    caller: Caller,
    user: str,
    said: dict[UUID, tuple[str, bytes]],
    ids: dict[UUID, UUID],
) -> dict[UUID, UUID]:
    """Memories that are not here, but for another that says the same: what was merged into them is forgotten with
    that one, and what was known by them is shown by it."""
    found: dict[UUID, UUID] = {}
    every = list(said.items())
    for start in range(0, len(every), 10_000):
        some = every[start : start + 10_000]
        given = [ids[id] for id, _ in some]
        pools, prints = [told[0] for _, told in some], [told[1] for _, told in some]
        async with database.transaction(caller.tenant) as transaction:
            rows = await transaction.rows("memories_that_say", user, given, pools, prints)
        here: dict[UUID, UUID] = {row["given"]: row["id"] for row in rows}
        found |= {id: here[ids[id]] for id, _ in some if ids[id] in here}
    return found


def _moved_conversation(
    given: KeptConversation, ids: dict[str, dict[UUID, UUID]], versions: Versions
) -> KeptConversation:
    """Under another id, its messages have other ids too."""
    id = ids["conversations"][given.id]
    given = msgspec.structs.replace(given, state=moved_state(given.state, versions))
    if id == given.id:
        return given
    messages = [msgspec.structs.replace(one, id=derived(id, one.id)) for one in given.messages]
    keys = [msgspec.structs.replace(one, ids=[derived(id, old) for old in one.ids]) for one in given.keys]
    return msgspec.structs.replace(given, id=id, messages=messages, keys=keys)


def _moved_memory(given: KeptMemory, ids: dict[str, dict[UUID, UUID]]) -> KeptMemory:
    def moved(one: Kept) -> Kept:
        by = one.superseded_by
        by = None if by is None else ids["memories"].get(by, by)
        return msgspec.structs.replace(one, source=_moved_source(one.source, ids), superseded_by=by)

    return msgspec.structs.replace(
        moved(given),
        id=ids["memories"][given.id],
        versions=[moved(one) for one in given.versions],
        context=_moved_context(given.context, ids),
    )


def _moved_context(given: dict[str, Any], ids: dict[str, dict[UUID, UUID]]) -> dict[str, Any]:
    """What was learned names its conversation there too."""
    session = given.get("sessionId")
    known = source_id(session) if isinstance(session, str) else None
    moved = None if known is None else ids["conversations"].get(known)
    return given if moved in (None, known) else given | {"sessionId": str(moved)}


def _moved_source(given: KeptSource | None, ids: dict[str, dict[UUID, UUID]]) -> KeptSource | None:
    if given is None:
        return None
    moved = ids["conversations"].get(given.conversation, given.conversation)
    return msgspec.structs.replace(given, conversation=moved)


async def _conversation(
    database: Database, caller: Caller, since: Since, given: KeptConversation, memories: dict[UUID, UUID]
) -> Imported:
    """Its row with all that belongs to it first, then its messages, some at a time."""
    fresh = await _begin(database, caller, since, given, memories)
    added, first = 0, None
    for start in range(0, len(given.messages), BATCH):
        some = given.messages[start : start + BATCH]
        count, first = await _messages(database, caller, given, some, first)
        added += count
    return Imported(conversations=int(fresh), messages=added, known=int(not fresh and not added))


async def _begin(
    database: Database, caller: Caller, since: Since, given: KeptConversation, memories: dict[UUID, UUID]
) -> bool:
    user = since.user
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await since.check(transaction)
        row = await transaction.row(
            "restore_conversation",
            given.id,
            user,
            given.agent,
            given.title,
            given.status,
            given.last_seq,
            given.last_user_seq,
            given.created_at,
            given.updated_at,
            given.archived_at,
        )
        if row is None:
            rows = await transaction.rows("conversation_owners", [given.id])
            if any(one["user_id"] != user for one in rows):
                raise Refused(f"conversation {given.id} is already here, of another user")
            return False
        if given.active is not None:
            times = (given.active.created_at, given.active.last_active_at)
            await transaction.run("restore_active", user, given.agent, given.id, *times)
        digest = given.digest
        if digest is not None:
            await transaction.run(
                "restore_digest",
                given.id,
                digest.learned_seq,
                digest.summary,
                digest.summary_seq,
                digest.summary_by,
                digest.sentiment,
                digest.sentiment_seq,
                digest.updated_at,
            )
        for one in given.refusals:
            facts = (one.pool, one.first_seq, one.last_seq, one.reason, one.at)
            await transaction.run("restore_refusal", given.id, user, *facts)
        kept = given.memory
        if kept is not None:
            facts = (_json(kept.document), kept.version, kept.actor, kept.created_at, kept.updated_at)
            await transaction.run("restore_conversation_memory", given.id, *facts)
        await restore_state(transaction, given)
        await restore_turns(transaction, user, given, memories)
    return True


async def _messages(
    database: Database,
    caller: Caller,
    given: KeptConversation,
    messages: Sequence[KeptMessage],
    first: int | None,
) -> tuple[int, int | None]:
    """How many of these were added, and the number of the ``first`` message that was added so far."""
    seqs, ids = [one.seq for one in messages], [one.id for one in messages]
    async with database.transaction(caller.tenant) as transaction:
        if await transaction.row("lock_conversation", given.id) is None:
            raise NotFound("conversation", str(given.id))
        row = await transaction.row(
            "restore_messages",
            given.id,
            seqs,
            ids,
            [one.answers_seq for one in messages],
            [one.created_at for one in messages],
            [one.role for one in messages],
            [one.name for one in messages],
            [one.content for one in messages],
            [_json(one.parts) for one in messages],
            [_json(one.tool_calls) for one in messages],
            [one.tool_call_id for one in messages],
            [_json(one.metadata or None) for one in messages],
            [one.actor for one in messages],
        )
        added = 0 if row is None else row["added"]
        if row is not None and added:
            begun: int = row["first"] if first is None else first
            await _digest_again(transaction, given, begun - 1)
            first = begun
        if added < len(messages):
            there = await transaction.row("messages_there", given.id, seqs, ids)
            # Counted in the snapshot of this statement, so those that were just added are among them.
            if there is None or there[0] < len(messages):
                raise Refused(
                    f"conversation {given.id} has other messages here than in the document; delete it, or import "
                    "for another user"
                )
    return added, first


async def _digest_again(transaction: Transaction, given: KeptConversation, before: int) -> None:
    """Whoever has learned from the conversation, or summed it up, while these messages were missing has passed
    them over: they are gone back to, but for those that the document knows as done."""
    learned, summed = (0, 0) if given.digest is None else (given.digest.learned_seq, given.digest.summary_seq)
    await transaction.run("digest_again", given.id, max(learned, before), max(summed, before))
    if given.last_seq // 10 > learned // 10:
        await transaction.run("restore_work", given.id)


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


async def _small(database: Database, caller: Caller, since: Since, record: Record) -> Imported:
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await since.check(transaction)
        return await _put(transaction, caller, since.user, record)


async def _put(transaction: Transaction, caller: Caller, user: str, record: Record) -> Imported:
    match record:
        case KeptAgent():
            await transaction.run(
                "restore_agent",
                record.agent,
                record.instructions,
                record.window,
                record.budget,
                record.pool,
                record.version,
                record.learn_every,
                record.workflow,
                record.model,
            )
        case KeptPool():
            await transaction.run("restore_pool", user, record.pool, record.updates, record.consolidated_at)
        case KeptNotes():
            return await _notes(transaction, caller, user, record)
        case KeptDocument():
            return await _document(transaction, user, record)
        case _:
            pass
    return Imported()


async def _notes(transaction: Transaction, caller: Caller, user: str, given: KeptNotes) -> Imported:
    facts = (given.text, given.version, given.created_at, given.updated_at)
    if await transaction.row("restore_notes", user, given.agent, *facts) is None:
        return Imported(known=1)
    for one in given.versions:
        facts = (one.version, one.text, one.operation, one.actor, one.created_at)
        await transaction.run("restore_note_version", user, given.agent, *facts)
    if all(one.version < given.version for one in given.versions):
        facts = (given.version, given.text, "import", caller.actor, given.updated_at)
        await transaction.run("restore_note_version", user, given.agent, *facts)
    return Imported(notes=1)


async def _document(transaction: Transaction, user: str, given: KeptDocument) -> Imported:
    """Under an id of its own: a document is known by its names. Its vectors come with the first search."""
    id = new_id()
    facts = (given.version, given.ttl, given.expires_at, given.created_at, given.updated_at)
    value = _json(given.value)
    if await transaction.row("restore_document", id, given.namespace, given.key, user, value, *facts) is None:
        return Imported(known=1)
    for one in given.versions:
        facts = (one.version, _json(one.value), one.actor, one.created_at)
        await transaction.run("restore_document_version", id, *facts)
    await transaction.run("restore_document_texts", id, given.texts)
    return Imported(documents=1)


async def _finish(
    database: Database, caller: Caller, since: Since, tombstones: Sequence[KeptTombstone], ids: dict[UUID, UUID]
) -> None:
    async with database.transaction(caller.tenant) as transaction:
        await since.check(transaction)
        for one in tombstones:
            source = None if one.conversation is None else ids.get(one.conversation, one.conversation)
            facts = (one.pool, one.fingerprint, source, one.first_seq, one.last_seq, one.created_at)
            await transaction.run("restore_tombstone", since.user, *facts)
        await transaction.run("record_audit", caller.actor, "user.import", since.user, FORMAT)
