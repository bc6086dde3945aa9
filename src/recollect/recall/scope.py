"""All messages that a recall looks at, as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.storage.database import Row

#: A message's key within a scope: the place of its conversation, then its number.
_SEQ_BITS = 40
_SEQ_MASK = (1 << _SEQ_BITS) - 1
_EPOCH = 946_684_800  # Postgres counts from 2000


#: Conversations, when they were begun, and the last number of each.
Known = tuple[list[UUID], list[datetime], list[int]]


class Scope(msgspec.Struct, frozen=True):
    """The messages of one user, ordered by conversation and number; a row is a place in all of these columns."""

    conversations: list[UUID]
    """The oldest first."""
    begun: list[datetime]
    """When each conversation was begun: an id may be used again after its conversation was deleted."""
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

    def rows(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The rows of those keys that are in the scope, and which ones are."""
        places = np.searchsorted(self.key, keys).clip(max=len(self) - 1)
        known = self.key[places] == keys
        return places[known], known

    def known(self) -> Known:
        """Each conversation with its last number here, as the store is told what need not be sent again."""
        lasts = np.append(np.flatnonzero(np.diff(self.place)), len(self) - 1)
        places: list[int] = self.place[lasts].tolist()
        numbers: list[int] = (self.key[lasts] & _SEQ_MASK).tolist()
        return [self.conversations[one] for one in places], [self.begun[one] for one in places], numbers


class Outdated(Exception):
    """What was kept of a scope is not what the store took it for."""


def scope_from(row: Row, terms: Sequence[str], kept: Scope | None = None) -> Scope | None:
    """The row of ``recall_scope``, which leaves out what is kept; None when nothing was said yet."""
    if row["key"] is None and row["still"] is None:
        return None
    fresh = _fresh(row)
    said = fresh if row["still"] is None else _joined(_still_there(row, kept), fresh)
    found, term, times = _matches(row, said.key, {stem: place for place, stem in enumerate(terms)})
    return msgspec.structs.replace(said, found=found, term=term, times=times)


_NONE = np.empty(0, np.int64)


def _fresh(row: Row) -> Scope:
    """What the store sent of messages that were not known."""
    if row["key"] is None:
        none = _NONE.astype(bool)
        said = (_NONE, _NONE.astype(np.float64), _NONE, none, none, _NONE, list[str]())
        return Scope(row["conversations"], row["begun"], *said, _NONE, _NONE, _NONE)
    key = column(row["key"], ">i8")
    order = np.argsort(key, kind="stable")
    facts = column(row["facts"], ">i4")[order].astype(np.int64)
    name, names = _speakers(row["names"], order)
    return Scope(
        conversations=row["conversations"],
        begun=row["begun"],
        key=key[order].astype(np.int64),
        at=column(row["at"], ">i8")[order] / 1e6 + _EPOCH,
        bytes=facts >> 8,
        asks=(facts & 128) != 0,
        by_user=(facts & 127) == ord("u"),
        name=name,
        names=names,
        found=_NONE,
        term=_NONE,
        times=_NONE,
    )


def _speakers(sent: str, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
    if not sent.strip("\n"):  # nobody has a name, which is the rule
        return np.zeros(len(order), np.int64), [""]
    spoken = sent.split("\n")
    places = {name: place for place, name in enumerate(dict.fromkeys(spoken))}
    return np.fromiter(map(places.__getitem__, spoken), np.int64, len(spoken))[order], list(places)


def _still_there(row: Row, kept: Scope | None) -> Scope:
    """The part of what was kept that is still there, with keys as of now: conversations may have come or gone."""
    if kept is None:
        raise Outdated
    there = np.sort(column(row["still"], ">i8").astype(np.int64))
    now = {known: place for place, known in enumerate(zip(row["conversations"], row["begun"], strict=True))}
    moved = np.array([now.get(one, -1) for one in zip(kept.conversations, kept.begun, strict=True)], np.int64)
    keys = moved[kept.place] << _SEQ_BITS | kept.key & _SEQ_MASK
    if not np.array_equal(keys, there):
        order = np.argsort(keys, kind="stable")
        places = np.searchsorted(keys[order], there)
        if places.max() >= len(keys) or not np.array_equal(keys[order][places], there):
            raise Outdated
        kept = _taken(kept, order[places])
    return msgspec.structs.replace(kept, conversations=row["conversations"], begun=row["begun"], key=there)


def _joined(one: Scope, other: Scope) -> Scope:
    """Both in one order; their keys are of the same conversations, and none is in both."""
    if not len(other):
        return one
    names = list(dict.fromkeys([*one.names, *other.names]))
    renamed = np.array([names.index(name) for name in other.names], np.int64)
    both = Scope(
        one.conversations,
        one.begun,
        np.concatenate([one.key, other.key]),
        np.concatenate([one.at, other.at]),
        np.concatenate([one.bytes, other.bytes]),
        np.concatenate([one.asks, other.asks]),
        np.concatenate([one.by_user, other.by_user]),
        np.concatenate([one.name, renamed[other.name]]),
        names,
        _NONE,
        _NONE,
        _NONE,
    )
    return _taken(both, np.argsort(both.key, kind="stable"))


def _taken(scope: Scope, rows: NDArray[np.int64]) -> Scope:
    """Only these rows, in this order."""
    return msgspec.structs.replace(
        scope,
        key=scope.key[rows],
        at=scope.at[rows],
        bytes=scope.bytes[rows],
        asks=scope.asks[rows],
        by_user=scope.by_user[rows],
        name=scope.name[rows],
    )


def column(sent: bytes, kind: str) -> NDArray[np.int64]:
    """An array as Postgres sends it: a head of 20 bytes, then each value after its length."""
    return np.frombuffer(sent, np.dtype([("length", ">i4"), ("value", kind)]), offset=20)["value"]


def _matches(
    row: Row, keys: NDArray[np.int64], places: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """From a line for each message that matches, like ``'move':6A,9A 'porto':7A``: rows, terms, and how often."""
    if row["matching"] is None:
        return _NONE, _NONE, _NONE
    rows = np.searchsorted(keys, column(row["matching"], ">i8"))
    lines: list[list[str]] = [line.split(" ") for line in row["matches"].split("\n")]
    words = [word for line in lines for word in line]
    return (
        np.repeat(rows, [len(line) for line in lines]),
        np.array([places[word[1 : word.index("':")]] for word in words], np.int64),
        np.array([word.count(",") + 1 for word in words], np.int64),
    )
