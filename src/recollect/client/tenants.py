"""The tenants of an installation over HTTP, for its operator."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.access.records import DeletedTenant, NewKey, Tenant
from recollect.client.calls import Call, body, named, once, reading
from recollect.client.door import Part
from recollect.client.wire import read_new_key
from recollect.ids import new_id
from recollect.records import Page


class Tenants(Part):
    """What the operator of an installation does; the key needs the scope ``operator``."""

    async def tenants(self, *, limit: int = 50, cursor: str | None = None) -> Page[Tenant]:
        """The tenants of this installation by name, for its operator: Forbidden unless the key is one's, as for
        the next three."""
        return await self._http.ask(Page[Tenant], reading("/api/tenants", limit=limit, cursor=cursor))

    async def create_tenant(self, tenant: str) -> Tenant:
        """Make a tenant; Refused if it is there. A tenant also comes by itself with its first message."""
        headers = once(str(new_id()))
        call = Call(method="POST", path="/api/tenants", content=body(tenant=tenant), headers=headers, again=True)
        return await self._http.ask(Tenant, call)

    async def create_tenant_key(
        self,
        tenant: str,
        name: str = "",
        *,
        scopes: Sequence[str] | None = None,
        user: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """A key of a tenant that is there, by default the one that runs it: ``read``, ``write`` and ``admin``.

        Its text can be read here and never again.
        """
        chosen = None if scopes is None else list(scopes)
        asked = body(name=name, scopes=chosen, user=user, expires_at=expires_at)
        path = f"/api/tenants/{named('tenant', tenant)}/keys"
        return read_new_key(await self._http.bytes(Call(method="POST", path=path, content=asked)))

    async def delete_tenant(self, tenant: str, *, confirm: str) -> DeletedTenant:
        """Remove a tenant and all that is in it, for good; ``confirm`` is its name once more.

        Its keys end first. If it was stopped half-way, call it again.
        """
        path = f"/api/tenants/{named('tenant', tenant)}"
        call = Call(method="DELETE", path=path, content=body(confirm=confirm))
        return await self._http.ask(DeletedTenant, call)
