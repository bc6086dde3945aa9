"""Single flight: readers who miss at the same time share one read of the database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Flights:
    """Reads under way. A reader shares one only if it has not begun: one that had begun may have read before a
    write that the reader has already been told of."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[Any]] = {}
        self._waiting: dict[Hashable, asyncio.Task[Any]] = {}

    async def share(self, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        """What ``load`` gives, called by this reader or by another one who came at the same time."""
        flight = self._waiting.get(key)
        if flight is None:
            flight = self._waiting[key] = asyncio.ensure_future(self._fly(key, load))
            flight.add_done_callback(_seen)
        return await asyncio.shield(flight)

    async def _fly(self, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        before = self._running.get(key)
        if before is not None:
            await asyncio.wait([before])
        own = self._waiting.pop(key)
        self._running[key] = own
        try:
            return await load()
        finally:
            if self._running.get(key) is own:
                del self._running[key]


def _seen(flight: asyncio.Task[Any]) -> None:
    """Everybody who wanted it may have gone."""
    if not flight.cancelled():
        flight.exception()
