"""Claim due work, hold it, finish it, or give it back.

A claim is a lease with a token that counts up. Whoever still holds the current token may finish, in the
transaction that writes the effect; for anybody else that transaction fails, so an effect happens once, however
often it is tried.
"""

from __future__ import annotations

import random
from datetime import datetime

import msgspec

from recollect import inputs
from recollect.records import Caller, Work
from recollect.storage.database import Database, Row, Transaction

#: What has been tried so often is given up, and kept until somebody retries it; what an outage stopped is tried
#: once an hour by whoever looks after the tenant.
TRIES = 5
#: Seconds that a worker may be silent before others take over.
LEASE = 60.0


class LeaseLost(Exception):
    """Somebody else has taken over, or the work is gone; whatever was written is undone."""


class NotOurs(Exception):
    """Only a worker with other settings can do it."""


class Claim(msgspec.Struct, frozen=True):
    """One piece of work in hand."""

    kind: str
    subject: str
    user: str
    token: int
    marks: int
    attempts: int
    due_at: datetime
    lease: float = LEASE
    """Seconds that it is leased for at a time."""


async def due_tenants(database: Database) -> list[str]:
    """Which tenants have something due."""
    return [row[0] for row in await database.call("due_tenants")]


class DueWork(msgspec.Struct, frozen=True):
    """How much work of a kind there is, of all tenants together."""

    kind: str
    due: int
    failed: int
    oldest: float
    """Seconds."""


async def work_in_numbers(database: Database) -> list[DueWork]:
    """How much is due and how much has failed, by kind; for operators."""
    return [DueWork(*row) for row in await database.call("work_in_numbers")]


async def claim(
    database: Database, caller: Caller, *, lease: float = LEASE, kinds: list[str] | None = None
) -> Claim | None:
    """The tenant's next due work, or None. Asked again after a broken connection, it may claim a second one; the
    first one's lease runs out."""
    rows = await database.call("claim_work", caller.tenant, lease, TRIES, kinds)
    if not rows:
        return None
    row = rows[0]
    fields = ("kind", "subject", "user_id", "token", "marks", "attempts", "due_at")
    return Claim(*(row[field] for field in fields), lease=lease)


async def hold(transaction: Transaction, held: Claim) -> None:
    """Extend the lease; within a longer piece of work, each step that writes does so under this check."""
    _still_ours(await transaction.row("extend_lease", held.kind, held.subject, held.token, held.lease))


async def finish(transaction: Transaction, held: Claim, *, again_in: float | None = None) -> None:
    """It is done: the row goes, unless something new was marked meanwhile, or it comes ``again_in`` seconds."""
    if again_in is None:
        if await transaction.row("finish_work", held.kind, held.subject, held.token, held.marks) is not None:
            return
        again_in = 0.0
    _still_ours(await transaction.row("reopen_work", held.kind, held.subject, held.token, again_in))


async def fail(database: Database, caller: Caller, held: Claim, error: str) -> bool:
    """It did not work; try again after a pause that grows, or give up. True if it was given up."""
    pause = min(5.0 * 3**held.attempts, 3600.0) * random.uniform(0.8, 1.2)  # noqa: S311
    async with database.transaction(caller.tenant) as transaction:
        row = await transaction.row("fail_work", held.kind, held.subject, held.token, error, pause, TRIES)
    return row is not None and row["given_up"]


async def let_go(database: Database, caller: Caller, held: Claim) -> None:
    """Give it back untouched; somebody else may have it at once."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("let_work_go", held.kind, held.subject, held.token)


async def pass_on(database: Database, caller: Caller, held: Claim) -> None:
    """Leave it to a worker with other settings. It rests a moment first: else we would take it up again."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("pass_work_on", held.kind, held.subject, held.token)


async def listed(database: Database, caller: Caller, failed: bool, limit: int) -> list[Work]:
    """What is due, or what was given up."""
    failed, limit = inputs.flag("failed", failed), inputs.amount("limit", limit)
    return [_work_from(row) for row in await database.read(caller.tenant, "listed_work", failed, limit)]


async def retry(database: Database, caller: Caller, kind: str | None, subject: str | None) -> int:
    """Let what was given up be tried again; returns how many."""
    kind = None if kind is None else inputs.identifier("kind", kind)
    subject = None if subject is None else inputs.text("subject", subject, 2000)
    async with database.transaction(caller.tenant) as transaction:
        rows = await transaction.rows("retry_work", kind, subject)
        await transaction.run("record_audit", caller.actor, "work.retry", None, kind or "all")
    return len(rows)


def _still_ours(row: Row | None) -> None:
    if row is None:
        raise LeaseLost


def _work_from(row: Row) -> Work:
    return Work(
        kind=row["kind"],
        subject=row["subject"],
        user=row["user_id"] or None,
        marks=row["marks"],
        attempts=row["attempts"],
        due_at=row["due_at"],
        leased_until=row["leased_until"],
        failed_at=row["failed_at"],
        error=row["error"],
    )
