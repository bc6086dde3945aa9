"""Versions: ``ETag`` on what is versioned, ``If-Match`` on its change, ``If-None-Match`` on its reading.

A tag is a version and a mark of what was sent, ``"3-9f86d081884c7d65"``: what is sent may change while the version
does not, as when a memory is said again or the workflow of an agent is set, and what is removed and made again
begins with the same versions. A change is meant for a version, so in ``If-Match`` that alone will do, ``"3"``.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

import msgspec
from litestar import Request, Response
from litestar.connection import ASGIConnection

from recollect import inputs
from recollect.errors import Invalid
from recollect.server.rules import Rule

T = TypeVar("T")
#: Methods that change nothing.
SAFE = ("GET", "HEAD", "OPTIONS")
_TAG = re.compile(r'"(\d{1,19})(?:-[0-9a-f]{16}(?:-([0-9a-f]{1,14}))?)?"')
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def tag(content: object, version: int) -> dict[str, str]:
    """The header that says which version this is."""
    return {"etag": _tag(msgspec.json.encode(content), version, None)}


def wanted(request: Request[Any, Any, Any]) -> int | None:
    """The version that a change is meant for, 0 for none yet; None if any will do."""
    given, none = request.headers.get("if-match"), request.headers.get("if-none-match")
    if none is not None:
        if none.strip() != "*" or given is not None:
            raise Invalid("If-None-Match", "must be *, and alone: the change is made if there is nothing yet")
        return 0
    match = None if given is None else _read(given)
    return None if match is None else inputs.version("If-Match", int(match[1]))


def any_version(request: Request[Any, Any, Any]) -> bool:
    """Whether a change is meant for any version, but not for nothing."""
    return request.headers.get("if-match", "").strip() == "*"


def made_at(request: Request[Any, Any, Any]) -> datetime | None:
    """When that was made which a change is meant for, if its tag says so."""
    given = request.headers.get("if-match")
    match = None if given is None else _read(given)
    return None if match is None or match[2] is None else _EPOCH + timedelta(microseconds=int(match[2], 16))


def check(rule: Rule, connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Invalid, if a change is meant for a version and its route would not look: better nothing than the wrong."""
    method: str = cast("dict[str, Any]", connection.scope)["method"]
    for header in ("If-Match", "If-None-Match"):
        if not rule.versioned and method not in SAFE and header.lower() in connection.headers:
            raise Invalid(header, "is not compared here; leave it out if the change is meant for any version")


def versioned(
    request: Request[Any, Any, Any], content: T, version: int, made: datetime | None = None
) -> Response[T]:
    """The answer with its version; without the content if the client has it already. ``made`` is for what can be
    removed and made again, so that a change which is meant for the one does not happen to the other."""
    body = msgspec.json.encode(content)
    tag = _tag(body, version, made)
    known = request.headers.get("if-none-match") if request.method == "GET" else None
    if known is not None and any(one.strip().removeprefix("W/") in (tag, "*") for one in known.split(",")):
        return Response(content=None, status_code=304, headers={"etag": tag})  # type: ignore[return-value]  # pyright: ignore
    return Response(body, media_type="application/json", headers={"etag": tag})  # type: ignore[return-value]  # pyright: ignore


def _tag(body: bytes, version: int, made: datetime | None) -> str:
    sent = hashlib.blake2b(body, digest_size=8).hexdigest()
    life = "" if made is None else f"-{(made - _EPOCH) // timedelta(microseconds=1):x}"
    return f'"{version}-{sent}{life}"'


def _read(given: str) -> re.Match[str] | None:
    """The parts of an If-Match; None for any version."""
    if given.strip() == "*":
        return None
    match = _TAG.fullmatch(given.strip())
    if match is None:
        raise Invalid("If-Match", 'must be the ETag of what was read, or its version, like "3"')
    return match
