"""The state of a conversation in the database: read, change, look back, undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

import msgspec

from recollect import inputs
from recollect.errors import Conflict, Invalid, NotFound, Refused
from recollect.ids import new_id
from recollect.paging import read_cursor, write_cursor
from recollect.records import Caller, Page
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import decoded
from recollect.workflows import machine
from recollect.workflows.current import Current, current_from, earlier_from
from recollect.workflows.machine import Outcome
from recollect.workflows.records import Applied, Cause, State, StateChange

MAX_VERSION = (1 << 63) - 1
MAX_REFUSED = 2000
OUTLINE = ("workflow", "step", "draft", "missing", "version")

_sorted = msgspec.json.Encoder(order="sorted").encode


class Asked(msgspec.Struct, frozen=True):
    """What somebody wants of a state, and why."""

    change: Literal["update", "move", "action", "undo"]
    cause: Cause
    patch: object
    version: int | None = None
    """The version that they have seen, if they said so."""


async def read(database: Database, caller: Caller, conversation: str, at: int | None = None) -> State:
    """The state as it stands; or as it stood when the message with this number was the newest."""
    if at is None:
        rows = await database.call("state_of", caller.tenant, conversation)
        return _found(conversation, rows[0] if rows else None).state()
    inputs.amount("at", at, most=MAX_VERSION, least=0)
    async with database.transaction(caller.tenant, snapshot=True) as transaction:
        current = _found(conversation, await transaction.row("state_of", conversation))
        row = await transaction.row("state_after_message", conversation, at)
    return earlier_from(current, row).state()


async def outline(transaction: Transaction, conversation: str) -> dict[str, Any] | None:
    """What an export of the conversation says of its state; None if nothing has changed it yet."""
    state = _found(conversation, await transaction.row("state_of", conversation)).state()
    return {name: getattr(state, name) for name in OUTLINE} if state.version else None


async def update(
    database: Database,
    caller: Caller,
    conversation: str,
    patch: Mapping[str, Any],
    version: int | None = None,
    cause: Cause | str | None = None,
) -> State:
    """Merge a patch; nothing changes if any of it is wrong, and a move that is not allowed is recorded."""
    asked = Asked("update", Cause.of(cause), patch, version=version)
    return await _change(
        database,
        caller,
        conversation,
        asked,
        lambda now: machine.updated(now.workflow, now.snapshot, patch, asked.cause.kind),
    )


async def move(
    database: Database,
    caller: Caller,
    conversation: str,
    step: str,
    version: int | None = None,
    cause: Cause | str | None = None,
) -> State:
    """Go to another step; Refused, and recorded, if the workflow has no such move."""
    step = inputs.identifier("step", step)
    asked = Asked("move", Cause.of(cause), {"workflowStep": step}, version=version)
    return await _change(
        database,
        caller,
        conversation,
        asked,
        lambda now: machine.moved(now.workflow, now.snapshot, step, asked.cause.kind),
    )


async def act_within(
    transaction: Transaction,
    caller: Caller,
    conversation: str,
    action: str,
    cause: Cause,
    version: int | None = None,
) -> tuple[State, list[str]]:
    """A guarded action inside the transaction of something larger: the state after it, and why it was refused, if
    it was; a refusal is recorded. ``version`` is the one that its caller has seen.
    """
    current = await _locked(transaction, conversation)
    _check_version(current, version)
    outcome = machine.acted(current.workflow, current.snapshot, action)
    asked = Asked("action", cause, {"lastAction": action})
    state = await _saved(transaction, caller, current, asked, outcome)
    return state, [refusal.problem for refusal in outcome.refused]


async def apply_update(
    transaction: Transaction, caller: Caller, conversation: str, patch: object, cause: Cause
) -> Applied:
    """Apply a model's update inside the transaction of a turn. What is wrong in it is dropped and reported, and
    only a missing conversation raises: a bad answer of a model never corrupts a state.
    """
    cause = Cause.of(cause)
    current = await _locked(transaction, conversation)
    outcome = machine.updated(current.workflow, current.snapshot, patch, cause.kind, forgiving=True)
    state = await _saved(transaction, caller, current, Asked("update", cause, patch), outcome)
    return Applied(state, [str(refusal) for refusal in outcome.refused])


async def undo(
    database: Database,
    caller: Caller,
    conversation: str,
    to: int | None = None,
    version: int | None = None,
    cause: Cause | str | None = None,
) -> State:
    """Go back to an earlier version, by default the one before; this makes a new version. ``version`` is the one
    that the caller has seen."""
    why = Cause.of(cause)
    for field, number in (("to", to), ("version", version)):
        if number is not None:
            inputs.amount(field, number, most=MAX_VERSION, least=0)
    async with database.transaction(caller.tenant) as transaction:
        current = await _locked(transaction, conversation)
        _check_version(current, version)
        if current.version == 0 and not to:
            raise Refused("there is nothing to undo: this state was never changed")
        wanted = current.version - 1 if to is None else to
        row = await transaction.row("state_at_version", conversation, wanted) if wanted else None
        if wanted and row is None:
            raise NotFound("version of this state", str(wanted))
        earlier = earlier_from(current, row).snapshot
        asked = Asked("undo", why, {"version": wanted})
        state = await _saved(transaction, caller, current, asked, Outcome(earlier))
        await transaction.made(state)
        return state


async def begin_anew(transaction: Transaction, caller: Caller, conversation: str, cause: Cause) -> State:
    """Go back to the beginning for good: what the history quoted goes, that something happened stays known. The
    workflow stays the one that it began with; a state that was never changed needs nothing."""
    current = await _locked(transaction, conversation)
    await transaction.run("silence_state_history", conversation)
    if current.version == 0:
        return current.state()
    asked = Asked("undo", cause, {"version": 0})
    return await _written(transaction, caller, current, asked, Outcome(machine.beginning(current.workflow)))


async def history(
    database: Database, caller: Caller, conversation: str, limit: int = 50, cursor: str | None = None
) -> Page[StateChange]:
    """What has changed and what was refused, newest first."""
    limit = inputs.amount("limit", limit)
    before = None if cursor is None else inputs.amount("cursor", read_cursor(cursor, int), most=MAX_VERSION)
    rows = await database.read(caller.tenant, "state_history_before", conversation, before, limit + 1)
    items = [_state_change(row) for row in rows[:limit]]
    return Page(items=items, cursor=write_cursor(rows[limit - 1]["id"]) if len(rows) > limit else None)


async def _change(
    database: Database,
    caller: Caller,
    conversation: str,
    asked: Asked,
    decide: Callable[[Current], Outcome],
) -> State:
    """Lock, decide, save. What a rule refuses is written down and committed before it is raised."""
    if asked.version is not None:
        inputs.amount("version", asked.version, most=MAX_VERSION, least=0)
    async with database.transaction(caller.tenant) as transaction:
        current = await _locked(transaction, conversation)
        _check_version(current, asked.version)
        outcome = decide(current)
        for refusal in outcome.refused:
            if not refusal.by_rule:
                raise Invalid(refusal.field, refusal.problem)
        state = await _saved(transaction, caller, current, asked, outcome)
    for refusal in outcome.refused:
        raise Refused(refusal.problem)
    return state


async def _saved(
    transaction: Transaction, caller: Caller, current: Current, asked: Asked, outcome: Outcome
) -> State:
    """Write down what changed and what was refused. What changes nothing makes no version, but an action that was
    done again was done.
    """
    before, after, cause = current.snapshot, outcome.after, asked.cause
    refused = _reasons(outcome)
    if _sorted(after) == _sorted(before) and (refused or asked.change != "action"):
        if refused:
            patch = _storable(asked.patch)
            await transaction.run(
                "record_refused_change",
                current.conversation,
                current.version,
                current.last_seq,
                cause.kind,
                cause.ref,
                patch,
                before.step,
                None if patch is None else _wanted(asked.patch),
                refused,
                caller.actor,
            )
        return current.state()
    return await _written(transaction, caller, current, asked, outcome)


async def _written(
    transaction: Transaction, caller: Caller, current: Current, asked: Asked, outcome: Outcome
) -> State:
    """A new version."""
    after, cause = outcome.after, asked.cause
    status = msgspec.structs.replace(current, snapshot=after).state().status
    row = await transaction.row(
        "save_state",
        current.conversation,
        None if current.workflow is None else current.workflow.name,
        current.workflow_version,
        after.step,
        inputs.json_text("draft", after.draft),
        after.last_action,
        inputs.json_text("metadata", after.metadata),
        asked.change,
        cause.kind,
        cause.ref,
        _storable(asked.patch),
        current.snapshot.step,
        _reasons(outcome),
        caller.actor,
        status,
    )
    assert row is not None
    if asked.change == "action":
        await _say(transaction, caller, current, after.last_action)
    return msgspec.structs.replace(
        current, snapshot=after, version=row["version"], created_at=row["created_at"], updated_at=row["updated_at"]
    ).state()


async def _say(transaction: Transaction, caller: Caller, current: Current, name: str | None) -> None:
    """The system message of an action, in the same transaction: nobody sees the one without the other."""
    action = None if current.workflow is None or name is None else current.workflow.action(name)
    if action is not None and action.says:
        message = ("system", action.says, None, None, None, None, None, None)
        id = current.conversation
        await transaction.run("append_message", id, caller.actor, None, None, new_id(), False, *message)


def _check_version(current: Current, version: int | None) -> None:
    if version is not None and version != current.version:
        raise Conflict(f"the state is at version {current.version}, not {version}; read it again, then repeat")


async def _locked(transaction: Transaction, conversation: str) -> Current:
    return _found(conversation, await transaction.row("lock_state", conversation))


def _found(conversation: str, row: Row | None) -> Current:
    if row is None:
        raise NotFound("conversation", conversation)
    return current_from(conversation, row)


def _reasons(outcome: Outcome) -> str | None:
    return "; ".join(map(str, outcome.refused))[:MAX_REFUSED] or None


def _storable(patch: object) -> str | None:
    """A patch for the history, unless it is one that the database cannot hold."""
    try:
        return inputs.json_text("patch", patch)
    except Invalid:
        return None


def _wanted(patch: object) -> str | None:
    """The step that a patch asks for."""
    if not isinstance(patch, Mapping):
        return None
    asked = cast("Mapping[str, object]", patch)
    step = asked.get("workflowStep", asked.get("step"))
    return step[: inputs.MAX_ID] if isinstance(step, str) else None


def _state_change(row: Row) -> StateChange:
    return StateChange(
        version=row["version"],
        change=row["change"],
        cause=Cause(row["cause"], row["ref"]),
        after_message=row["at_seq"],
        patch=decoded(row["patch"]),
        from_step=row["from_step"],
        to_step=row["to_step"],
        refused=row["refused"],
        actor=row["actor"],
        at=row["at"],
    )
