"""The pool's own rules, with connections that only pretend."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recollect import Overloaded, Unavailable
from recollect.storage.pool import Pool


class Pretended:
    """As much of a connection as the pool looks at."""

    def __init__(self) -> None:
        self.closed = False
        self.in_transaction = False

    def is_closed(self) -> bool:
        return self.closed

    def is_in_transaction(self) -> bool:
        return self.in_transaction

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109
        await asyncio.sleep(0)
        self.closed = True

    def terminate(self) -> None:
        self.closed = True


class Source:
    def __init__(self) -> None:
        self.made: list[Pretended] = []
        self.fails = False

    async def __call__(self) -> Any:
        await asyncio.sleep(0)
        if self.fails:
            raise ConnectionRefusedError
        self.made.append(Pretended())
        return self.made[-1]

    @property
    def alive(self) -> int:
        return sum(not one.closed for one in self.made)


def _pool(source: Source, size: int = 2, patience: float = 1.0, longest: float = 60.0) -> Pool:
    return Pool(source, size=size, patience=patience, longest=longest)


async def test_the_one_used_last_is_borrowed_first() -> None:
    source = Source()
    pool = _pool(source)
    one, two = await pool.take(), await pool.take()
    pool.give_back(one)
    pool.give_back(two)
    assert await pool.take() is two
    assert len(source.made) == 2


async def test_those_who_wait_are_served_in_turn_and_never_beyond_the_limit() -> None:
    source = Source()
    pool = _pool(source, size=2)
    order: list[int] = []
    most = 0

    async def use(number: int) -> None:
        nonlocal most
        connection = await pool.take()
        order.append(number)
        most = max(most, source.alive)
        await asyncio.sleep(0)
        pool.give_back(connection)

    await asyncio.gather(*(use(number) for number in range(20)))
    assert order == list(range(20))
    assert most == 2


async def test_whoever_waits_too_long_is_told() -> None:
    pool = _pool(Source(), size=1, patience=0.01)
    held = await pool.take()
    with pytest.raises(Overloaded, match="all 1 database connections were busy"):
        await pool.take()
    pool.give_back(held)
    assert await pool.take() is held


async def test_after_an_error_the_next_one_gets_a_new_connection() -> None:
    source = Source()
    pool = _pool(source, size=1)
    broken = await pool.take()
    waiting = asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    pool.drop(broken)
    fresh: Any = await waiting
    assert fresh is source.made[1]
    assert source.made[0].closed


async def test_an_open_transaction_never_goes_back() -> None:
    source = Source()
    pool = _pool(source)
    one: Any = await pool.take()
    one.in_transaction = True
    pool.give_back(one)
    assert await pool.take() is not one


async def test_a_failed_connect_frees_its_place() -> None:
    source = Source()
    pool = _pool(source, size=1)
    source.fails = True
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            await pool.take()
    source.fails = False
    assert await pool.take()


async def test_a_cancelled_wait_passes_its_turn_on() -> None:
    pool = _pool(Source(), size=1)
    held = await pool.take()
    first, second = (asyncio.create_task(pool.take()) for _ in range(2))
    await asyncio.sleep(0)
    pool.give_back(held)  # it is the first one's turn now …
    first.cancel()  # … and in the same moment it is cancelled
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await asyncio.wait_for(second, 1) is held


async def test_a_connection_that_takes_too_long_is_broken() -> None:
    source = Source()
    pool = _pool(source, longest=0.04)
    slow: Any = await pool.take()
    working: Any = await pool.take()
    for _ in range(6):
        await asyncio.sleep(0.01)
        pool.still_working(working)
    assert slow.closed
    assert not working.closed
    pool.give_back(working)
    await pool.close()


async def test_closing_waits_for_those_that_are_out() -> None:
    source = Source()
    pool = _pool(source)
    idle, out = await pool.take(), await pool.take()
    pool.give_back(idle)
    closing = asyncio.create_task(pool.close())
    await asyncio.sleep(0.01)
    assert source.alive == 1
    pool.give_back(out)
    await asyncio.wait_for(closing, 1)
    assert source.alive == 0
    with pytest.raises(Unavailable, match="closed"):
        await pool.take()


async def test_after_a_fork_the_child_is_refused() -> None:
    pool = _pool(Source())
    await pool.take()
    pool.leave_to_parent()
    with pytest.raises(Unavailable, match="forked"):
        await pool.take()


async def test_after_a_fork_the_child_says_nothing_to_the_server() -> None:
    source = Source()
    pool = _pool(source)
    borrowed, idle = await pool.take(), await pool.take()
    pool.give_back(idle)
    pool.leave_to_parent()
    pool.drop(borrowed)
    await pool.close()
    await asyncio.sleep(0.01)
    assert source.alive == 2
