"""After a change of the embedding model: new vectors for old memories, a batch at a time.

What has no vector of the current model yet is found by its words; vectors of two models are never compared.
It can be stopped at any moment and started again: what is done is done.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.ports import Embedder
from recollect.records import Caller
from recollect.remember.memories import vector_text
from recollect.storage.database import Database

BATCH = 200

#: Told how many are done, and how many there are.
Progress = Callable[[int, int], None]


async def reembed(database: Database, caller: Caller, embedder: Embedder, progress: Progress | None) -> int:
    """Give every memory of the tenant a vector of the current model; returns how many got a new one."""
    rows = await database.read(caller.tenant, "count_other_models", embedder.name)
    total, done = rows[0][0], 0
    while True:
        rows = await database.read(caller.tenant, "memories_of_other_models", embedder.name, BATCH)
        if not rows:
            break
        vectors = await embedder.embed([row["key_point"] for row in rows])
        async with database.transaction(caller.tenant) as transaction:
            for row, vector in zip(rows, vectors, strict=True):
                # A memory that was revised meanwhile has its new vector already.
                await transaction.run(
                    "store_new_vector", row["id"], row["version"], embedder.name, vector_text(vector)
                )
        done += len(rows)
        if progress is not None:
            progress(min(done, total), total)
    async with database.transaction(caller.tenant) as transaction:
        # Messages get vectors when a recall meets them; those of an earlier model are of no use any more.
        await transaction.run("drop_old_message_vectors", embedder.name)
        await transaction.run("record_audit", caller.actor, "memory.reembed", None, embedder.name)
    return done
