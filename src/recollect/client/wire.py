"""From the wire to records: the same fields in camel case, but for a few that known clients call otherwise."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from recollect.access.records import Key, NewKey
from recollect.chat.records import Reply
from recollect.live.records import LiveEvent
from recollect.records import Memory, Message, Page

T = TypeVar("T")

#: What the wire calls otherwise.
NAMES: dict[type, dict[str, str]] = {
    Memory: {"text": "keyPoint", "user": "userId", "agent": "botId"},
    Message: {"conversation": "conversationId"},
    LiveEvent: {"conversation": "conversationId", "memory": "memoryId"},
    Reply: {"text": "message"},
}


def camel(name: str) -> str:
    """``created_at`` as the wire spells it."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def snake(name: str) -> str:
    """And back."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def read(kind: type[T], body: bytes) -> T:
    """A record from an answer; msgspec's errors if it is not one."""
    decode = _decoder(kind)
    return msgspec.convert(decode(body), kind, from_attributes=True)


def read_plain(kind: type[T], value: object) -> T:
    """The same from what was decoded already."""
    return msgspec.convert(msgspec.convert(value, _spelled(kind)), kind, from_attributes=True)


def read_new_key(body: bytes) -> NewKey:
    """A key with its text, which stands beside its fields."""
    plain = msgspec.json.decode(body, type=dict[str, Any])
    return NewKey(key=read_plain(Key, plain), text=plain["text"])


def read_streamed_reply(plain: dict[str, Any]) -> Reply:
    """The reply at the end of a stream, which has two names of its own."""
    said = {**plain, "message": plain.get("response"), "stateUpdate": plain.get("state_update")}
    return read_plain(Reply, said)


@cache
def _decoder(kind: Any) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(_spelled(kind)).decode


def _spelled(kind: Any) -> Any:
    """The type with every record in it replaced by its twin."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _twin(kind)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Page:
        return _page(parts[0])
    if origin in (types.UnionType, typing.Union):
        return typing.Union[tuple(_spelled(part) for part in parts)]  # noqa: UP007  (made while it runs)
    if origin is list:
        return list[_spelled(parts[0])]
    return cast("Any", kind)


@cache
def _page(item: Any) -> type[msgspec.Struct]:
    return msgspec.defstruct("Page", [("items", list[_spelled(item)]), ("cursor", str | None, None)])


@cache
def _twin(record: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """A struct of the same fields, under the names of the wire."""
    fields: list[Any] = []
    for field in msgspec.structs.fields(record):
        kind = _spelled(field.type)
        if field.default is not msgspec.NODEFAULT:
            fields.append((field.name, kind, field.default))
        elif field.default_factory is not msgspec.NODEFAULT:
            factory = cast("Callable[[], Any]", field.default_factory)
            fields.append((field.name, kind, msgspec.field(default_factory=factory)))
        else:
            fields.append((field.name, kind))
    own = NAMES.get(record, {})
    names = {field.name: own.get(field.name) or camel(field.name) for field in msgspec.structs.fields(record)}
    return msgspec.defstruct(record.__name__, fields, rename=names, kw_only=True)
