"""Do claimed work: keep its lease while it runs, and see that every end is one of done, failed, given back."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from recollect.errors import RecollectError
from recollect.observe.counted import RECALL_LAG, WORK_SECONDS
from recollect.observe.logs import say
from recollect.observe.spans import span
from recollect.records import Caller
from recollect.storage.database import Database
from recollect.work.queue import Claim, LeaseLost, NotOurs, claim, fail, hold, let_go, pass_on

#: Does one piece of work and finishes it in the transaction that writes its effect; returns what it did.
Job = Callable[[Claim], Awaitable[Mapping[str, int]]]


async def run_due(
    database: Database, caller: Caller, jobs: Mapping[str, Job], most: int | None, lease: float
) -> dict[str, int]:
    """Do a tenant's due work, one piece after the other, until there is none or ``most`` is reached."""
    total: dict[str, int] = {}
    for _ in itertools.count() if most is None else range(most):
        held = await claim(database, caller, lease=lease, kinds=list(jobs))
        if held is None:
            break
        for name, count in (await run(database, caller, jobs, held)).items():
            total[name] = total.get(name, 0) + count
    return total


async def run(database: Database, caller: Caller, jobs: Mapping[str, Job], held: Claim) -> Mapping[str, int]:
    """Do one piece of work. What goes wrong is written down with the work, not raised."""
    began = time.monotonic()
    done = await _run(database, caller, jobs, held)
    outcome = next(iter(done))
    WORK_SECONDS.add(held.kind, outcome, seconds=time.monotonic() - began)
    if held.kind == "extract" and outcome == "done":
        RECALL_LAG.add(seconds=max(0.0, (datetime.now(UTC) - held.due_at).total_seconds()))
    return done


async def _run(database: Database, caller: Caller, jobs: Mapping[str, Job], held: Claim) -> Mapping[str, int]:
    """What became of it comes first in the answer."""
    try:
        async with _kept(database, caller, held):
            with span("recollect.work", kind=held.kind, attempt=held.attempts):
                return {"done": 1} | dict(await jobs[held.kind](held))
    except LeaseLost:
        say(logging.WARNING, "work.lost", tenant=caller.tenant, kind=held.kind)
        return {"lost": 1}
    except NotOurs:
        await pass_on(database, caller, held)
        return {"passed_on": 1}
    except asyncio.CancelledError:
        with contextlib.suppress(RecollectError):
            await asyncio.shield(let_go(database, caller, held))
        raise
    except Exception as error:
        # An error of ours says nothing of what was written; of any other only the kind is safe to keep.
        reason = f"{type(error).__name__}: {error}" if isinstance(error, RecollectError) else type(error).__name__
        given_up = await fail(database, caller, held, reason[:500])
        level = logging.ERROR if given_up else logging.WARNING
        say(
            level,
            "work.failed",
            tenant=caller.tenant,
            kind=held.kind,
            tries=held.attempts,
            error=type(error).__name__,
        )
        return {"given_up" if given_up else "failed": 1}


@asynccontextmanager
async def _kept(database: Database, caller: Caller, held: Claim) -> AsyncGenerator[None]:
    """Extend the lease now and then; when it is lost, whatever runs inside is cancelled."""
    worker = asyncio.current_task()
    assert worker is not None
    lost = False

    async def heartbeat() -> None:
        nonlocal lost
        while True:
            await asyncio.sleep(held.lease / 3)
            try:
                async with database.transaction(caller.tenant) as transaction:
                    await hold(transaction, held)
            except LeaseLost:
                lost = True
                worker.cancel()
                return
            except RecollectError:
                continue  # the database is away: either it comes back in time, or the effect's own check fails

    beating = asyncio.create_task(heartbeat())
    try:
        yield
    except asyncio.CancelledError:
        if lost:
            worker.uncancel()
            raise LeaseLost from None
        raise
    finally:
        beating.cancel()
