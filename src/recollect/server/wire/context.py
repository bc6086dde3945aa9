"""What a prompt gets, as it is sent."""

from __future__ import annotations

from typing import Any

from recollect.recall.pack import Context
from recollect.server.wire.search import HitView, hit_view
from recollect.server.wire.view import View, shown


class DroppedView(View, frozen=True, kw_only=True):
    """What did not fit."""

    section: str
    what: str
    tokens: int
    why: str


class ContextView(View, frozen=True, kw_only=True):
    """What the next prompt gets."""

    messages: list[dict[str, Any]]
    whole: list[dict[str, Any]] | None
    """With what OpenAI has no place for, where there is such a thing."""
    tokens: dict[str, int]
    dropped: list[DroppedView]
    memories: list[HitView]


def context_view(one: Context) -> ContextView:
    """A context."""
    return ContextView(
        messages=one.messages,
        whole=one.whole,
        tokens=one.tokens,
        dropped=[shown(DroppedView, dropped) for dropped in one.dropped],
        memories=[hit_view(hit) for hit in one.memories],
    )
