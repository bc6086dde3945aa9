"""Callers who ask the same at the same time share one look, which begins after each of them has asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Together(Generic[T]):
    """Looks something up: once for all who wait. Nobody gets an answer that is older than the question: a key that
    has ended before somebody asks has ended for them."""

    def __init__(self, look: Callable[[str], Awaitable[T]]) -> None:
        self._look = look
        self._waiting: dict[str, asyncio.Task[T]] = {}
        self._running: dict[str, asyncio.Task[T]] = {}

    async def ask(self, what: str) -> T:
        """The answer, looked up from now on."""
        if what not in self._running:
            # Nobody is asking: there is nothing to wait for, and nobody to share with yet.
            return await asyncio.shield(self._begin(what))
        task = self._waiting.get(what)
        if task is None:
            task = self._waiting[what] = asyncio.ensure_future(self._after(what))
            task.add_done_callback(_seen)
        return await asyncio.shield(task)

    def _begin(self, what: str) -> asyncio.Task[T]:
        task = self._running[what] = asyncio.ensure_future(self._now(what))
        task.add_done_callback(_seen)
        return task

    async def _now(self, what: str) -> T:
        try:
            return await self._look(what)
        finally:
            self._running.pop(what, None)

    async def _after(self, what: str) -> T:
        """When the look is over that began before we came."""
        while what in self._running:
            await asyncio.wait([self._running[what]])
        del self._waiting[what]  # whoever comes now is too late for this one
        return await self._begin(what)


def _seen(task: asyncio.Task[T]) -> None:
    """Whoever asked may have gone; then nobody else looks at what went wrong."""
    if not task.cancelled():
        task.exception()
