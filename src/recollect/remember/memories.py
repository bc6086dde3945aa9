"""Memories: said for the first time or again, and listed. ``revising`` has what becomes of them later."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound, Overloaded
from recollect.ids import new_id
from recollect.models.generations import Embedders
from recollect.paging import read_cursor, write_cursor
from recollect.records import STATUSES, Caller, Memory, Page, Refusal, Source
from recollect.remember.insight import MAX_TEXT, PLACES, Insight, fingerprint
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import agent_from, memory_from
from recollect.storage.serving import serving_model

#: The name of a model, and what it made of a text.
Vector = tuple[str, str]

#: So often a memory is stored anew that others forget or change in the very moment in which it is looked for.
TRIES = 5
T = TypeVar("T")


class OtherServes(Overloaded):
    """Another embedding model serves by now, and a vector was made for the one before; nothing was written."""

    def __init__(self) -> None:
        super().__init__("the embedding model was changed meanwhile; nothing was written, try again")


async def as_served(write: Callable[[], Awaitable[T]]) -> T:
    """Make vectors and write them in a transaction; both again, where another model has begun to serve in between.
    A model may hang, and nothing is held while it is asked."""
    for _ in range(TRIES):
        with suppress(OtherServes):
            return await write()
    raise Overloaded("the embedding model is being changed again and again; try again")


async def remember(
    database: Database, caller: Caller, embedders: Embedders, insight: Insight, user: str, agent: str
) -> Memory:
    """Store an insight in the agent's pool. The same thing said again refreshes what is there."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)

    async def write() -> Memory:
        vector = await vector_of(database, caller, embedders, insight.text)
        async with database.transaction(caller.tenant) as transaction:
            await must_serve(transaction, caller, embedders, vector)
            memory = await _remembered(transaction, caller, insight, user, agent, vector)
            await transaction.made(memory)
            return memory

    return await as_served(write)


async def _remembered(
    transaction: Transaction, caller: Caller, insight: Insight, user: str, agent: str, vector: Vector
) -> Memory:
    pool = await pool_of(transaction, agent)
    await _must_be_there(transaction, insight.source, user)
    for _ in range(TRIES):
        row = await insert(transaction, insight, user, agent, pool, vector)
        if row is not None:
            break
        # Where somebody forgets it at this moment, it is said for the first time.
        if (again := await _again(transaction, caller, insight, user, pool)) is not None:
            return again
    else:
        raise Overloaded("the same memory is being remembered and forgotten again and again; try again")
    await transaction.run("record_memory_version", row["id"], "remember", caller.actor)
    await transaction.run("pool_updated", user, pool)
    if insight.by_person:
        await lift(transaction, memory_from(row))
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


async def _again(
    transaction: Transaction, caller: Caller, insight: Insight, user: str, pool: str
) -> Memory | None:
    """The same thing, said before: it is fresh again, and a new version where that changes anything about it. None
    if it is gone by now."""
    same = await transaction.row("same_memory", user, pool, fingerprint(insight.text))
    if same is None:
        return None
    old = memory_from(same)
    if insight.by_person:
        await lift(transaction, old)
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
        *told_in(new.source),
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
    return memory_from(found(key, rows[0] if rows else None))


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
    # As memories are written: as long as one may be, and with one space where there were several.
    text = None if text is None else re.sub(r"\s+", " ", inputs.text("text", text, MAX_TEXT * 4))
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
        *told_in(insight.source),
        insight.author,
        insight.trust,
        insight.by_person,
        inputs.json_text("context", insight.context) if insight.context else None,
        fingerprint(insight.text),
        *vector,
    )


def told_in(source: Source | None) -> tuple[str | None, int | None, int | None]:
    """The columns of a source: the conversation, and its first and last message."""
    return (None, None, None) if source is None else (source.conversation, source.first, source.last)


async def vector_of(database: Database, caller: Caller, embedders: Embedders, text: str) -> Vector:
    """A vector of the generation that serves, or of its stand-in."""
    return await embedders.vector(caller.tenant, text, partial(serving_model, database, caller.tenant))


async def must_serve(transaction: Transaction, caller: Caller, embedders: Embedders, vector: Vector) -> None:
    """The vector is of the generation that serves, or of its stand-in, else OtherServes. From here to the end of
    the transaction no other begins to serve, so that what is written is found at once."""
    row = await transaction.row("take_generation", embedders.current.name)
    embedders.heard(caller.tenant, None if row is None else row[0])
    if embedders.serving(caller.tenant).name != vector[0]:
        raise OtherServes


def found(id: str | UUID, row: Row | None) -> Row:
    """The row; NotFound if there is none."""
    if row is None:
        raise NotFound("memory", str(id))
    return row


async def audit(transaction: Transaction, caller: Caller, action: str, row: Row) -> None:
    """Write down who did what to which memory."""
    await transaction.run("record_audit", caller.actor, action, row["user_id"], str(row["id"]))


async def lift(transaction: Transaction, memory: Memory) -> None:
    """Whoever says it, goes back to it or vouches for it means it: it may be learned again."""
    await transaction.run("lift_tombstone", memory.user, memory.pool, fingerprint(memory.text))
