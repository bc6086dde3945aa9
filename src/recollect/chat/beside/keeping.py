"""Keep what was said in a turn that a client had with a model: once, in order, whole."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from recollect.chat.beside.overlap import parted, same, spoken, stored_already
from recollect.chat.beside.reading import Sent
from recollect.chat.desk import Desk
from recollect.chat.records import Ended, Kept
from recollect.chat.store import TRIES
from recollect.conversations.append import append_within
from recollect.conversations.incoming import Draft, fingerprint
from recollect.errors import NotFound, Overloaded, Unavailable
from recollect.ids import new_id
from recollect.records import Message
from recollect.storage.database import Transaction
from recollect.storage.rows import message_from


async def keep(
    desk: Desk, sent: Sent, reply: Draft | None, ended: Ended | None, before: Kept | None, retried: bool
) -> Kept:
    """Store what of the turn is not stored yet, and the reply. ``before`` is what an earlier call stored of it, so
    that only the reply is left. If the connection breaks, it is tried again: what is there then tells the rest."""
    for tried in range(1, TRIES + 1):
        try:
            return await _keep(desk, sent, reply, ended, before, retried or tried > 1)
        except (Unavailable, Overloaded):
            if tried == TRIES:
                raise
            await asyncio.sleep(0.2 * tried)
    raise AssertionError


async def _keep(
    desk: Desk, sent: Sent, reply: Draft | None, ended: Ended | None, before: Kept | None, retried: bool
) -> Kept:
    async with desk.database.transaction(desk.caller.tenant) as transaction:
        if await transaction.row("lock_conversation", desk.conversation) is None:
            raise NotFound("conversation", desk.conversation)
        said = await _newest(transaction, desk, before)
        if before is None:
            there = stored_already(said, sent.turn, sent.earlier, retried)
            new, asked = list(sent.turn[there:]), _asked(said, sent, there)
            answers = parted(spoken(said))[1][there:] if there and sent.text else ()
        else:
            new, asked, answers = [], before.asked, said
        if reply is not None and not any(same(one, reply) for one in answers):
            new.append(reply)
        if not new:
            await transaction.made(reply)
            return Kept(messages=[], asked=asked)
        stored = await append_within(transaction, desk.caller, desk.conversation, new, [new_id() for _ in new])
        asked = asked or next((one.seq for one in stored if one.role == "user"), 0)
        if before is not None and asked and stored[-1].answers != asked:
            await transaction.run(
                "answer_earlier_message", desk.conversation, asked, stored[0].seq, stored[-1].seq
            )
        if ended is not None and new[-1] is reply:
            await _record(transaction, desk, sent, stored[-1].seq, asked, ended)
        await transaction.made(reply)
    return Kept(messages=stored, asked=asked)


async def _newest(transaction: Transaction, desk: Desk, before: Kept | None) -> list[Message]:
    """The last turn, with a little of what went before it; or all that follows what is being answered."""
    first = None if before is None else before.asked
    rows = await transaction.rows("newest_turn", desk.conversation, first)
    return [message_from(desk.conversation, row) for row in rows]


def _asked(said: Sequence[Message], sent: Sent, there: int) -> int:
    """The number of the user message that the turn begins with, if it is stored; without one, of the last."""
    last = parted(spoken(said))[1]
    begins = bool(sent.turn) and sent.turn[0].role == "user"
    return last[0].seq if last and (there or not begins) else 0


async def _record(transaction: Transaction, desk: Desk, sent: Sent, reply: int, asked: int, ended: Ended) -> None:
    await transaction.run(
        "record_turn",
        desk.conversation,
        new_id(),
        fingerprint(sent.turn),
        asked,
        reply,
        ended.model,
        msgspec.json.encode(ended.tokens).decode(),
        msgspec.json.encode(ended.problems).decode(),
        ended.seconds,
    )
