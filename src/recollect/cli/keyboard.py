"""What is typed, or comes by a pipe, line by line."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress
from typing import TextIO, cast

_PIECE = 64 << 10


class Keyboard:
    """The lines of the standard input."""

    def __init__(self) -> None:
        stdin = cast("TextIO | None", sys.stdin)
        self.is_terminal = stdin is not None and stdin.isatty()
        self._rest = b""
        self._ended = stdin is None

    async def line(self) -> str | None:
        """The next one; None at the end."""
        while b"\n" not in self._rest and not self._ended:
            piece = await _piece(sys.stdin.fileno())
            self._rest += piece
            self._ended = not piece
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="surrogateescape")


async def _piece(file: int) -> bytes:
    """Some bytes, none at the end.

    Nobody waits for the thread that reads them: whoever presses Ctrl-C need not press Enter as well. It reads past
    Python's own buffer, whose lock it would still hold as the interpreter ends.
    """
    loop = asyncio.get_running_loop()
    read: asyncio.Future[bytes] = loop.create_future()

    def tell(piece: bytes) -> None:
        if not read.done():
            read.set_result(piece)

    def wait() -> None:
        try:
            piece = os.read(file, _PIECE)
        except OSError:  # the terminal is gone
            piece = b""
        with suppress(RuntimeError):  # nobody is there to be told any more
            loop.call_soon_threadsafe(tell, piece)

    threading.Thread(target=wait, daemon=True).start()
    return await read
