"""Connections to Redis servers: redis-py connects and logs in, without retries; each knows the server's run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from recollect.cache.address import Address, Host
from recollect.errors import Invalid, to_install

try:
    from redis.asyncio import Connection, SSLConnection
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import RedisError, ResponseError
except ImportError:
    raise Invalid("cache", f"needs the package redis; {to_install('redis')}") from None

#: Whatever redis-py or the network says when it does not work.
FAILURES = (RedisError, OSError, TimeoutError, EOFError)
Command = Sequence[bytes | str | int]
Answered = asyncio.Future[tuple[str, list[Any]]]
#: Askers whose commands go together.
MOST = 64

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
    """A connection to one server, made when needed. Those who ask while it is in use are asked for together next:
    many readers cost little more than one."""

    def __init__(self, address: Address, host: Host, *, login: bool = True) -> None:
        self._idle: Line | None = None
        self._busy = False
        self._waiting: list[tuple[Sequence[Command], Answered]] = []
        self._flushing: asyncio.Task[None] | None = None
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
            **dict(address.files),
        }

    async def ask(self, commands: Sequence[Command], seconds: float) -> tuple[str, list[Any]]:
        """The run of the server, and its answers."""
        if self._busy:
            answered: Answered = asyncio.get_running_loop().create_future()
            self._waiting.append((commands, answered))
            return await answered
        self._busy = True
        try:
            return await self._send(commands, seconds)
        finally:
            self._hand_over(seconds)

    def _hand_over(self, seconds: float) -> None:
        self._busy = bool(self._waiting)
        if self._busy:
            self._flushing = asyncio.ensure_future(self._flush(seconds))

    async def _flush(self, seconds: float) -> None:
        """Ask for all who wait, and give each their part of the answers."""
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        try:
            run, answers = await self._send([command for commands, _ in batch for command in commands], seconds)
        except BaseException as error:
            for _, answered in batch:
                if not answered.done():
                    answered.set_exception(error if isinstance(error, FAILURES) else ConnectionError("closed"))
            if not isinstance(error, FAILURES):
                raise
        else:
            place = 0
            for commands, answered in batch:
                if not answered.done():
                    answered.set_result((run, answers[place : place + len(commands)]))
                place += len(commands)
        finally:
            self._hand_over(seconds)

    async def _send(self, commands: Sequence[Command], seconds: float) -> tuple[str, list[Any]]:
        """A connection that failed is closed."""
        line, self._idle = self._idle, None
        try:
            async with asyncio.timeout(seconds):
                if line is None:
                    line = await self._connect()
                answers = await line.ask(commands)
        except BaseException:
            if line is not None:
                await line.close()
            raise
        if self._closed:
            await line.close()
        else:
            self._idle = line
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
        """Close it; if it is in use, as soon as it is not."""
        self._closed = True
        if self._flushing is not None and not self._flushing.done():
            await asyncio.wait([self._flushing])
        if self._idle is not None:
            await self._idle.close()


def packed(command: Command) -> bytes:
    """A command as the protocol writes it."""
    parts = [b"*%d\r\n" % len(command)]
    for part in command:
        data = part if isinstance(part, bytes) else str(part).encode()
        parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)
