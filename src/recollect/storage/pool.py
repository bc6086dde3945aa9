"""A pool of asyncpg connections that costs a microsecond to borrow from.

asyncpg's own pool starts a task for every release, which costs half as much as reading twelve messages
(docs/adr/0006). This one rests on a simpler rule: a connection goes back only from a call that ended cleanly.
After anything else, a cancelled call above all, it is closed, and the next borrower gets a new one.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, final
from weakref import WeakSet

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from recollect.errors import Overloaded, Unavailable

#: Firewalls forget quiet connections after some minutes, without telling either end.
STALE = 300.0


@final
class Ready(asyncpg.Connection):
    """A connection that keeps the statements of the hot paths prepared, by name.

    The driver has a cache of its own, but the road through it takes a tenth of the time that a short read takes.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.ready: dict[str, PreparedStatement] = {}

    async def make_ready(self, name: str, statement: str) -> PreparedStatement:
        """Prepare a statement, once for this connection."""
        self.ready[name] = prepared = await self.prepare(statement)
        return prepared


class Pool:
    """At most ``size`` connections, made when needed; the one used last is borrowed first."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[asyncpg.Connection]],
        *,
        size: int,
        patience: float,
        longest: float,
    ) -> None:
        self._connect = connect
        self._made: WeakSet[asyncpg.Connection] = WeakSet()
        self._size = size
        self._patience = patience
        self._longest = longest
        self._open = 0  # idle, borrowed and leaving, so that the limit holds at the server too
        self._idle: list[tuple[asyncpg.Connection, float]] = []
        self._borrowed: dict[asyncpg.Connection, float] = {}
        self._watch: asyncio.Task[None] | None = None
        self._waiting: deque[asyncio.Future[asyncpg.Connection | None]] = deque()
        self._leaving: set[asyncio.Task[None]] = set()
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._forked = False
        self._all_gone: asyncio.Future[None] | None = None
        _POOLS.add(self)

    async def connect(self) -> asyncpg.Connection:
        """A new connection; a forked child of ours will leave it alone."""
        connection = await self._connect()
        self._made.add(connection)
        return connection

    async def take(self) -> asyncpg.Connection:
        """A connection, which must be given back or dropped."""
        connection = self.take_idle()
        if connection is None:
            connection = await self._another()
            self._borrowed[connection] = time.monotonic()
            if self._watch is None:
                self._watch = asyncio.get_running_loop().create_task(self._end_overdue())
        return connection

    def take_idle(self) -> asyncpg.Connection | None:
        """The connection that was used last, if one is idle."""
        # Before anything is sent: on a loop that is not theirs, connections send, and only then fail.
        if self._forked or asyncio.get_running_loop() is not self._loop:
            raise self._not_here()
        while self._idle:
            connection, since = self._idle.pop()
            now = time.monotonic()
            if not connection.is_closed() and now - since < STALE:
                self._borrowed[connection] = now
                return connection
            connection.terminate()
            self._open -= 1
        return None

    def _not_here(self) -> Unavailable:
        if self._forked:
            problem = "this door was opened before the process forked; open a new one in the child"
        elif self._loop.is_closed():
            problem = "this door belongs to an event loop that has ended; open a new one in this one"
        else:
            problem = "this door belongs to another event loop; open a new one in this one"
        return Unavailable("database", problem)

    async def _another(self) -> asyncpg.Connection:
        if self._closed:
            raise Unavailable("database", "this door is closed; open a new one")
        if self._open < self._size:
            self._open += 1
        elif (handed := await self._wait()) is not None:
            return handed
        try:
            return await self.connect()
        except BaseException:
            self._one_less()
            raise

    async def _wait(self) -> asyncpg.Connection | None:
        """Wait for a connection that somebody gives back; None: for the right to make one."""
        turn: asyncio.Future[asyncpg.Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._patience):
                return await turn
        except TimeoutError:
            self._pass_on(turn)
            raise Overloaded(
                f"all {self._size} database connections were busy for {self._patience:g} s; "
                "raise RECOLLECT_POOL_SIZE"
            ) from None
        except asyncio.CancelledError:
            self._pass_on(turn)
            raise

    def _pass_on(self, turn: asyncio.Future[asyncpg.Connection | None]) -> None:
        """It may have become our turn in the very moment in which we gave up."""
        if turn.done() and not turn.cancelled():
            connection = turn.result()
            self._one_less() if connection is None else self.give_back(connection)

    def still_working(self, connection: asyncpg.Connection) -> None:
        """Before the next statement of a longer use."""
        self._borrowed[connection] = time.monotonic()

    def give_back(self, connection: asyncpg.Connection) -> None:
        """After a call that ended cleanly."""
        self._borrowed.pop(connection, None)
        if self._closed or connection.is_closed() or connection.is_in_transaction():
            self.drop(connection)
        elif not self._hand_over(connection):
            self._idle.append((connection, time.monotonic()))

    def drop(self, connection: asyncpg.Connection) -> None:
        """After anything else."""
        self._borrowed.pop(connection, None)
        if self._forked:
            return
        task = asyncio.get_running_loop().create_task(self._leave(connection))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _leave(self, connection: asyncpg.Connection) -> None:
        try:
            # Closing waits for the driver to tell the server that the statement was cancelled.
            await connection.close(timeout=2)
        except Exception:
            connection.terminate()
        finally:
            self._one_less()

    async def settled(self) -> None:
        """Wait until the connections that are being dropped are gone: what they were doing is decided then."""
        if self._leaving:
            await asyncio.wait(list(self._leaving))

    def _one_less(self) -> None:
        if not self._hand_over(None):
            self._open -= 1
        if self._open == 0 and self._all_gone is not None and not self._all_gone.done():
            self._all_gone.set_result(None)

    def _hand_over(self, connection: asyncpg.Connection | None) -> bool:
        """Give a connection, or the right to make one, to whoever has waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(connection)
                return True
        return False

    async def _end_overdue(self) -> None:
        """Break connections to a server that went silent; a timer for every call would cost a tenth of it."""
        while True:
            await asyncio.sleep(min(1.0, self._longest / 4))
            limit = time.monotonic() - self._longest
            for connection in [one for one, since in self._borrowed.items() if since < limit]:
                connection.terminate()

    async def close(self) -> None:
        """Close every connection; those that are borrowed get a few seconds to come back."""
        self._closed = True
        if self._forked:
            return
        if self._loop.is_closed():
            self._idle.clear()  # nobody can say farewell on them any more
            return
        while self._idle:
            self.drop(self._idle.pop()[0])
        if self._watch is not None:
            self._watch.cancel()
        if self._open:
            self._all_gone = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._all_gone], timeout=5)

    def leave_to_parent(self) -> None:
        """In a forked child: the sockets are its parent's too, and nothing may be said on them, not even a
        farewell. The copies lead nowhere from now on."""
        self._forked = True
        nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for connection in [one for one in self._made if not one.is_closed()]:
            transport: asyncio.Transport | None = getattr(connection, "_transport", None)
            socket = None if transport is None else transport.get_extra_info("socket")
            if socket is not None:
                os.dup2(nowhere, socket.fileno(), inheritable=False)
        os.close(nowhere)


_POOLS: WeakSet[Pool] = WeakSet()


def _in_child() -> None:
    for pool in _POOLS:
        pool.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
