"""The part of JSON Schema that drafts are described with, and how a value is held against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from recollect.errors import Invalid
from recollect.workflows.merge import plain

Schema = Mapping[str, Any]

#: Said about a value, and not checked.
NOTES = {"$schema", "$id", "$comment", "title", "description", "default", "examples"}
CHECKED = {
    "type", "properties", "required", "additionalProperties", "enum", "items", "minItems", "maxItems",
    "minimum", "maximum", "minLength", "maxLength", "format",
}  # fmt: skip
TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
FORMATS = ("date", "date-time", "email", "uri")
MAX_NESTING = 16

_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Problem(Exception):
    """One thing that a value has wrong: where, and what. It never quotes the value."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


def check_schema(schema: object, where: str, depth: int = 1) -> Schema:
    """The schema, if it uses only what is checked here; else Invalid, which says where it does not."""
    if not isinstance(schema, Mapping):
        raise Invalid(where, f"must be a table with a type, not {type(schema).__name__}")
    if depth > MAX_NESTING:
        raise Invalid(where, f"is nested more than {MAX_NESTING} levels deep")
    schema = cast("Schema", schema)
    for keyword in schema:
        if keyword not in NOTES | CHECKED:
            raise Invalid(f"{where}.{keyword}", f"is not checked here; use only {', '.join(sorted(CHECKED))}")
    for name in _types(schema, where):
        if name not in TYPES:
            raise Invalid(f"{where}.type", f"must be one of {', '.join(TYPES)}")
    _check_limits(schema, where)
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        raise Invalid(f"{where}.properties", "must be a table of fields")
    for name, inner in cast("Schema", properties).items():
        if not name or "." in name:
            raise Invalid(f"{where}.properties", "a name must not be empty and must have no dot")
        check_schema(inner, f"{where}.properties.{name}", depth + 1)
    if "items" in schema:
        check_schema(schema["items"], f"{where}.items", depth + 1)
    if not isinstance(schema.get("additionalProperties", True), bool):
        check_schema(schema["additionalProperties"], f"{where}.additionalProperties", depth + 1)
    return schema


def problems(schema: Schema, value: object, where: str) -> Iterator[Problem]:
    """What is wrong with a value; nothing if it fits."""
    types = _types(schema, where)
    if types and not any(_is(value, name) for name in types):
        wanted = " or ".join(_said(name) for name in types)
        yield Problem(where, f"must be {wanted}, not {_said(_type_of(value))}")
        return
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield Problem(where, f"must be one of {', '.join(map(str, schema['enum']))}")
    match value:
        case dict():
            yield from _object_problems(schema, cast("dict[str, object]", value), where)
        case list():
            yield from _list_problems(schema, cast("list[object]", value), where)
        case str():
            yield from _text_problems(schema, value, where)
        case int() | float() if not isinstance(value, bool):
            if value < schema.get("minimum", value):
                yield Problem(where, f"must be at least {schema['minimum']}")
            if value > schema.get("maximum", value):
                yield Problem(where, f"must be at most {schema['maximum']}")
        case _:
            pass


def describes(schema: Schema, path: str) -> bool:
    """Whether a schema names the field with this dotted path."""
    for name in path.split("."):
        if name not in schema.get("properties", {}):
            return False
        schema = schema["properties"][name]
    return True


def paths(schema: Schema, before: str = "") -> Iterator[str]:
    """The dotted paths of all fields that a schema names, in its order."""
    for name, inner in schema.get("properties", {}).items():
        yield before + name
        yield from paths(inner, f"{before}{name}.")


def _object_problems(schema: Schema, value: dict[str, object], where: str) -> Iterator[Problem]:
    known = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield Problem(f"{where}.{name}", "is missing")
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in known:
            yield from problems(known[name], item, f"{where}.{name}")
        elif others is False:
            listed = f"; it has {', '.join(known)}" if known else ""
            yield Problem(f"{where}.{plain(name)}", f"is not a field of {where}{listed}")
        elif others is not True:
            yield from problems(others, item, f"{where}.{plain(name)}")


def _list_problems(schema: Schema, value: list[object], where: str) -> Iterator[Problem]:
    if len(value) < schema.get("minItems", 0):
        yield Problem(where, f"must have at least {schema['minItems']} entries")
    if len(value) > schema.get("maxItems", len(value)):
        yield Problem(where, f"must have at most {schema['maxItems']} entries")
    if "items" in schema:
        for place, item in enumerate(value):
            yield from problems(schema["items"], item, f"{where}[{place}]")


def _text_problems(schema: Schema, value: str, where: str) -> Iterator[Problem]:
    if len(value) < schema.get("minLength", 0):
        yield Problem(where, f"must have at least {schema['minLength']} characters")
    if len(value) > schema.get("maxLength", len(value)):
        yield Problem(where, f"must have at most {schema['maxLength']} characters")
    if "format" in schema and not _has_format(value, schema["format"]):
        example = {
            "date": "a date like 2030-12-31",
            "date-time": "a time like 2030-12-31T12:00:00Z",
            "email": "an e-mail address",
            "uri": "an address like https://…",
        }
        yield Problem(where, f"must be {example[schema['format']]}")


def _has_format(value: str, name: str) -> bool:
    """Leniently: what people and models write for one is taken, and what is plainly something else is not."""
    match name:
        case "email":
            return _EMAIL.fullmatch(value.strip()) is not None
        case "uri":
            return _URI.fullmatch(value.strip()) is not None
        case _:
            try:
                datetime.fromisoformat(value.strip())
            except ValueError:
                return False
            return _DATE.match(value.strip()) is not None


def _check_limits(schema: Schema, where: str) -> None:
    for keyword in ("minimum", "maximum"):
        if not _is(schema.get(keyword, 0), "number"):
            raise Invalid(f"{where}.{keyword}", "must be a number")
    for keyword in ("minLength", "maxLength", "minItems", "maxItems"):
        if not _is(schema.get(keyword, 0), "integer") or schema.get(keyword, 0) < 0:
            raise Invalid(f"{where}.{keyword}", "must be a whole number from 0 on")
    if schema.get("format", "date") not in FORMATS:
        raise Invalid(f"{where}.format", f"is not checked here; use one of {', '.join(FORMATS)}")
    for keyword in ("enum", "required"):
        if not isinstance(schema.get(keyword, []), list):
            raise Invalid(f"{where}.{keyword}", "must be a list")
    if "enum" in schema and not schema["enum"]:
        raise Invalid(f"{where}.enum", "must not be empty")
    if not all(isinstance(name, str) for name in schema.get("required", [])):
        raise Invalid(f"{where}.required", "must be a list of names")


def _types(schema: Schema, where: str) -> list[str]:
    """One type, several, or none, which allows all."""
    given = schema.get("type", [])
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in cast("list[object]", listed)):
        raise Invalid(f"{where}.type", f"must be one of {', '.join(TYPES)}")
    return cast("list[str]", listed)


def _is(value: object, name: str) -> bool:
    match name:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _type_of(value: object) -> str:
    return next(name for name in ("null", "boolean", "integer", *TYPES) if _is(value, name))


def _same(one: object, other: object) -> bool:
    """Equal as JSON, where true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _said(name: str) -> str:
    return {
        "object": "an object", "array": "a list", "string": "text", "number": "a number",
        "integer": "a whole number", "boolean": "true or false", "null": "null",
    }[name]  # fmt: skip
