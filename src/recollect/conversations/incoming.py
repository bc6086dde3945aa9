"""What a caller may append, checked and brought into one shape. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.records import Message, Role

ROLES = ("user", "assistant", "system", "tool")
MOST_AT_ONCE = 1000
_FIELDS = frozenset({"role", "content", "name", "metadata", "at", "tool_calls", "tool_call_id"})

_canonical = msgspec.json.Encoder(order="sorted")


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A message that has passed the door but has no number yet. JSON is already encoded."""

    role: Role
    content: str
    name: str | None = None
    parts: str | None = None
    tool_calls: str | None = None
    tool_call_id: str | None = None
    metadata: str | None = None
    at: datetime | None = None


def draft(given: object, field: str = "") -> Draft:
    """Check one message: ``(role, content)``, a mapping with the fields of ``append``, or a Message."""
    values = _as_mapping(given, field)
    where = f"{field}." if field else ""
    unknown = [key for key, value in values.items() if key not in _FIELDS and value is not None]
    if unknown:
        shown = f"{where}{unknown[0]}" if inputs.is_word(unknown[0]) else field or "message"
        raise Invalid(shown, f"is not a field of a message; those are {', '.join(sorted(_FIELDS))}")
    role = values.get("role")
    if role not in ROLES:
        swapped = values.get("content") in ROLES
        shown = "; role and content have changed places" if swapped else f", not {_short(role)}"
        raise Invalid(f"{where}role", f"must be one of {', '.join(ROLES)}{shown}")
    content, parts = _content(f"{where}content", values)
    name, call_id, calls, at = (values.get(key) for key in ("name", "tool_call_id", "tool_calls", "at"))
    metadata = inputs.metadata(f"{where}metadata", values.get("metadata"))
    return Draft(
        role=role,
        content=content,
        parts=parts,
        name=None if name is None else inputs.identifier(f"{where}name", name),
        tool_calls=None if calls is None else _json_list(f"{where}tool_calls", calls),
        tool_call_id=None if call_id is None else inputs.identifier(f"{where}tool_call_id", call_id),
        metadata=inputs.json_text(f"{where}metadata", metadata) if metadata else None,
        at=None if at is None else inputs.moment(f"{where}at", at),
    )


def drafts(given: object) -> list[Draft]:
    """Check several messages; the field of an error says which one."""
    if not isinstance(given, list | tuple):
        raise Invalid("messages", f"must be a list of messages, not {type(given).__name__}")
    messages = cast("Sequence[object]", given)
    if not 1 <= len(messages) <= MOST_AT_ONCE:
        raise Invalid("messages", f"must be 1 to {MOST_AT_ONCE} at once, not {len(messages)}")
    return [draft(one, f"messages[{place}]") for place, one in enumerate(messages)]


def fingerprint(messages: Sequence[Draft]) -> bytes:
    """The same for the same body, whatever the order of keys, and for the body as it is read back; tells a retry
    from a reused key."""
    return hashlib.sha256(_canonical.encode([_comparable(one) for one in messages])).digest()


def answered(messages: Sequence[Draft]) -> list[int | None]:
    """For each reply, the place (from 1) of the user message that it answers; 0: one before these."""
    asked = 0
    places: list[int | None] = []
    for place, message in enumerate(messages, start=1):
        if message.role == "user":
            asked = place
        places.append(asked if message.role in ("assistant", "tool") else None)
    return places


def last_user(messages: Sequence[Draft]) -> int:
    """The place (from 1) of the last user message; 0 if there is none."""
    return max((place for place, one in enumerate(messages, start=1) if one.role == "user"), default=0)


def _as_mapping(given: object, field: str) -> Mapping[str, Any]:
    match given:
        case Message():
            return {
                "role": given.role,
                "content": given.content if given.parts is None else given.parts,
                "name": given.name,
                "metadata": given.metadata,
                "at": given.created_at,
                "tool_calls": given.tool_calls,
                "tool_call_id": given.tool_call_id,
            }
        case Mapping():
            return cast("Mapping[str, Any]", given)
        case tuple() | list() if len(pair := cast("Sequence[object]", given)) == 2:
            return {"role": pair[0], "content": pair[1]}
        case _:
            raise Invalid(field or "message", "must be (role, content) or a mapping with role and content")


def _content(field: str, values: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text to read and search, and the parts as given where the content was not plain text."""
    content = values.get("content")
    if content is None and values.get("tool_calls") is not None:
        return "", None
    if not isinstance(content, list):
        return inputs.text(field, content), None
    content = cast("list[object]", content)
    parts = inputs.json_text(field, content, inputs.MAX_CONTENT)
    texts = [_part_text(part) for part in content]
    return inputs.text(field, "\n".join(text for text in texts if text)), parts


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        text = cast("dict[str, object]", part).get("text")
        return text if isinstance(text, str) else ""
    return ""


def _json_list(field: str, value: object) -> str:
    if not isinstance(value, list):
        raise Invalid(field, f"must be a list, not {type(value).__name__}")
    return inputs.json_text(field, cast("list[object]", value), inputs.MAX_CONTENT)


def _comparable(message: Draft) -> dict[str, object]:
    values: dict[str, object] = msgspec.structs.asdict(message)
    for field in ("parts", "tool_calls", "metadata"):
        if values[field] is not None:
            values[field] = _as_stored.decode(cast("str", values[field]))
    return values


def _number(text: str) -> float | int:
    """As the store gives it back: from here on it has written out all digits of a float, and it knows no -0."""
    number = float(text)
    return int(Decimal(text)) if abs(number) >= 1e16 else number + 0.0


_as_stored = msgspec.json.Decoder(float_hook=_number)


def _short(value: object) -> str:
    return repr(value) if inputs.is_word(value) else f"a {type(value).__name__}"
