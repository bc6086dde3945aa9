"""The records of access. All are frozen."""

from __future__ import annotations

from datetime import datetime

import msgspec

#: What a credential may do: look, change, and run the tenant.
SCOPES = ("read", "write", "admin")


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """An API key, without its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    user: str | None
    """Whoever holds it sees this user only; None: every user of the tenant."""
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    """To the minute."""


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is made: the only time that its text can be read."""

    key: Key
    text: str


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a credential stands for."""

    tenant: str
    actor: str
    scopes: frozenset[str]
    user: str | None = None
