"""When a context is believed, what its question depends on, and what a write tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.cache import entries, keys
from recollect.cache.levels import _merged
from recollect.cache.servers import slot
from recollect.ports import Change
from recollect.recall.context import _question
from recollect.records import Message

STAMP, OF_MARK = entries.stamp("db", 1, "run"), entries.stamp("db", 1, "run of another server")
MARK = OF_MARK + b"0" * 32


class Named:
    """An embedder of which only the name and the scale matter."""

    dimension = 4

    def __init__(self, name: str, steep: float = 1.0) -> None:
        self.name, self._steep = name, steep

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("a question that was asked before need not be embedded")

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cosine * self._steep, np.float32)


def test_a_context_is_believed_while_everything_is_the_same() -> None:
    entry = STAMP + entries.context_of(7, MARK, b"{}")
    assert entries.context(entry, STAMP, 7, MARK, OF_MARK) == b"{}"


@pytest.mark.parametrize(
    ("believed", "settings", "mark", "of_mark"),
    [
        (entries.stamp("db", 2, "run"), 7, MARK, OF_MARK),
        (STAMP, 8, MARK, OF_MARK),
        (STAMP, 7, OF_MARK + b"1" * 32, OF_MARK),
        (STAMP, 7, b"", OF_MARK),
        (STAMP, 7, MARK, entries.stamp("db", 1, "run of its replica")),
        (STAMP, 7, MARK[:-1], OF_MARK),
    ],
    ids=["epoch", "settings", "another mark", "no mark", "run of the mark's server", "part of a mark"],
)
def test_a_context_is_not_believed_when_anything_differs(
    believed: bytes, settings: int, mark: bytes, of_mark: bytes
) -> None:
    entry = STAMP + entries.context_of(7, MARK, b"{}")
    assert entries.context(entry, believed, settings, mark, of_mark) is None
    assert entries.context(b"", believed, settings, mark, of_mark) is None


def test_a_question_is_all_that_the_database_is_asked_with() -> None:
    asked = {
        _question(Named("a"), "Which tea?", None),
        _question(Named("b"), "Which tea?", None),
        _question(Named("a", steep=2.0), "Which tea?", None),
        _question(Named("a"), "Which tea", None),
        _question(Named("a"), "Which tea?", 12),
        _question(Named("a"), "Which tea?", 0),
    }
    assert len(asked) == 6
    assert _question(Named("a"), "Which tea?", None) in asked


def test_a_mark_does_not_name_its_user() -> None:
    assert keys.mark("acme", "ana") != keys.mark("acme", "bob")
    assert keys.mark("acme", "ana") != keys.mark("other", "ana")
    assert "ana" not in keys.mark("acme", "ana")
    assert len({slot(name) for name in keys.all_of("acme", "c")}) == 1
    assert set(keys.contexts_of("acme", "c")) < set(keys.all_of("acme", "c"))


def test_what_is_told_of_several_changes() -> None:
    said = [Message("c", seq, str(seq), "user", "x", None) for seq in (1, 2)]  # pyright: ignore[reportArgumentType]
    changes = [
        Change(user="ana"),
        Change(conversation="c", appended=(said[0],)),
        Change(context="c"),
        Change(context="d"),
        Change(conversation="c", appended=(said[1],)),
        Change(user="ana"),
        Change(settings=True),
    ]
    assert _merged(changes) == [
        Change(conversation="c", appended=tuple(said)),
        Change(context="d"),
        Change(user="ana"),
    ]
    assert Change(conversation="c", appended=tuple(said)).in_doubt() == Change(conversation="c")
    assert Change(user="ana").in_doubt() == Change(user="ana")
