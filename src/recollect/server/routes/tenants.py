"""Tenants, for whoever runs the installation. What is in them is not theirs to read: no route here shows it."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from recollect.server.once import once
from recollect.server.routes.admin import KeyOrder, new_key_view
from recollect.server.rules import rule
from recollect.server.who import Asking
from recollect.server.wire.admin import NewKeyView
from recollect.server.wire.tenants import DeletedTenantView, Tenants, TenantView
from recollect.server.wire.view import shown


class NewTenant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tenant to make."""

    tenant: str


class Sure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The name of the tenant once more, since this cannot be undone."""

    confirm: str


@get("/api/tenants", opt=rule("operator"))
async def listed(who: Asking, limit: FromQuery[int] = 50, cursor: FromQuery[str | None] = None) -> Tenants:
    """The tenants of this installation by name, with how many keys of each open something."""
    page = await who.door.tenants(limit=limit, cursor=cursor)
    return Tenants(items=[shown(TenantView, one) for one in page.items], cursor=page.cursor)


@post("/api/tenants", opt=rule("operator"))
async def create(request: Request[Any, Any, Any], data: JSONBody[NewTenant], who: Asking) -> Response[TenantView]:
    """Make a tenant; 409 if it is there."""

    async def make() -> TenantView:
        return shown(TenantView, await who.door.create_tenant(data.tenant))

    async def read(kept: dict[str, Any]) -> TenantView:
        return msgspec.convert(kept, TenantView)

    return await once(request, who, who.holder.actor, make, read, keep=lambda tenant: shown(TenantView, tenant))


@post("/api/tenants/{tenant:str}/keys", opt=rule("operator"))
async def create_key(tenant: FromPath[str], data: JSONBody[KeyOrder], who: Asking) -> NewKeyView:
    """Make a key of a tenant, by default with read, write and admin: the one that its people begin with. Its text
    is shown here and never again; so there is no Idempotency-Key, which would keep it."""
    made = await who.door.create_tenant_key(
        tenant, data.name, scopes=data.scopes, user=data.user, expires_at=data.expires_at
    )
    return new_key_view(made)


@delete("/api/tenants/{tenant:str}", status_code=200, opt=rule("operator"))
async def remove(tenant: FromPath[str], data: JSONBody[Sure], who: Asking) -> DeletedTenantView:
    """Remove a tenant and all that is in it, for good; its keys end first. If this takes too long, send it again:
    it goes on where it was."""
    return shown(DeletedTenantView, await who.door.delete_tenant(tenant, confirm=data.confirm))


ROUTES = [listed, create, create_key, remove]
