"""Templates, as they are sent."""

from __future__ import annotations

from recollect.server.wire.view import View


class TemplateView(View, frozen=True, kw_only=True):
    """A named pattern for a common kind of memory."""

    name: str
    pattern: str
    category: str | None
    importance: float
    fields: list[str]
