"""From a request to whoever makes it. The tenant comes from the credential and from nowhere else."""

from __future__ import annotations

import hmac
from functools import partial
from ipaddress import ip_address
from typing import Any, cast

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from recollect.access import keys
from recollect.access.records import OPERATOR, SCOPES, Holder
from recollect.errors import Unauthorized
from recollect.opening import Recollect
from recollect.server import cookies, slashes, versions
from recollect.server.limits import Rates
from recollect.server.rules import Rule, check
from recollect.server.together import Together
from recollect.server.tokens import Tokens
from recollect.settings import Settings
from recollect.who import LOCAL

#: What Litestar answers to OPTIONS by itself: the methods of a route. Every other route has a rule.
ONLY_METHODS = Rule("public")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Gate:
    """Lets requests in: by a key or a token; on this machine, while there are no keys, by any or by none."""

    def __init__(self, memory: Recollect, settings: Settings) -> None:
        self._memory = memory
        self._settings = settings
        self._tokens = Tokens(settings) if settings.jwt_secret or settings.jwt_jwks else None
        self._may_be_open = is_loopback(settings.host) and self._tokens is None
        self._rates = Rates(settings.rate_limit)
        self._keys = Together(partial(_holder_of, memory))

    async def is_open(self) -> bool:
        """Whether requests need no credential. Once closed, it stays so until the server starts again."""
        if self._may_be_open and await keys.exist(self._memory.database):
            self._may_be_open = False
        return self._may_be_open

    async def guard(self, connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
        """Called by Litestar before each route: find out who asks, and whether the route is for them."""
        rule: Rule = handler.opt.get("rule") or ONLY_METHODS
        slashes.give_back(cast("dict[str, Any]", connection.scope))
        versions.check(rule, connection)
        if rule.scope == "public":
            return
        if rule.scope == "metrics":
            await self._watcher(connection)
            return
        holder = await self._holder(connection)
        cast("dict[str, Any]", connection.scope)["recollect.holder"] = holder
        self._rates.take(f"{holder.tenant}\0{holder.actor}")
        check(rule, holder)

    async def still(self, connection: ASGIConnection[Any, Any, Any, Any], holder: Holder) -> None:
        """Unauthorized, if the credential of a stream that is open no longer opens what it did."""
        if await self._holder(connection) != holder:
            raise Unauthorized("the credential was changed; connect again")

    async def _holder(self, connection: ASGIConnection[Any, Any, Any, Any]) -> Holder:
        text = bearer(connection)
        if await self.is_open():
            # Clients such as OpenAI's always send some key, and a cookie may be of another server of this machine.
            return self._local(connection)
        text = text or cookies.credential(connection)
        if text is None:
            raise Unauthorized("a key is needed: Authorization: Bearer rk_…, or sign in on the page")
        return await self.holder_of(text)

    async def holder_of(self, text: str) -> Holder:
        """Whom a key or a token stands for; Unauthorized if it opens nothing."""
        if text.startswith(f"{keys.PREFIX}_"):
            return await self._keys.ask(text)
        if self._tokens is not None:
            return await self._tokens.holder_of(text)
        raise Unauthorized("this is neither a key of this server nor a token that it understands")

    def _local(self, connection: ASGIConnection[Any, Any, Any, Any]) -> Holder:
        if any(name in connection.headers for name in _FORWARDED):
            raise Unauthorized(
                "this request came through a proxy, and without keys only this machine is served; "
                "make a key with `recollect keys create`"
            )
        return Holder(tenant=self._settings.tenant, actor=LOCAL, scopes=frozenset((*SCOPES, OPERATOR)))

    async def _watcher(self, connection: ASGIConnection[Any, Any, Any, Any]) -> None:
        token = self._settings.metrics_token
        if token is not None and hmac.compare_digest((bearer(connection) or "").encode(), token.encode()):
            return
        if token is None and await self.is_open():
            return
        raise Unauthorized("metrics are for the operator: send the token that RECOLLECT_METRICS_TOKEN sets")


async def _holder_of(memory: Recollect, text: str) -> Holder:
    return await keys.holder_of(memory.database, text)


def bearer(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """The credential of a request, if it has one."""
    given = connection.headers.get("authorization")
    if given is None:
        return None
    kind, _, text = given.partition(" ")
    if kind.lower() != "bearer" or not text.strip():
        raise Unauthorized("the credential must be sent as Authorization: Bearer …")
    return text.strip()
