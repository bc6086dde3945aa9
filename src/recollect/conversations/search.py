"""Full-text search over the messages of one user."""

from __future__ import annotations

from recollect import inputs
from recollect.errors import Invalid
from recollect.records import Caller, Hit
from recollect.storage.database import Database
from recollect.storage.rows import message_from

MAX_QUERY = 1000


async def search(
    database: Database, caller: Caller, query: str, user: str, agent: str | None, limit: int
) -> list[Hit]:
    """Messages that contain every word asked for; ``"a phrase"``, ``-without`` and ``this or that`` work too."""
    query = inputs.text("query", query, MAX_QUERY)
    if not query.strip():
        raise Invalid("query", "must not be empty")
    user = inputs.identifier("user", user)
    agent = None if agent is None else inputs.identifier("agent", agent)
    limit = inputs.amount("limit", limit)
    rows = await database.read(caller.tenant, "search_messages", user, agent, query, limit)
    return [
        Hit(
            text=row["content"],
            score=row["score"],
            why="contains the words",
            at=row["created_at"],
            message=message_from(str(row["conversation"]), row),
        )
        for row in rows
    ]
