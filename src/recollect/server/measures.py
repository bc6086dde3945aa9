"""What this process counts over HTTP, and how /metrics shows it with everything else that is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.observe.counted import REGISTRY, TENANT
from recollect.observe.metrics import Counter, Histogram, gauge, gauges
from recollect.server.limits import Turnstile
from recollect.server.streams import Streams
from recollect.work.queue import DueWork


class Measures:
    """The numbers of one process since it began; tenants are labels up to a bound."""

    def __init__(self, turnstile: Turnstile, streams: Streams) -> None:
        self._turnstile = turnstile
        self._streams = streams
        self._requests = Counter(
            "recollect_http_requests_total", "Requests answered.", ("method", "route", "status")
        )
        self._of_tenants = Counter("recollect_tenant_requests_total", "Requests of each tenant.", ("tenant",))
        self._seconds = Histogram("recollect_http_seconds", "Time to answer.", ("method", "route"))
        self._turned_away = Counter("recollect_http_turned_away_total", "Requests that had to come back.", ())

    def answered(self, method: str, route: str, status: int, tenant: str | None, seconds: float) -> None:
        """One request."""
        self._requests.add(method, route, str(status))
        self._seconds.add(method, route, seconds=seconds)
        if tenant is not None:
            self._of_tenants.add(TENANT(tenant))
        if status in (429, 503):
            self._turned_away.add()

    def turned_away(self, method: str) -> None:
        """One request that found no place even to wait; there is no time to spend on it."""
        self._requests.add(method, "(front)", "503")
        self._turned_away.add()

    def text(self, due: int | None, work: Sequence[DueWork]) -> str:
        """For Prometheus."""
        lines = [
            *self._requests.lines(),
            *self._seconds.lines(),
            *self._of_tenants.lines(),
            *self._turned_away.lines(),
            *REGISTRY.lines(),
            *gauge("recollect_http_in_flight", "Requests being worked on.", self._turnstile.inside),
            *gauge("recollect_http_waiting", "Requests that wait for their turn.", self._turnstile.waiting),
            *gauge("recollect_live_streams", "Live streams that are open.", self._streams.open),
        ]
        if due is not None:
            lines += gauge("recollect_tenants_with_due_work", "Tenants for which something has fallen due.", due)
            lines += _of_work(work)
        return "\n".join(lines) + "\n"


def _of_work(work: Sequence[DueWork]) -> Iterable[str]:
    """Of the whole installation, and not only of this process."""
    kinds = ("kind",)
    yield from gauges("recollect_work_due", "Work that waits.", kinds, {(w.kind,): w.due for w in work})
    yield from gauges(
        "recollect_work_failed", "Work that was given up.", kinds, {(w.kind,): w.failed for w in work}
    )
    oldest = {(w.kind,): w.oldest for w in work}
    yield from gauges("recollect_work_oldest_seconds", "How long the oldest has waited.", kinds, oldest)
