"""Places: which turnstile a request goes through, and what whoever finds it full is told.

That answer is the cheapest there is, for what is spent on it is taken from those who are served: its bytes are the
same for all, and nobody is asked who they are.
"""

from __future__ import annotations

import logging
import math
import time
from functools import cache

import msgspec

from recollect.errors import Overloaded
from recollect.observe.logs import say
from recollect.server.limits import Turnstile
from recollect.server.measures import Measures
from recollect.server.openai_shape import PREFIX, is_openai
from recollect.server.problems import as_response, problem_of

#: Asked for by machines that watch; they must get an answer when nobody else does.
WATCHED = ("/healthz", "/readyz", "/metrics")
#: Imports at once in a process: one may be of 128 MiB, and of many times that when it is read.
MOST_IMPORTS = 2
#: How the paths of whole turns end.
TURNS = ("/api/chat", "/message", "/stream", "/v1/chat/completions")
SAFE: list[tuple[bytes, bytes]] = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    ),
    (b"cache-control", b"no-store"),
]
KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
#: Seconds between two log lines about those who were sent away.
QUIET = 1.0


class Away(msgspec.Struct, frozen=True):
    """The answer to whoever is sent away: in parts, and as the bytes that go over the wire."""

    headers: list[tuple[bytes, bytes]]
    body: bytes
    raw: bytes


class Places:
    """All places of this process."""

    def __init__(self, turnstile: Turnstile, turns: Turnstile, imports: Turnstile, measures: Measures) -> None:
        self._turnstile = turnstile
        self._turns = turns
        self._imports = imports
        self._measures = measures
        self._sent_away = 0
        self._said_so = -QUIET

    def at(self, path: str) -> Turnstile:
        """A turn waits for a model: it takes little of us, but long, and must not keep others out. An import takes
        much of our memory."""
        if path.endswith(TURNS):
            return self._turns
        return self._imports if is_import(path) else self._turnstile

    def none_for(self, method: str, path: str) -> Away | None:
        """What to tell a request that finds no place even to wait; None if there is one."""
        turnstile = self.at(path)
        if not turnstile.full or path in WATCHED:
            return None
        self._measures.turned_away(method if method in KNOWN_METHODS else "OTHER")
        self._sent_away += 1
        now = time.monotonic()
        if now - self._said_so >= QUIET:
            say(logging.WARNING, "http.turned_away", requests=self._sent_away)
            self._sent_away, self._said_so = 0, now
        return _away(math.ceil(turnstile.come_back()), is_openai(path))


def is_import(path: str) -> bool:
    """Whether this is the path of an import."""
    return path == "/api/import" or (path.startswith("/api/users/") and path.endswith("/import"))


@cache  # there are as many as seconds that somebody may be told to wait
def _away(seconds: int, openai: bool) -> Away:
    error = Overloaded("more requests than this server takes; come back in a moment", seconds)
    _, headers, body = as_response(*problem_of(error), PREFIX if openai else "/")
    headers = [*headers, (b"content-length", str(len(body)).encode()), *SAFE]
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
    return Away(headers, body, b"HTTP/1.1 503 Service Unavailable\r\n" + lines + b"\r\n" + body)
