"""How long messages are kept: rules of a tenant and, overriding it, of its agents."""

from __future__ import annotations

from recollect import inputs
from recollect.forget.records import Keeping, Limit, Minutes, Retention
from recollect.records import Caller
from recollect.storage.database import Database

#: The name of the tenant's own rule; no agent can be called so.
TENANT = ""
MAX_MINUTES = 100 * 366 * 24 * 60


async def retention(database: Database, caller: Caller, keeping: Keeping) -> Retention:
    """The rules that there are."""
    rows = await database.read(caller.tenant, "retentions_of_tenant")
    rules: dict[str, Limit] = {row["agent"]: row["minutes"] or "forever" for row in rows}  # stored as 0
    return Retention(
        installation=keeping.retention_minutes,
        tenant=rules.get(TENANT),
        agents={agent: minutes for agent, minutes in rules.items() if agent != TENANT},
    )


async def set_retention(
    database: Database,
    caller: Caller,
    keeping: Keeping,
    minutes: Minutes,
    agent: str | None,
) -> Retention:
    """Set a rule, or take it away with None; what was there is removed by the next clean-up, not at once."""
    name = TENANT if agent is None else inputs.identifier("agent", agent)
    if minutes is not None:
        minutes = 0 if minutes == "forever" else inputs.amount("minutes", minutes, most=MAX_MINUTES)
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        if minutes is None:
            await transaction.run("remove_retention", name)
        else:
            await transaction.run("save_retention", name, minutes)
        await transaction.run("record_audit", caller.actor, "retention.set", None, name)
    return await retention(database, caller, keeping)
