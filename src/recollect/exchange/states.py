"""The state of a conversation in a document: what is let in of it, and how it is brought back."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from recollect.errors import Invalid
from recollect.exchange.document import KeptConversation, KeptSnapshot, KeptState, KeptStateChange
from recollect.exchange.workflows import Versions
from recollect.storage.database import Transaction
from recollect.workflows.definition import Workflow
from recollect.workflows.schema import problems

BATCH = 200


def check_state(given: KeptConversation, workflows: Mapping[str, Mapping[int, Workflow]], where: str) -> None:
    """Whether state and history hold together, and fit the workflow that they follow."""
    state = given.state
    workflow = None
    if state is not None:
        workflow = _followed(state, workflows, f"{where}.state")
        _check_snapshot(state, state.workflow, workflow, f"{where}.state")
        if state.version == 0:
            raise Invalid(f"{where}.state.version", "must be at least 1")
    _check_history(given, 0 if state is None else state.version, where)
    for place, one in enumerate(given.state_history):
        if one.snapshot is not None and state is not None:
            at = f"{where}.state_history[{place}].snapshot"
            _check_snapshot(one.snapshot, state.workflow, workflow, at)


def moved_state(given: KeptState | None, versions: Versions) -> KeptState | None:
    """The same under the number that its workflow's version has here."""
    if given is None or given.workflow is None or given.workflow_version == 0:
        return given
    here = versions[given.workflow, given.workflow_version]
    return msgspec.structs.replace(given, workflow_version=here)


async def restore_state(transaction: Transaction, given: KeptConversation) -> None:
    """The state with its history, for a conversation that is new here."""
    state = given.state
    if state is not None:
        await transaction.run(
            "restore_state",
            given.id,
            state.workflow,
            state.workflow_version,
            state.step,
            _json(state.draft),
            state.last_action,
            _json(state.metadata),
            state.version,
            state.created_at,
            state.updated_at,
        )
    for start in range(0, len(given.state_history), BATCH):
        some = given.state_history[start : start + BATCH]
        await transaction.run(
            "restore_state_history",
            given.id,
            [one.version for one in some],
            [one.at_seq for one in some],
            [one.change for one in some],
            [one.cause for one in some],
            [one.ref for one in some],
            [None if one.patch is None else _json(one.patch) for one in some],
            [one.from_step for one in some],
            [one.to_step for one in some],
            [one.refused for one in some],
            [_snapshot(one) for one in some],
            [one.actor for one in some],
            [one.at for one in some],
        )


def _followed(state: KeptState, workflows: Mapping[str, Mapping[int, Workflow]], where: str) -> Workflow | None:
    """The definition that a state follows; None where it is free, or where it is one that comes with a release."""
    if state.workflow_version == 0:
        return None
    found = workflows.get(state.workflow or "", {}).get(state.workflow_version)
    if found is None:
        raise Invalid(f"{where}.workflow_version", "must be that of a workflow in this document, or 0 for ours")
    return found


def _check_snapshot(
    given: KeptState | KeptSnapshot, name: str | None, workflow: Workflow | None, where: str
) -> None:
    if name is None and given.step is not None:
        raise Invalid(f"{where}.step", "cannot be there without a workflow")
    if workflow is None:
        return
    if workflow.step(given.step) is None:
        raise Invalid(f"{where}.step", "must be a step of its workflow")
    for _ in problems(workflow.draft, given.draft, "draft"):
        raise Invalid(f"{where}.draft", "does not fit the draft of its workflow")


def _check_history(given: KeptConversation, last: int, where: str) -> None:
    version, seq = 0, 0
    for place, one in enumerate(given.state_history):
        at = f"{where}.state_history[{place}]"
        lowest = version if one.change == "refused" else version + 1
        if not lowest <= one.version <= last:
            raise Invalid(f"{at}.version", f"must be from {lowest} on, and at most that of the state ({last})")
        if not seq <= one.at_seq <= given.last_seq:
            raise Invalid(f"{at}.at_seq", f"must be from {seq} on, and at most last_seq ({given.last_seq})")
        if one.change == "refused" and one.snapshot is not None:
            raise Invalid(f"{at}.snapshot", "cannot be there: what is refused changes nothing")
        version, seq = one.version, one.at_seq


def _snapshot(change: KeptStateChange) -> str | None:
    """With every field, as it is written when a state changes."""
    kept = change.snapshot
    return None if kept is None else _json({name: getattr(kept, name) for name in kept.__struct_fields__})


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
