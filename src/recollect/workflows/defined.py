"""Workflows in the database: a tenant's own, beside those that come with us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect import inputs
from recollect.errors import NotFound
from recollect.records import Caller
from recollect.storage.database import Database
from recollect.workflows.checking import check_actions
from recollect.workflows.definition import Workflow
from recollect.workflows.reading import parse, shipped, stored, written

MAX_VERSION = (1 << 31) - 1


async def define(database: Database, caller: Caller, name: str, definition: Mapping[str, Any] | str) -> Workflow:
    """Add a workflow of the tenant's own, or a new version of it; the same one again changes nothing.

    Conversations that have begun go on with the version that they began with.
    """
    workflow = parse(name, definition)
    text = written(workflow)
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await transaction.run("lock_workflow", workflow.name)
        row = await transaction.row("workflow_definition", workflow.name, None)
        if row is None or stored(row["definition"]) != workflow:
            check_actions(workflow)
            await transaction.run("save_workflow", workflow.name, text, caller.actor)
            await transaction.run("record_audit", caller.actor, "workflow.define", None, workflow.name)
    return workflow


async def named(database: Database, caller: Caller, name: str, version: int | None = None) -> Workflow:
    """One workflow: the tenant's own of this name, or ours; of an earlier version, if asked (0 is ours)."""
    name = inputs.identifier("workflow", name)
    if version is not None:
        inputs.amount("version", version, most=MAX_VERSION, least=0)
    rows = await database.read(caller.tenant, "workflow_definition", name, version)
    if rows:
        return stored(rows[0]["definition"])
    if name not in shipped() or version:
        raise NotFound("workflow", name if version is None else f"{name} of version {version}")
    return shipped()[name]


async def listed(database: Database, caller: Caller) -> list[Workflow]:
    """All workflows by name; one that a tenant has defined stands in for ours of the same name."""
    rows = await database.read(caller.tenant, "workflows_of_tenant")
    merged = {**shipped(), **{row["name"]: stored(row["definition"]) for row in rows}}
    return [merged[name] for name in sorted(merged)]
