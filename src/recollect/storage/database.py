"""The pool, the two ways to use it, and the one place where driver errors become ours.

``call`` runs one statement that sets its tenant itself (the SQL functions of the hot paths): one round
trip. ``transaction`` sets the tenant first and yields a handle for named queries.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import asyncpg

from recollect.errors import NotFound, Overloaded, RecollectError, Unavailable
from recollect.observe.logs import say
from recollect.storage.queries import named_queries

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

Row = asyncpg.Record

#: The server went away, or is on its way back; the same statement may succeed in a moment. The driver's
#: InternalClientError is among them: it is what a statement meets on a connection that is just breaking.
BROKEN = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InternalClientError,
)


class Lost(Exception):
    """The connection broke; what was under way may or may not have happened."""


async def tries(patience: float) -> AsyncGenerator[int]:
    """Counts tries, with growing pauses in between, until patience ends; there is always a first one."""
    deadline = time.monotonic() + patience
    pause = 0.02
    for number in itertools.count(1):
        yield number
        if time.monotonic() >= deadline:
            return
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.5)


class Transaction:
    """Named queries inside one transaction of one tenant."""

    def __init__(self, connection: PoolConnectionProxy, tenant: str) -> None:
        self._connection = connection
        self._tenant = tenant

    async def rows(self, query: str, *args: object) -> Sequence[Row]:
        """All rows of a named query; the tenant is its first argument."""
        return await self._connection.fetch(named_queries()[query], self._tenant, *args)

    async def row(self, query: str, *args: object) -> Row | None:
        """The first row of a named query, or None."""
        return await self._connection.fetchrow(named_queries()[query], self._tenant, *args)

    async def run(self, query: str, *args: object) -> None:
        """A named query whose rows are not wanted."""
        await self._connection.execute(named_queries()[query], self._tenant, *args)


class Database:
    """A pool of connections to one Postgres."""

    def __init__(self, pool: asyncpg.Pool, *, patience: float) -> None:
        self._pool = pool
        self._patience = patience

    async def call(self, query: str, *args: object) -> Sequence[Row]:
        """One statement in one round trip, tried again while the server restarts: it must be safe to repeat."""
        try:
            return await self._call(query, args)
        except Lost:
            return await self._call_again(query, args)

    async def call_once(self, query: str, *args: object) -> Sequence[Row]:
        """One statement in one round trip; raises Lost when nobody knows whether it happened."""
        return await self._call(query, args)

    async def _call(self, query: str, args: tuple[object, ...]) -> Sequence[Row]:
        try:
            async with self._pool.acquire(timeout=self._patience) as connection:
                try:
                    return await connection.fetch(named_queries()[query], *args)
                except TimeoutError:
                    raise  # the driver has asked the server to cancel the statement
                except BROKEN:
                    connection.terminate()  # never to be borrowed again
                    raise
        except Exception as error:
            raise _ours(error, self._pool, query) from None

    async def _call_again(self, query: str, args: tuple[object, ...]) -> Sequence[Row]:
        async for _ in tries(self._patience):
            try:
                return await self._call(query, args)
            except Lost:
                continue
        raise self.gone()

    def gone(self) -> Unavailable:
        """The error for a server that did not come back in time."""
        return Unavailable(
            "database",
            f"did not answer for {self._patience:g} s; is it running? `recollect doctor` tells more",
        )

    @asynccontextmanager
    async def transaction(self, tenant: str, *, snapshot: bool = False) -> AsyncGenerator[Transaction]:
        """A transaction of one tenant; with ``snapshot`` read-only and of one moment."""
        connection = await self._acquire()
        try:
            async with connection.transaction(
                isolation="repeatable_read" if snapshot else "read_committed", readonly=snapshot
            ):
                await connection.execute(named_queries()["set_tenant"], tenant)
                yield Transaction(connection, tenant)
        except RecollectError:
            raise
        except Exception as error:
            ours = _ours(error, self._pool, "transaction")
            raise self._uncertain() if isinstance(ours, Lost) else ours from None
        finally:
            await self._pool.release(connection)

    async def _acquire(self) -> PoolConnectionProxy:
        """A connection, waited for while the server restarts: nothing has been sent yet."""
        async for _ in tries(self._patience):
            try:
                return await self._pool.acquire(timeout=self._patience)
            except Exception as error:
                ours = _ours(error, self._pool, "connect")
                if not isinstance(ours, Lost):
                    raise ours from None
        raise self.gone()

    def _uncertain(self) -> Unavailable:
        return Unavailable(
            "database", "the connection broke during a change; read again to see whether it happened"
        )

    async def close(self) -> None:
        """Close the pool; connections that are still busy get a few seconds."""
        try:
            await asyncio.wait_for(self._pool.close(), timeout=5)
        except (TimeoutError, *BROKEN):
            self._pool.terminate()


def _ours(error: Exception, pool: asyncpg.Pool, doing: str) -> Exception:
    """What a driver error means to a caller, logged with what was being done."""
    ours = _meaning(error, pool)
    if isinstance(ours, Lost | Unavailable | Overloaded):
        state = error.sqlstate if isinstance(error, asyncpg.PostgresError) else None
        say(logging.WARNING, "storage.failed", doing=doing, error=type(error).__name__, sqlstate=state)
    return ours


def _meaning(error: Exception, pool: asyncpg.Pool) -> Exception:
    """Server details are left out: they can quote stored text."""
    match error:
        case RecollectError() | Lost():
            return error
        case TimeoutError():
            if pool.get_idle_size() == 0 and pool.get_size() >= pool.get_max_size():
                return Overloaded(
                    f"all {pool.get_max_size()} database connections are busy; raise RECOLLECT_POOL_SIZE"
                )
            return Unavailable("database", "it did not answer in time; a change may or may not have happened")
        case asyncpg.DiskFullError():
            return Unavailable("database", "its disk is full; free some space, then try again")
        case asyncpg.ReadOnlySQLTransactionError():
            return Unavailable("database", "this server is read-only; name the primary in RECOLLECT_DATABASE")
        case asyncpg.QueryCanceledError():
            return Unavailable("database", "a statement took too long and was cancelled; it changed nothing")
        case asyncpg.PostgresError() if error.sqlstate == "RC404":
            return NotFound("conversation", str(error.args[0]))
        case _ if isinstance(error, BROKEN):
            return Lost()
        case asyncpg.PostgresError():
            names = [str(n) for n in (error.sqlstate, error.table_name, error.constraint_name) if n]
            return Unavailable("database", f"refused a statement ({', '.join(names)})")
        case asyncpg.InterfaceError():
            if pool.is_closing():
                return Unavailable("database", "this door is closed; open a new one")
            return Lost()
        case _:
            return error


async def keep_clean(connection: Any) -> None:
    """Called when a connection returns to the pool: nothing to reset, unless a transaction was left open."""
    if connection.is_in_transaction():
        connection.terminate()
