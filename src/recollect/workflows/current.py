"""A state together with the workflow that it follows, as one row of the database holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from recollect.storage.database import Row
from recollect.storage.rows import decoded
from recollect.workflows import machine
from recollect.workflows.definition import Workflow
from recollect.workflows.reading import shipped, stored
from recollect.workflows.records import Snapshot, State
from recollect.workflows.summary import summary


class Current(msgspec.Struct, frozen=True, kw_only=True):
    """A state with the workflow that it follows, as one row holds them."""

    conversation: str
    workflow: Workflow | None
    workflow_version: int
    snapshot: Snapshot
    version: int
    created_at: datetime | None
    updated_at: datetime | None
    last_seq: int

    def state(self) -> State:
        """What callers see."""
        workflow, snapshot = self.workflow, self.snapshot
        step = None if workflow is None else workflow.step(snapshot.step)
        return State(
            conversation=self.conversation,
            workflow=None if workflow is None else workflow.name,
            workflow_version=self.workflow_version,
            step=snapshot.step,
            draft=snapshot.draft,
            last_action=snapshot.last_action,
            metadata=snapshot.metadata,
            status=None if step is None else step.status,
            missing=machine.missing(workflow, snapshot),
            moves=[move.to for move in machine.open_moves(workflow, snapshot)],
            actions=[action.name for action in machine.open_actions(workflow, snapshot)],
            version=self.version,
            created_at=self.created_at,
            updated_at=self.updated_at,
            summary=summary(snapshot, workflow),
            draft_name="draft" if workflow is None else workflow.draft_name,
            ids=() if workflow is None else workflow.ids,
        )


class _Fetched(msgspec.Struct):
    """A row of ``recollect.state_of`` as JSON."""

    workflow: str | None
    workflow_version: int
    definition: msgspec.Raw
    step: str | None
    draft: msgspec.Raw
    last_action: str | None
    metadata: msgspec.Raw
    version: int | None
    created_at: datetime | None
    updated_at: datetime | None
    last_seq: int


def current_from_json(conversation: str, text: str) -> Current:
    """The same as ``current_from``, of a row that came as JSON beside other things."""
    read = msgspec.json.decode(text, type=_Fetched)
    row = {name: getattr(read, name) for name in read.__struct_fields__}
    for name in ("definition", "draft", "metadata"):
        raw = bytes(row[name]).decode()
        row[name] = None if raw == "null" else raw
    return current_from(conversation, row)


def current_from(conversation: str, row: Row | Mapping[str, Any]) -> Current:
    """A row of ``recollect.state_of``; of version 0, at the first step, if nothing has changed it yet."""
    name, definition = row["workflow"], row["definition"]
    # A definition of ours has no row of its own. One that a newer release no longer ships leaves the state free.
    workflow = stored(definition) if definition is not None else shipped().get(name)
    begun = row["version"] is not None
    return Current(
        conversation=conversation,
        workflow=workflow,
        workflow_version=row["workflow_version"],
        snapshot=snapshot_from(row) if begun else machine.beginning(workflow),
        version=row["version"] or 0,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        last_seq=row["last_seq"],
    )


def earlier_from(current: Current, row: Row | None) -> Current:
    """The same as a row of its history has it; as it began, if there is no row."""
    if row is None:
        snapshot = machine.beginning(current.workflow)
        return msgspec.structs.replace(current, snapshot=snapshot, version=0, created_at=None, updated_at=None)
    snapshot = msgspec.json.decode(row["snapshot"], type=Snapshot)
    return msgspec.structs.replace(
        current, snapshot=snapshot, version=row["version"], updated_at=row["updated_at"]
    )


def snapshot_from(row: Row | Mapping[str, Any]) -> Snapshot:
    """What a row of ``recollect.states`` holds."""
    return Snapshot(
        step=row["step"],
        draft=decoded(row["draft"]),
        last_action=row["last_action"],
        metadata=decoded(row["metadata"]),
    )
