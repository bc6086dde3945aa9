"""Whom a credential stands for, as it is sent."""

from __future__ import annotations

from recollect.access.records import Holder
from recollect.server.wire.view import View

#: Grows when a client that was written before would misunderstand.
API = 1


class Identity(View, frozen=True, kw_only=True):
    """Whom the credential of this request stands for."""

    tenant: str
    actor: str
    scopes: list[str]
    user: str | None
    operator: bool
    """Whether they run the installation: /api/tenants is for them."""
    api: int = API
    """The number of this API; a client for another one should not go on."""


def identity(holder: Holder) -> Identity:
    """Whom a credential stands for."""
    return Identity(
        tenant=holder.tenant,
        actor=holder.actor,
        scopes=sorted(holder.scopes),
        user=holder.user,
        operator=holder.operator,
    )
