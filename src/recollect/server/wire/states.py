"""States of conversations and their history, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recollect.server.wire.view import View
from recollect.workflows.records import State


class StateView(View, frozen=True, kw_only=True):
    """A conversation's working memory."""

    conversation: str
    workflow: str | None
    workflow_version: int
    step: str | None
    status: str | None
    draft: dict[str, Any]
    missing: list[str]
    moves: list[str]
    actions: list[str]
    last_action: str | None
    metadata: dict[str, Any]
    version: int
    created_at: datetime | None
    updated_at: datetime | None
    summary: str
    draft_name: str
    ids: list[str]
    agent_state: dict[str, Any]
    """The same as clients of chats with a workflow know it."""


class CauseView(View, frozen=True, kw_only=True):
    """Why a state changed."""

    kind: str
    ref: str | None


class StateChangeView(View, frozen=True, kw_only=True):
    """One entry of a state's history."""

    version: int
    change: str
    cause: CauseView
    after_message: int
    patch: dict[str, Any] | None
    from_step: str | None
    to_step: str | None
    refused: str | None
    actor: str
    at: datetime


class StateChanges(View, frozen=True, kw_only=True):
    """A page, newest first."""

    items: list[StateChangeView]
    cursor: str | None


def state_view(one: State) -> StateView:
    """A state."""
    own = [name for name in StateView.__struct_fields__ if name not in ("agent_state", "ids")]
    fields = {name: getattr(one, name) for name in own}
    return StateView(**fields, ids=list(one.ids), agent_state=one.as_agent_state())
