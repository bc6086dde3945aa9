"""A pytest plugin: the tests of the OpenAI Agents SDK get our session in the place of its SQLite one."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any, cast

import agents
import agents.memory
import agents.memory.sqlite_session

from recollect import sync
from recollect.adapters.openai_agents import RecollectSession
from recollect.blocking import inside

memory = sync.Recollect.open(os.environ["CONTRACT_DATABASE"], tenant="contract-agents")


class Session(RecollectSession):
    """A file of the tests is a tenant of ours; what is kept in memory only has one to itself."""

    def __init__(
        self, session_id: str, db_path: Any = ":memory:", *tables: str, session_settings: Any = None
    ) -> None:
        file = uuid.uuid4().hex if str(db_path) == ":memory:" else str(Path(db_path))
        inner, _ = inside(memory)
        door = inner.for_tenant(f"contract-{uuid.uuid5(uuid.NAMESPACE_URL, file)}")
        super().__init__(cast("Any", sync.Recollect)(door), session_id, session_settings=session_settings)

    def close(self) -> None:
        """The connections belong to all of them."""


for module in (agents, agents.memory, agents.memory.sqlite_session):
    module.SQLiteSession = Session  # pyright: ignore[reportAttributeAccessIssue]


def pytest_unconfigure() -> None:
    """Give back the connections."""
    memory.close()
