"""One call of a server: where it goes, what it carries, and whether it may be sent twice. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar, cast
from urllib.parse import quote
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.client.wire import camel
from recollect.conversations.incoming import Draft
from recollect.errors import Invalid
from recollect.remember import insight

V = TypeVar("V")
#: No limit of ours: the server has its own.
_ANY = 1 << 40
#: Bytes of one value in an address. All that is allowed is shorter, and several fit into what httpx takes.
_IN_ADDRESS = 4096
#: What the library takes under these names; a server would also take "5" for 5 in an address, and text for a time.
#: All else in an address is text.
_KINDS: dict[str, Callable[[str, object], object]] = {
    **dict.fromkeys(("limit", "offset", "before", "at", "to", "version", "old", "new", "days"), inputs.whole),
    **dict.fromkeys(("messages", "window", "budget", "learn_every", "max_depth", "most"), inputs.whole),
    **dict.fromkeys(("archived", "active", "pinned", "failed", "waiting", "refresh", "everything"), inputs.flag),
    **dict.fromkeys(("as_of", "since", "expires_at", "valid_from"), inputs.moment),
    **dict.fromkeys(("importance", "min_importance", "threshold"), inputs.share),
}
#: What a call has always, so that the library takes no None for it.
_NEEDED = (
    *("limit", "offset", "days", "archived", "failed", "waiting", "everything", "refresh"),
    *("format", "lease", "name", "value"),
)
#: What may have several parts in an address.
_SEVERAL = ("namespace", "prefix", "suffix")
#: A body as bytes, or something that gives it piece by piece, from the start each time.
Content = bytes | Callable[[], AsyncIterator[bytes]]


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call."""

    method: str
    path: str
    params: Mapping[str, str | list[str]] = {}
    content: Content | None = None
    headers: Mapping[str, str] = {}
    again: bool = False
    """Whether it may be sent again when nobody knows if it has arrived: it changes nothing, or only once."""
    ends: bool = False
    """Whether it removes something: after a try that was lost, not being there means done."""
    turn: bool = False
    """Whether it waits for a language model."""
    lost: bool = False
    """Whether it was sent before, and its answer never came."""


def reading(path: str, **params: Any) -> Call:
    """A call that changes nothing."""
    return Call(method="GET", path=path, params=query(**params), again=True)


def named(field: str, value: object) -> str:
    """A free-text id as a part of an address."""
    text = inputs.identifier(field, value)
    return "%2E" * len(text) if text in (".", "..") else quote(text, safe="")


def numbered(field: str, value: str | UUID) -> str:
    """An id as a part of an address."""
    return str(inputs.uuid(field, value))


def query(**given: Any) -> dict[str, str | list[str]]:
    """What stands behind the question mark: None is left out, a list stands there several times."""
    return {camel(name): _plain(name, value) for name, value in _there(given).items()}


def _there(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None or name in _NEEDED}


def _plain(name: str, value: object) -> str | list[str]:
    if name in _KINDS:
        checked = _KINDS[name](name, value)
        return checked.isoformat() if isinstance(checked, datetime) else str(checked).lower()
    if name in _SEVERAL:
        return [inputs.text(name, part) for part in cast("list[object]", value)]
    return inputs.text(name, value, _IN_ADDRESS)


def body(**given: Any) -> bytes:
    """A JSON object of what is not None, checked as the library checks: what JSON would bend is refused."""
    return whole_body(_there(given))


def whole_body(given: Mapping[str, Any]) -> bytes:
    """The same with every field, None as null."""
    parts = [f'"{camel(name)}":{_json(name, value)}' for name, value in given.items()]
    return f"{{{','.join(parts)}}}".encode()


def _json(name: str, value: object) -> str:
    field = _CALLED.get(name, name)
    if value is not None or name in _NEEDED:
        value = _IN_BODIES.get(name, inputs.text)(field, value)
    value = value.isoformat() if isinstance(value, datetime) else text_itself(value)
    return inputs.json_text(field, value, _ANY)


def _mapping(field: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Invalid(field, f"must be a mapping, not {type(value).__name__}")
    return dict(cast("Mapping[str, Any]", value))


def _texts(field: str, value: object) -> dict[str, str]:
    """Texts by name. An error names the one that is wrong, unless its name may be a text in the wrong place."""
    return {
        name: text_itself(inputs.text(f"{field}.{name}" if _is_name(name) else field, text))
        for name, text in _mapping(field, value).items()
    }


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _source(_: str, value: object) -> dict[str, Any]:
    return msgspec.structs.asdict(insight.source(value))


def _any(_: str, value: object) -> object:
    return value


#: The same in a body, where more can be said; all else is text, so that nothing is sent that only reads like it.
_IN_BODIES: dict[str, Callable[[str, object], object]] = {
    **_KINDS,
    **dict.fromkeys(("context", "value"), _mapping),
    "fields": _texts,
    "source": _source,
    "lease": inputs.seconds,
    **dict.fromkeys(("arguments", "conversations", "minutes", "scopes"), _any),
}
#: What the library calls otherwise, and so do its errors.
_CALLED = {"key_point": "text", "value": "document"}


def text_itself(value: V) -> V:
    """A text without the class that it comes in, which JSON would not take: the library looks at the text only."""
    return cast("V", str.__str__(value)) if isinstance(value, str) else value


def message(draft: Draft) -> dict[str, Any]:
    """A checked message as the server takes it."""
    encoded = {"metadata": draft.metadata, "toolCalls": draft.tool_calls, "content": draft.parts}
    return {
        "role": text_itself(draft.role),
        "content": text_itself(draft.content),
        "name": text_itself(draft.name),
        "at": draft.at,
        "toolCallId": text_itself(draft.tool_call_id),
        **{name: msgspec.Raw(text.encode()) for name, text in encoded.items() if text is not None},
    }


def match(version: int | None, field: str = "version") -> dict[str, str]:
    """The header that lets a change happen to this version only; ``field`` is what the call names it."""
    return {} if version is None else {"if-match": f'"{inputs.version(field, version)}"'}


def once(key: str) -> dict[str, str]:
    """The header that lets a change happen once only. It holds plain characters, and no spaces at its ends; a key
    that is too long when it is written so has a hash stand for it."""
    text = inputs.identifier("key", key)
    plain = text if text.isascii() and text == text.strip() else quote(text, safe="")
    if len(plain) > inputs.MAX_ID:
        plain = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    return {"idempotency-key": plain}
