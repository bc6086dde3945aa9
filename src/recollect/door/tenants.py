"""The tenants of an installation, for whoever operates it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.access import tenants
from recollect.access.records import SCOPES, DeletedTenant, NewKey, Tenant
from recollect.door.part import Part
from recollect.forget import tenant as tenant_removal
from recollect.records import Page


class Tenants(Part):
    """Who there is besides this tenant."""

    async def tenants(self, *, limit: int = 50, cursor: str | None = None) -> Page[Tenant]:
        """The tenants of this installation by name, for its operator: Forbidden unless this door is one's
        (``Recollect.open(operator=True)``), as for the next three."""
        return await tenants.listed(self._database, self._caller, limit, cursor)

    async def create_tenant(self, tenant: str) -> Tenant:
        """Make a tenant; Refused if it is there. A tenant also comes by itself with its first message."""
        return await tenants.create(self._database, self._caller, tenant)

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
        chosen = SCOPES if scopes is None else scopes
        return await tenants.create_key(self._database, self._caller, tenant, name, chosen, user, expires_at)

    async def delete_tenant(self, tenant: str, *, confirm: str) -> DeletedTenant:
        """Remove a tenant and all that is in it, for good; ``confirm`` is its name once more.

        Its keys end first. If it was stopped half-way, call it again.
        """
        within = tenants.acting_in(self._caller, tenant)
        tenant_removal.check_sure(within.tenant, self.tenant, confirm)
        await tenants.must_be_there(self._database, within.tenant)
        await tenants.remember_doing(self._database, self._caller, "tenant.delete", within.tenant)
        users, counts = await tenant_removal.delete(self._database, within)
        return DeletedTenant(tenant=within.tenant, users=users, counts=counts)
