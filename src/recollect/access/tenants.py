"""Tenants, as an operator sees them: by a login that may act as the owner of the tables."""

from __future__ import annotations

from datetime import datetime

import asyncpg
import msgspec

from recollect.errors import Unavailable
from recollect.records import Caller
from recollect.storage.database import Database
from recollect.storage.queries import named_queries


class Tenant(msgspec.Struct, frozen=True):
    """A customer of this installation."""

    tenant: str
    created_at: datetime


async def listed(connection: asyncpg.Connection) -> list[Tenant]:
    """All tenants. The server itself cannot do this: its role sees one tenant at a time."""
    queries = named_queries()
    try:
        async with connection.transaction(readonly=True):
            await connection.execute(queries["become_owner"])
            rows = await connection.fetch(queries["tenants_there"])
    except asyncpg.InsufficientPrivilegeError:
        raise Unavailable(
            "database", "this login may not list tenants; use the one that runs `recollect migrate`"
        ) from None
    return [Tenant(row["tenant"], row["created_at"]) for row in rows]


async def create(database: Database, caller: Caller) -> None:
    """Make the caller's tenant, if it is not there yet; it would also come by itself with its first message."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await transaction.run("record_audit", caller.actor, "tenant.create", None, caller.tenant)
