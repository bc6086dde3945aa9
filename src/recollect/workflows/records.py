"""The records of a conversation's state. All are frozen."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.workflows.definition import Kind

KINDS: tuple[Kind, ...] = ("message", "tool", "person", "model", "system")


class Cause(msgspec.Struct, frozen=True):
    """Why a state changed: the kind of cause, and which one it was (a message's number, a tool's name)."""

    kind: Kind = "person"
    ref: str | None = None

    @classmethod
    def of(cls, given: Cause | str | None) -> Cause:
        """A cause as given: one of these, or text like ``tool`` or ``message:12``; a person if nothing is said."""
        kind, ref = "person", None
        if isinstance(given, Cause):
            kind, ref = given.kind, given.ref
        elif given is not None:
            kind, _, ref = inputs.identifier("cause", given).partition(":")
        if kind not in KINDS:
            raise Invalid("cause", f"must be one of {', '.join(KINDS)}, with or without a colon and which one")
        return cls(kind, inputs.identifier("cause", ref) if ref else None)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What a state holds, without what is computed from it."""

    step: str | None = None
    draft: dict[str, Any] = {}
    last_action: str | None = None
    metadata: dict[str, Any] = {}


class State(Snapshot, frozen=True, kw_only=True):
    """A conversation's working memory; of version 0 before anything has changed it."""

    conversation: str
    workflow: str | None
    """The name of the workflow; None where any object is a draft and there are no steps."""
    workflow_version: int = 0
    """Which definition of it: a conversation goes on with the one that it began with. 0 is the one we ship."""
    status: str | None
    """The status of the step."""
    missing: list[str]
    """Fields that the step asks for and the draft does not have; computed, whatever a model says."""
    moves: list[str]
    """The steps that can be moved to now."""
    actions: list[str]
    """The guarded actions that are allowed now."""
    version: int
    created_at: datetime | None = None
    updated_at: datetime | None = None
    summary: str = ""
    """A few lines for the prompt."""
    draft_name: str = "draft"
    ids: tuple[str, ...] = ()

    def as_agent_state(self) -> dict[str, Any]:
        """The state as clients know it, in camel case: workflowStep, the draft under its name, missingFields, …"""
        times = {"startedAt": self.created_at, "lastUpdated": self.updated_at}
        metadata = {name: value for name, value in self.metadata.items() if name not in self.ids}
        return {
            "workflowStep": self.step,
            self.draft_name: self.draft,
            "missingFields": self.missing,
            "lastAction": self.last_action,
            **{name: self.metadata[name] for name in self.ids if name in self.metadata},
            "metadata": metadata | {name: at.isoformat() for name, at in times.items() if at is not None},
        }


class StateChange(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a state's history: what changed or was refused, why, by whom, and after which message."""

    version: int
    """The version of the state after it; a refusal makes none."""
    change: Literal["update", "move", "action", "undo", "refused"]
    cause: Cause
    after_message: int
    """The number of the newest message at that time; 0 if there was none."""
    patch: dict[str, Any] | None
    from_step: str | None
    to_step: str | None
    refused: str | None
    """What was not done, and why."""
    actor: str
    at: datetime


class Applied(msgspec.Struct, frozen=True):
    """What became of a model's update: the state after it, and what of it was dropped, with the reason."""

    state: State
    refused: list[str]
