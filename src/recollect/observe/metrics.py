"""Counters and histograms as Prometheus text. Labels are bounded: what exceeds the bound is ``other``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: Different values of a label that may come from outside, like the name of a tenant.
MOST_VALUES = 100
OTHER = "other"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

Labels = tuple[str, ...]


class Bounded:
    """The first values of a label as they are, all later ones as ``other``."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self._most = most
        self._seen: set[str] = set()

    def __call__(self, value: str) -> str:
        """The label for a value."""
        if value in self._seen:
            return value
        if len(self._seen) >= self._most:
            return OTHER
        self._seen.add(value)
        return value


class Counter:
    """Counts up, for each set of labels."""

    def __init__(self, name: str, help: str, labels: Labels) -> None:
        self.name, self.help, self._labels = name, help, labels
        self._counts: dict[Labels, float] = {}

    def add(self, *values: str, by: float = 1) -> None:
        """Count."""
        self._counts[values] = self._counts.get(values, 0) + by

    def lines(self) -> Iterable[str]:
        """As Prometheus reads it."""
        yield from head(self.name, self.help, "counter")
        for values, count in sorted(self._counts.items()):
            yield f"{self.name}{labelled(self._labels, values)} {count:g}"


class Histogram:
    """How long things took, or how many there were, for each set of labels."""

    def __init__(self, name: str, help: str, labels: Labels, bounds: tuple[float, ...] = SECONDS) -> None:
        self.name, self.help, self._labels, self._bounds = name, help, labels, bounds
        self._buckets: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def add(self, *values: str, seconds: float) -> None:
        """Take down how long one took."""
        self.take(*values, amount=seconds)

    def take(self, *values: str, amount: float) -> None:
        """Take down one."""
        buckets = self._buckets.setdefault(values, [0] * (len(self._bounds) + 1))
        place = next((n for n, bound in enumerate(self._bounds) if amount <= bound), len(self._bounds))
        buckets[place] += 1
        self._sums[values] = self._sums.get(values, 0.0) + amount

    def lines(self) -> Iterable[str]:
        """As Prometheus reads it."""
        yield from head(self.name, self.help, "histogram")
        for values, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*(f"{b:g}" for b in self._bounds), "+Inf"), buckets, strict=True):
                total += count
                yield f"{self.name}_bucket{labelled((*self._labels, 'le'), (*values, bound))} {total}"
            yield f"{self.name}_sum{labelled(self._labels, values)} {self._sums[values]:.6f}"
            yield f"{self.name}_count{labelled(self._labels, values)} {total}"


def gauge(name: str, help: str, value: float) -> Iterable[str]:
    """One number that goes up and down."""
    yield from head(name, help, "gauge")
    yield f"{name} {value:g}"


def gauges(name: str, help: str, labels: Labels, values: Mapping[Labels, float]) -> Iterable[str]:
    """The same for each set of labels."""
    yield from head(name, help, "gauge")
    for given, value in sorted(values.items()):
        yield f"{name}{labelled(labels, given)} {value:g}"


def head(name: str, help: str, kind: str) -> Iterable[str]:
    """What stands above the values."""
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def labelled(names: Labels, values: Labels) -> str:
    """The labels in braces, escaped."""
    if not names:
        return ""
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in zip(names, values, strict=True))
    return "{" + pairs + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
