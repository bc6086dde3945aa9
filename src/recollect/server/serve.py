"""Run the server: in this process, or in several that share a socket."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn
from litestar import Litestar

from recollect.access import keys
from recollect.errors import Invalid
from recollect.observe.lines import log_to_stderr
from recollect.opening import Recollect
from recollect.server.app import create_app
from recollect.server.auth import is_loopback
from recollect.server.processes import run_all
from recollect.settings import Settings
from recollect.worker import Worker, orders_to_stop

#: Seconds that requests get to end when the server is told to stop.
GRACE = 20
BACKLOG = 2048

Say = Callable[[str], None]


def serve(settings: Settings, *, workers: int = 1, work: bool = True, say: Say) -> None:
    """Serve until told to stop."""
    without_keys = asyncio.run(_allowed(settings))
    listening = listen(settings)
    host, port = listening.getsockname()[:2]
    say(f"Recollect is at http://{_written(host, port)}")
    if without_keys:
        say("There are no keys: it serves this machine only. `recollect keys create` makes one.")
    if workers == 1:
        serve_here(settings, work, 0, [listening])
    else:
        log_to_stderr()
        run_all(workers, partial(serve_here, settings, work), listening)


def listen(settings: Settings) -> socket.socket:
    """The socket, taken before anything is said about it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
        try:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(address)
            taken.listen(BACKLOG)
        except OSError:
            taken.close()
            raise
    except UnicodeError:  # a part of a name that is empty or too long
        raise Invalid("host", "is no address or name of a machine") from None
    except OSError as error:
        place = _written(settings.host, settings.port)
        if error.errno == errno.EADDRINUSE:
            raise Invalid(
                "port", f"something else listens on {place} already; stop it, or choose another port (--port)"
            ) from None
        raise Invalid("host", f"cannot listen on {place} ({error.strerror or type(error).__name__})") from None
    taken.set_inheritable(True)
    return taken


def _written(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _allowed(settings: Settings) -> bool:
    """Whether nobody has to say who they are; refuse to serve others then."""
    async with Recollect.open(settings=settings, actor="serve") as memory:
        create_app(memory, settings)
        if settings.jwt_secret or settings.jwt_jwks or await keys.exist(memory.database):
            return False
        if not is_loopback(settings.host):
            raise Invalid(
                "host",
                f"{settings.host} can be reached by other machines, and there are no keys: everybody could read "
                "everything. Make a key first (`recollect keys create`), take tokens (RECOLLECT_JWT_AUDIENCE, "
                "RECOLLECT_JWT_ISSUER, and RECOLLECT_JWT_SECRET or RECOLLECT_JWT_JWKS), or serve this machine "
                "only (--host 127.0.0.1)",
            )
        return True


def serve_here(settings: Settings, work: bool, number: int, sockets: list[socket.socket]) -> None:
    """Serve in this process; the first one also does due work."""
    log_to_stderr()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, work and number == 0, sockets))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ModuleNotFoundError:
        return None
    return uvloop.new_event_loop


async def _serve(settings: Settings, work: bool, sockets: list[socket.socket]) -> None:
    async with Recollect.open(settings=settings, actor="server") as memory:
        app = create_app(memory, settings)
        server = _Server(_config(app))
        server.stopping = app.state.streams.end
        worker = Worker(memory) if work else None
        working = None if worker is None else asyncio.create_task(worker.run())
        try:
            await server.serve(sockets=sockets)
        finally:
            if worker is not None and working is not None:
                worker.stop()
                await working


class _Server(uvicorn.Server):
    """Ends live streams, which would not end by themselves, before it waits for what is under way."""

    stopping: Callable[[], None]

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop when told. uvicorn would then send itself the signal again, and the process would end before the
        worker has finished what it does and the door is closed."""
        before = {name: signal.signal(name, self.handle_exit) for name in orders_to_stop()}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        self.stopping()
        await super().shutdown(sockets)


def _connection(app: Litestar) -> Any:
    """Our own kind of connection where uvicorn's fast parser is installed; else uvicorn's."""
    try:
        from recollect.server.connections import Connection
    except ModuleNotFoundError:
        return "auto"
    return partial(Connection, no_place=app.state.no_place)


def _config(app: Litestar) -> uvicorn.Config:
    """No access log of uvicorn's: it would hold addresses, and what people search for is in them."""
    return uvicorn.Config(
        app,  # pyright: ignore[reportArgumentType]
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
        http=_connection(app),
        ws="none",
        lifespan="on",
        proxy_headers=False,
    )
