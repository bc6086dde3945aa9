"""Versions: ``ETag`` on what is versioned, ``If-Match`` on its change, ``If-None-Match`` on its reading."""

from __future__ import annotations

import re
from typing import Any, TypeVar, cast

from litestar import Request, Response
from litestar.connection import ASGIConnection

from recollect import inputs
from recollect.errors import Invalid
from recollect.server.rules import Rule

T = TypeVar("T")
#: Methods that change nothing.
SAFE = ("GET", "HEAD", "OPTIONS")
_TAG = re.compile(r'"(\d{1,19})"')


def tag(version: int) -> dict[str, str]:
    """The header that says which version this is."""
    return {"etag": f'"{version}"'}


def wanted(request: Request[Any, Any, Any]) -> int | None:
    """The version that a change is meant for; None if any will do."""
    given = request.headers.get("if-match")
    if given is None or given.strip() == "*":
        return None
    match = _TAG.fullmatch(given.strip())
    if match is None:
        raise Invalid("If-Match", 'must be the ETag of what was read, like "3"')
    return inputs.version("If-Match", int(match[1]))


def check(rule: Rule, connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Invalid, if a change is meant for a version and its route would not look: better nothing than the wrong."""
    method: str = cast("dict[str, Any]", connection.scope)["method"]
    if not rule.versioned and method not in SAFE and "if-match" in connection.headers:
        raise Invalid("If-Match", "is not compared here; leave it out if the change is meant for any version")


def versioned(request: Request[Any, Any, Any], content: T, version: int, status: int = 200) -> Response[T]:
    """The answer with its version; without the content if the client has it already."""
    if request.method == "GET" and request.headers.get("if-none-match") == f'"{version}"':
        return Response(content=None, status_code=304, headers=tag(version))  # type: ignore[return-value]  # pyright: ignore
    return Response(content, status_code=status, headers=tag(version))
