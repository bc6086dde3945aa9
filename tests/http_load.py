"""Many clients at once, each on one connection, with as little work of their own as possible."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from urllib.parse import urlsplit


class Load:
    """What clients were answered."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.without_retry = 0
        self.broken = 0
        self.longest = 0.0


async def load(url: str, path: str, body: bytes, headers: dict[str, str], clients: int, seconds: float) -> Load:
    """Let so many clients post the same body again and again."""
    found = Load()
    host = urlsplit(url)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = (
        f"POST {path} HTTP/1.1\r\nhost: {host.netloc}\r\ncontent-length: {len(body)}\r\n{lines}\r\n".encode()
        + body
    )
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(_client(host.hostname or "", host.port or 80, request, until, found) for _ in range(clients))
    )
    return found


async def _client(host: str, port: int, request: bytes, until: float, found: Load) -> None:
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    while time.monotonic() < until:
        try:
            streams = streams or await asyncio.open_connection(host, port)
            reader, writer = streams
            began = time.monotonic()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").lower().split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
            await reader.readexactly(int(headers["content-length"]))
        except (OSError, asyncio.IncompleteReadError):
            found.broken += 1
            streams = None
            continue
        found.longest = max(found.longest, time.monotonic() - began)
        status = int(lines[0].split()[1])
        found.statuses[status] += 1
        if status in (429, 503):
            if "retry-after" not in headers:
                found.without_retry += 1
            await asyncio.sleep(min(float(headers.get("retry-after", 1)), max(0.0, until - time.monotonic())))
        if headers.get("connection") == "close":
            writer.close()
            streams = None
    if streams is not None:
        streams[1].close()
