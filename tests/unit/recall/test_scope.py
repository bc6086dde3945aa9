from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import numpy as np
import pytest

from recollect.recall.scope import Outdated, Scope, column, scope_from


def sent(values: list[int], kind: str = "q") -> bytes:
    """As Postgres sends an array: dimensions, nulls, type, length, lower bound, then the values."""
    size = struct.calcsize(kind)
    return struct.pack(">5i", 1, 0, 20, len(values), 1) + b"".join(
        struct.pack(f">i{kind}", size, v) for v in values
    )


BEGUN = datetime(2024, 1, 1, tzinfo=UTC)


def row(**changed: object) -> Any:
    values = {
        "conversations": [UUID(int=1), UUID(int=2)],
        "begun": [BEGUN, BEGUN],
        "still": None,
        "key": sent([(1 << 40) + 4, 7, 2]),
        "at": sent([2_000_000, 1_000_000, 0]),
        "facts": sent([(30 << 8) | ord("u"), (20 << 8) | ord("a") | 128, (10 << 8) | ord("u")], "i"),
        "names": "Ana\n\nBen",
        "matching": sent([(1 << 40) + 4, 2]),
        "matches": "'tea':1A,4A 'time':9A\n'tea':3A",
    }
    return cast("Any", {**values, **changed})


NOTHING_NEW = {"key": None, "at": None, "facts": None, "names": None, "matching": None, "matches": None}


def test_an_array_of_postgres_is_read_as_it_is() -> None:
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
    scope = scope_from(row(matching=None, matches=None), [])
    assert scope is not None
    assert len(scope.found) == 0


def kept() -> Scope:
    scope = scope_from(row(), ["time", "tea"])
    assert scope is not None
    return scope


def test_the_store_is_told_what_is_known() -> None:
    assert kept().known() == ([UUID(int=1), UUID(int=2)], [BEGUN, BEGUN], [7, 4])


def test_what_is_still_there_is_not_sent_again() -> None:
    scope = scope_from(row(**NOTHING_NEW, still=sent([7, 2, (1 << 40) + 4])), ["tea"], kept())
    assert scope is not None
    assert scope.key.tolist() == [2, 7, (1 << 40) + 4]
    assert scope.at.tolist() == kept().at.tolist()
    assert len(scope.found) == 0


def test_what_is_gone_is_left_out_and_what_is_new_comes_in() -> None:
    new = {"key": sent([9]), "at": sent([3_000_000]), "facts": sent([(5 << 8) | ord("u")], "i"), "names": "Ana"}
    found = {"matching": sent([9]), "matches": "'tea':1A"}
    scope = scope_from(row(**new, **found, still=sent([(1 << 40) + 4, 2])), ["tea"], kept())
    assert scope is not None
    assert scope.key.tolist() == [2, 9, (1 << 40) + 4]
    assert scope.bytes.tolist() == [10, 5, 30]
    assert [scope.names[place] for place in scope.name] == ["Ben", "Ana", "Ana"]
    assert (scope.found.tolist(), scope.times.tolist()) == ([1], [1])


def test_conversations_that_come_before_move_the_others() -> None:
    new = {"conversations": [UUID(int=3), UUID(int=2)], "begun": [BEGUN - timedelta(days=1), BEGUN]}
    scope = scope_from(row(**{**NOTHING_NEW, **new}, still=sent([(1 << 40) + 4])), [], kept())
    assert scope is not None
    assert (scope.conversations, scope.key.tolist()) == ([UUID(int=3), UUID(int=2)], [(1 << 40) + 4])
    assert scope.bytes.tolist() == [30]


def test_an_id_that_was_used_before_is_another_conversation() -> None:
    later = {"begun": [BEGUN + timedelta(days=1), BEGUN]}
    with pytest.raises(Outdated):
        scope_from(row(**{**NOTHING_NEW, **later}, still=sent([2])), [], kept())


def test_what_nobody_kept_cannot_be_left_out() -> None:
    with pytest.raises(Outdated):
        scope_from(row(**NOTHING_NEW, still=sent([2])), [], None)
