"""The worker: finds tenants with due work and does it, one piece for each tenant in turn, until it is stopped.

Any number of workers may run, on any number of machines: each piece is leased to one of them at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import signal
import time
from collections.abc import Callable

from recollect.errors import RecollectError
from recollect.observe.logs import say
from recollect.opening import Recollect
from recollect.records import Digested
from recollect.work.queue import LEASE, due_tenants

#: Seconds until a worker looks again although nobody told it of new work: pauses end, announcements get lost.
LOOK_AGAIN = 5.0
#: Seconds that running work gets to end when the worker is told to stop.
GRACE = 20.0


def orders_to_stop() -> list[signal.Signals]:
    """The signals that end a server or a worker: Ctrl-C, those of a service manager, and that its terminal is
    closed, unless that is ignored, as `nohup` asks for."""
    orders = [signal.SIGINT, signal.SIGTERM]
    closed = getattr(signal, "SIGHUP", None)  # Windows has none
    return orders if closed is None or signal.getsignal(closed) == signal.SIG_IGN else [*orders, closed]


class Worker:
    """Does due work of all tenants behind an open door."""

    def __init__(
        self,
        memory: Recollect,
        *,
        at_once: int = 4,
        look_again: float = LOOK_AGAIN,
        grace: float = GRACE,
        lease: float = LEASE,
        did: Callable[[str, Digested], None] | None = None,
    ) -> None:
        self._memory = memory
        self._at_once = at_once
        self._look_again = look_again
        self._grace = grace
        self._lease = lease
        self._did = did
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._resting: dict[str, float] = {}
        """Until when a tenant is left alone: what it has due is none of ours, as in a rolling update."""

    def stop(self) -> None:
        """Take up nothing new, let what runs come to its end, then return from ``run``."""
        self._stop.set()
        self._wake.set()

    async def run(self) -> None:
        """Work until stopped."""
        async with self._memory.database.listen("recollect_work", lambda _: self._told()):
            while not self._stop.is_set():
                self._wake.clear()
                try:
                    due = await due_tenants(self._memory.database)
                except RecollectError:
                    due = []  # the database is away; it was logged where it happened
                except Exception as error:
                    due = []  # whatever it is, a worker that ends here would not be missed
                    _stumbled(error)
                self._take_up(due)
                if not self._busy:
                    await self._sleep()
                else:
                    # A tenant whose piece is done may have more: look again as soon as anybody is free.
                    waiting = asyncio.create_task(self._wake.wait())
                    await asyncio.wait(
                        [*self._busy.values(), waiting],
                        return_when=asyncio.FIRST_COMPLETED,
                        timeout=self._look_again,
                    )
                    waiting.cancel()
        await self._finish()

    def _told(self) -> None:
        """There is new work, of whatever tenant."""
        self._resting.clear()
        self._wake.set()

    def _take_up(self, due: list[str]) -> None:
        """One piece for each tenant, in an order that favours none."""
        now = time.monotonic()
        waiting = [one for one in due if one not in self._busy and self._resting.get(one, now) <= now]
        random.shuffle(waiting)
        for tenant in waiting[: max(self._at_once - len(self._busy), 0)]:
            task = asyncio.create_task(self._one(tenant))
            self._busy[tenant] = task
            task.add_done_callback(lambda _, tenant=tenant: self._busy.pop(tenant, None))

    async def _one(self, tenant: str) -> None:
        # From the beginning on: whoever tells of new work meanwhile ends it.
        self._resting[tenant] = time.monotonic() + self._look_again
        try:
            done = await self._memory.for_tenant(tenant).digest(most=1, lease=self._lease)
            if done.tried:
                self._resting.pop(tenant, None)
                if self._did is not None:
                    self._did(tenant, done)
        except RecollectError:
            pass
        except Exception as error:
            _stumbled(error)

    async def _sleep(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self._look_again)

    async def _finish(self) -> None:
        running = list(self._busy.values())
        if running:
            _, late = await asyncio.wait(running, timeout=self._grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _stumbled(error: Exception) -> None:
    """What nobody expected is logged by its kind: its text may quote what was worked on."""
    say(logging.ERROR, "worker.failed", error=type(error).__name__)
