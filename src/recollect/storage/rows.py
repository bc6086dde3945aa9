"""From database rows to records."""

from __future__ import annotations

from typing import Any

import msgspec

from recollect.records import Conversation, Message
from recollect.storage.database import Row

_decode = msgspec.json.decode


def conversation_from(row: Row) -> Conversation:
    """A row of ``recollect.conversations``."""
    return Conversation(
        id=str(row["id"]),
        user=row["user_id"],
        agent=row["agent"],
        title=row["title"],
        status=row["status"],
        message_count=row["message_count"],
        last_seq=row["last_seq"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        archived_at=row["archived_at"],
    )


def message_from(conversation: str, row: Row) -> Message:
    """A row that begins with the columns of a message, in the order of the record; this is the hottest line."""
    seq, id, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers = row[:11]
    return Message(
        conversation,
        seq,
        id,
        role,
        content,
        created_at,
        name,
        {} if metadata is None else _decode(metadata),
        None if tool_calls is None else _decode(tool_calls),
        tool_call_id,
        None if parts is None else _decode(parts),
        answers,
    )


def decoded(value: str | None) -> Any:
    """A JSON column, which the driver hands over as text."""
    return None if value is None else _decode(value)
