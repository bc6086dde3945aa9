"""Both kinds of callers, blocking and asynchronous ones, over one door of either kind."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

from recollect import sync
from recollect.blocking import inside
from recollect.door import Door

T = TypeVar("T")
#: ``recollect.Recollect``, or the blocking one of ``recollect.sync``.
AnyDoor = Door | sync.Recollect


class Bridge:
    """A door lives on one event loop; whoever calls from elsewhere is taken there."""

    def __init__(self, memory: AnyDoor) -> None:
        self.door: Door
        self._loop: asyncio.AbstractEventLoop | None
        if isinstance(memory, sync.Recollect):
            self.door, self._loop = inside(memory)
        else:
            self.door, self._loop = memory, _running()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """For a blocking caller."""
        if self._loop is None or self._loop is _running():
            work.close()
            raise RuntimeError(
                "a blocking call on the event loop of an asynchronous Recollect would wait for itself; use the "
                "asynchronous methods (ainvoke, aget_messages, …), or open recollect.sync.Recollect"
            )
        if sys.is_finalizing():
            # The thread of the loop stands still for good.
            work.close()
            raise RuntimeError("the interpreter is shutting down; call this earlier")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """For an asynchronous caller."""
        here = _running()
        if self._loop is None:
            self._loop = here
        if self._loop is None or self._loop is here:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
