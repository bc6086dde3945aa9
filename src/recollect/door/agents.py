"""Agents, the workflows that lead them and the functions that they may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from recollect.agents import settings as agents
from recollect.chat.functions import tool_from
from recollect.door.part import Part
from recollect.records import Agent
from recollect.workflows import defined as workflows
from recollect.workflows.definition import Workflow


class Agents(Part):
    """How agents are set up, and what they work by."""

    async def agent(self, agent: str) -> Agent:
        """How an agent is set up."""
        return await agents.read(self._database, self._caller, agent)

    async def agents(self, user: str | None = None, *, limit: int = 200) -> list[str]:
        """The names of the agents that were set up, and of those that anybody, or this user, has talked to."""
        return await agents.listed(self._database, self._caller, user, limit)

    async def configure_agent(
        self,
        agent: str,
        *,
        instructions: str | None = None,
        window: int | None = None,
        budget: int | None = None,
        pool: str | None = None,
        learn_every: int | None = None,
        workflow: str | None = None,
        model: str | None = None,
        version: int | None = None,
    ) -> Agent:
        """Change what is given. Agents that name the same ``pool`` share their memories.

        After every ``learn_every`` messages (10 by default, 0 for never) a conversation is learned from. New
        conversations begin with the ``workflow``, and ``model`` (``openai:<model>``) answers for it; "" takes
        either away.
        """
        if workflow is not None and workflow != "":
            await workflows.named(self._database, self._caller, workflow)
        return await agents.configure(
            self._database,
            self._caller,
            agent,
            instructions,
            window,
            budget,
            pool,
            learn_every,
            workflow,
            model,
            version,
        )

    async def define_workflow(self, name: str, definition: Mapping[str, Any] | str) -> Workflow:
        """Add a workflow, or a new version of it: a mapping, or TOML or JSON text.

        Invalid says which step, field or move is wrong. Conversations that have begun go on with the version that
        they began with.
        """
        return await workflows.define(self._database, self._caller, name, definition)

    async def workflow(self, name: str, version: int | None = None) -> Workflow:
        """One workflow, of the tenant's own or of those that come with us (``rfp``, ``support_ticket``)."""
        return await workflows.named(self._database, self._caller, name, version)

    async def workflows(self) -> list[Workflow]:
        """All workflows by name."""
        return await workflows.listed(self._database, self._caller)

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> Any:
        """Let agents use a function: ``@memory.tool``. Its type hints and its docstring tell the model how; a
        ``schema`` describes the arguments instead. It may be asynchronous; a blocking one runs in a thread.
        """
        if function is None:
            return partial(self.tool, name=name, description=description, schema=schema)
        made = tool_from(function, self._equipment.threads, name=name, description=description, schema=schema)
        self._equipment.tools[made.name] = made
        return function
