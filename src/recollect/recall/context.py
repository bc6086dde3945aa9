"""What the next prompt needs: fetched in one round trip, ranked, and packed into a token budget."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound
from recollect.models.generations import Embedders
from recollect.ports import Counter, Embedder
from recollect.recall.memories import MAX_QUERY, RELATED, Found, found_in, ranked, search_arguments
from recollect.recall.pack import MOST_MEMORIES, Context, Sections, pack
from recollect.records import Caller, Message
from recollect.storage.database import Database, Row

#: So many characters are counted in about a millisecond, which is not worth a thread: on a busy machine it is
#: started late.
COUNTED_AT_ONCE = 20_000

_messages = msgspec.json.Decoder(list[Message])


async def context(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    counter: Counter,
    conversation: str,
    message: str,
    budget: int | None,
    window: int | None,
) -> Context:
    """Instructions, notes, related memories, what went before, the newest messages: as far as the budget goes."""
    message = inputs.text("message", message)
    if not message.strip():
        raise Invalid("message", "must not be empty")
    if window is not None:
        window = inputs.amount("window", window, least=0)

    async def search(embedder: Embedder) -> tuple[str | None, tuple[Row, Found]]:
        asked = await search_arguments(embedder, message[:MAX_QUERY], None, RELATED)
        rows = await database.call("fetch_context", caller.tenant, conversation, window, *asked)
        if not rows:
            raise NotFound("conversation", conversation)
        found = found_in(rows[0]["memories"])
        return found.serving, (rows[0], found)

    (row, found), embedder = await embedders.ask(caller.tenant, search)
    recent = _messages.decode(row["messages"])
    sections = Sections(
        instructions=row["instructions"],
        notes=row["notes"] or "",
        memories=ranked(found, embedder, MOST_MEMORIES, RELATED, datetime.now(UTC)),
        summary=row["summary"] or "",
        window=recent,
        message=None if _said_already(recent, message) else message,
    )
    room = row["budget"] if budget is None else budget
    texts = [sections.instructions, sections.notes, message, *(one.content for one in recent)]
    if sum(map(len, texts)) <= COUNTED_AT_ONCE:
        return pack(sections, room, counter)
    return await asyncio.to_thread(pack, sections, room, counter)


def _said_already(recent: list[Message], message: str) -> bool:
    """The message may be stored before the context is asked for, or after; it comes once either way."""
    return bool(recent) and recent[-1].role == "user" and recent[-1].content == message
