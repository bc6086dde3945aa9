"""Connections to Redis servers: redis-py connects and logs in, without retries; each knows the server's run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from recollect.cache.address import Address, Host
from recollect.errors import Invalid

try:
    from redis.asyncio import Connection, SSLConnection
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import RedisError, ResponseError
except ImportError:
    raise Invalid("cache", "needs the package redis: pip install 'recollect[redis]'") from None

#: Whatever redis-py or the network says when it does not work.
FAILURES = (RedisError, OSError, TimeoutError, EOFError)
Command = Sequence[bytes | str | int]
#: Connections to one server. More would not be faster, and when all are made at once each is slow.
MOST = 8

__all__ = ["FAILURES", "Command", "Line", "Lines", "ResponseError"]


class Line:
    """One connection."""

    def __init__(self, connection: Connection, run: str) -> None:
        self._connection = connection
        self.run = run

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        """The answers, one for each command; an error of the server is an answer too."""
        await self._connection.send_packed_command(b"".join(map(packed, commands)), check_health=False)
        answers: list[Any] = []
        for _ in commands:
            try:
                answers.append(await self._connection.read_response(disable_decoding=True))
            except ResponseError as error:
                answers.append(error)
        return answers

    async def close(self) -> None:
        """Close it, whatever it is doing."""
        with suppress(*FAILURES):
            await self._connection.disconnect(nowait=True)


class Lines:
    """Connections to one server, made when needed; the one used last is taken first."""

    def __init__(self, address: Address, host: Host, *, login: bool = True, most: int = MOST) -> None:
        self._idle: list[Line] = []
        self._free = asyncio.Semaphore(most)
        self._closed = False
        self.run = ""
        self._kind = SSLConnection if address.tls else Connection
        self._how: dict[str, Any] = {
            "host": host[0],
            "port": host[1],
            "db": address.db if login else 0,
            "username": address.username if login else None,
            "password": address.password if login else None,
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": None,
            "protocol": 2,
        }

    async def ask(self, commands: Sequence[Command], seconds: float) -> tuple[str, list[Any]]:
        """The run of the server, and its answers. A connection that failed is closed, and so are the idle ones:
        they have met the same."""
        line: Line | None = None
        try:
            async with asyncio.timeout(seconds), self._free:
                line = self._idle.pop() if self._idle else await self._connect()
                answers = await line.ask(commands)
        except BaseException:
            broken = [*self._idle, *([] if line is None else [line])]
            self._idle.clear()
            for one in broken:
                await one.close()
            raise
        if self._closed:
            await line.close()
        else:
            self._idle.append(line)
        return line.run, answers

    async def _connect(self) -> Line:
        connection = self._kind(**self._how)
        try:
            await connection.connect()
            line = Line(connection, "")
            (facts,) = await line.ask([("INFO", "server")])
            found = re.search(rb"run_id:(\w+)", facts) if isinstance(facts, bytes) else None
            if found is None:
                raise ConnectionError("the server does not say which run it is")
        except BaseException:
            with suppress(*FAILURES):
                await connection.disconnect(nowait=True)
            raise
        line.run = self.run = found[1].decode()
        return line

    async def close(self) -> None:
        """Close the idle ones; those in use follow when they come back."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()


def packed(command: Command) -> bytes:
    """A command as the protocol writes it."""
    parts = [b"*%d\r\n" % len(command)]
    for part in command:
        data = part if isinstance(part, bytes) else str(part).encode()
        parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)
