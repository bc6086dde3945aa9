"""The records of access. All are frozen."""

from __future__ import annotations

from datetime import datetime

import msgspec

#: What a credential may do in its tenant: look, change, and run it.
SCOPES = ("read", "write", "admin")
#: The scope of whoever runs the installation: it reaches the list of tenants, and nothing that is in them.
OPERATOR = "operator"


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


class Tenant(msgspec.Struct, frozen=True, kw_only=True):
    """A customer of this installation, as an operator sees it."""

    tenant: str
    created_at: datetime
    keys: int
    """How many of its keys open something."""


class DeletedTenant(msgspec.Struct, frozen=True, kw_only=True):
    """That a tenant is gone, and how much it was."""

    tenant: str
    users: int
    counts: dict[str, int]
    """How many rows of each kind its users had."""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a credential stands for."""

    tenant: str
    actor: str
    scopes: frozenset[str]
    user: str | None = None

    @property
    def operator(self) -> bool:
        """Whether this is an operator of the installation."""
        return OPERATOR in self.scopes
