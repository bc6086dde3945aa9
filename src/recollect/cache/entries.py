"""Entries as bytes: a head of fixed size, then JSON, one line for each message. No pickle.

The head is the stamp (24), whether the entry holds the whole conversation (1), and its number (16): the sequence
number of the last message, the version of a document, or the number of the settings. Scripts compare and replace
it, and append lines. In a context, the mark of its user follows the head.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from recollect.records import Message

#: Changes with the records: versions of this program that run side by side do not read each other's entries.
FORMAT = 1
STAMP, NUMBER = 24, 16
HEAD = STAMP + 1 + NUMBER
#: A mark is a stamp and a random number.
MARK = STAMP + 32

_encode = msgspec.json.Encoder().encode
_messages = msgspec.json.Decoder(list[Message])


@lru_cache(maxsize=256)
def stamp(installation: str, epoch: int, run: str) -> bytes:
    """Stands for the database, the epoch, and the run of the Redis server: if one differs, nothing is believed."""
    return (
        hashlib.blake2b(f"{FORMAT} {installation} {epoch} {run}".encode(), digest_size=STAMP // 2)
        .hexdigest()
        .encode()
    )


def number(value: int) -> bytes:
    """A number as scripts compare it."""
    return b"%0*d" % (NUMBER, value)


def lines(messages: Sequence[Message]) -> bytes:
    """Messages as an append adds them to a tail."""
    return b"".join(b"\n" + _encode(message) for message in messages)


def tail_of(messages: Sequence[Message], *, whole: bool) -> bytes:
    """A tail without its stamp."""
    return b"%d" % whole + number(messages[-1].seq if messages else 0) + lines(messages)


def newest(entry: bytes, believed: bytes, limit: int) -> list[Message] | None:
    """The newest messages of a cached tail; None if it is not believed, or has too few."""
    if not entry.startswith(believed) or len(entry) < HEAD:
        return None
    if limit == 0:
        return []
    parts = entry.rsplit(b"\n", limit)
    if len(parts) <= limit and entry[STAMP : STAMP + 1] != b"1":
        return None
    try:
        return _messages.decode(b"[" + b",".join(parts[1:]) + b"]")
    except msgspec.DecodeError:
        return None


def context_of(settings: int, mark: bytes, text: bytes) -> bytes:
    """A context with the number of the settings and the mark of its user, without a stamp."""
    return b"1" + number(settings) + mark + b"\n" + text


def context(entry: bytes, believed: bytes, settings: int, mark: bytes, mark_believed: bytes) -> bytes | None:
    """The JSON of a context, if it and the mark of its user are believed, and the mark is still the same."""
    head = believed + b"1" + number(settings) + mark + b"\n"
    marked = len(mark) == MARK and mark.startswith(mark_believed)
    return entry[len(head) :] if marked and entry.startswith(head) else None


def document_of(version: int, text: bytes) -> bytes:
    """One value with its version, without a stamp."""
    return b"1" + number(version) + b"\n" + text


def document(entry: bytes, believed: bytes) -> bytes | None:
    """The JSON of an entry, if it is believed."""
    return entry[HEAD + 1 :] if entry.startswith(believed) and len(entry) > HEAD else None
