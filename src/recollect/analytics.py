"""How much there is by day, what prompts cost, and which memories are recalled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recollect import inputs
from recollect.records import Analytics, Caller, MemoryCount, MessageCount, Recalled, TokenCount, TurnCost
from recollect.storage.database import Database

MOST_DAYS = 366
#: So many of the last turns, and so many memories of each list.
MOST_TURNS, MOST_RECALLED = 200, 10


async def analytics(
    database: Database, caller: Caller, user: str | None, agent: str | None, days: int
) -> Analytics:
    """The counts of one moment."""
    user = None if user is None else inputs.identifier("user", user)
    agent = None if agent is None else inputs.identifier("agent", agent)
    days = inputs.amount("days", days, MOST_DAYS)
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    since = today - timedelta(days=days - 1)
    async with database.transaction(caller.tenant, snapshot=True) as transaction:
        totals = await transaction.row("totals", user, agent)
        messages = await transaction.rows("messages_by_day", user, agent, since)
        memories = await transaction.rows("memories_by_day", user, agent, since)
        spent = await transaction.rows("spending_by_day", since.date())
        turns = await transaction.rows("turns_lately", user, agent, since, MOST_TURNS)
        most = await transaction.rows("recalled_most", user, agent, since, MOST_RECALLED)
        never = await transaction.rows("recalled_never", user, agent, since, MOST_RECALLED)
    assert totals is not None
    return Analytics(
        days=days,
        conversations=totals["conversations"],
        messages=totals["messages"],
        memories=totals["memories"],
        messages_by_day=[MessageCount(day=r["day"], role=r["role"], count=r["count"]) for r in messages],
        memories_by_day=[
            MemoryCount(day=r["day"], category=r["category"] or None, status=r["status"], count=r["count"])
            for r in memories
        ],
        tokens_by_day=[TokenCount(**dict(row)) for row in spent] if user is None and agent is None else [],
        turns=[TurnCost(**dict(row)) for row in turns],
        recalled=[Recalled(**dict(row)) for row in most],
        never_recalled=[Recalled(id=row["id"], text=row["text"], count=0) for row in never],
        never_recalled_count=never[0]["of_all"] if never else 0,
    )
