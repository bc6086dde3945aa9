"""The tenants of an installation."""

from __future__ import annotations

from datetime import datetime

from recollect.server.wire.view import View


class TenantView(View, frozen=True, kw_only=True):
    """A customer of this installation."""

    tenant: str
    created_at: datetime
    keys: int
    """How many of its keys open something."""


class Tenants(View, frozen=True, kw_only=True):
    """A page, by name."""

    items: list[TenantView]
    cursor: str | None


class DeletedTenantView(View, frozen=True, kw_only=True):
    """That a tenant is gone, and how much it was."""

    tenant: str
    users: int
    counts: dict[str, int]
