"""Tenants, as an operator of the installation sees them: by name. What is in them stays behind the wall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect import inputs
from recollect.access import keys
from recollect.access.records import NewKey, Tenant
from recollect.errors import Forbidden, NotFound, Refused
from recollect.paging import read_cursor, write_cursor
from recollect.records import Caller, Page
from recollect.storage.database import Database


async def listed(database: Database, caller: Caller, limit: int, cursor: str | None) -> Page[Tenant]:
    """All tenants by name."""
    must_operate(caller)
    limit = inputs.amount("limit", limit)
    after = "" if cursor is None else inputs.identifier("cursor", read_cursor(cursor, str))
    rows = await database.call("tenants_in_numbers", after, limit + 1)
    items = [Tenant(tenant=row["tenant"], created_at=row["created_at"], keys=row["keys"]) for row in rows[:limit]]
    return Page(items=items, cursor=write_cursor(items[-1].tenant) if len(rows) > limit else None)


async def create(database: Database, caller: Caller, tenant: str) -> Tenant:
    """Make a tenant; Refused if it is there."""
    within = acting_in(caller, tenant)
    async with database.transaction(within.tenant) as transaction:
        row = await transaction.row("insert_tenant")
        if row is None:
            raise Refused(f"tenant {within.tenant!r} is there already")
        await transaction.run("record_audit", within.actor, "tenant.create", None, within.tenant)
        made = Tenant(tenant=within.tenant, created_at=row["created_at"], keys=0)
        await transaction.made(made)
    await remember_doing(database, caller, "tenant.create", within.tenant)
    return made


async def create_key(
    database: Database,
    caller: Caller,
    tenant: str,
    name: str,
    scopes: Sequence[str],
    user: str | None,
    expires_at: datetime | None,
) -> NewKey:
    """Make a key of a tenant, which must be there; both audits tell."""
    within = acting_in(caller, tenant)
    await must_be_there(database, within.tenant)
    made = await keys.create(database, within, name, scopes, user, expires_at)
    await remember_doing(database, caller, "tenant.key", within.tenant)
    return made


def must_operate(caller: Caller) -> None:
    """Forbidden, unless the caller is an operator."""
    if not caller.operator:
        raise Forbidden(
            "tenants are the operator's: use a key with the scope operator, or open with operator=True"
        )


def acting_in(caller: Caller, tenant: str) -> Caller:
    """An operator in a tenant, whose audit tells them from its own people."""
    must_operate(caller)
    return Caller(inputs.identifier("tenant", tenant), f"operator:{caller.actor}"[: inputs.MAX_ID], operator=True)


async def must_be_there(database: Database, tenant: str) -> None:
    """NotFound, unless there is such a tenant."""
    if not await database.read(tenant, "tenant_there"):
        raise NotFound("tenant", tenant)


async def remember_doing(database: Database, caller: Caller, action: str, tenant: str) -> None:
    """The operator's own audit tells what they did to which tenant, also when that one is gone."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await transaction.run("record_audit", caller.actor, action, None, tenant)
