"""A relay in front of PostgreSQL that cuts connections at a commit, where nobody can know whether it happened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from recollect.storage import embedded


class Relay:
    """Passes bytes on; ``cutting`` is how many commits from now on it cuts, ``carried_out`` or not."""

    def __init__(self, server: embedded.Server) -> None:
        self._path = f"{server.socket}/.s.PGSQL.{server.port}"
        self.port = 0
        self.cutting = 0
        self.carried_out = True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what one client says, and what it is answered."""
        back, on = await asyncio.open_unix_connection(self._path)
        answering = asyncio.create_task(_answers(back, writer))
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                cut = self.cutting > 0 and b"COMMIT;" in data
                if cut:
                    self.cutting -= 1
                    answering.cancel()
                    await asyncio.wait({answering})
                if not cut or self.carried_out:
                    on.write(data)
                if cut:
                    if self.carried_out:
                        await back.read(65536)
                    break
        answering.cancel()
        await asyncio.wait({answering})
        writer.transport.abort()
        on.close()
        with suppress(ConnectionError):
            await on.wait_closed()


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
    writer.close()


@asynccontextmanager
async def relayed(server: embedded.Server) -> AsyncIterator[Relay]:
    """A relay on a free port."""
    relay, serving = Relay(server), set[asyncio.Task[None]]()

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.create_task(relay.serve(reader, writer)))

    async with await asyncio.start_server(accepted, "127.0.0.1") as listening:
        relay.port = listening.sockets[0].getsockname()[1]
        yield relay
        await asyncio.gather(*serving)
