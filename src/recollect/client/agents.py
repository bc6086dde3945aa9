"""Agents and workflows over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.client.calls import Call, body, match, named, reading
from recollect.client.door import Part
from recollect.records import Agent
from recollect.workflows.definition import Workflow
from recollect.workflows.reading import parse, written


class Agents(Part):
    """How agents are set up, and the workflows that lead them."""

    async def agent(self, agent: str) -> Agent:
        """How an agent is set up."""
        return await self._http.ask(Agent, reading(f"/api/agents/{named('agent', agent)}"))

    async def agents(self, user: str | None = None, *, limit: int = 200) -> list[str]:
        """The names of the agents that were set up, and of those that anybody, or this user, has talked to."""
        return await self._http.ask(list[str], reading("/api/agents", user=self._whose_if_any(user), limit=limit))

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
        asked = body(
            instructions=instructions,
            window=window,
            budget=budget,
            pool=pool,
            learn_every=learn_every,
            workflow=workflow,
            model=model,
        )
        path = f"/api/agents/{named('agent', agent)}"
        return await self._http.ask(Agent, Call(method="PUT", path=path, content=asked, headers=match(version)))

    async def define_workflow(self, name: str, definition: Mapping[str, Any] | str) -> Workflow:
        """Add a workflow, or a new version of it: a mapping, or TOML or JSON text.

        Invalid says which step, field or move is wrong. Conversations that have begun go on with the version that
        they began with.
        """
        # Checked here, where the text is at hand; the same one sent again changes nothing.
        content = written(parse(name, definition)).encode()
        path = f"/api/workflows/{named('name', name)}"
        return await self._workflow(Call(method="PUT", path=path, content=content, again=True))

    async def workflow(self, name: str, version: int | None = None) -> Workflow:
        """One workflow, of the tenant's own or of those that come with us (``rfp``, ``support_ticket``)."""
        return await self._workflow(reading(f"/api/workflows/{named('workflow', name)}", version=version))

    async def workflows(self) -> list[Workflow]:
        """All workflows by name."""
        body = await self._http.bytes(reading("/api/workflows"))
        return msgspec.json.decode(body, type=list[Workflow])

    async def _workflow(self, call: Call) -> Workflow:
        """Workflows are written as they are defined, and not in camel case."""
        return msgspec.json.decode(await self._http.bytes(call), type=Workflow)
