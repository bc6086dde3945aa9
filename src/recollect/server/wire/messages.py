"""Messages, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from recollect.records import Message
from recollect.server.wire.view import View


class MessageView(View, frozen=True, kw_only=True):
    """One entry of a conversation; the order is ``seq``."""

    id: str
    conversation_id: str
    seq: int
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    created_at: datetime
    name: str | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    parts: list[Any] | None = None
    answers: int | None = None


class Messages(View, frozen=True, kw_only=True):
    """A page, oldest first."""

    items: list[MessageView]
    cursor: str | None = None


def message_view(one: Message) -> MessageView:
    """A message; the hottest view, so it is written out."""
    return MessageView(
        id=one.id,
        conversation_id=one.conversation,
        seq=one.seq,
        role=one.role,
        content=one.content,
        created_at=one.created_at,
        name=one.name,
        metadata=one.metadata,
        tool_calls=one.tool_calls,
        tool_call_id=one.tool_call_id,
        parts=one.parts,
        answers=one.answers,
    )
