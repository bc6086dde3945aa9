"""A pooler in front of PostgreSQL that hands connections on as they were left, as those in transaction mode do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import chain

from recollect.storage import embedded

USUAL = {b"user", b"database", b"client_encoding", b"application_name"}
Backend = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Pooler:
    """Settings at the start are refused with the words of PgBouncer, or dropped without a word."""

    def __init__(self, server: embedded.Server, *, refuses: bool = False) -> None:
        self._path = f"{server.socket}/.s.PGSQL.{server.port}"
        self._refuses = refuses
        self._left: dict[tuple[bytes, bytes], list[Backend]] = {}
        self._greeting = b""
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, to its end."""
        length = int.from_bytes(await reader.readexactly(4))
        said = (await reader.readexactly(length - 4))[4:].split(b"\0")
        asked = dict(zip(said[::2], said[1::2], strict=False))
        asked.pop(b"", None)
        if self._refuses and (more := sorted(asked.keys() - USUAL)):
            told = b"SFATAL\0C08P01\0Munsupported startup parameter: " + more[0] + b"\0\0"
            writer.write(b"E" + (len(told) + 4).to_bytes(4) + told)
        else:
            left = self._left.setdefault((asked[b"user"], asked[b"database"]), [])
            backend = left.pop() if left else await self._another(asked)
            writer.write(self._greeting)
            await _pass_on(reader, writer, backend)
            left.append(backend)
        writer.close()

    async def _another(self, asked: dict[bytes, bytes]) -> Backend:
        reader, writer = await asyncio.open_unix_connection(self._path)
        start = b"\0\3\0\0user\0" + asked[b"user"] + b"\0database\0" + asked[b"database"] + b"\0\0"
        writer.write((len(start) + 4).to_bytes(4) + start)
        greeting = [await _message(reader)]
        while greeting[-1][0:1] != b"Z":
            greeting.append(await _message(reader))
        self._greeting = b"".join(greeting)
        return reader, writer

    async def close(self) -> None:
        """Let the connections go."""
        for _, writer in chain.from_iterable(self._left.values()):
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(5)
    return head + await reader.readexactly(int.from_bytes(head[1:]) - 4)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, backend: Backend) -> None:
    answering = asyncio.create_task(_answers(backend[0], writer))
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while (message := await _message(reader))[0:1] != b"X":
            backend[1].write(message)
    answering.cancel()
    await asyncio.wait({answering})


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)


@asynccontextmanager
async def pooled(server: embedded.Server, *, refuses: bool = False) -> AsyncIterator[Pooler]:
    """A pooler on a free port."""
    pooler, serving = Pooler(server, refuses=refuses), set[asyncio.Task[None]]()

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.create_task(pooler.serve(reader, writer)))

    listening = await asyncio.start_server(accepted, "127.0.0.1", 0)
    pooler.port = listening.sockets[0].getsockname()[1]
    try:
        yield pooler
    finally:
        listening.close()
        if serving:
            await asyncio.wait(serving, timeout=5)
        await pooler.close()
