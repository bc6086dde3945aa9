"""Agents, as they are sent."""

from __future__ import annotations

from recollect.server.wire.view import View


class AgentView(View, frozen=True, kw_only=True):
    """How an agent is set up."""

    agent: str
    instructions: str
    window: int
    budget: int
    pool: str
    learn_every: int
    workflow: str | None
    model: str | None
    version: int
