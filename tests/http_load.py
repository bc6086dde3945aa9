"""Many clients at once, each on one connection, with as little work of their own as possible."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from urllib.parse import urlsplit

import psutil

#: Seconds after which a connection that was not used is not used again: the server closes it after thirty.
IDLE = 20.0
#: Seconds after which a client that has no answer calls it a hang.
HANGS = 120.0


class Load:
    """What clients were answered, how long it took, and how much CPU of the server."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.without_retry = 0
        self.broken = 0
        self.longest = 0.0
        self.seconds = 0.0
        self.cpu = 0.0

    @property
    def rate(self) -> float:
        """Good answers a second."""
        return self.statuses[201] / self.seconds

    @property
    def thrift(self) -> float:
        """Good answers for each second of CPU that the server had: other programs on the machine change it little."""
        return self.statuses[201] / self.cpu


class Crowd:
    """Clients that post the same body again and again, each as soon as it is answered, or as it is told to come back.

    They ask in turns (``ask``), some or all of them. Between two turns time stands still for them: whoever was to come
    back in four seconds does so after four seconds of asking.
    """

    def __init__(self, url: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        host = urlsplit(url)
        self._at = host.hostname or "", host.port or 80
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST {path} HTTP/1.1\r\nhost: {host.netloc}\r\ncontent-length: {len(body)}\r\n{lines}\r\n"
        self._request = head.encode() + body
        self._streams: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}
        self._later: dict[int, float] = {}
        self._used: dict[int, float] = {}

    async def connect(self, clients: int) -> None:
        """One after the other."""
        for number in range(clients):
            self._streams[number] = await asyncio.open_connection(*self._at)
            self._used[number] = time.monotonic()

    def close(self) -> None:
        """Let all go."""
        for _, writer in self._streams.values():
            writer.close()

    async def ask(
        self, clients: int, *, answers: int = 1 << 60, seconds: float = 1e9, server: psutil.Process | None = None
    ) -> Load:
        """Let so many ask until they have had so many good answers, or for so long; then until each has its own."""
        found, over = Load(), asyncio.Event()
        cpu, began = used(server), time.monotonic()
        asking = [asyncio.create_task(self._client(number, found, answers, over)) for number in range(clients)]
        await asyncio.wait([asyncio.create_task(over.wait())], timeout=seconds)
        over.set()
        await asyncio.gather(*asking)
        found.seconds, found.cpu = time.monotonic() - began, used(server) - cpu
        return found

    async def _client(self, number: int, found: Load, answers: int, over: asyncio.Event) -> None:
        while not over.is_set():
            later = self._later.pop(number, 0.0)
            if later:
                began = time.monotonic()
                await asyncio.wait([asyncio.ensure_future(over.wait())], timeout=later)
                if over.is_set():
                    self._later[number] = max(0.001, later - (time.monotonic() - began))
                    return
            try:
                async with asyncio.timeout(HANGS):
                    self._later[number] = await self._once(number, found)
            except (OSError, asyncio.IncompleteReadError, TimeoutError):
                found.broken += 1
                self._streams.pop(number, None)
            if found.statuses[201] >= answers:
                over.set()

    async def _once(self, number: int, found: Load) -> float:
        """One request; seconds to wait before the next."""
        began = time.monotonic()
        if number in self._streams and began - self._used[number] > IDLE:
            self._streams.pop(number)[1].close()
        if number not in self._streams:
            self._streams[number] = await asyncio.open_connection(*self._at)
        reader, writer = self._streams[number]
        writer.write(self._request)
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        await reader.readexactly(int(headers["content-length"]))
        self._used[number] = time.monotonic()
        found.longest = max(found.longest, self._used[number] - began)
        status = int(lines[0].split()[1])
        found.statuses[status] += 1
        if headers.get("connection") == "close":
            writer.close()
            del self._streams[number]
        if status not in (429, 503):
            return 0.0
        found.without_retry += "retry-after" not in headers
        return float(headers.get("retry-after", 1))


def used(process: psutil.Process | None) -> float:
    """Seconds of CPU that a process has had."""
    if process is None:
        return 0.0
    times = process.cpu_times()
    return times.user + times.system
