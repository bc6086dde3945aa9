"""A Python function as a tool: its arguments as a JSON schema, checked before it is called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from recollect import inputs
from recollect.chat.records import Asking
from recollect.chat.threads import Threads
from recollect.errors import Invalid

MAX_DESCRIPTION = 2000
_PLACE = re.compile(r" - at `\$\.?([\w.\[\]…]*)`\Z")
_UNKNOWN = re.compile(r"Object contains unknown field(?: `(?P<name>[A-Za-z_]{1,40})`(?= - at|\Z))?")
#: What msgspec says without quoting what a model wrote.
_PLAIN = re.compile(r"Expected |Object missing |Number out of range|Invalid RFC3339|Invalid UUID")


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a model may use. ``run`` gets who asks and the arguments as JSON text; what it cannot use is
    a ValueError, whose text the model gets to see."""

    name: str
    description: str
    parameters: dict[str, Any]
    run: Callable[[Asking, str], Awaitable[object]]
    takes: int = 48_000
    """Characters of arguments."""
    gives: int | None = None
    """Characters of an answer, the rest of which is cut off; by default as many as a turn allows."""

    def described(self) -> dict[str, Any]:
        """As an OpenAI-style client takes it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


def tool_from(
    function: Callable[..., Any],
    threads: Threads,
    *,
    name: str | None = None,
    description: str | None = None,
    schema: Mapping[str, Any] | None = None,
) -> Tool:
    """A function with type hints and a docstring as a tool; with ``schema``, the arguments are described by it and
    handed over as they come. It may be asynchronous; a blocking one runs in one of the ``threads``.
    """
    named: str = name or getattr(function, "__name__", "")
    try:
        inputs.tool_name("tool", named)
    except Invalid as error:
        raise Invalid("tool", f"its name {error.problem}; give it another one with name=…") from None
    about = inspect.cleandoc(description or function.__doc__ or named)[:MAX_DESCRIPTION]
    hints = _hints(function, named)
    context = next((one for one, hint in hints.items() if hint is Asking), None)
    taken = _struct(function, named, hints) if schema is None else None
    parameters = dict(schema or {}) if taken is None else parameters_of(taken)

    async def run(asking: Asking, text: str) -> object:
        given = read_arguments(text, dict[str, Any]) if taken is None else _fields(read_arguments(text, taken))
        if context is not None:
            given[context] = asking
        return await threads.call(function, **given)

    return Tool(name=named, description=about, parameters=parameters, run=run)


def parameters_of(taken: type[Any]) -> dict[str, Any]:
    """The JSON schema of a struct, with its own description at the top."""
    schema = msgspec.json.schema(taken)
    defined = dict(schema.get("$defs", {}))
    top = dict(defined.pop(str(schema.get("$ref", "")).rsplit("/", 1)[-1], schema))
    top.pop("title", None)
    top.pop("description", None)
    return top | ({"$defs": defined} if defined else {})


def read_arguments(text: str, taken: Any) -> Any:
    """The arguments of a call; a ValueError says what is wrong with them, and quotes nothing."""
    try:
        return msgspec.json.decode(text.strip() or "{}", type=taken, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"the arguments do not fit: {misfit(str(error), taken)}") from None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise ValueError("the arguments are not a JSON object") from None


def misfit(text: str, taken: Any) -> str:
    """What msgspec finds wrong, so that a model can put it right: the field, and what is expected. Of what the
    model wrote only a name is repeated that reads like one of ours."""
    place = _PLACE.search(text)
    where = place[1] if place else ""
    if unknown := _UNKNOWN.match(text):
        known = ", ".join(getattr(taken, "__struct_encode_fields__", ())) if not where else ""
        said = f"{unknown['name'] or 'a field'} is not known" + (f"; known are {known}" if known else "")
    elif _PLAIN.match(text):
        said = text[: place.start()] if place else text
    else:
        choices = ", ".join(map(repr, _choices(taken, where)))
        said = f"must be one of {choices}" if choices else "has a wrong value"
    return f"{where}: {said}" if where else said


def _choices(taken: Any, field: str) -> list[Any]:
    """The values that a field may have, if they are listed."""
    hint = get_type_hints(taken).get(field) if isinstance(taken, type) else None
    parts = (hint, *get_args(hint))
    return [value for part in parts if get_origin(part) is Literal for value in get_args(part)]


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        raise Invalid("tool", f"{name} has type hints that cannot be read; give it a schema=…") from None


def _struct(function: Callable[..., Any], name: str, hints: Mapping[str, Any]) -> type[Any]:
    fields: list[Any] = []
    for one in inspect.signature(function).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
            raise Invalid("tool", f"{name} takes {one.name} in a way that a model cannot give; give it a schema=…")
        if hints.get(one.name) is Asking:
            continue
        if one.name not in hints:
            raise Invalid("tool", f"{name} has no type hint for {one.name}, or give it a schema=…")
        default = () if one.default is one.empty else (one.default,)
        fields.append((one.name, hints[one.name], *default))
    try:
        made = msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)
        msgspec.json.schema(made)
    except TypeError:
        raise Invalid("tool", f"{name} takes something that JSON does not have; give it a schema=…") from None
    return made


def _fields(struct: Any) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}
