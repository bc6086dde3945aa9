"""What was found, as it is sent."""

from __future__ import annotations

from datetime import datetime

from recollect.records import Hit
from recollect.server.wire.memories import MemoryView, memory_view
from recollect.server.wire.messages import MessageView, message_view
from recollect.server.wire.view import View


class HitView(View, frozen=True, kw_only=True):
    """Something found, a memory or a message, with how well it fits and why."""

    text: str
    score: float
    why: str
    at: datetime
    memory: MemoryView | None
    message: MessageView | None


def hit_view(one: Hit) -> HitView:
    """A hit."""
    return HitView(
        text=one.text,
        score=one.score,
        why=one.why,
        at=one.at,
        memory=None if one.memory is None else memory_view(one.memory),
        message=None if one.message is None else message_view(one.message),
    )
