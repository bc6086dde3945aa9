"""All messages that a recall looks at, as columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.storage.database import Row

#: A message's key within a scope: the place of its conversation, then its number.
_SEQ_BITS = 40
_SEQ_MASK = (1 << _SEQ_BITS) - 1
_EPOCH = 946_684_800  # Postgres counts from 2000
#: What the last byte of a message's facts says; above it is its size.
_BY_USER, _MATCHES, _NAMED, _ASKS = 1, 2, 4, 128


class Scope(msgspec.Struct, frozen=True):
    """The messages of one user, ordered by conversation and number; a row is a place in all of these columns."""

    conversations: list[UUID]
    key: NDArray[np.int64]
    at: NDArray[np.float64]
    """When it was said, in seconds since 1970."""
    bytes: NDArray[np.int64]
    """How long it is."""
    asks: NDArray[np.bool_]
    """Whether it is a question."""
    by_user: NDArray[np.bool_]
    """Whether the user said it."""
    name: NDArray[np.int64]
    """Who said it, as a place in ``names``."""
    names: list[str]
    """The names of those who spoke; empty for those without one."""
    found: NDArray[np.int64]
    """Rows in which a term occurs, one entry for each term, …"""
    term: NDArray[np.int64]
    times: NDArray[np.int64]
    """… with the term and how often it occurs."""

    def __len__(self) -> int:
        return len(self.key)

    @property
    def place(self) -> NDArray[np.int64]:
        """The place of each row's conversation."""
        return self.key >> _SEQ_BITS

    @property
    def size(self) -> NDArray[np.float64]:
        """How long each row is against the mean."""
        return self.bytes / self.bytes.mean()

    def day(self, row: int) -> date:
        """The day on which one was said."""
        return datetime.fromtimestamp(float(self.at[row]), UTC).date()

    def ids(self, rows: Sequence[int] | NDArray[np.int64]) -> tuple[list[UUID], list[int]]:
        """The conversations and numbers of some rows, as the store knows them."""
        chosen = self.key[np.asarray(rows, np.int64)]
        places: list[int] = (chosen >> _SEQ_BITS).tolist()
        return [self.conversations[place] for place in places], (chosen & _SEQ_MASK).tolist()

    def keys(self, conversations: Sequence[UUID], seqs: Sequence[int]) -> NDArray[np.int64]:
        """The keys of some messages of these conversations."""
        places = {id: place for place, id in enumerate(self.conversations)}
        return np.array(
            [places[id] << _SEQ_BITS | seq for id, seq in zip(conversations, seqs, strict=True)], np.int64
        )

    def where(self, terms: Sequence[int], keys: NDArray[np.int64]) -> Scope:
        """The same, but these terms occur in these messages alone."""
        kept = ~np.isin(self.term, terms) | np.isin(self.key[self.found], keys)
        return msgspec.structs.replace(self, found=self.found[kept], term=self.term[kept], times=self.times[kept])

    def rows(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The rows of those keys that are in the scope, and which ones are."""
        if np.array_equal(keys, self.key):  # as it is when all have a vector
            return np.arange(len(self)), np.ones(len(self), bool)
        places = np.searchsorted(self.key, keys).clip(max=len(self) - 1)
        known = self.key[places] == keys
        return places[known], known


def scope_from(row: Row, terms: Sequence[str], forms: Mapping[str, str] | None = None) -> Scope | None:
    """The row of ``recall_scope``; None when nothing was said yet. ``forms`` are stems that stand for a term."""
    if row["key"] is None:
        return None
    key = column(row["key"], ">i8").astype(np.int64)
    order = np.argsort(key, kind="stable")
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    facts = column(row["facts"], ">i4").astype(np.int64)
    name, names = _speakers(row["names"], (facts & _NAMED) != 0)
    matching, term, times = _matches(row["matches"], terms, forms or {})
    found = places[np.flatnonzero(facts & _MATCHES)[matching]]
    facts = facts[order]
    return Scope(
        conversations=row["conversations"],
        key=key[order],
        at=column(row["at"], ">i8")[order] / 1e6 + _EPOCH,
        bytes=facts >> 8,
        asks=(facts & _ASKS) != 0,
        by_user=(facts & _BY_USER) != 0,
        name=name[order],
        names=names,
        found=found,
        term=term,
        times=times,
    )


def _speakers(sent: str | None, named: NDArray[np.bool_]) -> tuple[NDArray[np.int64], list[str]]:
    """Who said each message, as places in a list of names; the first is that of those without one."""
    name = np.zeros(len(named), np.int64)
    if sent is None:  # in most scopes nobody has a name
        return name, [""]
    spoken = sent.split("\n")
    places = {one: place for place, one in enumerate(dict.fromkeys(["", *spoken]))}
    name[named] = np.fromiter(map(places.__getitem__, spoken), np.int64, len(spoken))
    return name, list(places)


def column(sent: bytes, kind: str) -> NDArray[np.int64]:
    """Values that Postgres sent one behind the other."""
    return np.frombuffer(sent, kind)


def _counted(line: str, places: Mapping[str, int]) -> dict[int, int]:
    """The terms of a line and how often each occurs, in whatever form."""
    counts: dict[int, int] = {}
    for word in line.split(" "):
        place = places.get(word[1 : word.index("':")])
        if place is not None:
            counts[place] = counts.get(place, 0) + word.count(",") + 1
    return counts


def _matches(
    sent: str | None, terms: Sequence[str], forms: Mapping[str, str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """From one line for each message that matches, like ``'move':6A,9A 'porto':7A``: the number of the line, the
    term, and how often, one entry for each term. Few lines differ, so each kind is read once."""
    lines = sent.split("\n") if sent else []
    kinds = {line: kind for kind, line in enumerate(dict.fromkeys(lines))}
    places = {stem: place for place, stem in enumerate(terms)}
    places |= {form: places[stem] for form, stem in forms.items()}
    words = [_counted(line, places) for line in kinds]
    term = np.array([place for line in words for place in line], np.int64)
    times = np.array([count for line in words for count in line.values()], np.int64)
    many = np.array([len(line) for line in words], np.int64)
    kind = np.fromiter(map(kinds.__getitem__, lines), np.int64, len(lines))
    each = many[kind]
    begin = (np.cumsum(many) - many)[kind] - (np.cumsum(each) - each)
    entry: NDArray[np.int64] = np.repeat(begin, each) + np.arange(int(each.sum()))
    return np.repeat(np.arange(len(lines)), each), term[entry], times[entry]
