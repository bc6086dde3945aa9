"""Work instead of seconds: how often a function is called, and what the loop does at a stretch, do not depend on what
else the machine does."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType, FunctionType
from typing import Any


@contextmanager
def calls_of(function: Callable[..., Any]) -> Iterator[list[None]]:
    """As many entries as there were calls in this thread."""
    assert isinstance(function, FunctionType)
    code = function.__code__
    calls: list[None] = []

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            calls.append(None)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


@asynccontextmanager
async def stretches() -> AsyncIterator[list[float]]:
    """Seconds of CPU that the loop's thread works while others wait for their turn, one after the other."""
    worked = [0.0]

    async def tick() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            worked.append(time.thread_time() - before)

    ticking = asyncio.create_task(tick())
    try:
        yield worked
        await asyncio.sleep(0.05)  # it sees how long it had to wait
    finally:
        ticking.cancel()
