"""What a request calls its fields: the door has names of its own, and a problem must name what was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast, get_args

import msgspec
from litestar import Request
from litestar.params import ParameterKwarg

#: Where a request keeps its body once it is read.
BODY = "recollect.body"


def called(**names: str) -> dict[str, Any]:
    """For the ``opt`` of a route: what its requests call what the door calls by these names."""
    return {"called": names}


def as_sent(request: Request[Any, Any, Any], field: str) -> str:
    """The field of a problem by the name that the request has for it."""
    handler: Any = cast("dict[str, Any]", request.scope).get("route_handler")
    if not hasattr(handler, "parsed_fn_signature"):
        return field
    own = {"key": "Idempotency-Key", **dict(_fields(handler.parsed_fn_signature.parameters))}
    other: str | None = handler.opt.get("called", {}).get(field)
    if other is not None and (field not in own or other in _sent(request)):
        return other
    return re.sub(r"[A-Za-z_]\w*", lambda part: own.get(part[0], part[0]), field)


def _fields(parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The names in our code, and those in the address or in the body."""
    for name, field in parameters.items():
        if name == "data":
            yield from _renamed(field.annotation)
        elif isinstance(field.kwarg_definition, ParameterKwarg):
            yield name, field.kwarg_definition.name or name


def _renamed(annotation: Any) -> Iterator[tuple[str, str]]:
    """The same for a record, and for the records in it."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        for field in msgspec.structs.fields(annotation):
            yield field.name, field.encode_name
            yield from _renamed(field.type)
    for part in get_args(annotation):
        yield from _renamed(part)


def _sent(request: Request[Any, Any, Any]) -> set[str]:
    """The names of what a request has."""
    body: Any = cast("dict[str, Any]", request.scope).get(BODY)
    given = msgspec.structs.fields(body) if isinstance(body, msgspec.Struct) else ()
    there = {one.encode_name for one in given if getattr(body, one.name) not in (None, msgspec.UNSET)}
    return there | set(request.query_params)
