"""Delete a tenant: everybody in it is erased first, each in a transaction; then the rest goes at once."""

from __future__ import annotations

from collections import Counter

from recollect import inputs
from recollect.errors import Invalid, NotFound, Refused
from recollect.forget.erase import LONG, erase, erase_long
from recollect.records import Caller
from recollect.storage.database import Database

#: Users that are asked for at once.
SOME = 200


def check_sure(tenant: str, own: str, confirm: str) -> None:
    """Whether an operator whose own tenant is ``own`` may remove a tenant, and has said its name twice."""
    if inputs.identifier("confirm", confirm) != tenant:
        raise Invalid("confirm", "must be the name of the tenant, so that no other one is removed by mistake")
    if tenant == own:
        raise Refused(
            "this is the tenant that you act in yourself, and your audit would go with it; "
            "act in another one: with a key of it, or RECOLLECT_TENANT"
        )


async def delete(database: Database, within: Caller) -> tuple[int, dict[str, int]]:
    """Remove the tenant that an operator acts in, with everything in it, for good; how many users there were, and
    how many rows of each kind they had.

    Its keys end first. What was stopped half-way goes on where it is called again. The tenant's audit stays, which
    names nobody any more.
    """
    tenant = within.tenant
    async with database.transaction(tenant) as transaction:
        if await transaction.row("lock_tenant") is None:
            raise NotFound("tenant", tenant)
        await transaction.run("revoke_keys")
        await transaction.run("record_audit", within.actor, "tenant.delete", None, tenant)
    users, counts, last = 0, Counter[str](), ""
    while rows := await database.read(tenant, "users_of_tenant", last, SOME):
        for row in rows:
            last = row["user_id"]
            counts.update((await erase(database, within, last)).counts)
            users += 1
    async with database.transaction(tenant) as transaction:
        await transaction.row("lock_tenant")
        # Of whoever came meanwhile: what is cached of a conversation goes with its messages.
        late = [row["id"] for row in await transaction.rows("conversations_of_tenant")]
        for table in LONG if late else ():
            counts[table] += await erase_long(transaction, table, late)
        await transaction.run("delete_work_of_tenant")
        await transaction.run("delete_tenant")
    return users, {kind: count for kind, count in sorted(counts.items()) if count}
