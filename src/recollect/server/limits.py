"""How much at once: a turnstile for all requests, and a bucket for each credential."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recollect.errors import Overloaded
from recollect.server.problems import TooManyRequests

#: Seconds that a request waits for its turn before it is told to come back.
LONGEST_WAIT = 10.0
MOST_BUCKETS = 10_000
#: Seconds for whoever finds the queue full: those who come back at once would take what the others need.
COME_BACK = 4.0


class Turnstile:
    """Lets so many in at a time, and so many wait; whoever comes after those is sent away at once."""

    def __init__(self, most: int, waiting: int, longest: float = LONGEST_WAIT) -> None:
        self._places = asyncio.Semaphore(most)
        self._waiting = 0
        self._most_waiting = waiting
        self._longest = longest
        self.inside = 0

    @property
    def waiting(self) -> int:
        """How many wait."""
        return self._waiting

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for a turn, and give it back in the end."""
        if self._places.locked():
            if self._waiting >= self._most_waiting:
                raise Overloaded("more requests than this server takes; come back in a moment", COME_BACK)
            self._waiting += 1
            try:
                async with asyncio.timeout(self._longest):
                    await self._places.acquire()
            except TimeoutError:
                raise Overloaded("the server is busy; come back in a moment", 2.0) from None
            finally:
                self._waiting -= 1
        else:
            await self._places.acquire()
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1
            self._places.release()


class Rates:
    """Token buckets: so many requests a second for each credential, and twice as many at once."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._most = max(1.0, 2 * rate)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, now: float | None = None) -> None:
        """Count one request; TooManyRequests if it is one too many."""
        if self._rate <= 0:
            return
        now = time.monotonic() if now is None else now
        left, at = self._buckets.pop(who, (self._most, now))
        left = min(self._most, left + (now - at) * self._rate)
        allowed = left >= 1
        self._buckets[who] = (left - 1 if allowed else left, now)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if not allowed:
            raise TooManyRequests(f"at most {self._rate:g} requests a second", (1 - left) / self._rate)
