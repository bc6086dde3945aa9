"""What an agent knew when it answered: written down without any text, and looked up again by numbers and ids."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect import inputs
from recollect.chat.records import Known, KnownMemory, Turn
from recollect.chat.store import turn_from
from recollect.conversations import lifecycle
from recollect.errors import NotFound
from recollect.notes import store as notes
from recollect.recall.pack import Context, Dropped
from recollect.recall.render import openai_messages
from recollect.records import Caller, Hit, Memory, Message
from recollect.remember import memories
from recollect.storage.database import Database
from recollect.workflows import store as states


class Noted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a context."""

    memories: list[tuple[str, float, str]] = []
    """Id, score and reason of each one that was in the prompt."""
    first: int | None = None
    """The oldest message of the window that was."""
    dropped: list[Dropped] = []


def noted(context: Context, window: Sequence[Message]) -> Noted:
    """What to keep of a context that was made of this window."""
    shown = sum(message["role"] != "system" for message in context.whole or context.messages)
    sent = [stored.seq for stored, message in openai_messages(window) if message["role"] != "system"]
    first = sent[-min(shown, len(sent))] if shown and sent else None
    return Noted([_used(hit) for hit in context.memories if hit.memory is not None], first, context.dropped)


def _used(hit: Hit) -> tuple[str, float, str]:
    assert hit.memory is not None
    return hit.memory.id, round(hit.score, 3), quiet(hit.why)


def quiet(why: str) -> str:
    """A reason without the words that it may name: they are out of the message, and out of the memory."""
    before, shares, words = why.partition("shares ")
    if not shares:
        return why
    return f"{before}shares words" + (", pinned" if words.endswith(", pinned") else "")


async def known(database: Database, caller: Caller, conversation: str, reply: int) -> Known:
    """What the agent knew when it gave this reply, by the number of one of its messages."""
    reply = inputs.amount("reply", reply, most=1 << 62)
    talk = await lifecycle.by_id(database, caller, conversation)
    rows = await database.read(caller.tenant, "turn_of_reply", talk.id, reply)
    if not rows:
        raise NotFound("turn of message", str(reply))
    turn = turn_from(talk.id, rows[0])
    kept = msgspec.json.decode(rows[0]["known"] or "{}", type=Noted)
    return Known(
        turn=turn,
        memories=[
            KnownMemory(id=id, score=score, why=why, memory=await _memory(database, caller, id))
            for id, score, why in kept.memories
        ],
        notes=await _notes(database, caller, talk.user, talk.agent, turn),
        state=await _state(database, caller, talk.id, turn),
        first=kept.first,
        last=turn.asked,
        dropped=kept.dropped,
    )


async def _memory(database: Database, caller: Caller, id: str) -> Memory | None:
    try:
        return await memories.by_id(database, caller, id)
    except NotFound:
        return None


async def _notes(database: Database, caller: Caller, user: str, agent: str, turn: Turn) -> str:
    if not turn.tokens.get("notes"):
        return ""
    rows = await database.read(caller.tenant, "note_version_at", user, agent, turn.started_at)
    return (await notes.read(database, caller, user, agent, rows[0]["version"])).text if rows else ""


async def _state(database: Database, caller: Caller, conversation: str, turn: Turn) -> str:
    if not turn.tokens.get("state"):
        return ""
    return (await states.read(database, caller, conversation, turn.asked)).summary
