"""Changes as they happen, as they are sent."""

from __future__ import annotations

from datetime import datetime

from recollect.live.records import LiveEvent
from recollect.server.wire.messages import MessageView, message_view
from recollect.server.wire.view import View


class LiveView(View, frozen=True, kw_only=True, omit_defaults=True):
    """One change, as it happens."""

    id: str
    kind: str
    at: datetime
    conversation_id: str | None = None
    agent: str | None = None
    seq: int | None = None
    memory_id: str | None = None
    version: int | None = None
    message: MessageView | None = None


def live_view(one: LiveEvent) -> LiveView:
    """A change."""
    return LiveView(
        id=one.id,
        kind=one.kind,
        at=one.at,
        conversation_id=one.conversation,
        agent=one.agent,
        seq=one.seq,
        memory_id=one.memory,
        version=one.version,
        message=None if one.message is None else message_view(one.message),
    )
