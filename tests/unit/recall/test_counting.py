"""Where the tokens of a context are counted: what takes long, not where others wait."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.recall.context import Fetched, packed
from recollect.records import Message


class Watched:
    """A counter that knows where it was called."""

    def __init__(self) -> None:
        self.here: set[bool] = set()

    def count(self, text: str) -> int:
        self.here.add(threading.current_thread() is threading.main_thread())
        return len(text)


def _fetched(**message: Any) -> Fetched:
    said = Message(
        conversation="c", seq=1, id="m", role="assistant", content="", created_at=datetime.now(UTC), **message
    )
    return Fetched(
        user="ana",
        agent="cook",
        model=None,
        instructions="Be kind.",
        budget=10_000_000,
        notes="",
        summary="",
        state=None,
        window=[said],
        memories=[],
    )


@pytest.mark.parametrize(
    "large",
    [
        {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "a" * 30_000}}]},
        {"parts": [{"type": "text", "text": "a" * 30_000}]},
    ],
)
async def test_what_is_large_is_counted_in_a_thread(large: dict[str, Any]) -> None:
    class Fresh(Watched):
        """One that nobody has asked yet."""

    counter = Fresh()
    await packed(_fetched(), "hello", None, counter, "")
    assert counter.here == {False}  # it may have to read its vocabulary first
    counter.here.clear()
    await packed(_fetched(), "hello", None, counter, "")
    assert counter.here == {True}
    counter.here.clear()
    await packed(_fetched(**large), "hello", None, counter, "")
    assert counter.here == {False}
