"""Functions of others: asynchronous or blocking, and what hangs has an end somewhere."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from recollect import Unavailable
from recollect.chat.threads import Threads

ASKED: contextvars.ContextVar[str] = contextvars.ContextVar("asked")


async def test_what_a_function_returns_or_raises() -> None:
    threads = Threads()

    async def later(number: int) -> int:
        return number + 1

    def fails() -> None:
        raise LookupError("gone")

    assert await threads.call(later, 1) == 2
    assert await threads.call(lambda number: number + 1, number=1) == 2
    assert await threads.call(lambda number: later(number), 1) == 2
    with pytest.raises(LookupError, match="gone"):
        await threads.call(fails)
    ASKED.set("ana")
    assert await threads.call(ASKED.get) == "ana"


async def test_there_is_no_place_for_more_than_so_many_that_hang() -> None:
    threads = Threads(2)
    over = threading.Event()
    hanging = [asyncio.create_task(threads.call(over.wait, 60)) for _ in range(2)]
    await asyncio.sleep(0)
    hanging[0].cancel()  # who asked has gone, the thread is still there
    with pytest.raises(Unavailable, match="2 blocking functions"):
        await threads.call(str, 1)
    over.set()
    assert await hanging[1] is True
    for _ in range(1000):
        try:
            assert await threads.call(str, 1) == "1"
            break
        except Unavailable:
            await asyncio.sleep(0.01)
    else:
        raise AssertionError("a place is not given back")
