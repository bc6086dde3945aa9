"""What the next prompt needs: fetched in one round trip, ranked, and packed into a token budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound
from recollect.models.generations import Embedders
from recollect.observe import counted
from recollect.observe.spans import span
from recollect.ports import Counter, Embedder
from recollect.recall.memories import MAX_QUERY, RELATED, Found, found_in, ranked, search_arguments
from recollect.recall.pack import MOST_MEMORIES, Context, Sections, pack
from recollect.records import Caller, Hit, Message
from recollect.storage.database import Database, Row
from recollect.storage.rows import message_from

#: So many characters are counted in about a millisecond, which is not worth a thread: on a busy machine it is
#: started late.
COUNTED_AT_ONCE = 20_000

#: Where the columns of the messages are.
_MESSAGES = slice(8, 19)


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """All that a prompt could be made of, as the database has it."""

    user: str
    agent: str
    model: str | None
    instructions: str
    budget: int
    notes: str
    summary: str
    state: str | None
    """The conversation's state and workflow as JSON; None where nothing was ever said about either."""
    window: list[Message]
    memories: list[Hit]


async def context(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    counter: Counter,
    conversation: str,
    message: str,
    budget: int | None,
    window: int | None,
    told: Callable[[Fetched], str],
) -> Context:
    """Instructions, notes, related memories, the state as it is ``told`` in words, what went before, the newest
    messages: as far as the budget goes."""
    with span("recollect.context"):
        fetched = await fetch(database, caller, embedders, conversation, message, window)
        return await packed(fetched, message, budget, counter, told(fetched))


async def fetch(
    database: Database, caller: Caller, embedders: Embedders, conversation: str, message: str, window: int | None
) -> Fetched:
    """All that the next prompt could be made of, in one round trip."""
    message = inputs.text("message", message)
    if not message.strip():
        raise Invalid("message", "must not be empty")
    if window is not None:
        window = inputs.amount("window", window, least=0)

    async def search(embedder: Embedder) -> tuple[str | None, tuple[Row, Found]]:
        asked = await search_arguments(embedder, message[:MAX_QUERY], None, RELATED, MOST_MEMORIES)
        rows = await database.call("fetch_context", caller.tenant, conversation, window, *asked)
        if not rows:
            raise NotFound("conversation", conversation)
        found = found_in(rows[0]["user_id"], rows)
        return found.serving, (rows[0], found)

    with span("recollect.context.fetch"):
        (row, found), embedder = await embedders.ask(caller.tenant, search)
    with span("recollect.context.rank"):
        memories = ranked(found, embedder, MOST_MEMORIES, RELATED)
    return Fetched(
        user=row["user_id"],
        agent=row["agent"],
        model=row["model"],
        instructions=row["instructions"],
        budget=row["budget"],
        notes=row["notes"] or "",
        summary=row["summary"] or "",
        state=row["state"],
        window=_window(conversation, row),
        memories=memories,
    )


async def packed(
    fetched: Fetched, message: str | None, budget: int | None, counter: Counter, state: str
) -> Context:
    """What was fetched, packed into the budget: the agent's, unless one is given. Without a ``message`` it ends
    with what was said before."""
    sections = Sections(
        instructions=fetched.instructions,
        notes=fetched.notes,
        memories=fetched.memories,
        state=state,
        summary=fetched.summary,
        window=fetched.window,
        message=None if _said_already(fetched.window, message) else message,
        names={
            "user": fetched.user,
            "agent": fetched.agent,
            "date": datetime.now(UTC).date().isoformat(),
        },
    )
    room = fetched.budget if budget is None else budget
    texts = [sections.instructions, sections.notes, state, message or ""]
    texts += [one.content for one in sections.window]
    with span("recollect.context.pack"):
        if sum(map(len, texts)) <= COUNTED_AT_ONCE:
            made = pack(sections, room, counter)
        else:
            made = await asyncio.to_thread(pack, sections, room, counter)
    counted.packed(made.tokens)
    return made


def _window(conversation: str, row: Row) -> list[Message]:
    """The messages, which came as columns and newest first."""
    if row["seqs"] is None:
        return []
    return [message_from(conversation, one) for one in zip(*row[_MESSAGES], strict=True)][::-1]


def _said_already(recent: list[Message], message: str | None) -> bool:
    """The message may be stored before the context is asked for, or after; it comes once either way."""
    return bool(recent) and recent[-1].role == "user" and recent[-1].content == message
