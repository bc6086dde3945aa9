"""Threads for the functions of others: one that never comes back holds up nobody but who asked for it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from recollect.errors import Unavailable

#: Blocking functions of one door that run at once.
MOST = 32


class Threads:
    """Runs functions, the blocking ones each in a thread. The threads are not those of the event loop, which looks
    up names, embeds and counts by them, and nobody waits for them when the process ends.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._free = threading.Semaphore(most)

    async def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What a function returns, whether it is asynchronous or blocking. Unavailable if too many hang."""
        if inspect.iscoroutinefunction(function):
            return await function(*given, **named)
        if not self._free.acquire(blocking=False):
            raise Unavailable("threads", f"{self._most} blocking functions have not come back yet; try later")
        future: Future[Any] = Future()
        work = partial(contextvars.copy_context().run, function, *given, **named)
        thread = threading.Thread(target=self._run, args=(work, future), name="recollect-function", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the machine has no more
            self._free.release()
            raise Unavailable("threads", "none can be started; try later") from None
        result = await asyncio.wrap_future(future)
        return await result if inspect.isawaitable(result) else result

    def _run(self, work: Callable[[], Any], future: Future[Any]) -> None:
        try:
            if future.set_running_or_notify_cancel():
                future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
        finally:
            self._free.release()
