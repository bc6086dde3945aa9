"""Import in any format: everything is checked first, and then written; it can be stopped and started again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.exchange import chatgpt, langchain, mem0
from recollect.exchange.document import KeptMemory
from recollect.exchange.memories import restore_memories
from recollect.exchange.names import chosen, derived
from recollect.exchange.reading import Given, beside, entries
from recollect.exchange.records import Imported, Progress, told
from recollect.exchange.restore import TOGETHER, restore
from recollect.exchange.talks import Talk, bring
from recollect.forget.since import since_now
from recollect.models.generations import Embedders
from recollect.records import Caller
from recollect.remember.memories import pool_of
from recollect.storage.database import Database, Transaction
from recollect.storage.foreign import rows_of_table

FORMATS = ("recollect", "chatgpt", "mem0", "langchain-postgres")
TABLE = "chat_history"


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be imported, and for whom."""

    format: str
    given: Given
    """A file, what was in it, or the address of a database."""
    user: str | None = None
    agent: str | None = None
    table: str | None = None
    own: bool = False
    """Whether only what is the user's comes along, and nothing that concerns all users of the tenant."""


async def import_from(
    database: Database, caller: Caller, embedders: Callable[[], Embedders], order: Order, progress: Progress | None
) -> Imported:
    """Carry out an order. The model that makes vectors is only loaded if there are memories."""
    for field in ("user", "agent"):
        if getattr(order, field) is not None:
            inputs.identifier(field, getattr(order, field))
    match order.format:
        case "recollect":
            return await restore(database, caller, embedders(), order.given, order.user, progress, own=order.own)
        case "mem0":
            return await _mem0(database, caller, embedders(), order, progress)
        case "chatgpt" | "langchain-postgres":
            if order.user is None:
                raise Invalid("user", f"is needed: {order.format} does not say whose conversations these are")
            return await _talks(database, caller, order, order.user, progress)
        case _:
            raise Invalid("format", f"must be one of {', '.join(FORMATS)}")


async def _talks(
    database: Database, caller: Caller, order: Order, user: str, progress: Progress | None
) -> Imported:
    read, default = (_chatgpt, chatgpt.AGENT) if order.format == "chatgpt" else (_langchain, langchain.AGENT)
    agent = order.agent or default
    total = 0
    async with aclosing(read(order, user, agent)) as talks:
        async for _ in talks:
            total += 1
    told(progress, 0, total)
    sum_, done, since = Imported(), 0, await since_now(database, caller, user)
    async with aclosing(read(order, user, agent)) as talks:
        async for talk in talks:
            sum_ += await bring(database, caller, since, agent, talk)
            done += 1
            told(progress, done, max(done, total))
    return sum_


def _chatgpt(order: Order, user: str, agent: str) -> AsyncGenerator[Talk]:
    return beside(_talks_of_chatgpt(order, user, agent))


def _talks_of_chatgpt(order: Order, user: str, agent: str) -> Iterator[Talk]:
    for name, place, value in entries(order.given):
        if name not in ("", "conversations") or place < 0:
            raise Invalid("file", "is not a list of conversations; give conversations.json of the export")
        talk = chatgpt.talk_from(value, f"[{place}]", user, agent)
        if talk.said:
            yield talk


async def _langchain(order: Order, user: str, agent: str) -> AsyncGenerator[Talk]:
    """From the table itself one session at a time; a dump is read as a whole, since its sessions may be mixed."""
    given = order.given
    if isinstance(given, str) and given.startswith(("postgres://", "postgresql://")):
        async with aclosing(rows_of_table(given, order.table or TABLE, ("session_id", "id"))) as table:
            async for session, rows in _sessions(table):
                yield langchain.talk_from(session, rows, user, agent)
        return
    async for talk in beside(_talks_of_dump(given, user, agent)):
        yield talk


def _talks_of_dump(given: Given, user: str, agent: str) -> Iterator[Talk]:
    values: Iterable[dict[str, Any]]
    if isinstance(given, str | Path):
        values = langchain.rows_of_file(Path(given))
    else:
        values = [langchain.as_object(value, place + 1) for _, place, value in entries(given)]
    rows = [langchain.row_from(value, f"row {number}") for number, value in enumerate(values, start=1)]
    for session, several in langchain.grouped(rows).items():
        yield langchain.talk_from(session, several, user, agent)


async def _sessions(values: AsyncIterator[dict[str, Any]]) -> AsyncGenerator[tuple[str, list[langchain.Row]]]:
    several: list[langchain.Row] = []
    number = 0
    async for value in values:
        number += 1
        row = langchain.row_from(value, f"row {number}")
        if several and row.session_id != several[0].session_id:
            yield several[0].session_id, several
            several = []
        several.append(row)
    if several:
        yield several[0].session_id, several


async def _mem0(
    database: Database, caller: Caller, embedders: Embedders, order: Order, progress: Progress | None
) -> Imported:
    whose = await asyncio.to_thread(_memories_of_mem0, order, caller.actor)
    total, done, sum_ = sum(map(len, whose.values())), 0, Imported()
    sinces = [await since_now(database, caller, user) for user in whose]
    told(progress, 0, total)
    for since, (user, memories) in zip(sinces, whose.items(), strict=True):
        for start in range(0, len(memories), TOGETHER):
            some = await _placed(database, caller, user, memories[start : start + TOGETHER])
            sum_ += await restore_memories(database, caller, embedders, since, some)
            done += len(some)
            told(progress, done, total)
        async with database.transaction(caller.tenant) as transaction:
            await since.check(transaction)
            await transaction.run("record_audit", caller.actor, "user.import", user, order.format)
    return sum_


def _memories_of_mem0(order: Order, actor: str) -> dict[str, list[KeptMemory]]:
    """All of them, by whose they are."""
    whose: dict[str, list[KeptMemory]] = {}
    named: set[str] = set()
    strange = False
    for name, place, value in entries(order.given):
        if name not in ("", "results") or place < 0:
            strange = strange or name not in mem0.BESIDE
            continue
        where = f"results[{place}]"
        owner, memory = mem0.memory_from(value, where, order.agent, actor)
        if owner is None and order.user is None:
            raise Invalid(f"{where}.user_id", "is missing; say whose memories these are with user")
        named |= {owner} if owner is not None else set()
        whose.setdefault(order.user or owner or "", []).append(memory)
    if strange and not whose:
        raise Invalid("file", "has no results of mem0; give what its get_all returned, or the list in that")
    if order.user is not None and len(named) > 1:
        raise Invalid("user", f"cannot be given: these are memories of {len(named)} users")
    return whose


async def _placed(database: Database, caller: Caller, user: str, memories: list[KeptMemory]) -> list[KeptMemory]:
    """With ids that are free, in the pools of their agents."""
    async with database.transaction(caller.tenant) as transaction:
        ids = await chosen(transaction, "memory_owners", user, [one.id for one in memories])
        pools = {agent: await pool_of(transaction, agent) for agent in {one.agent for one in memories}}
        placed = [msgspec.structs.replace(one, id=ids[one.id], pool=pools[one.agent]) for one in memories]
        return await _apart(transaction, placed)


async def _apart(transaction: Transaction, memories: list[KeptMemory]) -> list[KeptMemory]:
    """What is there in the pool of another agent is not there for this one: it gets an id of its own."""
    taken = [row["id"] for row in await transaction.rows("memory_owners", [one.id for one in memories])]
    pools = {row["id"]: row["pool"] for id in taken for row in await transaction.rows("memory_by_id", id)}
    elsewhere = {one.id: derived(one.pool, one.id) for one in memories if pools.get(one.id, one.pool) != one.pool}
    return [msgspec.structs.replace(one, id=elsewhere.get(one.id, one.id)) for one in memories]
