"""Append messages to a conversation: one round trip, exactly once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from recollect import inputs
from recollect.conversations.incoming import Draft, answered, fingerprint, last_user
from recollect.errors import KeyReused, NotFound
from recollect.ids import new_id
from recollect.observe import counted
from recollect.observe.spans import span
from recollect.ports import Change
from recollect.records import Caller, Message
from recollect.storage.database import Database, Lost, Row, Transaction
from recollect.storage.joining import Apart
from recollect.storage.rows import decoded, message_from

#: Characters of a message that may go out together with those of others; a longer one would keep them waiting.
JOINED = 16_384


async def append(
    database: Database,
    caller: Caller,
    conversation: str,
    messages: Sequence[Draft],
    key: str | None,
    ids: Sequence[UUID] | None = None,
) -> list[Message]:
    """Store the messages in one transaction and return them numbered.

    With a key, the same call again gives the same answer and stores nothing. Without one, a connection that
    breaks is retried too: the ids, made here unless they are given, tell whether the broken try came through.
    """
    if key is not None:
        key = inputs.identifier("key", key)
    ids = [new_id() for _ in messages] if ids is None else ids
    mark = None if key is None else fingerprint(messages)
    statement, arguments = _one(messages[0]) if len(messages) == 1 else _many(messages)
    head = (caller.tenant, conversation, caller.actor, key, mark, ids[0] if len(messages) == 1 else ids)
    try:
        with span("recollect.append", messages=len(messages)):
            row = await _sent(database, statement, head, arguments)
    except BaseException as error:
        await database.in_doubt(caller.tenant, [Change(conversation=conversation)], error)
        raise
    match row["outcome"]:
        case "missing":
            raise NotFound("conversation", conversation)
        case "reused":
            raise KeyReused(str(key))
        case "stored":
            # Whoever stored them could not tell the cache, and nor can we say what it knows.
            await database.tell(caller.tenant, [Change(conversation=conversation)])
            return await _read(database, caller, conversation, row["first"], messages, ids)
        case outcome:
            stored = _numbered(conversation, messages, ids, row)
            new = tuple(stored) if outcome == "appended" else ()
            await database.tell(caller.tenant, [Change(conversation=conversation, appended=new)])
            if new:
                counted.appended(caller.tenant, [one.role for one in messages], stored[-1].seq)
            return stored


async def _sent(database: Database, statement: str, head: tuple[Any, ...], arguments: tuple[object, ...]) -> Row:
    """By itself, or together with what others append at this moment."""
    again = True
    try:
        if statement == "append_message" and len(cast("str", arguments[1])) <= JOINED:
            (row,) = await database.appends.call(*head, False, *arguments)
            if row["outcome"] != "busy":
                return row
            again = False
        else:
            (row,) = await database.call_once(statement, *head, False, *arguments)
            return row
    except (Lost, Apart):
        pass
    (row,) = await database.call(statement, *head, again, *arguments)
    return row


async def append_within(
    transaction: Transaction, caller: Caller, conversation: str, messages: Sequence[Draft], ids: Sequence[UUID]
) -> list[Message]:
    """Store the messages as a part of something larger, whose transaction this is."""
    head = (conversation, caller.actor, None, None, ids, False)
    row = await transaction.row("append_messages", *head, *_many(messages)[1])
    if row is None or row["outcome"] == "missing":
        raise NotFound("conversation", conversation)
    stored = _numbered(conversation, messages, ids, row)
    counted.appended(caller.tenant, [one.role for one in messages], stored[-1].seq)
    transaction.changes.append(Change(conversation=str(conversation), appended=tuple(stored)))
    return stored


def _one(one: Draft) -> tuple[str, tuple[object, ...]]:
    return "append_message", (
        one.role,
        one.content,
        one.at,
        one.name,
        one.metadata,
        one.tool_calls,
        one.tool_call_id,
        one.parts,
    )


def _many(messages: Sequence[Draft]) -> tuple[str, tuple[object, ...]]:
    columns = zip(*(_one(one)[1] for one in messages), strict=True)
    return "append_messages", (*map(list, columns), answered(messages), last_user(messages))


async def _read(
    database: Database,
    caller: Caller,
    conversation: str,
    first: int,
    messages: Sequence[Draft],
    ids: Sequence[UUID],
) -> list[Message]:
    """What a broken try stored; if it was cleared meanwhile, what it was."""
    rows = await database.read(caller.tenant, "messages_after", conversation, first - 1, len(messages))
    if len(rows) == len(messages) and rows[0]["seq"] == first:  # else these are others, said after the clearing
        return [message_from(conversation, row) for row in rows]
    gone = {"first": first, "asked": 0, "message_ids": None, "stored_at": datetime.now(UTC)}
    return _numbered(conversation, messages, ids, gone)


def _numbered(
    conversation: str, messages: Sequence[Draft], ids: Sequence[UUID], row: Mapping[str, Any] | Row
) -> list[Message]:
    """The messages as stored. The database answers with numbers only; the text is here already."""
    first, asked, ids = row["first"], row["asked"], row["message_ids"] or ids
    return [
        Message(
            conversation,
            first + place,
            str(ids[place]),
            one.role,
            one.content,
            one.at or row["stored_at"],
            one.name,
            decoded(one.metadata) or {},
            decoded(one.tool_calls),
            one.tool_call_id,
            decoded(one.parts),
            None if reply_to is None else (first - 1 + reply_to if reply_to else asked or None),
        )
        for place, (one, reply_to) in enumerate(zip(messages, answered(messages), strict=True))
    ]
