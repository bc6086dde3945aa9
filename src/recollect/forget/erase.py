"""Erase a user: everything, in one transaction, and for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import NotFound, Overloaded
from recollect.forget.records import Receipt, hash_of
from recollect.ids import new_id
from recollect.records import Caller
from recollect.storage.database import Database, Row, Transaction

#: What is taken away at once of the tables that may be long.
PART = 2000
CONVERSATIONS = 200
#: Receipts that are read at once.
RECEIPTS = 1000
TRIES = 5

#: Tables whose rows hang on a conversation and may be many; the query of each is called ``erase_<table>``.
LONG = ("message_vectors", "messages", "append_keys", "state_history")
#: Tables that know the user, or hang on one that does; what others hang on comes after them.
SHORT = (
    "states",
    "digests",
    "conversation_memories",
    "turns",
    "outbox",
    "refusals",
    "answers",
    "active_conversations",
    "conversations",
    "memory_versions",
    "memory_words",
    "memories",
    "tombstones",
    "note_versions",
    "notes",
    "document_vectors",
    "document_texts",
    "document_versions",
    "documents",
    "pools",
    "work",
    "api_keys",
    "live_events",
    "live_marks",
    "live_heads",
)
#: Tables that keep their rows and lose the name.
DISOWNED = ("audit", "workflows", "receipts")
#: Tables in which others' rows may be signed by the user; the query of each is called ``disown_<table>``.
SIGNED = (
    "messages",
    "state_history",
    "conversation_memories",
    "memory_versions",
    "note_versions",
    "document_versions",
    "api_keys",
)


async def erase(database: Database, caller: Caller, user: str) -> Receipt:
    """Remove all that there is of a user. Whoever writes for the user meanwhile is either erased too, or comes
    after and begins anew; a second erasure finds nothing."""
    user = inputs.identifier("user", user)
    for _ in range(TRIES):
        try:
            return await _erase(database, caller, user)
        except Overloaded:
            # A writer that had locked things in another order: one of the two had to give way.
            continue
    return await _erase(database, caller, user)


async def _erase(database: Database, caller: Caller, user: str) -> Receipt:
    id = str(new_id())
    alias = f"erased:{id}"
    actor = alias if caller.actor in (user, f"user:{user}"[: inputs.MAX_ID]) else caller.actor
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await transaction.row("lock_out_writers", user)
        conversations = [row["id"] for row in await transaction.rows("lock_conversations_of_user", user)]
        await transaction.row("lock_memories_of_user", user)
        await transaction.row("lock_notes_of_user", user)
        await transaction.row("lock_documents_of_user", user)
        counts = {table: await erase_long(transaction, table, conversations) for table in LONG}
        for table in SHORT:
            counts[table] = await _count(transaction, f"erase_{table}", user)
        for table in DISOWNED:
            counts[table] = await _count(transaction, f"disown_{table}", user, alias)
        counts["signed"] = sum([await _count(transaction, f"disown_{table}", user, alias) for table in SIGNED])
        given = (id, actor, hash_of(id, user), msgspec.json.encode(counts).decode())
        row = await transaction.row("insert_receipt", *given)
        await transaction.run("record_audit", actor, "user.erase", None, id)
    assert row is not None
    return _receipt(row)


async def receipts(
    database: Database, caller: Caller, user: str | None, limit: int, cursor: str | UUID | None
) -> list[Receipt]:
    """The receipts of erasures, newest first, after the one whose id is the cursor; with a user, only those about
    this id, for which all have to be looked at."""
    user = None if user is None else inputs.identifier("user", user)
    limit = inputs.amount("limit", limit)
    found: list[Receipt] = []
    most = RECEIPTS if user is not None else min(limit, RECEIPTS)
    last = None if cursor is None else await _receipt_at(database, caller, inputs.uuid("cursor", cursor))
    while True:
        after = (None, None) if last is None else (last["at"], last["id"])
        rows = await database.read(caller.tenant, "receipts_of_tenant", *after, most)
        found += [one for one in map(_receipt, rows) if user is None or one.concerns(user)]
        if len(rows) < most or len(found) >= limit:
            return found[:limit]
        last = rows[-1]


async def _receipt_at(database: Database, caller: Caller, id: UUID) -> Row:
    rows = await database.read(caller.tenant, "receipt_by_id", id)
    if not rows:
        raise NotFound("receipt", str(id))
    return rows[0]


async def erase_long(transaction: Transaction, table: str, conversations: Sequence[object]) -> int:
    """Take away what hangs on some conversations in one of the LONG tables, in parts; how much it was."""
    total = 0
    for start in range(0, len(conversations), CONVERSATIONS):
        some = conversations[start : start + CONVERSATIONS]
        while True:
            gone = await _count(transaction, f"erase_{table}", some, PART)
            total += gone
            if gone < PART:
                break
    return total


async def _count(transaction: Transaction, query: str, *args: object) -> int:
    row: Any = await transaction.row(query, *args)
    return row[0]


def _receipt(row: Row) -> Receipt:
    return Receipt(
        id=str(row["id"]),
        at=row["at"],
        actor=row["actor"],
        user=row["user_hash"],
        counts=dict(sorted(msgspec.json.decode(row["counts"], type=dict[str, int]).items())),
    )
