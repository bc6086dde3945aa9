"""A pytest plugin: LangGraph's tests of its store get ours."""

from __future__ import annotations

import os
import uuid
from typing import Any, cast

import langgraph.store.memory

from recollect import sync
from recollect.adapters.langgraph import RecollectStore
from recollect.blocking import inside

memory = sync.Recollect.open(os.environ["CONTRACT_DATABASE"], tenant="contract")


class Store(RecollectStore):
    """Empty at first, as the tests expect: each has a tenant of its own."""

    def __init__(self, *, index: Any = None) -> None:
        inner, _ = inside(memory)
        door = inner.for_tenant(f"contract-{uuid.uuid4().hex}")
        super().__init__(cast("Any", sync.Recollect)(door), index=index)


langgraph.store.memory.InMemoryStore = Store  # pyright: ignore[reportAttributeAccessIssue]


def pytest_unconfigure() -> None:
    """Give back the connections."""
    memory.close()
