"""The two ways to use the database, and the one place where driver errors become ours.

``call`` runs one statement that sets its tenant itself (the hot paths): one round trip. ``transaction`` sets the
tenant first and yields a handle for named queries.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg
import msgspec
from asyncpg.transaction import Transaction as Begun

from recollect.errors import Conflict, Overloaded, RecollectError, Unavailable, UnderWay
from recollect.observe.logs import say
from recollect.ports import Cache, Change
from recollect.storage.joining import Joined, by_last_column, one_each
from recollect.storage.listening import Listener
from recollect.storage.making import MAKING
from recollect.storage.pool import Pool, Ready
from recollect.storage.queries import named_queries
from recollect.storage.wakes import Wakes

Row = asyncpg.Record

#: The server went away, or is on its way back; the same statement may succeed in a moment. The driver's
#: InternalClientError is among them: it is what a statement meets on a connection that is just breaking. So are
#: prepared statements that a migration has overtaken: they did nothing, and a new connection prepares them anew.
BROKEN = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)


#: Seconds that the cache gets to hear of writes whose callers have gone, when the door closes.
TO_TELL = 5.0


class Lost(Exception):
    """The connection broke; what was under way may or may not have happened."""


class Taken(Conflict):
    """Somebody else wrote at this moment what may be there only once; whoever looks again sees it."""


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

    def __init__(self, pool: Pool, connection: asyncpg.Connection, tenant: str, cache: Cache | None) -> None:
        self._pool = pool
        self._connection = connection
        self._tenant = tenant
        self._cache = cache
        self.changes: list[Change] = []
        """What the cache must know after the commit."""

    async def rows(self, query: str, *args: object) -> Sequence[Row]:
        """All rows of a named query; the tenant is its first argument."""
        self._pool.still_working(self._connection)
        rows = await self._connection.fetch(named_queries()[query], self._tenant, *args)
        self._note(query, args, rows)
        return rows

    async def row(self, query: str, *args: object) -> Row | None:
        """The first row of a named query, or None."""
        self._pool.still_working(self._connection)
        row = await self._connection.fetchrow(named_queries()[query], self._tenant, *args)
        self._note(query, args, () if row is None else (row,))
        return row

    async def run(self, query: str, *args: object) -> None:
        """A named query whose rows are not wanted."""
        await self.rows(query, *args)

    async def made(self, what: object) -> None:
        """Say what was made here: if it is what a request with an idempotency key asks for, its answer is kept in
        this transaction. UnderWay if the key is another attempt's by now, and nothing is made."""
        making = MAKING.get()
        if making is None or making.answer is None:
            return
        answer = making.answer(what)
        row = await self.row(
            "complete_answer",
            making.tenant,
            making.user,
            making.key,
            making.attempt,
            answer.status,
            msgspec.json.encode(answer.headers).decode(),
            answer.body,
            answer.conversation,
        )
        if row is None or not row[0]:
            raise UnderWay
        making.done = True

    def _note(self, query: str, args: Sequence[object], rows: Sequence[Row]) -> None:
        if self._cache is not None:
            self.changes += self._cache.touched(query, args, rows)


class Database:
    """One Postgres, for statements of any tenant."""

    def __init__(self, pool: Pool, *, patience: float, pooler: bool = False) -> None:
        self._pool = pool
        self._patience = patience
        self._pooler = pooler
        self._queries = named_queries()
        self._wakes: dict[str, Wakes] = {}
        self._being_told: set[asyncio.Task[None]] = set()
        shared = (Lost, Overloaded)
        self.appends = Joined(self.call_once, "append_message", "append_together", one_each, shared, in_turn=True)
        self.windows = Joined(
            self.call_once, "recent_messages", "recent_messages_together", by_last_column, shared
        )
        self.cache: Cache | None = None
        """Answers reads in front of this database, and hears of every write before it is acknowledged."""

    async def call(self, query: str, *args: object) -> Sequence[Row]:
        """One statement in one round trip, tried again while the server restarts: it must be safe to repeat."""
        try:
            return await self.call_once(query, *args)
        except Lost:
            pass
        async for _ in tries(self._patience):
            try:
                return await self.call_once(query, *args)
            except Lost:
                continue
        raise self._gone()

    async def call_once(self, query: str, *args: object) -> Sequence[Row]:
        """One statement in one round trip; raises Lost when nobody knows whether it happened."""
        if self.cache is None or not (changes := self.cache.touched(query, args[1:])):
            return await self._call(query, args)
        try:
            rows = await self._call(query, args)
        except BaseException as error:
            await self.in_doubt(str(args[0]), changes, error)
            raise
        await self.tell(str(args[0]), changes)
        return rows

    async def _call(self, query: str, args: Sequence[object]) -> Sequence[Row]:
        try:
            connection = self._pool.take_idle() or await self._pool.take()
            try:
                if type(connection) is Ready:  # the driver says yes to isinstance for each of its connections
                    statement = connection.ready.get(query) or await connection.make_ready(
                        query, self._queries[query]
                    )
                    rows = await statement.fetch(*args)
                else:
                    rows = await connection.fetch(self._queries[query], *args)
            except BaseException:
                self._pool.drop(connection)
                raise
        except Exception as error:
            raise _ours(error, query) from None
        self._pool.give_back(connection)
        return rows

    async def read(self, tenant: str, query: str, *args: object) -> Sequence[Row]:
        """A named query that changes nothing, tried again while the server restarts."""
        async for _ in tries(self._patience):
            try:
                async with self._begun(tenant, snapshot=False) as transaction:
                    return await transaction.rows(query, *args)
            except Lost:
                continue
        raise self._gone()

    @asynccontextmanager
    async def transaction(self, tenant: str, *, snapshot: bool = False) -> AsyncGenerator[Transaction]:
        """A transaction of one tenant; with ``snapshot`` read-only and of one moment."""
        try:
            async with self._begun(tenant, snapshot=snapshot) as transaction:
                yield transaction
        except Lost:
            raise Unavailable(
                "database", "the connection broke; if this was a change, read again to see whether it happened"
            ) from None

    @asynccontextmanager
    async def _begun(self, tenant: str, *, snapshot: bool) -> AsyncGenerator[Transaction]:
        connection, begun = await self._begin(tenant, snapshot)
        transaction = Transaction(self._pool, connection, tenant, self.cache)
        try:
            yield transaction
            await begun.commit()
        except RecollectError:
            await self._undo(connection, begun)
            raise
        except BaseException as error:
            self._pool.drop(connection)
            await self.in_doubt(tenant, transaction.changes, error)
            if not isinstance(error, Exception):
                raise
            raise _ours(error, "transaction") from None
        self._pool.give_back(connection)
        await self.tell(tenant, transaction.changes)

    async def tell(self, tenant: str, changes: Sequence[Change]) -> None:
        """Let the cache know of what was committed. Whoever stops waiting does not stop it."""
        if self.cache is not None and changes:
            await asyncio.shield(self._telling(self.cache.changed(tenant, changes)))

    async def in_doubt(self, tenant: str, changes: Sequence[Change], error: BaseException) -> None:
        """Nothing is acknowledged because of this error, but it may have been committed all the same. Whoever was
        cancelled is not kept waiting."""
        doubtful = [change.in_doubt() for change in changes]
        if isinstance(error, Exception):
            with suppress(Exception):
                await self.tell(tenant, doubtful)
        elif self.cache is not None and changes:
            self._telling(self._tell_later(tenant, doubtful))

    async def _tell_later(self, tenant: str, changes: Sequence[Change]) -> None:
        """Once what the server was doing has happened, or never will: a reader in between would cache what was."""
        await self.appends.settled()
        await self.settled()
        with suppress(Exception):
            await self.tell(tenant, changes)

    async def settled(self) -> None:
        """Wait until statements whose callers have gone have happened, or never will."""
        await self._pool.settled()

    def _telling(self, telling: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(telling)
        self._being_told.add(task)
        task.add_done_callback(self._being_told.discard)
        return task

    async def told(self) -> None:
        """Before the cache is closed: give it some seconds to hear what it is being told."""
        deadline = time.monotonic() + TO_TELL
        while self._being_told and time.monotonic() < deadline:
            await asyncio.wait(list(self._being_told), timeout=deadline - time.monotonic())

    async def _begin(self, tenant: str, snapshot: bool) -> tuple[asyncpg.Connection, Begun]:
        """Begin on a connection that works, waiting while the server restarts: nothing has been changed yet."""
        isolation = "repeatable_read" if snapshot else "read_committed"
        async for _ in tries(self._patience):
            try:
                connection = await self._pool.take()
                try:
                    begun = connection.transaction(isolation=isolation, readonly=snapshot)
                    await begun.start()
                    await connection.execute(self._queries["set_tenant"], tenant)
                    return connection, begun
                except BaseException:
                    self._pool.drop(connection)
                    raise
            except Exception as error:
                ours = _ours(error, "begin")
                if not isinstance(ours, Lost):
                    raise ours from None
        raise self._gone()

    async def _undo(self, connection: asyncpg.Connection, begun: Begun) -> None:
        try:
            await begun.rollback()
        except BaseException:
            self._pool.drop(connection)
            raise
        self._pool.give_back(connection)

    def listen(self, channel: str, heard: Callable[[str | None], None]) -> Listener:
        """Hear announcements on a channel while inside ``async with``; behind a pooler there are none."""
        return Listener(None if self._pooler else self._pool.connect, channel, heard)

    def wakes(self, channel: str, first: str) -> Wakes:
        """Those who wait for announcements on a channel; the query ``first`` is run on the connection for them."""
        if channel not in self._wakes:
            connect = None if self._pooler else self._pool.connect
            self._wakes[channel] = Wakes(lambda heard: Listener(connect, channel, heard, self._queries[first]))
        return self._wakes[channel]

    def _gone(self) -> Unavailable:
        return Unavailable(
            "database", f"it did not answer for {self._patience:g} s; is it running? `recollect doctor` tells more"
        )

    async def close(self) -> None:
        """Close the connections."""
        for wakes in self._wakes.values():
            await wakes.close()
        await self._pool.close()


def _ours(error: Exception, doing: str) -> Exception:
    """What a driver error means to a caller, logged with what was being done."""
    ours = _meaning(error)
    if isinstance(ours, Lost | Unavailable | Overloaded):
        state = error.sqlstate if isinstance(error, asyncpg.PostgresError) else None
        say(logging.WARNING, "storage.failed", doing=doing, error=type(error).__name__, sqlstate=state)
    return ours


def _meaning(error: Exception) -> Exception:
    """Server details are left out: they can quote stored text."""
    match error:
        case RecollectError() | Lost():
            return error
        case TimeoutError():
            return Unavailable("database", "it did not answer in time; a change may or may not have happened")
        case asyncpg.DiskFullError():
            return Unavailable("database", "its disk is full; free some space, then try again")
        case asyncpg.DeadlockDetectedError():
            return Overloaded(
                "two changes waited for each other, and this one gave way; nothing was changed, try again"
            )
        case asyncpg.UniqueViolationError():
            return Taken("somebody else wrote the same at this moment; nothing was changed, try again")
        case asyncpg.ReadOnlySQLTransactionError():
            return Unavailable("database", "this server is read-only; name the primary in RECOLLECT_DATABASE")
        case asyncpg.QueryCanceledError():
            return Unavailable("database", "a statement took too long and was cancelled; it changed nothing")
        case _ if isinstance(error, BROKEN):
            return Lost()
        case asyncpg.PostgresError():
            names = [str(n) for n in (error.sqlstate, error.table_name, error.constraint_name) if n]
            return Unavailable("database", f"refused a statement ({', '.join(names)})")
        case _:
            return error
