"""Turns in the database: begin, keep, finish, fail, look back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.chat.desk import Desk
from recollect.chat.records import Ended, Reply, Turn
from recollect.conversations.append import append_within
from recollect.conversations.incoming import Draft, draft, fingerprint
from recollect.errors import Busy, Conflict, KeyReused, NotFound, Overloaded, RecollectError, Unavailable
from recollect.ids import new_id
from recollect.recall.pack import SECTIONS
from recollect.records import Caller, Message
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import decoded, message_from
from recollect.workflows import store as states

#: How often what a turn came to is tried to be saved, while the database is away.
TRIES = 5


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in hand, or one that was answered before."""

    id: UUID
    token: int
    asked: int
    answered: bool


async def begin(desk: Desk, message: str, key: str | None) -> Begun:
    """Store what the user says, once, and take the conversation; Busy if somebody else has it."""
    said = draft({"role": "user", "content": message})
    if key is not None:
        key = inputs.identifier("key", key)
    id = new_id()
    rows = await desk.database.call(
        "begin_turn",
        desk.caller.tenant,
        desk.conversation,
        desk.caller.actor,
        id,
        key,
        fingerprint([said]),
        new_id(),
        said.content,
        desk.limits.lease,
    )
    row = rows[0]
    match row["outcome"]:
        case "missing":
            raise NotFound("conversation", desk.conversation)
        case "reused":
            raise KeyReused(str(key))
        case "busy":
            raise Busy(desk.limits.lease)
        case outcome:
            return Begun(id=row["id"], token=row["token"], asked=row["user_seq"], answered=outcome == "done")


@asynccontextmanager
async def kept(desk: Desk, turn: Begun) -> AsyncGenerator[None]:
    """Keep the conversation while a turn runs."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(desk.limits.lease / 3)
            # When the database is away, either it comes back in time, or saving fails by its own check.
            with contextlib.suppress(RecollectError):
                async with desk.database.transaction(desk.caller.tenant) as transaction:
                    await transaction.row("keep_turn", desk.conversation, turn.id, turn.token, desk.limits.lease)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()


async def finish(
    desk: Desk,
    turn: Begun,
    ended: Ended,
    messages: Sequence[Draft],
    change: Callable[[Transaction], Awaitable[list[str]]],
) -> list[str]:
    """Save the messages, what they ``change`` in the state, and the record, in one transaction; returns what was
    refused. If the connection breaks, it is tried again: the turn tells whether the broken try came through.
    """
    ids = [new_id() for _ in messages]
    for tried in range(1, TRIES + 1):
        try:
            return await _finish(desk, turn, ended, messages, ids, change)
        except (Unavailable, Overloaded):
            if tried == TRIES:
                raise
            await asyncio.sleep(0.2 * tried)
    raise AssertionError


async def _finish(
    desk: Desk,
    turn: Begun,
    ended: Ended,
    messages: Sequence[Draft],
    ids: Sequence[UUID],
    change: Callable[[Transaction], Awaitable[list[str]]],
) -> list[str]:
    async with desk.database.transaction(desk.caller.tenant) as transaction:
        # The conversation first, as everybody does who changes it.
        await transaction.run("lock_conversation_row", desk.conversation)
        row = await transaction.row("standing_of_turn", desk.conversation, turn.id, turn.token)
        if row is None:
            raise NotFound("conversation", desk.conversation)
        if row["status"] == "done" and row["ours"]:
            return []
        if row["status"] != "running" or not row["ours"]:
            raise Conflict("this turn took too long, and was taken up by somebody else; read what was answered")
        stored = await append_within(transaction, desk.caller, desk.conversation, messages, ids)
        first, last = stored[0].seq, stored[-1].seq
        if stored[0].answers != turn.asked:
            await transaction.run("answer_earlier_message", desk.conversation, turn.asked, first, last)
        refused = await change(transaction)
        await transaction.run(
            "finish_turn",
            desk.conversation,
            turn.id,
            turn.token,
            first,
            last,
            ended.model,
            _json(ended.tokens),
            _json([*ended.problems, *refused]),
            ended.seconds,
            ended.known,
        )
    return refused


async def fail(desk: Desk, turn: Begun, ended: Ended) -> None:
    """Write down why there is no reply, and let go of the conversation; if that fails too, its lease runs out."""
    with contextlib.suppress(RecollectError):
        async with desk.database.transaction(desk.caller.tenant) as transaction:
            await transaction.run(
                "fail_turn",
                desk.conversation,
                turn.id,
                turn.token,
                ended.model,
                _json(ended.tokens),
                _json(ended.problems),
                ended.seconds,
            )


async def saved(desk: Desk, turn: Begun) -> Reply:
    """The reply of a turn as it was saved."""
    tenant, conversation = desk.caller.tenant, desk.conversation
    async with desk.database.transaction(tenant, snapshot=True) as transaction:
        row = await transaction.row("turn_by_id", conversation, turn.id)
        if row is None:
            raise NotFound("conversation", conversation)
        said = await transaction.rows("messages_between", conversation, row["first_seq"], row["last_seq"])
        asked = await transaction.rows("state_updates_of_turn", conversation, str(turn.asked))
    record = turn_from(conversation, row)
    messages = [message_from(conversation, one) for one in said]
    state = await states.read(desk.database, desk.caller, conversation)
    return Reply(
        text=final_text(messages),
        messages=messages,
        state_update=united([decoded(one["patch"]) for one in asked]),
        state=state if state.workflow is not None or state.version else None,
        tokens=record.tokens,
        model=record.model or "",
        problems=record.problems,
        turn=record.id,
        asked=record.asked,
    )


async def listed(database: Database, caller: Caller, conversation: str, limit: int) -> list[Turn]:
    """The turns of a conversation, newest first."""
    limit = inputs.amount("limit", limit)
    rows = await database.read(caller.tenant, "turns_of_conversation", conversation, limit)
    return [turn_from(conversation, row) for row in rows]


def final_text(messages: Sequence[Message]) -> str:
    """What the agent said in the end; empty if it was cleared since."""
    said = [message for message in messages if message.role == "assistant"]
    return said[-1].content if said else ""


def united(patches: Sequence[Any]) -> dict[str, Any] | None:
    """Several updates as one, the later over the earlier."""
    whole: dict[str, Any] = {}
    for patch in patches:
        if isinstance(patch, dict):
            whole = _over(whole, patch)
    return whole or None


def _over(old: Any, new: Any) -> Any:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    before, after = cast("dict[str, Any]", old), cast("dict[str, Any]", new)
    return {**before, **{name: _over(before.get(name), value) for name, value in after.items()}}


def turn_from(conversation: str, row: Row) -> Turn:
    """A turn as the database has it."""
    return Turn(
        id=str(row["id"]),
        conversation=conversation,
        key=row["key"],
        status=row["status"],
        tries=row["token"],
        asked=row["user_seq"],
        first=row["first_seq"],
        last=row["last_seq"],
        model=row["model"],
        tokens=_in_order(decoded(row["tokens"])),
        problems=decoded(row["problems"]),
        seconds=None if row["seconds"] is None else round(row["seconds"], 3),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )


def _in_order(tokens: dict[str, int]) -> dict[str, int]:
    """As a context has it; the database sorts by other rules."""
    return {name: tokens[name] for name in dict.fromkeys([*SECTIONS, "total", *tokens]) if name in tokens}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
