"""What a workflow is: named steps with moves, a draft with its schema, and guarded actions. All are frozen."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

#: What can be the cause of a change.
Kind = Literal["message", "tool", "person", "model", "system"]


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An allowed move to another step."""

    to: str
    needs: tuple[str, ...] = ()
    """Fields of the draft that must be filled in before."""
    by: tuple[Kind, ...] = ()
    """Which causes may make it; empty means any. What a model must not do by itself leaves out ``model``."""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step, and where it leads."""

    name: str
    title: str | None = None
    description: str | None = None
    """What is to be done here, for people and for the prompt."""
    status: str | None = None
    """What the conversation's status becomes here."""
    required: tuple[str, ...] = ()
    """Fields of the draft that this step is there to fill in: those that are not are the missing ones."""
    moves: tuple[Move, ...] = ()

    @property
    def label(self) -> str:
        """What a person reads."""
        return self.title or self.name


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that happens outside, such as sending, and that is allowed at some steps only."""

    name: str
    steps: tuple[str, ...]
    """Where it is allowed."""
    needs: tuple[str, ...] = ()
    """Fields of the draft that must be filled in before."""
    to: str | None = None
    """The step that it leads to."""
    says: str | None = None
    """A system message that is stored when it was done."""


class Workflow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Named steps, allowed moves, a draft with its schema, required fields and guarded actions."""

    name: str
    start: str
    steps: tuple[Step, ...]
    title: str | None = None
    description: str | None = None
    draft_name: str = "draft"
    """What the draft is called in an update and in an agent state, such as ``rfpDraft``."""
    draft: dict[str, Any] = msgspec.field(default_factory=lambda: {"type": "object"})
    """The schema of the draft."""
    ids: tuple[str, ...] = ()
    """Ids from outside, such as ``rfpId``, that stand beside the draft; they are kept in the metadata."""
    actions: tuple[Action, ...] = ()

    def step(self, name: str | None) -> Step | None:
        """The step of this name."""
        return next((step for step in self.steps if step.name == name), None)

    def action(self, name: str) -> Action | None:
        """The action of this name."""
        return next((action for action in self.actions if action.name == name), None)
