"""Calls of many callers that share a round trip, and a commit.

While a few calls of a statement are under way, further ones wait for one of these to come back, and then go out
together. So nobody waits who is alone, and the more there are at once, the less each costs (docs/adr/0021).
A call is sent after it was made, so it sees whatever was acknowledged before.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

Rows = Sequence[Any]

#: Calls under way, above which others wait: each keeps a process of the database busy.
AT_ONCE = 2
#: Seconds after which a call no longer counts among these: it waits for a lock, and others need not.
SLOW = 0.05
#: Calls that go out together.
MOST = 64

Locked = set[tuple[str, object]]


class Apart(Exception):
    """Something went wrong with calls that went out together; nobody knows with which: each must go by itself."""


class Waiting(NamedTuple):
    """A call that has not gone out yet."""

    tenant: str
    values: tuple[object, ...]
    rows: asyncio.Future[Rows]


class Out:
    """A statement under way: what it locks, and since when."""

    def __init__(self, locked: Locked, since: float) -> None:
        self.locked = locked
        self.since = since


class Joined:
    """Calls of the statement ``single``, which takes a tenant and values; or of ``several``, which takes the
    tenant and a list of each value. ``split`` tells which rows of the latter are whose, given how many there were.

    With ``in_turn``, calls with the same first value, which names what they lock, are under way together or one
    after the other: they would only wait for each other at the server.
    """

    def __init__(
        self,
        call: Callable[..., Awaitable[Rows]],
        single: str,
        several: str,
        split: Callable[[Rows, int], Sequence[Rows]],
        same_for_all: tuple[type[Exception], ...] = (),
        *,
        in_turn: bool = False,
    ) -> None:
        self._call = call
        self._single = single
        self._several = several
        self._split = split
        self._same_for_all = same_for_all
        """What has nothing to do with the values of any of them."""
        self._in_turn = in_turn
        self._under_way: set[Out] = set()
        self._looking: asyncio.TimerHandle | None = None
        self._locked: Locked = set()
        self._waiting: deque[Waiting] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def call(self, tenant: str, *values: object) -> Rows:
        """The rows of one call; raises Apart if it should be made again by itself."""
        locked = (tenant, values[0])
        if len(self._under_way) >= AT_ONCE or locked in self._locked:
            mine = Waiting(tenant, values, asyncio.get_running_loop().create_future())
            self._waiting.append(mine)
            self._look_later()
            return await mine.rows
        out = self._gone_out({locked})
        try:
            return await self._call(self._single, tenant, *values)
        finally:
            self._come_back(out)

    async def settled(self) -> None:
        """Wait until those that went out together have come back, whether or not anybody waits for them."""
        if self._tasks:
            await asyncio.wait(list(self._tasks))

    def _gone_out(self, locked: Locked) -> Out:
        out = Out(locked, time.monotonic())
        self._under_way.add(out)
        if self._in_turn:
            self._locked |= locked
        return out

    def _come_back(self, out: Out) -> None:
        self._under_way.discard(out)
        self._locked -= out.locked
        self._go_on()

    def _look_later(self) -> None:
        """Only while somebody waits: a timer for every call would cost more than what it is for."""
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(SLOW, self._look)

    def _look(self) -> None:
        self._looking = None
        limit = time.monotonic() - SLOW
        self._under_way -= {out for out in self._under_way if out.since < limit}
        self._go_on()
        if self._waiting:
            self._look_later()

    def _go_on(self) -> None:
        while len(self._under_way) < AT_ONCE and (together := self._next()):
            out = self._gone_out({(one.tenant, one.values[0]) for one in together})
            task = asyncio.get_running_loop().create_task(self._send(together, out))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next(self) -> list[Waiting]:
        """Those that have waited longest, of one tenant; whoever has given up meanwhile is left out."""
        together: list[Waiting] = []
        later: list[Waiting] = []
        while self._waiting and len(together) < MOST:
            one = self._waiting.popleft()
            if one.rows.done():
                continue
            if (one.tenant, one.values[0]) in self._locked or (together and one.tenant != together[0].tenant):
                later.append(one)
            else:
                together.append(one)
        self._waiting.extendleft(reversed(later))
        return together

    async def _send(self, together: Sequence[Waiting], out: Out) -> None:
        """In a task of its own, so that one caller who gives up takes nothing from the others."""
        try:
            if len(together) == 1:
                found = [await self._call(self._single, together[0].tenant, *together[0].values)]
            else:
                columns = zip(*(one.values for one in together), strict=True)
                rows = await self._call(self._several, together[0].tenant, *map(list, columns))
                found = self._split(rows, len(together))
        except Exception as error:
            ours = error if len(together) == 1 or isinstance(error, self._same_for_all) else Apart()
            for one in together:
                if not one.rows.done():
                    one.rows.set_exception(ours)
        except BaseException:
            for one in together:
                one.rows.cancel()
            raise
        else:
            for one, rows in zip(together, found, strict=True):
                if not one.rows.done():
                    one.rows.set_result(rows)
        finally:
            self._come_back(out)


def one_each(rows: Rows, amount: int) -> Sequence[Rows]:
    """A row for each call, in their order."""
    assert len(rows) == amount
    return [(row,) for row in rows]


def by_last_column(rows: Rows, amount: int) -> Sequence[Rows]:
    """Any number of rows, whose last column says which call they are for, from 1; it is left out."""
    found: list[list[Any]] = [[] for _ in range(amount)]
    for row in rows:
        found[row[-1] - 1].append(row[:-1])
    return found
