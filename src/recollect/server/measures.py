"""What this process counts, and how /metrics shows it."""

from __future__ import annotations

from recollect.observe.metrics import Bounded, Counter, Histogram, gauge
from recollect.server.limits import Turnstile


class Measures:
    """The numbers of one process since it began; tenants are labels up to a bound."""

    def __init__(self, turnstile: Turnstile) -> None:
        self._turnstile = turnstile
        self._tenant = Bounded()
        self._requests = Counter(
            "recollect_http_requests_total", "Requests answered.", ("method", "route", "status")
        )
        self._of_tenants = Counter("recollect_tenant_requests_total", "Requests of each tenant.", ("tenant",))
        self._seconds = Histogram("recollect_http_seconds", "Time to answer.", ("method", "route"))
        self._messages = Counter(
            "recollect_messages_appended_total", "Messages stored over HTTP.", ("tenant", "role")
        )
        self._turned_away = Counter("recollect_http_turned_away_total", "Requests that had to come back.", ())

    def answered(self, method: str, route: str, status: int, tenant: str | None, seconds: float) -> None:
        """One request."""
        self._requests.add(method, route, str(status))
        self._seconds.add(method, route, seconds=seconds)
        if tenant is not None:
            self._of_tenants.add(self._tenant(tenant))
        if status in (429, 503):
            self._turned_away.add()

    def appended(self, tenant: str, role: str) -> None:
        """One message."""
        self._messages.add(self._tenant(tenant), role)

    def text(self, due: int | None) -> str:
        """For Prometheus."""
        lines = [
            *self._requests.lines(),
            *self._seconds.lines(),
            *self._of_tenants.lines(),
            *self._messages.lines(),
            *self._turned_away.lines(),
            *gauge("recollect_http_in_flight", "Requests being worked on.", self._turnstile.inside),
            *gauge("recollect_http_waiting", "Requests that wait for their turn.", self._turnstile.waiting),
        ]
        if due is not None:
            lines += gauge("recollect_tenants_with_due_work", "Tenants for which something has fallen due.", due)
        return "\n".join(lines) + "\n"
