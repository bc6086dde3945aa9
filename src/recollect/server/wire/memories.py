"""Memories, their versions, and what was not learned, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from recollect.records import Memory
from recollect.server.wire.view import View, shown


class SourceView(View, frozen=True, kw_only=True):
    """The messages that a memory comes from."""

    conversation: str
    first: int
    last: int


class MemoryView(View, frozen=True, kw_only=True):
    """One short insight about a user."""

    id: str
    bot_id: str
    user_id: str
    key_point: str
    context: dict[str, Any]
    """Free; ``sessionId``, ``sessionName`` and ``messageCount`` where they are known."""
    created_at: datetime
    updated_at: datetime
    pool: str
    category: str | None
    importance: float
    pinned: bool
    status: Literal["active", "quarantined", "retired"]
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    author: str
    trust: str
    version: int
    update_count: int
    source: SourceView | None


class Memories(View, frozen=True, kw_only=True):
    """A page, newest first."""

    items: list[MemoryView]
    cursor: str | None


class MemoryVersionView(View, frozen=True, kw_only=True):
    """What a memory was at one of its versions."""

    version: int
    text: str
    category: str | None
    importance: float
    pinned: bool
    status: str
    expires_at: datetime | None
    valid_from: datetime
    valid_to: datetime | None
    change: str
    actor: str
    at: datetime
    author: str | None
    """Whose word it was; none where it was not written down yet."""
    trust: str | None
    source: SourceView | None
    superseded_by: str | None


class RefusalView(View, frozen=True, kw_only=True):
    """Something that was not learned, and why."""

    source: SourceView
    reason: str
    at: datetime


def memory_view(one: Memory) -> MemoryView:
    """A memory."""
    return MemoryView(
        id=one.id,
        bot_id=one.agent,
        user_id=one.user,
        key_point=one.text,
        context=one.context,
        created_at=one.created_at,
        updated_at=one.updated_at,
        pool=one.pool,
        category=one.category,
        importance=one.importance,
        pinned=one.pinned,
        status=one.status,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        expires_at=one.expires_at,
        superseded_by=one.superseded_by,
        author=one.author,
        trust=one.trust,
        version=one.version,
        update_count=one.update_count,
        source=None if one.source is None else shown(SourceView, one.source),
    )
