"""Memories that come from elsewhere, with their ids, times and versions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress
from uuid import UUID

from recollect import inputs
from recollect.exchange.document import KeptMemory
from recollect.exchange.records import Imported
from recollect.forget.since import Since
from recollect.models.generations import Embedders, vector_texts
from recollect.models.many import vectors_of_many
from recollect.records import Caller
from recollect.remember.insight import PLACES, fingerprint
from recollect.remember.memories import as_served, must_serve
from recollect.storage.database import Database, Transaction
from recollect.storage.serving import serving_model


async def restore_memories(
    database: Database, caller: Caller, embedders: Embedders, since: Since, memories: Sequence[KeptMemory]
) -> Imported:
    """Add those that are not there yet, in one transaction; what was forgotten here does not come back."""
    user = since.user
    async with database.transaction(caller.tenant) as transaction:
        new = list(compress(memories, await _missing(transaction, user, memories)))
    if not new:
        return Imported(known=len(memories))

    async def write() -> int:
        texts = [one.text for one in new]
        name, made = await embedders.made(
            caller.tenant,
            lambda embedder: vectors_of_many(embedder, texts),
            partial(serving_model, database, caller.tenant),
        )
        vectors = [(name, one) for one in await vector_texts(made)]
        async with database.transaction(caller.tenant) as transaction:
            await since.check(transaction)
            # As whoever learns: what is forgotten from here on finds them there, and what was forgotten is seen.
            for pool in sorted({one.pool for one in new}):
                await transaction.run("lock_pool", user, pool)
            await must_serve(transaction, caller, embedders, vectors[0])
            both = compress(zip(new, vectors, strict=True), await _missing(transaction, user, new))
            return sum([await _restore(transaction, caller, user, one, vector) for one, vector in both])

    added = await as_served(write)
    return Imported(memories=added, known=len(memories) - added)


async def _missing(transaction: Transaction, user: str, memories: Sequence[KeptMemory]) -> list[bool]:
    """Which of them are neither there nor forgotten."""
    rows = await transaction.rows("memory_owners", [one.id for one in memories])
    there: set[UUID] = {row["id"] for row in rows}
    buried = {
        (pool, row["fingerprint"])
        for pool in {one.pool for one in memories}
        for row in await transaction.rows("buried", user, pool)
    }
    return [one.id not in there and (one.pool, fingerprint(one.text)) not in buried for one in memories]


async def _restore(
    transaction: Transaction, caller: Caller, user: str, one: KeptMemory, vector: tuple[str, str]
) -> bool:
    """False if another memory of the pool says the same. What it is now is one of its versions, also where whoever
    wrote the document knows of none."""
    source = one.source
    row = await transaction.row(
        "restore_memory",
        one.id,
        user,
        one.pool,
        one.agent,
        one.text,
        one.category,
        round(one.importance, PLACES),
        one.pinned,
        one.status,
        one.created_at,
        one.updated_at,
        one.valid_from,
        one.valid_to,
        one.expires_at,
        one.superseded_by,
        one.author,
        one.trust,
        one.by_person,
        one.version,
        one.update_count,
        inputs.json_text("context", one.context) if one.context else None,
        None if source is None else source.conversation,
        None if source is None else source.first_seq,
        None if source is None else source.last_seq,
        fingerprint(one.text),
        *vector,
    )
    if row is None:
        return False
    for version in one.versions:
        source = version.source
        await transaction.run(
            "restore_memory_version",
            one.id,
            version.version,
            version.text,
            version.category,
            round(version.importance, PLACES),
            version.pinned,
            version.status,
            version.expires_at,
            version.valid_from,
            version.valid_to,
            version.change,
            version.actor,
            version.at,
            version.author,
            version.trust,
            None if source is None else source.conversation,
            None if source is None else source.first_seq,
            None if source is None else source.last_seq,
            version.superseded_by,
        )
    if all(version.version < one.version for version in one.versions):
        await transaction.run("record_memory_version", one.id, "import", caller.actor)
    return True
