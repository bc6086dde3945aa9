"""Counts, as they are sent."""

from __future__ import annotations

from datetime import date, datetime

from recollect.server.wire.view import View


class DayOfMessages(View, frozen=True, kw_only=True):
    """Messages of a role on a day."""

    day: date
    role: str
    count: int


class DayOfMemories(View, frozen=True, kw_only=True):
    """Memories of a category and status, made on a day."""

    day: date
    category: str | None
    status: str
    count: int


class DayOfTokens(View, frozen=True, kw_only=True):
    """What language models used on a day."""

    day: date
    calls: int
    tokens_sent: int
    tokens_received: int


class TurnCostView(View, frozen=True, kw_only=True):
    """What the prompt of a turn cost in tokens, of which memories, and how long the turn took."""

    at: datetime
    memories: int
    total: int
    seconds: float | None


class RecalledView(View, frozen=True, kw_only=True):
    """In how many prompts a memory was."""

    id: str
    text: str
    count: int


class AnalyticsView(View, frozen=True, kw_only=True):
    """Counts in all, and of the last days."""

    days: int
    conversations: int
    messages: int
    memories: int
    messages_by_day: list[DayOfMessages]
    memories_by_day: list[DayOfMemories]
    tokens_by_day: list[DayOfTokens]
    turns: list[TurnCostView]
    """The newest ones, newest first."""
    recalled: list[RecalledView]
    """The memories that were in most prompts; empty unless one user was asked for."""
    never_recalled: list[RecalledView]
    """Memories that were in none, oldest first; empty unless one user was asked for."""
    never_recalled_count: int
