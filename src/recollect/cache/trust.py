"""Whether what is cached may be believed: a lease on a few numbers in the database.

Everybody measures durations on a clock of their own, from before they asked; no two clocks are compared.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from recollect.cache.rules import ASK, HOLD, LEASE
from recollect.observe.logs import say

#: A named query of no tenant, in one round trip.
Ask = Callable[..., Awaitable[Sequence[Any]]]
#: Clocks of two machines run at nearly the same pace.
PACE = 1.05
#: Seconds after the last use in which the numbers are still asked for.
IDLE = 10.0


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers, as they were when they were asked for."""

    installation: str
    epoch: int
    settings: int
    server: str
    distrusted: bool

    def older_than(self, other: Known) -> bool:
        """Two questions may be answered in the wrong order."""
        return self.installation == other.installation and (
            self.epoch < other.epoch or self.settings < other.settings
        )


class Trust:
    """What this process knows, how long it may rely on it, and what it has told the others."""

    def __init__(self, ask: Ask, clock: Callable[[], float] = time.monotonic, lease: float = LEASE) -> None:
        self._ask = ask
        self._clock = clock
        self._lease = lease
        self._known: Known | None = None
        self._asked = self._used = float("-inf")
        self._held = float("-inf")
        self._declaring = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def current(self) -> Known | None:
        """The numbers, if they may be relied on now; asks in the background for as long as somebody wants them."""
        now = self._clock()
        self._used = now
        if self._task is None:
            self._task = asyncio.ensure_future(self._keep_asking())
        return self._known if now - self._asked < self._lease else None

    @property
    def last_known(self) -> Known | None:
        """The numbers, however old: good enough to compare what is cached with, and to drop what differs."""
        return self._known

    async def refresh(self) -> Known:
        """Ask now."""
        asked = self._clock()
        row = (await self._ask("cache_trust"))[0]
        known = Known(
            installation=row["installation"],
            epoch=row["epoch"],
            settings=row["settings"],
            server=row["server"],
            distrusted=row["distrusted"],
        )
        if asked > self._asked and not (self._known is not None and known.older_than(self._known)):
            self._known, self._asked = known, asked
        return known

    async def _keep_asking(self) -> None:
        try:
            while self._clock() - self._used < IDLE:
                # A database that does not answer: the lease ends, and the next reader hears of it.
                with suppress(Exception):
                    await self.refresh()
                await asyncio.sleep(ASK)
        finally:
            self._task = None

    async def share(self) -> None:
        """Let those who have no Redis know that there is one."""
        await self._ask("share_cache")

    async def choose(self, server: str) -> None:
        """Let everybody use this Redis, if they do not yet: not before nobody believes the one before."""
        await self._ask("choose_cache_server", server, 2 * self._lease * PACE)
        await self.refresh()

    async def settings_changed(self) -> None:
        """Return when nobody relies on older settings any more."""
        number = (await self._ask("settings_changed"))[0]["settings"]
        if self._known is not None and number > self._known.settings:
            self._known = msgspec.structs.replace(self._known, settings=number)
        await asyncio.sleep(self._lease * PACE)

    @property
    def holding(self) -> bool:
        """Whether others have been told to believe no Redis, long enough ago, and still are."""
        return self._clock() < self._held

    async def distrust(self) -> None:
        """Return when nobody believes Redis any more: at once if that has been so for a while."""
        if self.holding:
            return
        async with self._declaring:
            if not self.holding:
                await self._declare(anew=False)

    async def renew(self) -> None:
        """Let it go on being so."""
        async with self._declaring:
            await self._declare(anew=False)

    async def _declare(self, *, anew: bool) -> None:
        began = self._clock()
        row = (await self._ask("distrust_cache", HOLD, anew))[0]
        # If this took longer than the distrust had left, somebody may have believed Redis in between.
        if row["remaining"] > 0 and self._clock() - began >= row["remaining"]:
            await self._declare(anew=True)
            return
        if row["remaining"] == 0:
            say(logging.WARNING, "cache.distrusted", epoch=row["epoch"])
        await asyncio.sleep(max(0.0, self._lease * PACE - row["held"]))
        self._held = began + HOLD

    async def close(self) -> None:
        """Ask no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
