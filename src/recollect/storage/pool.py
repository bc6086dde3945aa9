"""A pool of asyncpg connections that costs a microsecond to borrow from.

asyncpg's own pool starts a task for every release, which costs half as much as reading twelve messages
(docs/adr/0006). This one rests on a simpler rule: a connection goes back only from a call that ended cleanly.
After anything else, a cancelled call above all, it is closed, and the next borrower gets a new one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg

from recollect.errors import Overloaded, Unavailable

#: Firewalls forget quiet connections after some minutes, without telling either end.
STALE = 300.0


class Pool:
    """At most ``size`` connections, made when needed; the one used last is borrowed first."""

    def __init__(
        self, connect: Callable[[], Awaitable[asyncpg.Connection]], *, size: int, patience: float
    ) -> None:
        self._connect = connect
        self._size = size
        self._patience = patience
        self._slots = asyncio.Semaphore(size)
        self._idle: list[tuple[asyncpg.Connection, float]] = []
        self._leaving: set[asyncio.Task[None]] = set()
        self._closed = False

    async def take(self) -> asyncpg.Connection:
        """A connection, which must be given back or dropped."""
        if self._closed:
            raise Unavailable("database", "this door is closed; open a new one")
        if self._slots.locked():
            await self._wait_for_slot()
        else:
            await self._slots.acquire()
        while self._idle:
            connection, since = self._idle.pop()
            if not connection.is_closed() and time.monotonic() - since < STALE:
                return connection
            connection.terminate()
        try:
            return await self._connect()
        except BaseException:
            self._slots.release()
            raise

    async def _wait_for_slot(self) -> None:
        try:
            await asyncio.wait_for(self._slots.acquire(), self._patience)
        except TimeoutError:
            raise Overloaded(
                f"all {self._size} database connections were busy for {self._patience:g} s; "
                "raise RECOLLECT_POOL_SIZE"
            ) from None

    def give_back(self, connection: asyncpg.Connection) -> None:
        """After a call that ended cleanly."""
        if self._closed or connection.is_closed() or connection.is_in_transaction():
            self.drop(connection)
        else:
            self._idle.append((connection, time.monotonic()))
            self._slots.release()

    def drop(self, connection: asyncpg.Connection) -> None:
        """After anything else. It keeps its slot until it is gone, so that the limit holds at the server too."""
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
            self._slots.release()

    @asynccontextmanager
    async def borrowed(self) -> AsyncGenerator[asyncpg.Connection]:
        """A connection for a block of calls."""
        connection = await self.take()
        try:
            yield connection
        except BaseException:
            self.drop(connection)
            raise
        self.give_back(connection)

    async def close(self) -> None:
        """Close every connection; those that are borrowed get a few seconds to come back."""
        self._closed = True
        while self._idle:
            connection, _ = self._idle.pop()
            await self._slots.acquire()
            self.drop(connection)
        try:
            async with asyncio.timeout(5):
                for _ in range(self._size):
                    await self._slots.acquire()
        except TimeoutError:
            return
