"""How much at once: a turnstile for all requests, and a bucket for each credential."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recollect.errors import Overloaded
from recollect.server.pace import Pace
from recollect.server.problems import TooManyRequests

#: Seconds that a request waits for its turn before it is told to come back.
LONGEST_WAIT = 10.0
MOST_BUCKETS = 10_000


class Turnstile:
    """Lets so many in at a time, and so many wait; whoever comes after those is sent away at once."""

    def __init__(self, most: int, waiting: int, longest: float = LONGEST_WAIT) -> None:
        self._most = most
        self._most_waiting = waiting
        self._longest = longest
        self._queue: deque[asyncio.Future[None]] = deque()
        self._pace = Pace()
        self.waiting = 0
        self.inside = 0

    @property
    def full(self) -> bool:
        """Whether nobody else may even wait."""
        return self.waiting >= self._most_waiting and self.inside >= self._most

    @property
    def busy(self) -> bool:
        """Whether whoever comes now has to wait."""
        return self.inside >= self._most or self.waiting > 0

    def come_back(self) -> float:
        """Seconds for whoever is sent away: those who come back at once would take what the others need."""
        return self._pace.come_back(time.monotonic())

    async def enter(self) -> None:
        """Wait for a turn; whoever got one must ``leave``."""
        if not self.busy:
            self.inside += 1
            return
        if self.full:
            raise Overloaded("more requests than this server takes; come back in a moment", self.come_back())
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._longest):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self.leave()  # it became our turn in the very moment in which we gave up
            if isinstance(error, TimeoutError):
                raise Overloaded("the server is busy; come back in a moment", self.come_back()) from None
            raise
        finally:
            self.waiting -= 1

    def leave(self) -> None:
        """Give the turn to whoever has waited longest."""
        self._pace.freed(time.monotonic(), self.waiting > 0)
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.inside -= 1

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for a turn, and give it back in the end."""
        await self.enter()
        try:
            yield
        finally:
            self.leave()


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
