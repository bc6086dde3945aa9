"""Guarded actions of a workflow: step, status, a system message and what is to happen outside, together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect import inputs
from recollect.chat.desk import Desk
from recollect.chat.records import Delivery
from recollect.errors import KeyReused, NotFound, Refused
from recollect.ids import new_id
from recollect.records import Caller
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import decoded
from recollect.workflows import store as states
from recollect.workflows.records import Cause, State


async def act(
    desk: Desk,
    action: str,
    arguments: Mapping[str, Any],
    *,
    version: int | None = None,
    cause: Cause | str | None = None,
    key: str | None = None,
) -> State:
    """Do an action; Refused, and recorded, where the workflow does not allow it. With a key, once; KeyReused if
    that was another action, or had other arguments."""
    action = inputs.identifier("action", action)
    why = Cause.of(cause)
    if version is not None:
        inputs.amount("version", version, most=states.MAX_VERSION, least=0)
    if key is not None:
        key = inputs.identifier("key", key)
    given = inputs.json_text("arguments", inputs.metadata("arguments", arguments))
    async with desk.database.transaction(desk.caller.tenant) as transaction:
        # The state is locked first, so that the same key at the same time waits here.
        if await transaction.row("lock_state", desk.conversation) is None:
            raise NotFound("conversation", desk.conversation)
        done = (
            None if key is None else await transaction.row("outbox_by_key", desk.conversation, key, action, given)
        )
        if done is not None and not done["same"]:
            raise KeyReused(str(key))
        if done is not None:
            state, refused = None, []
        else:
            state, refused = await perform(
                transaction, desk.caller, desk.conversation, action, arguments, why, key=key, version=version
            )
    if refused:
        raise Refused(refused[0])
    return state or await states.read(desk.database, desk.caller, desk.conversation)


async def perform(
    transaction: Transaction,
    caller: Caller,
    conversation: str,
    action: str,
    arguments: Mapping[str, Any],
    cause: Cause,
    *,
    key: str | None = None,
    version: int | None = None,
) -> tuple[State, list[str]]:
    """The same inside of a transaction: the state after it, and why it was refused, if it was."""
    given = inputs.metadata("arguments", arguments)
    inputs.json_text("arguments", given)
    state, refused = await states.act_within(transaction, caller, conversation, action, cause, version)
    if not refused:
        given_on = {"arguments": given, "state": state.as_agent_state()}
        payload = inputs.json_text("payload", given_on, 4 * inputs.MAX_JSON)
        await transaction.run("put_in_outbox", new_id(), conversation, action, key, payload)
    return state, refused


async def outbox(database: Database, caller: Caller, waiting: bool, limit: int) -> list[Delivery]:
    """What was decided, newest first; with ``waiting``, only what was not delivered yet."""
    limit = inputs.amount("limit", limit)
    rows = await database.read(caller.tenant, "outbox_of_tenant", inputs.flag("waiting", waiting), limit)
    return [delivery_from(row) for row in rows]


def delivery_from(row: Row) -> Delivery:
    """A row of the outbox, joined to its conversation."""
    return Delivery(
        id=str(row["id"]),
        action=row["action"],
        conversation=str(row["conversation"]),
        user=row["user_id"],
        agent=row["agent"],
        payload=decoded(row["payload"]),
        created_at=row["created_at"],
        attempts=row["attempts"],
        delivered_at=row["delivered_at"],
        delivered_by=row["delivered_by"],
    )
