"""What this process counts, whoever asks for it: each number is made once, here or beside what it counts.

``REGISTRY.counter(…)`` and ``REGISTRY.histogram(…)`` make more; all of them are shown by /metrics. Tenants and
models are labels up to a bound: pass them through ``TENANT`` and ``MODEL``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from recollect.observe.metrics import SECONDS, Bounded, Counter, Histogram, Labels

T = TypeVar("T", Counter, Histogram)


class Registry:
    """Counters and histograms by name."""

    def __init__(self) -> None:
        self._kept: dict[str, Counter | Histogram] = {}

    def counter(self, name: str, help: str, labels: Labels = ()) -> Counter:
        """A new counter."""
        return self._keep(Counter(name, help, labels))

    def histogram(
        self, name: str, help: str, labels: Labels = (), bounds: tuple[float, ...] = SECONDS
    ) -> Histogram:
        """A new histogram."""
        return self._keep(Histogram(name, help, labels, bounds))

    def lines(self) -> Iterable[str]:
        """As Prometheus reads it."""
        for one in self._kept.values():
            yield from one.lines()

    def _keep(self, one: T) -> T:
        if one.name in self._kept:
            raise ValueError(f"{one.name} is counted already")
        self._kept[one.name] = one
        return one


REGISTRY = Registry()
TENANT = Bounded()
MODEL = Bounded()
#: Seconds of what may take minutes.
LONG = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

MESSAGES = REGISTRY.counter("recollect_messages_appended_total", "Messages stored.", ("tenant", "role"))
LENGTHS = REGISTRY.histogram(
    "recollect_conversation_messages",
    "Number of the newest message of a conversation at each append.",
    ("tenant",),
    (2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0),
)
CONTEXTS = REGISTRY.counter("recollect_contexts_total", "Contexts packed for a prompt.")
CONTEXT_TOKENS = REGISTRY.counter(
    "recollect_context_tokens_total", "Tokens that contexts gave to prompts.", ("section",)
)
MODEL_TOKENS = REGISTRY.counter(
    "recollect_model_tokens_total", "Tokens that language models used.", ("tenant", "model", "direction")
)
MODEL_SECONDS = REGISTRY.histogram(
    "recollect_model_seconds", "Time of calls of language models.", ("model", "outcome"), LONG
)
TURN_SECONDS = REGISTRY.histogram("recollect_turn_seconds", "Time of whole turns.", ("outcome",), LONG)
WORK_SECONDS = REGISTRY.histogram("recollect_work_seconds", "Time of due work.", ("kind", "outcome"), LONG)
RECALL_LAG = REGISTRY.histogram(
    "recollect_recall_lag_seconds", "From when messages fell due until what they say was learned.", (), LONG
)


def appended(tenant: str, roles: Iterable[str], newest: int) -> None:
    """Messages were stored; the newest has this number."""
    label = TENANT(tenant)
    for role in roles:
        MESSAGES.add(label, role)
    LENGTHS.take(label, amount=newest)


def packed(tokens: dict[str, int]) -> None:
    """A context was packed: so many tokens of each section."""
    CONTEXTS.add()
    for section, count in tokens.items():
        if count and section != "total":
            CONTEXT_TOKENS.add(section, by=count)
