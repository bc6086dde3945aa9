"""Timing that survives a noisy machine: contenders take turns in short rounds, and only ratios are compared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

Call = Callable[[], Awaitable[object]]


@dataclass
class Timing:
    """All durations of one contender at one task, in seconds, and the time that the rounds took."""

    durations: list[float] = field(default_factory=list)
    elapsed: float = 0.0

    def percentile(self, percent: float) -> float:
        """In milliseconds."""
        ordered = sorted(self.durations)
        return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)] * 1000

    @property
    def rate(self) -> float:
        """Operations per second."""
        return len(self.durations) / self.elapsed


async def side_by_side(
    contenders: Mapping[str, Sequence[Call]], *, seconds: float, rounds: int = 5
) -> dict[str, Timing]:
    """Run every contender's clients for ``seconds`` in all, in turns; each client calls again and again."""
    timings = {name: Timing() for name in contenders}
    for clients in contenders.values():
        await asyncio.gather(*(client() for client in clients))
    for _ in range(rounds):
        for name, clients in contenders.items():
            begun = time.perf_counter()
            until = begun + seconds / rounds
            await asyncio.gather(*(_client(client, until, timings[name].durations) for client in clients))
            timings[name].elapsed += time.perf_counter() - begun
    return timings


async def _client(call: Call, until: float, durations: list[float]) -> None:
    while True:
        begun = time.perf_counter()
        await call()
        ended = time.perf_counter()
        durations.append(ended - begun)
        if ended >= until:
            return
