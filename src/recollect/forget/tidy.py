"""The clean-up: old messages, expired memories, old idempotency keys. It can be stopped and started again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.forget.records import Keeping, Retention, Tidied
from recollect.forget.retention import retention
from recollect.records import Caller
from recollect.storage.database import Database

#: Rows in one transaction: nobody waits long for the clean-up.
BATCH = 1000
CONVERSATIONS = 100
#: Seconds after which the log of a user to whom nobody listens is ended.
LIVE = 3600.0


async def tidy(database: Database, caller: Caller, keeping: Keeping, now: datetime | None = None) -> Tidied:
    """Remove what a tenant keeps no longer. Conversations stay, and so do memories of old messages."""
    now = now or datetime.now(UTC)
    done = Tidied(
        messages=await _messages(database, caller, await retention(database, caller, keeping), now),
        memories=await _expired(database, caller, "delete_expired_memories", now),
        documents=await _expired(database, caller, "delete_expired_documents", now),
        keys=await _keys(database, caller, now - timedelta(days=keeping.key_days))
        + await _answers(database, caller, now - timedelta(days=keeping.key_days)),
    )
    async with database.transaction(caller.tenant) as transaction:
        await transaction.row("end_old_logs", LIVE)
    if done != Tidied():
        async with database.transaction(caller.tenant) as transaction:
            counts = (
                f"messages={done.messages} memories={done.memories} keys={done.keys} documents={done.documents}"
            )
            await transaction.run("record_audit", caller.actor, "tidy", None, counts)
    return done


async def _messages(database: Database, caller: Caller, rules: Retention, now: datetime) -> int:
    total = 0
    own = list(rules.agents)
    for agent, minutes in ((None, rules.usual), *((agent, rules.minutes(agent)) for agent in own)):
        if minutes is not None:
            others = own if agent is None else []
            total += await _older(database, caller, agent, others, now - timedelta(minutes=minutes))
    return total


async def _older(
    database: Database, caller: Caller, agent: str | None, others: list[str], before: datetime
) -> int:
    total, after = 0, None
    while True:
        rows = await database.read(
            caller.tenant, "conversations_with_old_messages", agent, others, after, before, CONVERSATIONS
        )
        for row in rows:
            after = row["id"]
            total += await _of_conversation(database, caller, after, before)
        if len(rows) < CONVERSATIONS:
            return total


async def _of_conversation(database: Database, caller: Caller, id: UUID, before: datetime) -> int:
    total = 0
    while True:
        async with database.transaction(caller.tenant) as transaction:
            # The lock of an append, or the counters would not fit what is there.
            await transaction.row("lock_conversation", id)
            row = await transaction.row("delete_old_messages", id, before, BATCH)
            gone = 0 if row is None else row["gone"]
            if gone:
                await transaction.run("count_out_messages", id, gone)
                await transaction.run("delete_old_summary", id)
        total += gone
        if gone < BATCH:
            return total


async def _expired(database: Database, caller: Caller, query: str, now: datetime) -> int:
    """What expired by its date leaves no tombstone: it was true, and may be so again."""
    total = 0
    while True:
        async with database.transaction(caller.tenant) as transaction:
            row = await transaction.row(query, now, BATCH)
        gone = 0 if row is None else row[0]
        total += gone
        if gone < BATCH:
            return total


async def _keys(database: Database, caller: Caller, before: datetime) -> int:
    total, conversation, key = 0, UUID(int=0), ""
    while True:
        async with database.transaction(caller.tenant) as transaction:
            row = await transaction.row("delete_old_keys", conversation, key, before, BATCH)
        if row is None:
            return total
        total, conversation, key = total + row["gone"], row["conversation"], row["key"]


async def _answers(database: Database, caller: Caller, before: datetime) -> int:
    total = 0
    while True:
        async with database.transaction(caller.tenant) as transaction:
            row = await transaction.row("delete_old_answers", before, BATCH)
        gone = 0 if row is None else row[0]
        total += gone
        if gone < BATCH:
            return total
