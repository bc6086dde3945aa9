"""Append messages to a conversation: one round trip, exactly once."""

from __future__ import annotations

from collections.abc import Sequence

from recollect import inputs
from recollect.conversations.incoming import Draft, answered, fingerprint, last_user, new_id
from recollect.conversations.rows import decoded
from recollect.errors import KeyReused, NotFound
from recollect.records import Caller, Message
from recollect.storage.database import Database, Lost, Row


async def append(
    database: Database, caller: Caller, conversation: str, messages: Sequence[Draft], key: str | None
) -> list[Message]:
    """Store the messages in one transaction and return them numbered.

    With a key, the same call again gives the same answer and stores nothing. Without one, a connection that
    breaks is retried too: the ids, made here, tell whether the broken try came through.
    """
    if key is not None:
        key = inputs.identifier("key", key)
    arguments = (
        caller.tenant,
        conversation,
        key,
        None if key is None else fingerprint(messages),
        [new_id() for _ in messages],
        [one.role for one in messages],
        [one.name for one in messages],
        [one.content for one in messages],
        [one.parts for one in messages],
        [one.tool_calls for one in messages],
        [one.tool_call_id for one in messages],
        [one.metadata for one in messages],
        [one.at for one in messages],
        answered(messages),
        last_user(messages),
    )
    try:
        rows = await database.call_once("append_messages", *arguments, False)
    except Lost:
        rows = await database.call("append_messages", *arguments, True)
    row = rows[0]
    match row["outcome"]:
        case "missing":
            raise NotFound("conversation", conversation)
        case "reused":
            raise KeyReused(str(key))
        case _:
            return _numbered(conversation, messages, row)


def _numbered(conversation: str, messages: Sequence[Draft], row: Row) -> list[Message]:
    """The messages as stored. The database answers with numbers only; the text is here already."""
    first, asked, ids = row["first"], row["asked"], row["message_ids"]
    return [
        Message(
            conversation=conversation,
            seq=first + place,
            id=str(ids[place]),
            role=one.role,
            content=one.content,
            created_at=one.at or row["stored_at"],
            name=one.name,
            metadata=decoded(one.metadata) or {},
            tool_calls=decoded(one.tool_calls),
            tool_call_id=one.tool_call_id,
            parts=decoded(one.parts),
            answers=None if reply_to is None else (first - 1 + reply_to if reply_to else asked or None),
        )
        for place, (one, reply_to) in enumerate(zip(messages, answered(messages), strict=True))
    ]
