"""What became of a user as a whole, as it is sent."""

from __future__ import annotations

from datetime import datetime

from recollect.server.wire.view import View


class ReceiptView(View, frozen=True, kw_only=True):
    """That a user was erased, and how much it was."""

    id: str
    at: datetime
    actor: str
    user: str
    counts: dict[str, int]


class ImportedView(View, frozen=True, kw_only=True):
    """What an import added."""

    conversations: int
    messages: int
    memories: int
    notes: int
    documents: int
    known: int
