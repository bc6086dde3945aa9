"""Documents and their versions, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recollect.server.wire.view import View


class DocumentView(View, frozen=True, kw_only=True):
    """A JSON value under a key of a namespace."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    version: int
    user: str | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class DocumentVersionView(View, frozen=True, kw_only=True):
    """What a document was at one of its versions, and who made it so."""

    version: int
    value: dict[str, Any]
    actor: str
    created_at: datetime


class DocumentHitView(View, frozen=True, kw_only=True):
    """A document that was found; ``score`` is null where there was nothing to compare."""

    document: DocumentView
    score: float | None
