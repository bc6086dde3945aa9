"""The credential of a browser: a cookie that no script can read, for requests of our own page only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie

from recollect.errors import Unauthorized

NAME = "recollect_key"
#: Methods that change nothing, so that following a link may use them.
READING = ("GET", "HEAD")
_FOREIGN = "the cookie of this browser is for this server's own page only; send the key as Authorization: Bearer …"


def kept(text: str, headers: Mapping[str, str]) -> Cookie:
    """The cookie that holds a credential until the browser closes."""
    return _cookie(text, headers)


def ended(headers: Mapping[str, str]) -> Cookie:
    """The same, taken back."""
    return _cookie("", headers, max_age=0)


def credential(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """What the cookie of a request holds; Unauthorized if a page of somebody else makes the request."""
    text = connection.cookies.get(NAME)
    if not text:
        return None
    method: str = cast("dict[str, Any]", connection.scope)["method"]
    if not from_own_page(method, connection.headers):
        raise Unauthorized(_FOREIGN)
    return text


def from_own_page(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a browser made this request for a page of ours, or because its user opened the address.

    SameSite keeps the cookie from other sites, but not from another host or port of the same site.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin" or (site == "none" and method in READING)
    # Browsers before 2023 do not say; all of them name the origin where it matters.
    origin = headers.get("origin")
    if origin is None:
        return method in READING
    return _netloc(origin) == headers.get("host")


def _cookie(text: str, headers: Mapping[str, str], max_age: int | None = None) -> Cookie:
    # What stands before us may speak TLS for us: the browser's own word for the page's address tells.
    secure = headers.get("origin", "").startswith("https://")
    return Cookie(NAME, value=text, max_age=max_age, secure=secure, httponly=True, samesite="strict")


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
