"""Timing that survives a noisy machine: contenders take turns in short rounds, and only ratios are compared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import psutil

Call = Callable[[], Awaitable[object]]


@dataclass
class Timing:
    """All durations of one contender at one task, in seconds, and the time and CPU that the rounds took."""

    durations: list[float] = field(default_factory=list)
    elapsed: float = 0.0
    client: float = 0.0
    """Seconds of CPU in this process."""
    servers: float = 0.0
    """Seconds of CPU in the databases, if they were watched."""

    def percentile(self, percent: float) -> float:
        """In milliseconds."""
        ordered = sorted(self.durations)
        return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)] * 1000

    @property
    def rate(self) -> float:
        """Operations per second."""
        return len(self.durations) / self.elapsed

    @property
    def cpu(self) -> float:
        """Milliseconds of CPU for each operation, here and in the databases together."""
        return (self.client + self.servers) / len(self.durations) * 1000


class Watch:
    """The CPU that database servers use, each a process with all of its children."""

    def __init__(self, *pids: int) -> None:
        self._servers = [psutil.Process(pid) for pid in pids]

    def used(self) -> float:
        """Seconds so far, those of children that have ended included."""
        return sum(_used(server, ended=True) + sum(map(_used, server.children())) for server in self._servers)


def _used(process: psutil.Process, *, ended: bool = False) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:  # it ended just now
        return 0.0
    own = times.user + times.system
    return own + times.children_user + times.children_system if ended else own


async def side_by_side(
    contenders: Mapping[str, Sequence[Call]], *, seconds: float, rounds: int = 5, watch: Watch | None = None
) -> dict[str, Timing]:
    """Run every contender's clients for ``seconds`` in all, in turns; each client calls again and again.

    The first round is not counted: connections, statements and caches are made in it. Each round begins with
    another contender, so that nobody always comes after the one that leaves the machine busy.
    """
    timings = {name: Timing() for name in contenders}
    watch = watch or Watch()
    names = list(contenders)
    for number in range(rounds + 1):
        if number == 1:
            timings = {name: Timing() for name in contenders}
        for name in names[number % len(names) :] + names[: number % len(names)]:
            timing = timings[name]
            own, servers, begun = time.process_time(), watch.used(), time.perf_counter()
            until = begun + seconds / rounds
            await asyncio.gather(*(_client(client, until, timing.durations) for client in contenders[name]))
            timing.elapsed += time.perf_counter() - begun
            timing.client += time.process_time() - own
            timing.servers += watch.used() - servers
    return timings


async def _client(call: Call, until: float, durations: list[float]) -> None:
    while True:
        begun = time.perf_counter()
        await call()
        ended = time.perf_counter()
        durations.append(ended - begun)
        if ended >= until:
            return
