"""Conversations from their beginning to their end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import UUID, uuid4

from recollect import inputs
from recollect.errors import NotFound, Refused
from recollect.paging import read_cursor, write_cursor
from recollect.records import Caller, Conversation, Message, Page
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import conversation_from, message_from


async def go_on(database: Database, caller: Caller, user: str, agent: str) -> Conversation:
    """The active conversation of a user and an agent; made if there is none."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    rows = await database.call("active_conversation", caller.tenant, user, agent, uuid4(), caller.actor)
    return conversation_from(rows[0])


async def active(database: Database, caller: Caller, user: str, agent: str) -> Conversation | None:
    """The active conversation of a user and an agent, if there is one."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    rows = await database.read(caller.tenant, "active_conversation_there", user, agent)
    return conversation_from(rows[0]) if rows else None


async def begin(
    database: Database, caller: Caller, user: str, agent: str, title: str | None, id: str | UUID | None
) -> Conversation:
    """A new conversation, which becomes the active one."""
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    title = None if title is None else inputs.text("title", title, inputs.MAX_TITLE)
    key = uuid4() if id is None else inputs.uuid("id", id)
    async with database.transaction(caller.tenant) as transaction:
        row = await transaction.row("new_conversation", user, agent, key, title, caller.actor)
        if row is None:
            raise Refused(f"there is already a conversation {key}; open it with conversation(id=…)")
        begun = conversation_from(row)
        await transaction.made(begun)
    return begun


def unseen(id: str | UUID) -> Conversation:
    """A conversation of which only the id is known."""
    never = datetime.fromtimestamp(0, UTC)
    return Conversation(
        id=str(inputs.uuid("id", id)),
        user="",
        agent="",
        title=None,
        status="",
        message_count=0,
        last_seq=0,
        created_at=never,
        updated_at=never,
        archived_at=None,
    )


async def by_id(database: Database, caller: Caller, id: str | UUID) -> Conversation:
    """The conversation with this id, if it is this tenant's."""
    key = inputs.uuid("id", id)
    rows = await database.call("conversation_at_once", caller.tenant, key)
    return conversation_from(_found(key, rows[0] if rows else None))


async def listed(
    database: Database,
    caller: Caller,
    user: str,
    agent: str | None,
    archived: bool,
    limit: int,
    cursor: str | None,
) -> Page[Conversation]:
    """The conversations of a user, newest activity first."""
    user = inputs.identifier("user", user)
    agent = None if agent is None else inputs.identifier("agent", agent)
    limit = inputs.amount("limit", limit)
    archived = inputs.flag("archived", archived)
    before, before_id = (None, None) if cursor is None else read_cursor(cursor, tuple[datetime, UUID])
    rows = await database.read(
        caller.tenant, "conversations_of_user", user, agent, archived, before, before_id, limit + 1
    )
    items = [conversation_from(row) for row in rows[:limit]]
    more = len(rows) > limit
    return Page(items=items, cursor=write_cursor((items[-1].updated_at, items[-1].id)) if more else None)


async def rename(database: Database, caller: Caller, id: str, title: str | None) -> Conversation:
    """Give it a title, or take it away."""
    title = None if title is None else inputs.text("title", title, inputs.MAX_TITLE)
    async with database.transaction(caller.tenant) as transaction:
        row = _found(id, await transaction.row("rename_conversation", id, title))
        await _audit(transaction, caller, "conversation.rename", row)
    return conversation_from(row)


async def archive(database: Database, caller: Caller, id: str, archived: bool) -> Conversation:
    """Put it aside, or take it out again. An archived one is never the active one."""
    archived = inputs.flag("archived", archived)
    async with database.transaction(caller.tenant) as transaction:
        row = _found(id, await transaction.row("archive_conversation", id, archived))
        if archived:
            await transaction.run("leave_conversation", id)
        await _audit(transaction, caller, "conversation.archive" if archived else "conversation.unarchive", row)
    return conversation_from(row)


async def activate(database: Database, caller: Caller, id: str) -> None:
    """Make it the one that its user and agent go on with."""
    async with database.transaction(caller.tenant) as transaction:
        row = _found(id, await transaction.row("conversation_by_id", id))
        if await transaction.row("activate_conversation", id) is None:
            raise Refused(f"conversation {id} is archived; take it out with archive(False) first")
        await _audit(transaction, caller, "conversation.activate", row)


async def clear(
    database: Database, caller: Caller, id: str, along: Callable[[Transaction], Awaitable[object]]
) -> Conversation:
    """Delete its messages and what was made of them. It stays, and its numbering goes on. What else may quote
    them is cleared ``along``, in the same transaction."""
    async with database.transaction(caller.tenant) as transaction:
        await along(transaction)
        row = _found(id, await transaction.row("clear_conversation", id))
        # Before the digest, as whoever learns has it: else the two would wait for each other.
        await transaction.run("delete_work_of_conversation", id)
        await transaction.run("delete_messages", id)
        await transaction.run("empty_digest", id)
        await transaction.run("delete_conversation_memory", id)
        await transaction.run("wake_live", row["user_id"])
        await _audit(transaction, caller, "conversation.clear", row)
    return conversation_from(row)


async def pop(database: Database, caller: Caller, id: str) -> Message | None:
    """Take back the newest message. A summary goes with the last message that it covers."""
    async with database.transaction(caller.tenant) as transaction:
        # The lock of an append, so that the newest stays the newest.
        record = _found(id, await transaction.row("lock_conversation_row", id))
        row = await transaction.row("delete_newest_message", id)
        if row is None:
            return None
        await transaction.run("count_out_messages", id, 1)
        await transaction.run("delete_old_summary", id)
        await _audit(transaction, caller, "message.pop", record)
    return message_from(id, row)


async def delete(database: Database, caller: Caller, id: str) -> None:
    """Delete it with everything in it."""
    async with database.transaction(caller.tenant) as transaction:
        row = _found(id, await transaction.row("delete_conversation", id))
        await transaction.run("delete_work_of_conversation", id)
        await _audit(transaction, caller, "conversation.delete", row)


def _found(id: str | UUID, row: Row | None) -> Row:
    if row is None:
        raise NotFound("conversation", str(id))
    return row


async def _audit(transaction: Transaction, caller: Caller, action: str, row: Row) -> None:
    await transaction.run("record_audit", caller.actor, action, row["user_id"], str(row["id"]))
