"""What every view has: camel case, and the way from a record of the same fields."""

from __future__ import annotations

from typing import TypeVar

import msgspec

V = TypeVar("V", bound=msgspec.Struct)


class View(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The shape of everything that is sent."""


def shown(view: type[V], record: object) -> V:
    """A record as a view of the same fields."""
    return msgspec.convert(record, view, from_attributes=True)
