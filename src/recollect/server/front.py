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

from litestar.config.cors import CORSConfig

from recollect.access.records import Holder
from recollect.errors import Forbidden, RecollectError, Unavailable
from recollect.observe import spans
from recollect.observe.logs import say
from recollect.server import slashes
from recollect.server.arriving import Arriving
from recollect.server.auth import is_loopback
from recollect.server.limits import Turnstile
from recollect.server.measures import Measures
from recollect.server.places import KNOWN_METHODS, MOST_IMPORTS, SAFE, WATCHED, Places
from recollect.server.problems import Gone, as_response, problem_of
from recollect.settings import Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

#: How the paths of live streams end.
LIVE = "/live"
#: Where a connection says how to find out whether the client has left; an app could only wait for it.
LEFT = "recollect.left"
#: Seconds that a live stream waits for a client that does not take what it is sent.
SLOWEST = 30.0
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Front:
    """An ASGI app around the routes."""

    def __init__(
        self,
        app: App,
        settings: Settings,
        turnstile: Turnstile,
        turns: Turnstile,
        measures: Measures,
        cors: CORSConfig | None = None,
    ) -> None:
        self._app = app
        imports = Turnstile(MOST_IMPORTS, settings.max_waiting)
        self._places = Places(turnstile, turns, imports, measures)
        self._turnstile = turnstile
        self._turns = turns
        self._measures = measures
        self._longest = settings.request_timeout
        self._longest_turn = max(settings.turn_timeout + 10, settings.request_timeout)
        self._loopback = is_loopback(settings.host)
        self._hosts = set(_listed(settings.allowed_hosts))
        self._origins = set(_listed(settings.cors_origins))
        self._cors_config = cors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        cors = self._cors(headers)
        away = self._places.none_for(scope["method"], path)
        if away is not None:
            await send({"type": "http.response.start", "status": 503, "headers": [*away.headers, *cors]})
            await send({"type": "http.response.body", "body": away.body})
            return
        asked = headers.get("x-request-id", "")
        id = asked if _ID.fullmatch(asked) else secrets.token_hex(8)
        scope["recollect.request"] = id
        slashes.keep(scope)
        answer = _Answer(send, [(b"x-request-id", id.encode()), *SAFE])
        began = time.perf_counter()
        method = scope["method"] if scope["method"] in KNOWN_METHODS else "OTHER"
        with spans.serving(method, headers) as span:
            try:
                self._check(headers)
                if path in WATCHED:
                    await self._app(scope, receive, answer)
                elif path.endswith(LIVE):
                    await self._follow(scope, receive, answer)
                else:
                    await self._serve(scope, receive, answer)
            except RecollectError as error:
                if answer.status is None:
                    await answer.say(error, path, cors)
            finally:
                self._note(scope, method, answer.status or 499, time.perf_counter() - began, span)

    def no_place(self, method: str, address: bytes, headers: list[tuple[bytes, bytes]]) -> bytes | None:
        """The whole answer for a connection whose request finds no place, before anything is made for it."""
        by_page = self._cors_config is not None and any(name == b"origin" for name, _ in headers)
        if by_page or method == "HEAD":
            return None  # these get an answer of another shape, further in
        away = self._places.none_for(method, address.partition(b"?")[0].decode("latin-1"))
        return None if away is None else away.raw

    async def _serve(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """Whoever sends slowly does so outside: a turn is for those of whom there is something to be done."""
        path: str = scope["path"]
        body = Arriving(receive)
        await body.begin()
        turnstile = self._places.at(path)
        waited = turnstile.busy
        async with turnstile.turn():
            if waited and LEFT in scope and scope[LEFT]():
                raise Gone("the client left while its request waited")
            longest = self._longest_turn if turnstile is self._turns else self._longest
            await self._in_time(scope, body, answer, longest)

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

    def _cors(self, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
        """So that a page of another origin can read what the front itself says, such as when to come back."""
        origin = headers.get("origin")
        if origin is None or self._cors_config is None or not self._cors_config.is_origin_allowed(origin):
            return []
        return [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", b"retry-after, x-request-id"),
            (b"vary", b"origin"),
        ]

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

    async def say(self, error: RecollectError, path: str, more: list[tuple[bytes, bytes]]) -> None:
        """Answer with a problem, and more headers."""
        status, headers, body = as_response(*problem_of(error), path)
        headers += [(b"content-length", str(len(body)).encode()), *more]
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
