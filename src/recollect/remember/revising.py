"""Memories that are changed, taken back, released or forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Literal, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from recollect import inputs
from recollect.errors import Conflict, NotFound, Refused
from recollect.models.generations import Embedders
from recollect.records import Caller, Memory, MemoryVersion, Source
from recollect.remember.insight import category, fingerprint, importance, key_point
from recollect.remember.memories import (
    Vector,
    as_served,
    audit,
    found,
    lift,
    must_serve,
    pool_of,
    told_in,
    vector_of,
)
from recollect.storage.database import Database, Row, Taken, Transaction
from recollect.storage.rows import memory_from, memory_version_from

V = TypeVar("V")

BY_PERSON = "user"


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
    superseded_by: str | None = None


async def revise(
    database: Database, caller: Caller, embedders: Embedders, id: str | UUID, change: Change, version: int | None
) -> Memory:
    """Change a memory; Conflict if it is no longer at the version that the caller has seen."""
    key = inputs.uuid("id", id)
    return await _seen_twice(partial(_changed, database, caller, embedders, key, change, version, "revise"))


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
        superseded_by=earlier.superseded_by,
    )
    version = past[-1].version
    return await _seen_twice(partial(_changed, database, caller, embedders, key, change, version, "undo"))


async def release(database: Database, caller: Caller, id: str | UUID) -> Memory:
    """Let a quarantined memory take part; whoever does it vouches for it."""
    key = inputs.uuid("id", id)
    async with database.transaction(caller.tenant) as transaction:
        old = memory_from(found(key, await transaction.row("lock_memory", key)))
        if old.status != "quarantined":
            raise Refused(f"memory {key} is {old.status}, not quarantined")
        row = await _write(transaction, msgspec.structs.replace(old, status="active"), None)
        await lift(transaction, old)
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


async def forget(database: Database, caller: Caller, id: str | UUID, version: int | None = None) -> None:
    """Delete a memory with its versions and vectors and with what was merged into it, and see that none of this is
    learned again. What it replaced because it was no longer so stays."""
    key = inputs.uuid("id", id)
    if version is not None:
        inputs.version("version", version)
    async with database.transaction(caller.tenant) as transaction:
        await _nobody_learns(transaction, key)
        row = found(key, await transaction.row("lock_memory", key))
        if version is not None and version != row["version"]:
            raise Conflict(f"memory {key} is at version {row['version']}, not {version}; nothing was deleted")
        for id in [key, *await _merged_into(transaction, row)]:
            await _bury_whole(transaction, id)
            gone = found(id, await transaction.row("delete_memory", id))
            await audit(transaction, caller, "memory.forget", gone)


async def forget_all(database: Database, caller: Caller, user: str, agent: str) -> int:
    """Delete all memories of the agent's pool about a user, whatever has become of them, and see that none of this
    is learned again; how many there were. It is all or none, whoever else forgets at the same time."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    async with database.transaction(caller.tenant) as transaction:
        pool = await pool_of(transaction, agent)
        # Whoever is just learning into the pool has not seen the marks: what they learn goes too.
        await transaction.run("lock_pool", user, pool)
        await transaction.row("lock_memories_of_pool", user, pool)
        await _bury_merged(transaction, user, pool, None)
        row = await transaction.row("delete_memories_of_pool", user, pool, caller.actor)
    assert row is not None
    return row[0]


async def _nobody_learns(transaction: Transaction, key: UUID) -> None:
    """Whoever is just learning into the memory's pool has looked for marks already: they come first, and see it;
    whoever comes after sees the mark. The pool is locked before anything in it, as by all who lock both."""
    row = found(key, await transaction.row("memory_by_id", key))
    await transaction.run("lock_pool", row["user_id"], row["pool"])


async def _bury_whole(transaction: Transaction, id: UUID) -> None:
    """Neither what a memory says is learned again, nor what it said until it was merged."""
    memory = memory_from(found(id, await transaction.row("memory_by_id", id)))
    came_from = await transaction.row("came_from", id)
    # One that was corrected came from messages all the same.
    source = None if came_from is None else Source(str(came_from[0]), *came_from[1:])
    await _bury_merged(transaction, memory.user, memory.pool, id)
    await bury(transaction, msgspec.structs.replace(memory, source=source))


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


async def _bury_merged(transaction: Transaction, user: str, pool: str, id: UUID | None) -> None:
    """What was merged into a memory is not learned again, nor what that said itself until then."""
    for row in await transaction.rows("said_before_merging", user, pool, id):
        text, *source = row
        await transaction.run("insert_tombstone", user, pool, fingerprint(text), *source)


async def _seen_twice(write: Callable[[], Awaitable[Memory]]) -> Memory:
    """Whoever has written the same text meanwhile is seen at the second look, and named as at any other time."""
    with suppress(Taken):
        return await write()
    return await write()


async def _changed(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    key: UUID,
    change: Change,
    version: int | None,
    verb: str,
) -> Memory:
    return await as_served(partial(_changed_once, database, caller, embedders, key, change, version, verb))


async def _changed_once(
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
    vector = None if text is None else await vector_of(database, caller, embedders, text)
    async with database.transaction(caller.tenant) as transaction:
        if vector is not None:
            if verb == "revise":
                await _nobody_learns(transaction, key)
            await must_serve(transaction, caller, embedders, vector)
        before = found(key, await transaction.row("lock_memory", key))
        old = memory_from(before)
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
            superseded_by=change.superseded_by or old.superseded_by,
        )
        corrected = verb == "revise" and fingerprint(new.text) != fingerprint(old.text)
        if corrected and old.status != "quarantined":
            # Whoever says so now is a person, and no message that it came from says so.
            new = msgspec.structs.replace(new, author=BY_PERSON, source=None)
        # What is retired says nothing any more, and may say it beside another.
        if new.status != "retired" and (new.text != old.text or new.status != old.status):
            same = await transaction.row("says_the_same", old.user, old.pool, fingerprint(new.text), key)
            if same is not None:
                raise Refused(f"memory {same['id']} of the same pool says this already; forget one of the two")
        if corrected:
            # What was merged into it said no more, and is corrected with it.
            for id in [key, *await _merged_into(transaction, before)]:
                await _bury_whole(transaction, id)
        row = await _write(transaction, new, vector)
        if text is not None and new.status == "active":
            await lift(transaction, new)
        await transaction.run("record_memory_version", key, verb, caller.actor)
        await audit(transaction, caller, f"memory.{verb}", row)
        memory = memory_from(row)
        await transaction.made(memory)
    return memory


def _checked(value: V | UnsetType | None, check: Callable[[object], V]) -> V | UnsetType | None:
    """A value that may also be absent or taken away."""
    return value if value is None or value is UNSET else check(value)


async def _write(transaction: Transaction, memory: Memory, vector: Vector | None) -> Row:
    """Write a new version. Whoever does it is a person: what is learned later leaves it alone."""
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
        *told_in(memory.source),
        memory.superseded_by,
    )
    assert row is not None
    return row


async def bury(transaction: Transaction, memory: Memory) -> None:
    """What was corrected or forgotten is not learned again, from whatever message, until a person says it."""
    await transaction.run(
        "insert_tombstone",
        memory.user,
        memory.pool,
        fingerprint(memory.text),
        *told_in(memory.source),
    )
