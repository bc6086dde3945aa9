"""No answer is larger than a bound: pages end early, and what has no pages must be asked for in smaller parts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.records import Page

T = TypeVar("T")

MOST_BYTES = 8 << 20
#: Rows read at once: an answer may be cut after each of these.
PART = 50


async def paged(ask: Callable[[int, str | None], Awaitable[Page[T]]], limit: int, cursor: str | None) -> Page[T]:
    """A page of at most ``limit`` items; it ends early, with a cursor, where it would get too large."""
    limit = inputs.amount("limit", limit)
    items: list[T] = []
    size = 0
    while True:
        part = await ask(min(limit - len(items), PART), cursor)
        items += part.items
        cursor = part.cursor
        size += len(msgspec.json.encode(part.items))
        if cursor is None or len(items) >= limit or size > MOST_BYTES:
            return Page(items=items, cursor=cursor)


async def gathered(
    ask: Callable[[int, int], Awaitable[Sequence[T]]], limit: int, offset: int, field: str = "limit"
) -> list[T]:
    """At most ``limit`` items of a list that has no cursor, read part by part; Invalid if they are too large."""
    limit = inputs.amount("limit", limit)
    items: list[T] = []
    size = 0
    while len(items) < limit:
        wanted = min(limit - len(items), PART)
        part = await ask(wanted, offset + len(items))
        items += part
        size += len(msgspec.json.encode(part))
        if size > MOST_BYTES:
            raise _too_large(field)
        if len(part) < wanted:
            break
    return items


def fitting(content: Any, field: str = "limit") -> Any:
    """The content, unless it is too large for one answer."""
    if len(msgspec.json.encode(content)) > MOST_BYTES:
        raise _too_large(field)
    return content


def _too_large(field: str) -> Invalid:
    return Invalid(field, f"the answer would have more than {MOST_BYTES:,} bytes; ask for fewer at once")
