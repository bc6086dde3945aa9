"""What is let in. Each check returns the value, or raises Invalid with the name of the field.

Postgres text cannot hold NUL or lone surrogates, jsonb cannot hold NaN or infinities, and deep nesting
breaks parsers: all are refused here, so that nothing behind the door meets them. No error quotes a value
that could be the text of a message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

import msgspec

from recollect.errors import Invalid

MAX_CONTENT = 1 << 20
MAX_JSON = 64 << 10
MAX_DEPTH = 32
MAX_ID = 255
MAX_ID_BYTES = 800
MAX_TITLE = 1000
MAX_PAGE = 1000
MAX_VERSION = (1 << 63) - 1
MAX_SECONDS = 24 * 60 * 60

#: The tools that every agent has.
TOOLS = frozenset({"manage_long_term_memory", "recall", "remember", "forget", "update_state"})
#: What providers of models take for the name of one.
_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

#: They join letters in Persian, Hindi and emoji, and are printable in every sense but the Unicode category.
_JOINERS = {0x200C: None, 0x200D: None}

_encode = msgspec.json.Encoder().encode


def identifier(field: str, value: object) -> str:
    """A free-text id: 1 to 255 printable characters."""
    if not isinstance(value, str):
        raise Invalid(field, f"must be text, not {type(value).__name__}")
    if not value.strip():
        raise Invalid(field, "must not be empty")
    if len(value) > MAX_ID:
        raise Invalid(field, f"has {len(value)} characters; at most {MAX_ID} are allowed")
    if not value.isascii() and len(value.encode(errors="replace")) > MAX_ID_BYTES:
        raise Invalid(field, f"has more than {MAX_ID_BYTES} bytes in UTF-8")
    if not value.isprintable() and not value.translate(_JOINERS).isprintable():
        raise Invalid(field, "must be printable text, without line breaks or control characters")
    return value


def tool_name(field: str, value: object) -> str:
    """A name that a model can call something by, and that means nothing to it yet."""
    if not isinstance(value, str) or not _TOOL.fullmatch(value):
        raise Invalid(field, "must be 1 to 64 letters (A to Z), digits, _ and -, and begin with a letter or _")
    if value in TOOLS:
        raise Invalid(field, f"must not be {value}, which is a tool that every agent has")
    return value


def uuid(field: str, value: object) -> UUID:
    """A UUID, as text or as an object."""
    if isinstance(value, UUID):
        return value
    given = identifier(field, value)
    try:
        return UUID(given)
    except ValueError:
        raise Invalid(field, f"must be a UUID{f', not {given!r}' if is_word(given) else ''}") from None


def is_word(value: object) -> bool:
    """Whether a wrong value may be shown: more than a short word could be a text that got into the wrong place."""
    return isinstance(value, str) and value.isidentifier() and len(value) <= 20


def text(field: str, value: object, limit: int = MAX_CONTENT) -> str:
    """Text that Postgres can hold, of at most ``limit`` bytes in UTF-8."""
    if not isinstance(value, str):
        raise Invalid(field, f"must be text, not {type(value).__name__}")
    if "\0" in value:
        raise Invalid(field, f"contains a NUL character at position {value.index(chr(0))}; remove it")
    size, lone = 0, None
    try:
        size = len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError as error:
        lone = error.start
    if lone is not None:
        # Raised where no other error is at hand: that one holds the whole text.
        raise Invalid(field, f"contains a lone surrogate at position {lone}; it is not valid text")
    if size > limit:
        raise Invalid(field, f"has {size:,} bytes; at most {limit:,} are allowed")
    return value


def spoken(field: str, value: object) -> str:
    """What somebody says: text, and not nothing."""
    if not isinstance(value, str) or not value.strip():
        raise Invalid(field, "must be text, and not empty")
    return text(field, value)


def json_text(field: str, value: object, limit: int = MAX_JSON) -> str:
    """A JSON value, checked and encoded. The limit is one for what will be stored, so that what was read can be
    written again."""
    longer = _check_json(field, value, 1)
    try:
        encoded = _encode(value)
    except TypeError:
        raise Invalid(field, "contains a value of a type that only looks like JSON; convert it first") from None
    if (size := len(encoded) + longer) > limit:
        raise Invalid(field, f"has {size:,} bytes as JSON; at most {limit:,} are allowed")
    return encoded.decode()


def metadata(field: str, value: object) -> dict[str, Any]:
    """A JSON object of at most 64 KiB and 32 levels."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid(field, f"must be a mapping, not {type(value).__name__}")
    return dict(cast("Mapping[str, Any]", value))


def _check_json(field: str, value: object, depth: int) -> int:
    """Returns how many bytes longer it is in the store than we encode it."""
    match value:
        case None | bool():
            return 0
        case str():
            text(field, value, MAX_CONTENT)
            return 0
        case int():
            if is_long(value) and not _was_a_float(value):
                raise Invalid(field, "contains a whole number that does not fit into 64 bits; write it as text")
            return 0
        case float():
            if not math.isfinite(value):
                raise Invalid(field, f"contains {value}, which JSON does not have; use null")
            return 0 if not value or 1e-5 < abs(value) < 1e16 else _longer_in_store(float(value))
        case list() | tuple() | dict():
            if depth > MAX_DEPTH:
                raise Invalid(field, f"is nested more than {MAX_DEPTH} levels deep")
            longer = 0
            if isinstance(value, dict):
                for key, item in cast("dict[object, object]", value).items():
                    if not isinstance(key, str):
                        raise Invalid(field, f"has a key of type {type(key).__name__}; JSON keys are text")
                    text(field, key, MAX_CONTENT)
                    longer += _check_json(field, item, depth + 1)
            else:
                for item in cast("list[object]", value):
                    longer += _check_json(field, item, depth + 1)
            return longer
        case _:
            raise Invalid(field, f"contains a {type(value).__name__}, which is not JSON")


def is_long(value: int) -> bool:
    """Whether a whole number does not fit into 64 bits, one of which is its sign."""
    return not -(1 << 63) <= value < 1 << 63


def _was_a_float(value: int) -> bool:
    """Whether the store writes a float out like this: what was read must be good enough to be written again."""
    try:
        return Decimal(repr(float(value))) == value
    except OverflowError:
        return False


def _longer_in_store(value: float) -> int:
    """The store writes a number out digit by digit, without an exponent."""
    return len(f"{Decimal(repr(value)):f}") - len(_encode(value))


def moment(field: str, value: object) -> datetime:
    """A point in time, in UTC; one without a zone is taken as UTC."""
    if not isinstance(value, datetime):
        raise Invalid(field, f"must be a datetime, not {type(value).__name__}")
    try:
        utc = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        utc = datetime.max.replace(tzinfo=UTC)
    if not 1 < utc.year < 9999:
        raise Invalid(field, "is outside of the calendar")
    return utc


def flag(field: str, value: object) -> bool:
    """True or False, and nothing that only counts as one."""
    if not isinstance(value, bool):
        raise Invalid(field, f"must be True or False, not {type(value).__name__}")
    return value


def whole(field: str, value: object) -> int:
    """A whole number, and nothing that only reads like one."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(field, f"must be a whole number, not {type(value).__name__}")
    return value


def amount(field: str, value: object, most: int = MAX_PAGE, least: int = 1) -> int:
    """A whole number between ``least`` and ``most``."""
    number = whole(field, value)
    if not least <= number <= most:
        raise Invalid(field, f"must be between {least} and {most}, not {number}")
    return number


def version(field: str, value: object) -> int:
    """A version that somebody has seen, or 0 for none; one that never was is no longer the current one."""
    return amount(field, value, most=MAX_VERSION, least=0)


def share(field: str, value: object) -> float:
    """A number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Invalid(field, "must be a number between 0 and 1")
    return float(value)


def choice(field: str, value: object, allowed: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in allowed:
        raise Invalid(field, f"must be one of {', '.join(allowed)}")
    return cast("str", value)


def seconds(field: str, value: object) -> float:
    """How long something may take: more than nothing, and at most a day."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_SECONDS:
        raise Invalid(field, f"must be a number of seconds above 0, and at most {MAX_SECONDS}")
    return float(value)
