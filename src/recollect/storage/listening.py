"""Hear what the database announces, on a connection of its own that comes back when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import asyncpg

#: Pauses between tries to connect again, in seconds.
PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)


class Listener:
    """Calls ``heard`` with the payload of every announcement; after a broken connection also once with None, since
    something may have been missed. ``first`` is a statement to run on each new connection."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[asyncpg.Connection]] | None,
        channel: str,
        heard: Callable[[str | None], None],
        first: str | None = None,
    ) -> None:
        self._connect = connect
        self._channel = channel
        self._heard = heard
        self._first = first
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Listener:
        if self._connect is None:
            return self
        ready = asyncio.Event()
        self._task = asyncio.create_task(self._keep_listening(self._connect, ready))
        try:
            # Whoever enters may now announce something and must hear it; a database that is away is waited for
            # aside.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ready.wait(), 5)
        except BaseException:
            await self.__aexit__()  # nobody else will: it was not entered
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _keep_listening(
        self, connect: Callable[[], Awaitable[asyncpg.Connection]], ready: asyncio.Event
    ) -> None:
        failures = 0
        while True:
            connection: asyncpg.Connection | None = None
            try:
                connection = await connect()
                gone = asyncio.Event()
                connection.add_termination_listener(lambda _, gone=gone: gone.set())
                await connection.add_listener(self._channel, self._announced)
                if self._first is not None:
                    await connection.execute(self._first)
                failures = 0
                ready.set()
                self._heard(None)
                await gone.wait()
            except asyncio.CancelledError:
                raise
            except Exception:
                await asyncio.sleep(PAUSES[min(failures, len(PAUSES) - 1)])
                failures += 1
            finally:
                if connection is not None:
                    connection.terminate()

    def _announced(self, *given: object) -> None:
        self._heard(str(given[-1]))
