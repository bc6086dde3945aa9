"""Consolidation: what a pool says twice, or has since contradicted, becomes one memory. Nothing is overwritten."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

import msgspec

from recollect.errors import Conflict
from recollect.models.generations import Embedders
from recollect.records import Caller, Memory
from recollect.remember import memories
from recollect.remember.insight import fingerprint
from recollect.remember.learn import retire
from recollect.remember.learning import Merge
from recollect.remember.merging import ended, joined, merges
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import memory_from
from recollect.storage.serving import serving_model


class Plan(msgspec.Struct, frozen=True):
    """What is to be merged, judged outside of a transaction, with the memories as they were then."""

    merges: list[Merge]
    memories: dict[str, Memory]
    vectors: dict[str, memories.Vector]
    """For each kept memory whose text changes, the vector of the new text."""


async def consolidate(
    database: Database, caller: Caller, embedders: Embedders, user: str, agent: str
) -> Mapping[str, int]:
    """Consolidate the agent's pool now. If it changes meanwhile, look again."""
    for last in (False, False, True):
        try:
            return await memories.as_served(partial(_consolidate, database, caller, embedders, user, agent))
        except Conflict:
            if last:
                raise
    raise AssertionError


async def _consolidate(
    database: Database, caller: Caller, embedders: Embedders, user: str, agent: str
) -> Mapping[str, int]:
    async with database.transaction(caller.tenant) as transaction:
        pool = await memories.pool_of(transaction, agent)
    made = await plan(database, caller, embedders, user, pool)
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        return await carry_out(transaction, caller, embedders, user, pool, made)


async def plan(database: Database, caller: Caller, embedders: Embedders, user: str, pool: str) -> Plan:
    """Compare everything in the pool, by vectors of the generation that serves. The store tells which one that is:
    its model need not run here, and whoever has just begun has not heard of it."""
    serving = await serving_model(database, caller.tenant)
    rows = await database.read(caller.tenant, "pool_with_vectors", user, pool, serving)
    if len(rows) < 2:
        return Plan([], {}, {})
    by_id, found = await asyncio.to_thread(_compared, rows)
    changed = {merge.keep: merge.text for merge in found if merge.text != by_id[merge.keep].text}
    made = {id: await memories.vector_of(database, caller, embedders, text) for id, text in changed.items()}
    return Plan(found, by_id, made)


def _compared(rows: Sequence[Row]) -> tuple[dict[str, Memory], list[Merge]]:
    """What the pool holds, by id, and what is to be merged of it; a large pool takes its time."""
    import numpy as np

    known = [memory_from(row) for row in rows]
    vectors = np.array([msgspec.json.decode(row["vector"]) for row in rows], dtype=np.float32)
    protected = {str(row["id"]) for row in rows if row["by_person"]}
    return {memory.id: memory for memory in known}, merges(known, vectors, protected)


async def carry_out(
    transaction: Transaction, caller: Caller, embedders: Embedders, user: str, pool: str, plan: Plan
) -> Mapping[str, int]:
    """Merge as planned; Conflict if a memory of the plan was changed meanwhile, OtherServes if another model
    serves."""
    await transaction.run("lock_pool", user, pool)
    await _still_as_planned(transaction, plan)
    for merge in plan.merges:
        kept, new = plan.memories[merge.keep], joined(merge, plan.memories)
        for id in merge.retire:
            old = plan.memories[id]
            await retire(transaction, caller, old, kept, ended(merge, plan.memories, old))
        if new != kept:
            vector = plan.vectors.get(kept.id)
            if vector is not None:
                await memories.must_serve(transaction, caller, embedders, vector)
            await _write(transaction, caller, new, vector)
    await transaction.run("pool_consolidated", user, pool)
    return {"merged": len(plan.merges), "retired": sum(len(merge.retire) for merge in plan.merges)}


async def _write(transaction: Transaction, caller: Caller, new: Memory, vector: memories.Vector | None) -> None:
    """The kept one becomes what the group makes of it, as a new version."""
    row = await transaction.row(
        "merge_memory",
        UUID(new.id),
        new.version,
        new.text,
        fingerprint(new.text),
        *(vector or (None, None)),
        new.category,
        new.importance,
        new.pinned,
    )
    if row is None:
        raise Conflict(f"memory {new.id} was changed at this moment")
    await transaction.run("record_memory_version", UUID(new.id), "merge", caller.actor)
    await memories.audit(transaction, caller, "memory.merge", row)


async def _still_as_planned(transaction: Transaction, plan: Plan) -> None:
    """Nobody changes these from here on; Conflict if somebody did before. A memory that was forgotten or corrected
    must not take in others."""
    ids = [id for merge in plan.merges for id in (merge.keep, *merge.retire)]
    rows = await transaction.rows("lock_memories", [UUID(id) for id in ids]) if ids else ()
    found = {str(row["id"]): (row["version"], row["status"]) for row in rows}
    for id in ids:
        if found.get(id) != (plan.memories[id].version, "active"):
            raise Conflict(f"memory {id} was changed at this moment")
