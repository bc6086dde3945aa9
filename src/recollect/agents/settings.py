"""An agent's settings: instructions, window, budget, whose memories it shares, and its workflow."""

from __future__ import annotations

from recollect import inputs
from recollect.errors import Conflict, Invalid
from recollect.records import Agent, Caller
from recollect.settings import is_model
from recollect.storage.database import Database
from recollect.storage.rows import agent_from

MAX_INSTRUCTIONS = 256 << 10
MAX_BUDGET = 1_000_000


async def read(database: Database, caller: Caller, agent: str) -> Agent:
    """The settings of an agent; the defaults if it was never set up."""
    agent = inputs.identifier("agent", agent)

    async def load() -> tuple[Agent, float]:
        rows = await database.read(caller.tenant, "agent_settings", agent)
        return agent_from(agent, rows[0] if rows else None), float("inf")

    if database.cache is None:
        return (await load())[0]
    return await database.cache.kept(caller.tenant, ("agent", agent), load)


async def listed(database: Database, caller: Caller, user: str | None, limit: int) -> list[str]:
    """The agents that were set up, and those that anybody, or this user, has talked to."""
    user = None if user is None else inputs.identifier("user", user)
    limit = inputs.amount("limit", limit)
    return [row["agent"] for row in await database.read(caller.tenant, "agents_of_tenant", user, limit)]


async def configure(
    database: Database,
    caller: Caller,
    agent: str,
    instructions: str | None,
    window: int | None,
    budget: int | None,
    pool: str | None,
    learn_every: int | None,
    workflow: str | None,
    model: str | None,
    version: int | None,
) -> Agent:
    """Change what is given, and keep the rest. The workflow is one that exists, or empty for none; so
    is the model."""
    agent = inputs.identifier("agent", agent)
    if model is not None and inputs.text("model", model) and not is_model(model):
        raise Invalid("model", "must be openai:<model>, like openai:gpt-4o-mini")
    if instructions is not None:
        inputs.text("instructions", instructions, MAX_INSTRUCTIONS)
    if version is not None:
        inputs.version("version", version)
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        row = None
        while row is None:  # an agent that was never set up cannot be locked, and another may come first
            old = agent_from(agent, await transaction.row("lock_agent", agent))
            if version is not None and version != old.version:
                raise Conflict(f"agent {agent!r} is at version {old.version}, not {version}; read it again")
            row = await transaction.row(
                "save_agent",
                agent,
                old.instructions if instructions is None else instructions,
                old.window if window is None else inputs.amount("window", window, least=0),
                old.budget if budget is None else inputs.amount("budget", budget, most=MAX_BUDGET),
                old.pool if pool is None else inputs.identifier("pool", pool),
                old.learn_every if learn_every is None else inputs.amount("learn_every", learn_every, least=0),
                old.workflow if workflow is None else workflow or None,
                old.model if model is None else model or None,
                old.version,
            )
        if learn_every is not None:
            await transaction.run("learn_every_in_conversations", agent, learn_every)
        await transaction.run("record_audit", caller.actor, "agent.configure", None, agent)
    return agent_from(agent, row)
