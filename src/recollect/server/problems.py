"""What went wrong, as ``application/problem+json`` (RFC 9457) with stable types. No problem quotes stored text."""

from __future__ import annotations

import logging
import math
import re
import traceback
from typing import Any, cast

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.spec import Example

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
from recollect.observe.logs import say
from recollect.server.naming import as_sent, choices
from recollect.server.openai_shape import UpstreamFailed, is_openai, openai_error

PROBLEM_JSON = "application/problem+json"
#: Seconds after which to come back, where nobody knows better.
SOON = 1.0


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error: ``type`` is stable, ``detail`` is for people."""

    type: str
    title: str
    status: int
    detail: str = ""
    field: str | None = None
    """What to put right in the request."""
    request: str | None = None
    """The id of the request, as in the log."""
    what: str | None = None
    """The kind of thing that is not there."""
    key: str | None = None
    """Its id, or the idempotency key that was used for something else."""
    part: str | None = None
    """What does not answer, such as the database or the model."""
    retry_after: float | None = None
    """Seconds after which to come back; the header Retry-After says it in whole ones."""


class Malformed(RecollectError):
    """A body that is not JSON."""


class TooSlow(RecollectError):
    """A body that does not arrive."""


class NotInstalled(RecollectError):
    """A part that needs an extra which is not there."""


class Gone(RecollectError):
    """Whoever asked has left; nobody reads the answer, but logs and numbers tell it from a mistake of ours."""


#: The most specific class first.
KINDS: tuple[tuple[type[RecollectError], int, str, str], ...] = (
    (Malformed, 400, "malformed", "The body is not JSON"),
    (Forbidden, 403, "forbidden", "The credential does not reach this far"),
    (Unauthorized, 401, "unauthorized", "No valid credential"),
    (NotFound, 404, "not-found", "There is no such thing"),
    (TooSlow, 408, "too-slow", "The body did not arrive in time"),
    (UnderWay, 409, "under-way", "A request with this idempotency key is still under way"),
    (Refused, 409, "refused", "A rule says no"),
    (Busy, 409, "busy", "Another message of this conversation is being answered"),
    (Conflict, 412, "conflict", "The version is no longer the current one"),
    (KeyReused, 422, "key-reused", "The idempotency key was used for something else"),
    (Invalid, 422, "invalid", "The input cannot be accepted"),
    (Gone, 499, "gone", "The client has left"),
    (NotInstalled, 501, "not-installed", "This part of the server is not installed"),
    (Overloaded, 503, "overloaded", "Too much at once"),
    (Unavailable, 503, "unavailable", "Something that the server stands on does not answer"),
)
TITLES = {
    404: ("not-found", "There is no such thing"),
    405: ("method-not-allowed", "Not with this method"),
    413: ("too-large", "The body is too large"),
    415: ("unsupported-media-type", "The body must be JSON"),
    429: ("rate-limited", "Too many requests with this credential"),
    500: ("internal", "The server has made a mistake"),
    503: ("overloaded", "Too much at once"),
}
EXAMPLE = Example(
    value={
        "type": "urn:recollect:problem:invalid",
        "title": "The input cannot be accepted",
        "status": 422,
        "detail": "limit: must be between 1 and 1000, not 0",
        "field": "limit",
    }
)


#: What the parser of requests stumbles over; it tells nothing of it, and this is what people come with.
UNREADABLE = Problem(
    "urn:recollect:problem:malformed",
    "The request cannot be read",
    400,
    "it is no HTTP that is known here; in an address, all but plain letters is escaped: caf%C3%A9 for café",
)


class TooManyRequests(Overloaded):
    """A credential asks faster than it may."""


def problem_of(error: Exception) -> tuple[Problem, dict[str, str]]:
    """The problem that an error is, and the headers that go with it."""
    match error:
        case TooManyRequests():
            problem = msgspec.structs.replace(_plain(429, str(error)), retry_after=error.retry_after)
            return problem, {"retry-after": _seconds(error.retry_after)}
        case RecollectError():
            return _ours(error)
        case ValidationException():
            return _invalid(*_first(error)), {}
        case HTTPException():
            status = error.status_code
            if status == 400:
                return _of(400, "malformed", "The request cannot be read"), {}
            # Litestar's own details can quote the address of the request.
            headers = {k: v for k, v in (error.headers or {}).items() if k.lower() == "allow"}
            return _plain(status), headers
        case RecursionError():
            return _invalid("body", "is nested too deep"), {}
        case _:
            return _plain(500), {}


def on_error(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer with the problem; what nobody expected is logged by its kind and place, without its text."""
    if isinstance(error, UpstreamFailed):
        said = msgspec.json.encode({"error": error.error})
        return Response(said, status_code=error.status, media_type="application/json", headers=error.headers)
    problem, headers = problem_of(error)
    if problem.status == 500:
        where = traceback.extract_tb(error.__traceback__)[-1:]
        place = f"{where[0].filename.rsplit('/', 1)[-1]}:{where[0].lineno}" if where else None
        say(logging.ERROR, "http.failed", error=type(error).__name__, at=place, request=request_id(request.scope))
    problem = msgspec.structs.replace(_named(request, problem), request=request_id(request.scope))
    kind, body = written(problem, request.scope["path"])
    return Response(body, status_code=problem.status, media_type=kind, headers=headers)


def _named(request: Request[Any, Any, Any], problem: Problem) -> Problem:
    """The same, with the name that the request has for the field."""
    if problem.field is None:
        return problem
    said = problem.detail.removeprefix(f"{problem.field}: ")
    if said.startswith(UNKNOWN):  # it has no other name: it may be one of ours that requests call otherwise
        return problem
    field = as_sent(request, problem.field)
    if said == WRONG and (allowed := choices(request, field)):
        said = f"must be one of {', '.join(allowed)}"
    return msgspec.structs.replace(problem, field=field, detail=f"{field}: {said}")


def written(problem: Problem, path: str) -> tuple[str, bytes]:
    """A problem in the words of those who use a path: its media type and its body."""
    if not is_openai(path):
        return PROBLEM_JSON, msgspec.json.encode(problem)
    code = problem.type.rsplit(":", 1)[-1].replace("-", "_")
    error = openai_error(problem.status, problem.detail or problem.title, code, problem.field)
    return "application/json", msgspec.json.encode({"error": error})


def request_id(scope: Any) -> str | None:
    """The id that the front gave to this request."""
    return scope.get("recollect.request")


def _ours(error: RecollectError) -> tuple[Problem, dict[str, str]]:
    _, status, kind, title = next(
        (entry for entry in KINDS if isinstance(error, entry[0])),
        (RecollectError, 500, "internal", TITLES[500][1]),
    )
    problem = Problem(f"urn:recollect:problem:{kind}", title, status, str(error), **_fields(error))
    headers: dict[str, str] = {}
    if isinstance(error, Overloaded | Unavailable | Busy | UnderWay):
        headers["retry-after"] = _seconds(error.retry_after or SOON)
    if status == 401:
        headers["www-authenticate"] = 'Bearer realm="recollect"'
    return problem, headers


def _fields(error: RecollectError) -> dict[str, Any]:
    """What an error knows besides its text, for clients that raise it again."""
    match error:
        case Invalid():
            return {"field": error.field}
        case NotFound():
            return {"what": error.what, "key": error.key}
        case KeyReused():
            return {"key": error.key}
        case Unavailable():
            return {"part": error.part, "retry_after": error.retry_after}
        case Overloaded() | Busy() | UnderWay():
            return {"retry_after": error.retry_after}
        case _:
            return {}


def _plain(status: int, detail: str = "") -> Problem:
    kind, title = TITLES.get(status, ("request", "The request cannot be served"))
    return _of(status, kind, title, detail)


def _invalid(field: str, said: str) -> Problem:
    return _of(422, "invalid", "The input cannot be accepted", f"{field}: {said}", field)


def _of(status: int, kind: str, title: str, detail: str = "", field: str | None = None) -> Problem:
    return Problem(f"urn:recollect:problem:{kind}", title, status, detail, field)


def _seconds(seconds: float) -> str:
    """Whole seconds, as the header wants them, and never none."""
    return str(max(1, math.ceil(seconds)))


#: What is said where nothing more is known, and of a field that is none.
WRONG = "has a wrong value"
UNKNOWN = "is not a field that is known here"
_PLACE = re.compile(r" - at `\$\.?(?P<place>[\w.\[\]…]*)`")
#: What msgspec says without quoting a value.
_SAFE = re.compile(
    r"(Expected `[^`]{1,200}`(, got `[^`]{1,60}`)?|Object missing required field `\w{1,60}`|Number out of range"
    r"|Invalid RFC3339 encoded \w+|Invalid UUID|Expected `\w+` (>=?|<=?) -?\d+)"
)


def explain(text: str) -> tuple[str, str]:
    """Which field a validation error of msgspec is about, and what it says, without any value from the input."""
    place = _PLACE.search(text)
    where = place["place"] if place else ""
    missing = re.match(r"Object missing required field `(\w{1,60})`", text)
    if missing:
        return ".".join(part for part in (where, missing[1]) if part), "is missing"
    unknown = re.match(r"Object contains unknown field(?: `([A-Za-z_]{1,40})`)?", text)
    if unknown and unknown[1]:
        # What reads like a name of ours; anything else may be somebody's text.
        return ".".join(part for part in (where, unknown[1]) if part), UNKNOWN
    if unknown:
        return where or "body", "has a field that is not known here"
    said = _SAFE.match(text)
    return where or "body", said[0].replace("Expected", "must be").replace("`", "") if said else WRONG


def _first(error: ValidationException) -> tuple[str, str]:
    """The first thing that Litestar found wrong with a parameter."""
    if missing := re.match(r"Missing required \w+ parameter '(\w{1,60})' for path ", error.detail):
        return missing[1], "is missing"
    extra: Any = error.extra
    for one in cast("list[Any]", extra) if isinstance(extra, list) else []:
        if isinstance(one, dict):
            found = cast("dict[str, Any]", one)
            name = str(found.get("key", "")).split(".")[0]
            if name == "data":  # a body that is there has been checked before
                return "body", "is missing"
            return (name if name.isidentifier() else "request"), explain(str(found.get("message", "")))[1]
    return "request", WRONG


def as_response(
    problem: Problem, headers: dict[str, str], path: str
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """The same for the front, which answers before Litestar is asked."""
    kind, body = written(problem, path)
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return problem.status, [(b"content-type", kind.encode()), *pairs], body


JSON = MediaType.JSON
