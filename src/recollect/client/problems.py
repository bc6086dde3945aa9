"""What a server answers instead of what was asked for, as the errors that the library raises."""

from __future__ import annotations

import msgspec

from recollect.client.wire import snake
from recollect.errors import (
    Busy,
    Conflict,
    Forbidden,
    Invalid,
    KeyReused,
    NotFound,
    Overloaded,
    RecollectError,
    Refused,
    Unauthorized,
    Unavailable,
    UnderWay,
)

_PREFIX = "urn:recollect:problem:"
#: What the wire calls otherwise.
_FIELDS = {"keyPoint": "text", "If-Match": "version", "Idempotency-Key": "key"}


class Problem(msgspec.Struct, frozen=True):
    """An error as the server describes it."""

    type: str
    title: str = ""
    status: int = 0
    detail: str = ""
    field: str | None = None
    request: str | None = None
    what: str | None = None
    key: str | None = None
    part: str | None = None
    retry_after: float | None = None


def error_in(status: int, body: bytes, retry_after: str | None = None) -> RecollectError:
    """The error that an answer stands for."""
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        problem = None
    if problem is None or not problem.type.startswith(_PREFIX):
        return Unavailable(
            "server",
            f"it answered {status} in a way that no Recollect does; is the address right, and what is in between?",
            status=status,
            retry_after=_seconds(retry_after),
        )
    return error_of(problem, _seconds(retry_after))


def error_of(problem: Problem, retry_after: float | None = None) -> RecollectError:
    """The error that a problem stands for."""
    wait = problem.retry_after or retry_after
    detail = problem.detail or problem.title
    match problem.type.removeprefix(_PREFIX):
        case "invalid":
            field = problem.field or "request"
            return Invalid(_FIELDS.get(field) or snake(field), detail.removeprefix(f"{field}: "))
        case "malformed" | "too-large" | "unsupported-media-type":
            return Invalid("request", detail)
        case "unauthorized":
            return Unauthorized(detail)
        case "forbidden":
            return Forbidden(detail)
        case "not-found" if problem.what is not None:
            return NotFound(problem.what, problem.key or "")
        case "not-found" | "method-not-allowed":
            return Unavailable("server", "it does not know this call; it may be older than this client")
        case "conflict":
            return Conflict(detail)
        case "busy":
            return Busy(wait or 1.0)
        case "under-way":
            return UnderWay(wait or 1.0)
        case "refused":
            return Refused(detail)
        case "key-reused":
            return KeyReused(problem.key or "")
        case "overloaded" | "rate-limited":
            return Overloaded(detail, wait or 1.0)
        case "unavailable":
            part = problem.part or "server"
            return Unavailable(part, detail.removeprefix(f"{part}: "), retry_after=wait)
        case _:
            which = f" (request {problem.request})" if problem.request else ""
            return Unavailable("server", f"{detail}{which}", status=problem.status)


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None
