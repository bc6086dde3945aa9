"""What stands before the routes: ids and logs of requests, hosts and origins, turns, time, and safe headers."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from recollect.access.records import Holder
from recollect.errors import RecollectError, Unavailable
from recollect.observe.logs import say
from recollect.server import slashes
from recollect.server.auth import is_loopback
from recollect.server.limits import Turnstile
from recollect.server.measures import Measures
from recollect.server.problems import Forbidden, as_response, problem_of
from recollect.settings import Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

#: Asked for by machines that watch; they must get an answer when nobody else does.
WATCHED = ("/healthz", "/readyz", "/metrics")
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
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Front:
    """An ASGI app around the routes."""

    def __init__(
        self, app: App, settings: Settings, turnstile: Turnstile, turns: Turnstile, measures: Measures
    ) -> None:
        self._app = app
        self._turnstile = turnstile
        self._turns = turns
        self._measures = measures
        self._longest = settings.request_timeout
        self._longest_turn = max(settings.turn_timeout + 10, settings.request_timeout)
        self._loopback = is_loopback(settings.host)
        self._hosts = set(_listed(settings.allowed_hosts))
        self._origins = set(_listed(settings.cors_origins))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        asked = headers.get("x-request-id", "")
        id = asked if _ID.fullmatch(asked) else secrets.token_hex(8)
        scope["recollect.request"] = id
        slashes.keep(scope)
        answer = _Answer(send, [(b"x-request-id", id.encode()), *SAFE])
        began = time.perf_counter()
        try:
            self._check(headers)
            if scope["path"] in WATCHED:
                await self._app(scope, receive, answer)
            else:
                # A turn waits for a model: it takes little of us, but long, and must not keep others out.
                slow = scope["path"].endswith(TURNS)
                async with (self._turns if slow else self._turnstile).turn():
                    await self._in_time(scope, receive, answer, self._longest_turn if slow else self._longest)
        except RecollectError as error:
            if answer.status is None:
                await answer.say(error, scope["path"])
        finally:
            self._note(scope, answer.status or 499, time.perf_counter() - began)

    async def _in_time(self, scope: Scope, receive: Receive, answer: _Answer, longest: float) -> None:
        try:
            async with asyncio.timeout(longest):
                await self._app(scope, receive, answer)
        except TimeoutError:
            raise Unavailable(
                "server",
                f"the request took longer than {longest:g} s; it may or may not have had its effect",
            ) from None

    def _check(self, headers: dict[str, str]) -> None:
        """On this machine: a page from elsewhere must not reach us by a name of its own (DNS rebinding), nor by a
        request that a browser sends without asking."""
        host = _host_of(headers.get("host", ""))
        known = host in self._hosts or (self._loopback and _is_ours(host))
        if (self._loopback or self._hosts) and not known:
            raise Forbidden("the request asks for a host that is not served here; see RECOLLECT_ALLOWED_HOSTS")
        origin = headers.get("origin")
        foreign = origin is not None and origin not in self._origins and _netloc(origin) != headers.get("host")
        if self._loopback and foreign:
            raise Forbidden("pages of this origin may not call this server; see RECOLLECT_CORS_ORIGINS")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("path_template") or ("(none)" if status == 404 else "(front)")
        method = scope["method"] if scope["method"] in _KNOWN_METHODS else "OTHER"
        holder: Holder | None = scope.get("recollect.holder")
        tenant = None if holder is None else holder.tenant
        self._measures.answered(method, route, status, tenant, seconds)
        say(
            logging.INFO,
            "http.request",
            method=method,
            route=route,
            status=status,
            ms=round(seconds * 1000, 1),
            request=scope["recollect.request"],
            tenant=tenant,
            actor=None if holder is None else holder.actor,
        )


class _Answer:
    """Passes an answer on, with our headers added, and remembers how it began."""

    def __init__(self, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._headers = headers
        self.status: int | None = None

    async def __call__(self, event: Any) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            there = {name for name, _ in event["headers"]}
            event["headers"] = [*event["headers"], *(pair for pair in self._headers if pair[0] not in there)]
        await self._send(event)

    async def say(self, error: RecollectError, path: str) -> None:
        """Answer with a problem."""
        status, headers, body = as_response(*problem_of(error), path)
        headers.append((b"content-length", str(len(body)).encode()))
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": body})


@lru_cache(256)  # clients name the same few hosts, and reading one takes longer than all else here
def _host_of(header: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


@lru_cache(256)
def _is_ours(host: str) -> bool:
    return is_loopback(host)


def _netloc(origin: str) -> str:
    """Host and port of an origin."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _listed(setting: str) -> list[str]:
    return [part.strip() for part in setting.split(",") if part.strip()]
