"""What the cache counts: hits, misses and how long it took, by tenant, type and operation."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterable

from recollect.observe.metrics import Bounded, Counter, Histogram

SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0)


class Measures:
    """The numbers of one process since it began."""

    def __init__(self) -> None:
        self._tenant = Bounded()
        self._reads = Counter(
            "recollect_cache_reads_total", "Reads that a cache could answer.", ("tenant", "type", "result")
        )
        self._seconds = Histogram(
            "recollect_cache_seconds", "Time of the cache, without the database.", ("type", "operation"), SECONDS
        )
        self.results: Counts[str] = Counts()
        self.by_type: Counts[tuple[str, str]] = Counts()

    def read(self, tenant: str, kind: str, result: str, seconds: float) -> None:
        """One read: ``hit``, ``miss``, or ``passed`` where the cache could not be asked."""
        self._reads.add(self._tenant(tenant), kind, result)
        self._seconds.add(kind, "read", seconds=seconds)
        self.results[result] += 1
        self.by_type[kind, result] += 1

    def told(self, kind: str, seconds: float) -> None:
        """One write that the cache heard of."""
        self._seconds.add(kind, "write", seconds=seconds)
        self.results["told"] += 1

    def lines(self) -> Iterable[str]:
        """For Prometheus."""
        yield from self._reads.lines()
        yield from self._seconds.lines()
