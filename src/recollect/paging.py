"""Opaque cursors: where a page ended, so that the next one starts there."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import msgspec

from recollect.errors import Invalid

T = TypeVar("T")


def write_cursor(position: object) -> str:
    """A cursor for the position after which the next page starts."""
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def read_cursor(cursor: str, kind: type[T]) -> T:
    """The position in a cursor that write_cursor made."""
    try:
        position = msgspec.json.decode(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=kind)
        _check_calendar(position)
        return position
    except (ValueError, TypeError, OverflowError, msgspec.DecodeError):
        raise Invalid("cursor", "is not one that this list gave out; start again without a cursor") from None


def _check_calendar(position: object) -> None:
    """Fails for a time that is none in UTC, before the database does."""
    match position:
        case (datetime() as moment, UUID()):
            moment.astimezone(UTC)
        case _:
            pass
