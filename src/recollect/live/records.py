"""What those who listen are told."""

from __future__ import annotations

from datetime import datetime

import msgspec

from recollect.errors import Invalid
from recollect.records import Message

#: Kinds that are about the channel and not about a change: load everything and follow from here, because you have
#: just come (``ready``) or because what you have missed is no longer kept (``reset``); or nothing has happened
#: (``beat``).
READY, RESET, BEAT = "ready", "reset", "beat"


class LiveEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change: what kind, of what, and when. ``id`` is the place to go on after."""

    id: str
    kind: str
    at: datetime
    conversation: str | None = None
    agent: str | None = None
    seq: int | None = None
    """The number of a message."""
    memory: str | None = None
    version: int | None = None
    """Of notes, a memory or a state, as it is now; several changes in a moment are told as one."""
    message: Message | None = None
    """The message itself, if it is still there and of less than 64 KiB; else it can be read by its number."""


class Place(msgspec.Struct, frozen=True):
    """A place in a log: the log's name, and the number of the last event heard."""

    log: str
    number: int

    def __str__(self) -> str:
        return f"{self.log}.{self.number}"


def place_in(after: str | None) -> Place | None:
    """The place that the id of an event stands for; Invalid if it was none."""
    if after is None:
        return None
    log, _, number = after.partition(".")
    if not (log.isascii() and log.isalnum() and len(log) <= 32 and number.isascii() and number.isdigit()):
        raise Invalid("after", "must be the id of an event that was heard before")
    if len(number) > 18:
        raise Invalid("after", "must be the id of an event that was heard before")
    return Place(log, int(number))
