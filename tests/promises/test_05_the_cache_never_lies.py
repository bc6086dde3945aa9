"""Promise 5: no reader sees older than an acknowledged write, whatever becomes of Redis; and no error comes of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import struct
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cache_process import SLOTS, WHAT

from recollect import Recollect
from recollect.cache.levels import Levels
from valkeys import Proxy, Valkey, valkey

NewDatabase = Callable[[], Awaitable[str]]

CONVERSATIONS = 4
#: The figure of the promise is 25,000; less will do to see that nothing has been broken.
READS = int(os.environ.get("RECOLLECT_TEST_CACHE_READS", "5000"))

pytestmark = pytest.mark.slow


class Process:
    """Readers and writers, in a process of their own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.reads = self.hits = 0
        self.result: dict[str, Any] = {}
        self._listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            said = json.loads(line)
            self.reads, self.hits = said.get("reads", self.reads), said.get("hits", self.hits)
            self.result = said if "seen" in said else self.result

    async def end(self) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._listening
        assert await self._process.wait() == 0
        return self.result


@asynccontextmanager
async def _two_processes(
    dsn: str, folder: Path, variant: str, urls: tuple[str, str]
) -> AsyncIterator[tuple[Process, Process, Recollect]]:
    board = folder / f"board-{variant}"
    board.write_bytes(struct.pack("q", 0) * SLOTS * (len(WHAT) * CONVERSATIONS + 1))
    async with Recollect.open(dsn, tenant=variant, migrate=True) as memory:
        chats = [await memory.new_conversation("ana", f"clerk-{number}") for number in range(CONVERSATIONS)]
        for chat in chats:
            await memory.remember("user lives in Porto", user="ana", agent=chat.agent)
        processes = [
            Process(
                await asyncio.create_subprocess_exec(
                    sys.executable,
                    str(Path(__file__).with_name("cache_process.py")),
                    *(dsn, url, variant, str(board), str(number), variant, *(chat.id for chat in chats)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                )
            )
            for number, url in enumerate(urls)
        ]
        yield processes[0], processes[1], memory


async def _reads(processes: tuple[Process, ...], amount: int) -> None:
    """Wait until the readers have gone on for so many reads more."""
    goal = sum(one.reads for one in processes) + amount
    async with asyncio.timeout(200):
        while sum(one.reads for one in processes) < goal:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _hits(processes: tuple[Process, ...], amount: int) -> None:
    """Wait until the cache has answered so many reads more of each process."""
    goals = [one.hits + amount for one in processes]
    async with asyncio.timeout(200):
        while any(one.hits < goal for one, goal in zip(processes, goals, strict=True)):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _ended(*processes: Process) -> tuple[Counter[str], list[str], Counter[str]]:
    results = [await one.end() for one in processes]
    seen, cache = Counter[str](), Counter[str]()
    for result in results:
        seen.update(result["seen"])
        cache.update(result["cache"])
    return seen, [problem for result in results for problem in result["problems"]], cache


async def test_the_obvious_way_goes_stale(new_database: NewDatabase, tmp_path: Path) -> None:
    """Or the next test would show nothing."""
    with valkey(tmp_path / "valkey") as server:
        async with _two_processes(await new_database(), tmp_path, "naive", (server.url, server.url)) as (a, b, _):
            await _reads((a, b), 1500)
            seen, problems, _ = await _ended(a, b)
    assert problems == []
    assert seen["stale"] > 0, seen
    assert any(seen[f"stale context {what}"] for what in ("messages", "state", "memory")), seen


async def test_nobody_sees_older_than_what_was_acknowledged(new_database: NewDatabase, tmp_path: Path) -> None:
    """16 readers and 4 writers in two processes, each with a way to Redis that can be cut off by itself."""
    dsn = await new_database()
    with valkey(tmp_path / "valkey") as server:
        async with (
            Proxy(server.port) as one,
            Proxy(server.port) as other,
            _two_processes(dsn, tmp_path, "levels", (one.url, other.url)) as (a, b, memory),
        ):
            both = (a, b)
            each = READS // (2 * len(FAULTS))
            await _hits(both, 50)
            for fault in FAULTS:
                await fault(server, one, both, each)
                await _hits(both, 50)
            await _reads(both, max(0, READS - a.reads - b.reads))
            seen, problems, cache = await _ended(a, b)
            assert problems == []
            assert seen["stale"] == 0, seen
            assert seen["reads"] >= READS
            assert cache["passed"] > 0, "the faults were felt"
            assert cache["context hit"] > 20, cache
            # What is left in Redis agrees with the database.
            await memory.close()
            async with Recollect.open(dsn, tenant="levels", cache=server.url) as after:
                verified = await after.verify_cache()
                assert verified.differences == []
                assert await after.rebuild_cache() == CONVERSATIONS
                assert (await after.verify_cache()).differences == []


#: What reads may cost more with the breaker open: 5 ms. Both kinds take turns, and the middle of each is compared.
LATENCY, ROUNDS = 0.005, 60


@pytest.mark.parametrize("fault", ["killed", "stopped", "swallowed"])
async def test_with_the_breaker_open_a_read_costs_what_it_costs_without_redis(
    new_database: NewDatabase, tmp_path: Path, fault: str
) -> None:
    dsn = await new_database()
    with valkey(tmp_path / "valkey") as server:
        async with (
            Proxy(server.port) as proxy,
            Recollect.open(dsn, tenant="t", cache=proxy.url, migrate=True) as memory,
        ):
            chat = await memory.new_conversation("ana", "cook")
            await chat.extend([("user", "something was said")] * 12)
            levels = memory.database.cache
            assert isinstance(levels, Levels)
            if fault == "killed":
                server.kill()
            elif fault == "stopped":
                server.send(signal.SIGSTOP)
            else:
                proxy.swallow = True
            async with asyncio.timeout(60):
                while (await levels.facts())["breaker"] != "open":
                    await chat.append("user", "something else was said")
            plain, behind = list[float](), list[float]()
            for _ in range(ROUNDS):
                for times, cache in ((plain, None), (behind, levels)):
                    memory.database.cache = cache
                    begun = time.perf_counter()
                    await chat.window()
                    times.append(time.perf_counter() - begun)
            memory.database.cache = levels
            added = statistics.median(behind) - statistics.median(plain)
            assert added < LATENCY, (statistics.median(plain), statistics.median(behind))
            if fault == "stopped":
                server.send(signal.SIGCONT)
            proxy.swallow = False


async def _partition(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    """Only one of the two processes is cut off: its writes are what the other must not miss."""
    one.swallow = True
    await _reads(both, reads)
    one.swallow = False


async def _hung_up(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    one.refuse = True
    one.cut()
    await _reads(both, reads)
    one.refuse = False
    one.cut()


async def _flush(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    for _ in range(3):
        server.ask("FLUSHALL")()
        await _reads(both, reads // 3)


async def _stop(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    server.send(signal.SIGSTOP)
    await _reads(both, reads)
    server.send(signal.SIGCONT)


async def _slow(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    one.delay = 0.5
    await _reads(both, reads)
    one.delay = 0.0


async def _kill(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    server.kill()
    await _reads(both, reads)
    server.start()


async def _evict(server: Valkey, one: Proxy, both: tuple[Process, ...], reads: int) -> None:
    server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-random")()
    server.ask("CONFIG", "SET", "maxmemory", "1mb")()
    await _reads(both, reads)
    server.ask("CONFIG", "SET", "maxmemory", "0")()


FAULTS = (_partition, _flush, _slow, _hung_up, _stop, _evict, _kill)
