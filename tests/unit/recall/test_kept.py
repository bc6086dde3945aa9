from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.kept import Kept
from recollect.recall.scope import Scope

NONE = np.empty(0, np.int64)


def scope(messages: int) -> Scope:
    rows = np.zeros(messages, np.int64)
    return Scope([], [], rows, rows.astype(float), rows, rows != 0, rows != 0, rows, [""], NONE, NONE, NONE)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 12)), max_size=30))
def test_what_was_asked_for_last_is_kept_as_far_as_it_fits(asked: list[tuple[str, int]]) -> None:
    kept = Kept(most=20)
    for user, messages in asked:
        kept.keep(("tenant", user, None), scope(messages))
        newest = kept.of(("tenant", user, None))
        assert newest is not None
        assert len(newest) == messages
    held = [one for user in "abc" if (one := kept.of(("tenant", user, None))) is not None]
    assert sum(map(len, held)) <= 20


def test_a_scope_that_does_not_fit_is_not_kept() -> None:
    kept = Kept(most=5)
    kept.keep(("tenant", "ana", None), scope(6))
    assert kept.of(("tenant", "ana", None)) is None
    kept.keep(("tenant", "ana", None), scope(5))
    assert kept.of(("tenant", "ana", None)) is not None
