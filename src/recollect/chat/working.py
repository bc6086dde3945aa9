"""What a turn wants of the state: tried at once on a copy, done at the end with everything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.chat.actions import perform
from recollect.chat.desk import Desk
from recollect.storage.database import Transaction
from recollect.workflows import machine
from recollect.workflows import store as states
from recollect.workflows.current import Current
from recollect.workflows.definition import Kind
from recollect.workflows.records import Cause, State


class Update(msgspec.Struct, frozen=True):
    """A patch of the state."""

    patch: object


class Action(msgspec.Struct, frozen=True):
    """An action of the workflow."""

    name: str
    arguments: dict[str, Any]


class Working:
    """The state as it will be at the end of the turn, and the changes that lead there."""

    def __init__(self, current: Current | None, kind: Kind) -> None:
        self._current = current
        self._kind: Kind = kind
        self.changes: list[Update | Action] = []
        self.after: State | None = None if current is None else current.state()

    @property
    def current(self) -> Current | None:
        """The state as it would be now."""
        return self._current

    def update(self, patch: object) -> list[str]:
        """Take up a patch; what of it will be refused."""
        self.changes.append(Update(patch))
        if self._current is None:
            return ["there is no state to update"]
        outcome = machine.updated(
            self._current.workflow, self._current.snapshot, patch, self._kind, forgiving=True
        )
        self._current = msgspec.structs.replace(self._current, snapshot=outcome.after)
        return [str(refusal) for refusal in outcome.refused]

    def act(self, name: str, arguments: Mapping[str, Any]) -> list[str]:
        """Take up an action; why it will be refused, if it will."""
        if self._current is None:
            return ["there is no workflow"]
        outcome = machine.acted(self._current.workflow, self._current.snapshot, name)
        if not outcome.refused:
            self.changes.append(Action(name, dict(arguments)))
        self._current = msgspec.structs.replace(self._current, snapshot=outcome.after)
        return [str(refusal) for refusal in outcome.refused]

    async def carry_out(self, transaction: Transaction, desk: Desk, asked: int) -> list[str]:
        """Do it, on the state as it stands then; returns what was refused."""
        refused: list[str] = []
        for change in self.changes:
            if isinstance(change, Update):
                why = Cause(self._kind, str(asked))
                applied = await states.apply_update(transaction, desk.caller, desk.conversation, change.patch, why)
                self.after = applied.state
                refused += applied.refused
            else:
                # A person or a tool may do what a model must not claim by itself.
                kind: Kind = "tool" if self._kind == "model" else self._kind
                self.after, no = await perform(
                    transaction,
                    desk.caller,
                    desk.conversation,
                    change.name,
                    change.arguments,
                    Cause(kind, change.name if kind == "tool" else str(asked)),
                )
                refused += no
        return [f"state: {one}" for one in refused]
