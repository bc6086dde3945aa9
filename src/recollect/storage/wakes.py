"""Many who wait for announcements of one channel, over one connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from recollect.storage.listening import Listener

#: Seconds after a break until everybody is woken a second time.
ONCE_MORE = 1.0


class Wakes:
    """Wakes whoever waits for a name when it is announced; and everybody when something may have been missed."""

    def __init__(self, listen: Callable[[Callable[[str | None], None]], Listener]) -> None:
        self._listener = listen(self._heard)
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._starting = asyncio.Lock()
        self._started = False

    @asynccontextmanager
    async def waiting_for(self, name: str) -> AsyncGenerator[asyncio.Event]:
        """An event that is set when the name is announced; the first one to wait begins to listen."""
        async with self._starting:
            if not self._started:
                await self._listener.__aenter__()
                self._started = True
        woken = asyncio.Event()
        self._waiting.setdefault(name, set()).add(woken)
        try:
            yield woken
        finally:
            others = self._waiting[name]
            others.discard(woken)
            if not others:
                del self._waiting[name]

    async def close(self) -> None:
        """Listen no longer, nor go on connecting."""
        await self._listener.__aexit__()

    def _heard(self, name: str | None) -> None:
        if name is None:
            # Whoever was writing while nobody listened may commit only after those who are woken now have looked.
            asyncio.get_running_loop().call_later(ONCE_MORE, self._wake, None)
        self._wake(name)

    def _wake(self, name: str | None) -> None:
        groups = list(self._waiting.values()) if name is None else [self._waiting.get(name, set())]
        for group in groups:
            for woken in group:
                woken.set()
