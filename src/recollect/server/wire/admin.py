"""Due work, what became of it, retention and keys, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from recollect.server.wire.view import View


class WorkView(View, frozen=True, kw_only=True):
    """Something that has fallen due, or failed."""

    kind: str
    subject: str
    user: str | None
    marks: int
    attempts: int
    due_at: datetime
    leased_until: datetime | None
    failed_at: datetime | None
    error: str | None


class DigestedView(View, frozen=True, kw_only=True):
    """What became of due work."""

    done: int
    failed: int
    given_up: int
    lost: int
    passed_on: int
    messages: int
    added: int
    refreshed: int
    replaced: int
    ignored: int
    refused: int
    merged: int
    retired: int
    summarised: int
    tidied: int
    delivered: int


class RetentionView(View, frozen=True, kw_only=True):
    """How many minutes messages are kept, as it was set; null is that there is no rule."""

    installation: int | None
    tenant: int | Literal["forever"] | None
    agents: dict[str, int | Literal["forever"]]


class TidiedView(View, frozen=True, kw_only=True):
    """What a clean-up removed."""

    messages: int
    memories: int
    keys: int
    documents: int


class KeyView(View, frozen=True, kw_only=True):
    """An API key, without its secret."""

    id: str
    name: str
    scopes: list[str]
    user: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewKeyView(KeyView, frozen=True, kw_only=True):
    """A key as it is made."""

    text: str
    """Shown here and never again."""
