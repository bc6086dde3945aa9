"""Signing in from a browser: the key goes into a cookie that no script can read."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, post
from litestar.params import JSONBody

from recollect.errors import Forbidden
from recollect.server import cookies
from recollect.server.rules import rule
from recollect.server.wire import Identity, identity


class SignIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key, or a token."""

    key: str


class SignedOut(msgspec.Struct, frozen=True, kw_only=True):
    """The cookie is gone; the key is as good as before."""

    signed_out: bool = True


def _own_page(request: Request[Any, Any, Any]) -> None:
    """Nobody else's page may sign a browser in, or out."""
    by_browser = "sec-fetch-site" in request.headers or "origin" in request.headers
    if by_browser and not cookies.from_own_page(request.method, request.headers):
        raise Forbidden("only this server's own page signs in")


@post("/api/sign-in", status_code=200, opt=rule("public"))
async def sign_in(request: Request[Any, Any, Any], data: JSONBody[SignIn]) -> Response[Identity]:
    """Keep a key in this browser, for this server's page, until the browser closes."""
    _own_page(request)
    holder = await request.app.state.gate.holder_of(data.key.strip())
    return Response(identity(holder), cookies=[cookies.kept(data.key.strip(), request.headers)])


@post("/api/sign-out", status_code=200, opt=rule("public"))
async def sign_out(request: Request[Any, Any, Any]) -> Response[SignedOut]:
    """Take the key out of this browser."""
    _own_page(request)
    return Response(SignedOut(), cookies=[cookies.ended(request.headers)])


ROUTES = [sign_in, sign_out]
