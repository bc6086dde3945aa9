"""What stands before the routes: ids and logs of requests, hosts and origins, turns, time, and safe headers."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from recollect.access.records import Holder
from recollect.errors import Forbidden, Overloaded, RecollectError, Unavailable
from recollect.observe import spans
from recollect.observe.logs import say
from recollect.server import slashes
from recollect.server.auth import is_loopback
from recollect.server.limits import COME_BACK, Turnstile
from recollect.server.measures import Measures
from recollect.server.openai_shape import is_openai
from recollect.server.problems import as_response, problem_of
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
#: How the paths of live streams end.
LIVE = "/live"
#: Seconds that a live stream waits for a client that does not take what it is sent.
SLOWEST = 30.0
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
        self._sent_away = 0
        self._said_so = -1.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        # A turn waits for a model: it takes little of us, but long, and must not keep others out.
        slow = path.endswith(TURNS)
        turnstile = self._turns if slow else self._turnstile
        if turnstile.full and path not in WATCHED:
            await self._turn_away(scope, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        asked = headers.get("x-request-id", "")
        id = asked if _ID.fullmatch(asked) else secrets.token_hex(8)
        scope["recollect.request"] = id
        slashes.keep(scope)
        answer = _Answer(send, [(b"x-request-id", id.encode()), *SAFE])
        began = time.perf_counter()
        method = scope["method"] if scope["method"] in _KNOWN_METHODS else "OTHER"
        with spans.serving(method, headers) as span:
            try:
                self._check(headers)
                if path in WATCHED:
                    await self._app(scope, receive, answer)
                elif path.endswith(LIVE):
                    await self._follow(scope, receive, answer)
                else:
                    async with turnstile.turn():
                        longest = self._longest_turn if slow else self._longest
                        await self._in_time(scope, receive, answer, longest)
            except RecollectError as error:
                if answer.status is None:
                    await answer.say(error, path)
            finally:
                self._note(scope, method, answer.status or 499, time.perf_counter() - began, span)

    async def _turn_away(self, scope: Scope, send: Send) -> None:
        """The cheapest answer there is: what is spent here is taken from those who are served."""
        self._measures.turned_away(scope["method"] if scope["method"] in _KNOWN_METHODS else "OTHER")
        self._sent_away += 1
        now = time.monotonic()
        if now - self._said_so >= 1.0:
            say(logging.WARNING, "http.turned_away", requests=self._sent_away)
            self._sent_away, self._said_so = 0, now
        headers, body = _full(is_openai(scope["path"]))
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _follow(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """A live stream needs a turn until it has begun; then it only waits, and must not keep others out."""
        await self._turnstile.enter()
        answer.patience, answer.began = SLOWEST, self._turnstile.leave
        try:
            await self._app(scope, answer.cut_or(receive), answer)
        finally:
            if answer.began is not None:
                self._turnstile.leave()

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

    def _note(self, scope: Scope, method: str, status: int, seconds: float, span: Any) -> None:
        route = scope.get("path_template") or ("(none)" if status == 404 else "(front)")
        holder: Holder | None = scope.get("recollect.holder")
        tenant = None if holder is None else holder.tenant
        self._measures.answered(method, route, status, tenant, seconds)
        spans.answered(span, method, route, status, scope["recollect.request"], tenant is not None)
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
        self._cut: asyncio.Event | None = None
        self.status: int | None = None
        self.patience: float | None = None
        """Seconds for the client to take each part; then the connection is cut."""
        self.began: Callable[[], None] | None = None
        """Called when the answer begins."""

    async def __call__(self, event: Any) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            there = {name for name, _ in event["headers"]}
            event["headers"] = [*event["headers"], *(pair for pair in self._headers if pair[0] not in there)]
            if self.began is not None:
                self.began()
                self.began = None
        if self.patience is None:
            await self._send(event)
        elif self._cut is None or not self._cut.is_set():
            try:
                async with asyncio.timeout(self.patience):
                    await self._send(event)
            except TimeoutError:
                say(logging.WARNING, "http.slow_reader", seconds=self.patience)
                if self._cut is not None:
                    self._cut.set()

    def cut_or(self, receive: Receive) -> Receive:
        """What the client sends; when the connection was cut, that it is gone."""
        ends = self._cut = asyncio.Event()

        async def either() -> Any:
            cut = asyncio.ensure_future(ends.wait())
            heard = asyncio.ensure_future(receive())
            try:
                await asyncio.wait({cut, heard}, return_when=asyncio.FIRST_COMPLETED)
                return heard.result() if heard.done() else {"type": "http.disconnect"}
            finally:
                cut.cancel()
                heard.cancel()

        return either

    async def say(self, error: RecollectError, path: str) -> None:
        """Answer with a problem."""
        status, headers, body = as_response(*problem_of(error), path)
        headers.append((b"content-length", str(len(body)).encode()))
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": body})


_FULL = Overloaded("more requests than this server takes; come back in a moment", COME_BACK)


@cache
def _full(openai: bool) -> tuple[list[tuple[bytes, bytes]], bytes]:
    _, headers, body = as_response(*problem_of(_FULL), "/v1/" if openai else "/")
    return [*headers, (b"content-length", str(len(body)).encode()), *SAFE], body


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
