"""The JSON schema of a struct in the strict form that endpoints can hold a model to."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import msgspec

#: Keywords that strict endpoints refuse, or that say nothing without references. Lengths are checked as we decode.
_DROPPED = {
    "$defs",
    "title",
    "default",
    "discriminator",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
}
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


@cache
def strict_schema(type: type[Any]) -> dict[str, Any]:
    """Every field required, no others allowed, references replaced by what they refer to."""
    schema = msgspec.json.schema(type)
    strict = _strict(schema, schema.get("$defs", {}), ())
    if strict.get("type") != "object":
        raise TypeError(f"{type.__name__} is not a JSON object, which is what models can be held to")
    return strict


def _strict(schema: dict[str, Any], defined: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        if name in inside:
            raise TypeError(f"{name} contains itself, which cannot be written without references")
        return _strict(defined[name], defined, (*inside, name))
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED:
            continue
        if key == "properties":
            out[key] = {name: _strict(field, defined, inside) for name, field in value.items()}
        elif isinstance(value, dict):
            out[key] = _strict(cast("dict[str, Any]", value), defined, inside)
        elif key in ("anyOf", "prefixItems"):
            out[key] = [_strict(one, defined, inside) for one in value]
        else:
            out[key] = value
    if out.get("type") == "object":
        if "properties" not in out:
            raise TypeError("an object whose fields are not known cannot be asked for")
        out |= {"required": list(out["properties"]), "additionalProperties": False}
    kinds = {_JSON_TYPES.get(value.__class__) for value in out.get("enum", ())}
    if len(kinds) == 1 and (kind := kinds.pop()):
        out.setdefault("type", kind)
    return out
