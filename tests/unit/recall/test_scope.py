from __future__ import annotations

import struct
from typing import Any, cast
from uuid import UUID

import numpy as np

from recollect.recall.scope import column, scope_from


def sent(values: list[int], kind: str = "q") -> bytes:
    """As the store sends a column: one value behind the other, in the order of the network."""
    return struct.pack(f">{len(values)}{kind}", *values)


def row(**changed: object) -> Any:
    values = {
        "conversations": [UUID(int=1), UUID(int=2)],
        "key": sent([(1 << 40) + 4, 7, 2]),
        "at": sent([2_000_000, 1_000_000, 0]),
        "facts": sent([30 << 8 | 1 | 2 | 4, 20 << 8 | 128, 10 << 8 | 1 | 2 | 4], "i"),
        "names": "Ana\nBen",
        "matches": "'tea':1A,4A 'time':9A\n'tea':3A",
    }
    return cast("Any", {**values, **changed})


def test_a_column_of_postgres_is_read_as_it_is() -> None:
    assert column(sent([1, -2, 3]), ">i8").tolist() == [1, -2, 3]


def test_rows_are_put_in_order_with_all_that_belongs_to_them() -> None:
    scope = scope_from(row(), ["time", "tea"])
    assert scope is not None
    assert len(scope) == 3
    assert scope.place.tolist() == [0, 0, 1]
    assert scope.at.tolist() == [946_684_800, 946_684_801, 946_684_802]
    assert scope.bytes.tolist() == [10, 20, 30]
    assert scope.asks.tolist() == [False, True, False]
    assert scope.by_user.tolist() == [True, False, True]
    assert [scope.names[place] for place in scope.name] == ["Ben", "", "Ana"]
    assert sorted(zip(scope.found.tolist(), scope.term.tolist(), scope.times.tolist(), strict=True)) == [
        (0, 1, 1),
        (2, 0, 1),
        (2, 1, 2),
    ]


def test_rows_and_keys_find_each_other() -> None:
    scope = scope_from(row(), ["time", "tea"])
    assert scope is not None
    conversations, seqs = scope.ids([2, 0])
    assert (conversations, seqs) == ([UUID(int=2), UUID(int=1)], [4, 2])
    rows, known = scope.rows(scope.keys(conversations, seqs))
    assert rows.tolist() == [2, 0]
    rows, known = scope.rows(np.array([3, 7, 1 << 50]))
    assert (rows.tolist(), known.tolist()) == ([1], [False, True, False])


def test_nothing_said_and_nothing_matched() -> None:
    assert scope_from(row(key=None), []) is None
    scope = scope_from(row(matches=None), [])
    assert scope is not None
    assert len(scope.found) == 0


def test_nobody_has_a_name() -> None:
    unnamed = sent([30 << 8 | 1 | 2, 20 << 8 | 128, 10 << 8 | 1 | 2], "i")
    scope = scope_from(row(facts=unnamed, names=None), ["time", "tea"])
    assert scope is not None
    assert (scope.name.tolist(), scope.names) == ([0, 0, 0], [""])
