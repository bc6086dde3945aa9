"""Memories from their first word to their last version."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Literal, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from recollect import inputs
from recollect.errors import Conflict, Invalid, NotFound, Refused
from recollect.ids import new_id
from recollect.models.generations import Embedders
from recollect.paging import read_cursor, write_cursor
from recollect.records import STATUSES, Caller, Memory, MemoryVersion, Page, Refusal, Source
from recollect.remember.insight import PLACES, Insight, category, fingerprint, importance, key_point
from recollect.storage.database import Database, Row, Taken, Transaction
from recollect.storage.rows import agent_from, memory_from, memory_version_from

V = TypeVar("V")
#: The name of a model, and what it made of a text.
Vector = tuple[str, str]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a revision changes. UNSET leaves a category, an expiry, an end or a source as it is, and None takes it
    away; None leaves the others as they are."""

    text: str | None = None
    category: str | UnsetType | None = UNSET
    importance: float | None = None
    pinned: bool | None = None
    expires_at: datetime | UnsetType | None = UNSET
    valid_from: datetime | None = None
    valid_to: datetime | UnsetType | None = UNSET
    status: Literal["active", "quarantined", "retired"] | None = None
    author: str | None = None
    trust: str | None = None
    source: Source | UnsetType | None = UNSET


async def remember(
    database: Database, caller: Caller, embedders: Embedders, insight: Insight, user: str, agent: str
) -> Memory:
    """Store an insight in the agent's pool. The same thing said again refreshes what is there."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    vector = await embedders.vector(caller.tenant, insight.text)
    async with database.transaction(caller.tenant) as transaction:
        vector = await of_serving(transaction, caller, embedders, insight.text, vector)
        pool = await pool_of(transaction, agent)
        await _must_be_there(transaction, insight.source, user)
        row = await insert(transaction, insight, user, agent, pool, vector)
        if row is None:
            return await _again(transaction, caller, insight, user, pool)
        await transaction.run("record_memory_version", row["id"], "remember", caller.actor)
        await transaction.run("pool_updated", user, pool)
        if insight.by_person:
            await _lift(transaction, memory_from(row))
        await audit(transaction, caller, "memory.remember", row)
    return memory_from(row)


async def _must_be_there(transaction: Transaction, source: Source | None, user: str) -> None:
    """A memory is said to come from messages of its user, and only from such as there are."""
    if source is None:
        return
    chat = await transaction.row("conversation_by_id", source.conversation)
    if chat is None or chat["user_id"] != user:
        raise Invalid("source.conversation", "is not a conversation of this user")
    there = {
        row["seq"]
        for row in await transaction.rows("messages_at", source.conversation, [source.first, source.last])
    }
    for field, seq in (("source.first", source.first), ("source.last", source.last)):
        if seq not in there:
            raise Invalid(field, f"there is no message {seq} in the conversation")


async def _again(transaction: Transaction, caller: Caller, insight: Insight, user: str, pool: str) -> Memory:
    """The same thing, said before: it is fresh again, and a new version where that changes anything about it."""
    same = await transaction.row("same_memory", user, pool, fingerprint(insight.text))
    if same is None:
        raise Conflict("the same memory was changed at this moment; try again")
    old = memory_from(same)
    if insight.by_person:
        await _lift(transaction, old)
    new = said_again(old, insight, same["moment"])
    by_person = same["by_person"] or insight.by_person
    if new == old and by_person == same["by_person"]:
        row = await transaction.row("refresh_memory", same["id"])
        assert row is not None
        return memory_from(row)
    row = await say_again(transaction, same["id"], new, by_person)
    await transaction.run("record_memory_version", row["id"], "remember", caller.actor)
    await audit(transaction, caller, "memory.remember", row)
    return memory_from(row)


async def say_again(transaction: Transaction, id: UUID, new: Memory, by_person: bool) -> Row:
    """Write what has become of a memory that was said again."""
    source = new.source
    row = await transaction.row(
        "say_again",
        id,
        new.category,
        new.importance,
        new.pinned,
        new.status,
        new.valid_from,
        new.expires_at,
        new.author,
        new.trust,
        by_person,
        None if source is None else source.conversation,
        None if source is None else source.first,
        None if source is None else source.last,
        inputs.json_text("context", new.context) if new.context else None,
    )
    assert row is not None
    return row


def said_again(old: Memory, insight: Insight, now: datetime) -> Memory:
    """What becomes of a memory that is said again. It holds from now on, if it did not; what is named along with
    it counts; and whoever is trusted vouches for what waits in quarantine."""
    vouched = old.status == "quarantined" and insight.status == "active"
    expired = old.expires_at is not None and old.expires_at <= now
    changes: dict[str, Any] = {
        name: getattr(insight, name)
        for name in ("category", "pinned", "expires_at", "valid_from")
        if name in insight.given
    }
    if "importance" in insight.given:
        changes["importance"] = round(insight.importance, PLACES)
    if insight.context:
        changes["context"] = old.context | insight.context
    if expired and "expires_at" not in changes:
        changes["expires_at"] = None
    if "valid_from" not in changes:
        changes["valid_from"] = min(old.valid_from, now)
    if vouched:
        # Whoever vouches for it and names no messages leaves it to those that it came from.
        source = insight.source or old.source
        changes |= {"status": "active", "author": insight.author, "trust": insight.trust, "source": source}
    elif insight.status == "quarantined":
        changes = {}  # nobody vouches for it, so it changes nothing
    return msgspec.structs.replace(old, **changes)


async def by_id(database: Database, caller: Caller, id: str | UUID) -> Memory:
    """The memory with this id, if it is this tenant's."""
    key = inputs.uuid("id", id)
    rows = await database.read(caller.tenant, "memory_by_id", key)
    return memory_from(_found(key, rows[0] if rows else None))


async def listed(
    database: Database,
    caller: Caller,
    user: str,
    agent: str,
    category: str | None,
    text: str | None,
    status: str,
    as_of: datetime | None,
    limit: int,
    cursor: str | None,
    offset: int = 0,
    min_importance: float | None = None,
) -> Page[Memory]:
    """The memories of the agent's pool, newest first; with ``as_of``, what was held to be true then."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    category = None if category is None else inputs.identifier("category", category)
    text = None if text is None else inputs.text("text", text, 1000)
    least = None if min_importance is None else inputs.share("min_importance", min_importance)
    limit = inputs.amount("limit", limit)
    offset = inputs.amount("offset", offset, most=1 << 31, least=0)
    status = inputs.choice("status", status, STATUSES)
    moment = None if as_of is None else inputs.moment("as_of", as_of)
    before, before_id = (None, None) if cursor is None else read_cursor(cursor, tuple[datetime, UUID])
    async with database.transaction(caller.tenant) as transaction:
        pool = await pool_of(transaction, agent)
        wanted = (category, text, moment, status, before, before_id, limit + 1, offset, least)
        rows = await transaction.rows("memories_of_pool", user, pool, *wanted)
    items = [memory_from(row) for row in rows[:limit]]
    more = len(rows) > limit
    return Page(items=items, cursor=write_cursor((items[-1].created_at, items[-1].id)) if more else None)


async def revise(
    database: Database, caller: Caller, embedders: Embedders, id: str | UUID, change: Change, version: int | None
) -> Memory:
    """Change a memory; Conflict if it is no longer at the version that the caller has seen."""
    key = inputs.uuid("id", id)
    return await _changed(database, caller, embedders, key, change, version, "revise")


async def undo(database: Database, caller: Caller, embedders: Embedders, id: str | UUID, to: int | None) -> Memory:
    """Make an earlier version the current one again, as a new version; by default the one before."""
    key = inputs.uuid("id", id)
    past = await history(database, caller, key)
    wanted = past[-1].version - 1 if to is None else inputs.amount("to", to, most=1 << 31)
    earlier = next((version for version in past if version.version == wanted), None)
    if earlier is None:
        raise Refused(f"memory {key} has no version {wanted} to go back to; it has {len(past)}")
    change = Change(
        text=earlier.text,
        category=earlier.category,
        importance=earlier.importance,
        pinned=earlier.pinned,
        expires_at=earlier.expires_at,
        valid_from=earlier.valid_from,
        valid_to=earlier.valid_to,
        status=earlier.status,
        author=earlier.author,
        trust=earlier.trust,
        source=UNSET if earlier.author is None else earlier.source,
    )
    return await _changed(database, caller, embedders, key, change, past[-1].version, "undo")


async def release(database: Database, caller: Caller, id: str | UUID) -> Memory:
    """Let a quarantined memory take part; whoever does it vouches for it."""
    key = inputs.uuid("id", id)
    async with database.transaction(caller.tenant) as transaction:
        old = memory_from(_found(key, await transaction.row("lock_memory", key)))
        if old.status != "quarantined":
            raise Refused(f"memory {key} is {old.status}, not quarantined")
        row = await _write(transaction, msgspec.structs.replace(old, status="active"), None)
        await _lift(transaction, old)
        await transaction.run("record_memory_version", key, "release", caller.actor)
        await audit(transaction, caller, "memory.release", row)
    return memory_from(row)


async def history(database: Database, caller: Caller, id: str | UUID) -> list[MemoryVersion]:
    """Every version of a memory, oldest first."""
    key = inputs.uuid("id", id)
    rows = await database.read(caller.tenant, "memory_history", key)
    if not rows:
        raise NotFound("memory", str(key))
    return [memory_version_from(row) for row in rows]


async def refusals(database: Database, caller: Caller, user: str, agent: str, limit: int) -> list[Refusal]:
    """What was not learned, newest first."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    limit = inputs.amount("limit", limit)
    async with database.transaction(caller.tenant) as transaction:
        rows = await transaction.rows("refusals_of_user", user, await pool_of(transaction, agent), limit)
    return [
        Refusal(
            source=Source(str(row["conversation"]), row["first_seq"], row["last_seq"]),
            reason=row["reason"],
            at=row["at"],
        )
        for row in rows
    ]


async def pool_of(transaction: Transaction, agent: str) -> str:
    """Whose memories an agent reads and writes."""
    return agent_from(agent, await transaction.row("agent_settings", agent)).pool


async def insert(
    transaction: Transaction, insight: Insight, user: str, agent: str, pool: str, vector: Vector
) -> Row | None:
    """The new row; None if the pool says this already."""
    source = insight.source
    return await transaction.row(
        "insert_memory",
        new_id(),
        user,
        pool,
        agent,
        insight.text,
        insight.category,
        round(insight.importance, PLACES),
        insight.pinned,
        insight.status,
        insight.valid_from,
        insight.expires_at,
        None if source is None else source.conversation,
        None if source is None else source.first,
        None if source is None else source.last,
        insight.author,
        insight.trust,
        insight.by_person,
        inputs.json_text("context", insight.context) if insight.context else None,
        fingerprint(insight.text),
        *vector,
    )


async def _changed(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    key: UUID,
    change: Change,
    version: int | None,
    verb: str,
) -> Memory:
    # Whoever has written the same text meanwhile is seen at the second look, and named as at any other time.
    with suppress(Taken):
        return await _changed_at_once(database, caller, embedders, key, change, version, verb)
    return await _changed_at_once(database, caller, embedders, key, change, version, verb)


async def _changed_at_once(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    key: UUID,
    change: Change,
    version: int | None,
    verb: str,
) -> Memory:
    text = None if change.text is None else key_point(change.text)
    expires_at = _checked(change.expires_at, partial(inputs.moment, "expires_at"))
    if version is not None:
        inputs.version("version", version)
    word = _checked(change.category, category)
    vector = None if text is None else await embedders.vector(caller.tenant, text)
    async with database.transaction(caller.tenant) as transaction:
        if text is not None and vector is not None:
            vector = await of_serving(transaction, caller, embedders, text, vector)
        old = memory_from(_found(key, await transaction.row("lock_memory", key)))
        if version is not None and version != old.version:
            raise Conflict(f"memory {key} is at version {old.version}, not {version}; read it again, then retry")
        if change == Change():
            return old
        new = msgspec.structs.replace(
            old,
            text=old.text if text is None else text,
            category=old.category if word is UNSET else word,
            importance=old.importance if change.importance is None else importance(change.importance),
            pinned=old.pinned if change.pinned is None else inputs.flag("pinned", change.pinned),
            expires_at=old.expires_at if expires_at is UNSET else expires_at,
            valid_from=change.valid_from or old.valid_from,
            status=change.status or old.status,
            valid_to=old.valid_to if change.valid_to is UNSET else change.valid_to,
            author=change.author or old.author,
            trust=change.trust or old.trust,
            source=old.source if change.source is UNSET else change.source,
        )
        if new.text != old.text or new.status != old.status:
            same = await transaction.row("says_the_same", old.user, old.pool, fingerprint(new.text), key)
            if same is not None:
                raise Refused(f"memory {same['id']} of the same pool says this already; forget one of the two")
        row = await _write(transaction, new, vector)
        if fingerprint(new.text) != fingerprint(old.text) and verb == "revise":
            await bury(transaction, old)
        if text is not None and new.status == "active":
            await _lift(transaction, new)
        await transaction.run("record_memory_version", key, verb, caller.actor)
        await audit(transaction, caller, f"memory.{verb}", row)
    return memory_from(row)


def _checked(value: V | UnsetType | None, check: Callable[[object], V]) -> V | UnsetType | None:
    """A value that may also be absent or taken away."""
    return value if value is None or value is UNSET else check(value)


async def _write(transaction: Transaction, memory: Memory, vector: Vector | None) -> Row:
    """Write a new version. Whoever does it is a person: what is learned later leaves it alone."""
    source = memory.source
    row = await transaction.row(
        "change_memory",
        memory.id,
        memory.text,
        memory.category,
        memory.importance,
        memory.pinned,
        memory.status,
        memory.expires_at,
        True,
        fingerprint(memory.text),
        memory.valid_to,
        *(vector or (None, None)),
        memory.valid_from,
        memory.author,
        memory.trust,
        None if source is None else source.conversation,
        None if source is None else source.first,
        None if source is None else source.last,
    )
    assert row is not None
    return row


async def bury(transaction: Transaction, memory: Memory) -> None:
    """What was corrected or forgotten is not learned again, from whatever message, until a person says it."""
    source = memory.source
    await transaction.run(
        "insert_tombstone",
        memory.user,
        memory.pool,
        fingerprint(memory.text),
        None if source is None else source.conversation,
        None if source is None else source.first,
        None if source is None else source.last,
    )


async def _lift(transaction: Transaction, memory: Memory) -> None:
    """Whoever says it, goes back to it or vouches for it means it: it may be learned again."""
    await transaction.run("lift_tombstone", memory.user, memory.pool, fingerprint(memory.text))


async def forget(database: Database, caller: Caller, id: str | UUID, version: int | None = None) -> None:
    """Delete a memory with its versions and vectors and with what was merged into it, and see that none of this is
    learned again. What it replaced because it was no longer so stays."""
    key = inputs.uuid("id", id)
    if version is not None:
        inputs.version("version", version)
    async with database.transaction(caller.tenant) as transaction:
        row = _found(key, await transaction.row("lock_memory", key))
        if version is not None and version != row["version"]:
            raise Conflict(f"memory {key} is at version {row['version']}, not {version}; nothing was deleted")
        for id in [key, *await _merged_into(transaction, row)]:
            gone = _found(id, await transaction.row("delete_memory", id))
            await bury(transaction, memory_from(gone))
            await audit(transaction, caller, "memory.forget", gone)


async def _merged_into(transaction: Transaction, row: Row) -> list[UUID]:
    """What was retired in favour of a memory and says only what that says, or said in one of its versions; and
    what was merged into that. Its text would be told as of yesterday, and could be brought back."""
    merged, looked_at = list[UUID](), [row["id"]]
    while looked_at:
        by = looked_at.pop()
        replaced = await transaction.rows("replaced_by", row["user_id"], row["pool"], by)
        if replaced:
            from recollect.remember.compare import says_no_more  # its word lists take their time to load

            said = [version["key_point"] for version in await transaction.rows("memory_history", by)]
            same = [one["id"] for one in replaced if any(says_no_more(one["key_point"], text) for text in said)]
            merged += same
            looked_at += same
    return merged


async def of_serving(
    transaction: Transaction, caller: Caller, embedders: Embedders, text: str, vector: Vector
) -> Vector:
    """The vector, or another one if the generation that serves is not the one that it was made for. From here to
    the end of the transaction no other begins to serve, so that what is written is found at once."""
    row = await transaction.row("take_generation", embedders.current.name)
    embedders.heard(caller.tenant, None if row is None else row[0])
    if embedders.serving(caller.tenant).name == vector[0]:
        return vector
    return await embedders.vector(caller.tenant, text)


def _found(id: str | UUID, row: Row | None) -> Row:
    if row is None:
        raise NotFound("memory", str(id))
    return row


async def audit(transaction: Transaction, caller: Caller, action: str, row: Row) -> None:
    """Write down who did what to which memory."""
    await transaction.run("record_audit", caller.actor, action, row["user_id"], str(row["id"]))
