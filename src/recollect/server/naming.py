"""What a request calls its fields: the door has names of its own, and a problem must name what was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast, get_args, get_origin

import msgspec
from litestar import Request
from litestar.params import ParameterKwarg, QueryParameter

from recollect.errors import Invalid

#: Where a request keeps its body once it is read.
BODY = "recollect.body"


def called(**names: str) -> dict[str, Any]:
    """For the ``opt`` of a route: what its requests call what the door calls by these names."""
    return {"called": names}


def header_text(headers: Mapping[str, str], name: str) -> str | None:
    """What a header says, which is UTF-8; frameworks read its bytes as Latin-1, as HTTP had it once."""
    given = headers.get(name.lower())
    try:
        return None if given is None else given.encode("latin-1").decode()
    except UnicodeError:
        raise Invalid(name, "must be text in UTF-8") from None


def as_sent(request: Request[Any, Any, Any], field: str) -> str:
    """The field of a problem by the name that the request has for it."""
    handler: Any = cast("dict[str, Any]", request.scope).get("route_handler")
    if not hasattr(handler, "parsed_fn_signature"):
        return field
    fields = _fields(handler.parsed_fn_signature.parameters)
    own = {"key": "Idempotency-Key", **{name: sent for name, sent, _ in fields}}
    other: str | None = handler.opt.get("called", {}).get(field)
    if other is not None and (field not in own or other in _sent(request)):
        return other
    return re.sub(r"[A-Za-z_]\w*", lambda part: own.get(part[0], part[0]), field)


def choices(request: Request[Any, Any, Any], field: str) -> list[str]:
    """The values that a field may have, by the name that the request has for it, where all of them are listed."""
    handler: Any = cast("dict[str, Any]", request.scope).get("route_handler")
    names = re.findall(r"[A-Za-z_]\w*", field)
    if not names or not hasattr(handler, "parsed_fn_signature"):
        return []
    fields = _fields(handler.parsed_fn_signature.parameters)
    listed = {tuple(map(str, _listed(kind))) for _, sent, kind in fields if sent == names[-1]}
    return list(listed.pop()) if len(listed) == 1 else []


def parameters(handler: Any) -> dict[str, bool]:
    """What a route takes in its address, by the names that requests have for it, and whether several times."""
    fields = handler.parsed_fn_signature.parameters.items()
    kinds = ((name, field.kwarg_definition, field.annotation) for name, field in fields)
    return {kind.name or name: _takes_all(type) for name, kind, type in kinds if isinstance(kind, QueryParameter)}


def _takes_all(kind: Any) -> bool:
    return get_origin(kind) in (list, tuple) or any(map(_takes_all, get_args(kind)))


def _listed(kind: Any) -> list[Any]:
    """The values of a type, of one that may be absent, or of what is in a list; none if others will do as well."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    parts = [part for part in get_args(kind) if part not in (type(None), msgspec.UnsetType)]
    return _listed(parts[0]) if len(parts) == 1 else []


def _fields(parameters: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The names in our code, those in the address or in the body, and the types."""
    for name, field in parameters.items():
        if name == "data":
            yield from _in_record(field.annotation)
        elif isinstance(field.kwarg_definition, ParameterKwarg):
            yield name, field.kwarg_definition.name or name, field.annotation


def _in_record(annotation: Any) -> Iterator[tuple[str, str, Any]]:
    """The same for a record, and for the records in it."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        for field in msgspec.structs.fields(annotation):
            yield field.name, field.encode_name, field.type
            yield from _in_record(field.type)
    for part in get_args(annotation):
        yield from _in_record(part)


def _sent(request: Request[Any, Any, Any]) -> set[str]:
    """The names of what a request has."""
    body: Any = cast("dict[str, Any]", request.scope).get(BODY)
    given = msgspec.structs.fields(body) if isinstance(body, msgspec.Struct) else ()
    there = {one.encode_name for one in given if getattr(body, one.name) not in (None, msgspec.UNSET)}
    return there | set(request.query_params)
