"""Memories: remember, recall, list, change, forget."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import UNSET, UnsetType

from recollect import inputs
from recollect.door.part import Part
from recollect.recall.candidates import RELATED
from recollect.recall.memories import recall_memories, recalled
from recollect.records import OVER, Digested, Hit, Memory, MemoryVersion, Page, Refusal, Source, Template
from recollect.remember import memories, revising, templates
from recollect.remember.insight import insight


class Memories(Part):
    """What agents know about users."""

    async def remember(
        self,
        text: str,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | None = None,
        valid_from: datetime | None = None,
        source: Source | None = None,
        author: str | None = None,
        trust: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Remember one short insight about a user. The same thing said again refreshes what is there.

        ``author`` is ``user`` (the default), ``agent``, ``tool`` or ``extractor:<model>``; what is not
        ``trusted`` waits in quarantine until ``release``.
        """
        given = insight(
            {
                "text": text,
                "category": category,
                "importance": importance,
                "pinned": pinned,
                "expires_at": expires_at,
                "valid_from": valid_from,
                "source": source,
                "author": author,
                "trust": trust,
                "context": context,
            }
        )
        return await memories.remember(self._database, self._caller, self._models.embedders, given, user, agent)

    async def remember_as(
        self,
        template: str,
        fields: Mapping[str, str],
        user: str,
        agent: str,
        *,
        expires_at: datetime | None = None,
        source: Source | None = None,
    ) -> Memory:
        """Remember by a template: ``remember_as("allergy", {"what": "peanuts"}, user=…, agent=…)``."""
        chosen = await templates.named(self._database, self._caller, template)
        return await self.remember(
            templates.filled(chosen, fields),
            user,
            agent,
            category=chosen.category,
            importance=chosen.importance,
            expires_at=expires_at,
            source=source,
            context={"template": chosen.name},
        )

    async def templates(self) -> list[Template]:
        """The templates there are: those that come with us, and the tenant's own."""
        return await templates.listed(self._database, self._caller)

    async def define_template(
        self, name: str, pattern: str, *, category: str | None = None, importance: float = 0.5
    ) -> Template:
        """Add or change a template: a pattern with fields in braces, like ``user collects {what}``."""
        template = Template(name, pattern, category, importance)
        return await templates.define(self._database, self._caller, template)

    async def recall(
        self,
        query: str,
        user: str,
        agent: str,
        *,
        limit: int = 5,
        threshold: float | None = None,
        as_of: datetime | None = None,
        over: str = "memories",
    ) -> list[Hit]:
        """What belongs to the query, best first; nothing when nothing does.

        ``over`` is ``memories``, ``messages`` (everything that was said) or ``both``. ``threshold`` is on a scale
        where 0.5 means "related"; this is the default, but of messages only the best must come to it. ``as_of``
        asks as at another time: what is known to have been true then, what had been said by the end of that day,
        and what "last week" meant.
        """
        over = inputs.choice("over", over, OVER)
        embedders = self._models.embedders
        hits: list[Hit] = []
        if over != "messages":
            least = RELATED if threshold is None else threshold
            hits += await recall_memories(
                self._database, self._caller, embedders, query, user, agent, limit, least, as_of
            )
        if over != "memories":
            from recollect.recall.messages import recall_messages  # loads numpy

            said = await recall_messages(
                self._database,
                self._caller,
                embedders,
                query,
                user,
                agent,
                limit,
                as_of=as_of,
                threshold=threshold,
            )
            recalled(self._caller, "messages", len(said))
            hits += said
        return sorted(hits, key=lambda hit: -hit.score)[:limit] if over != "memories" else hits

    async def memories(
        self,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        text: str | None = None,
        status: str = "active",
        as_of: datetime | None = None,
        min_importance: float | None = None,
        limit: int = 50,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Memory]:
        """The memories of the agent's pool, newest first; ``text`` filters by a part of the text."""
        return await memories.listed(
            self._database,
            self._caller,
            user,
            agent,
            category,
            text,
            status,
            as_of,
            limit,
            cursor,
            offset,
            min_importance,
        )

    async def memory(self, id: str | UUID) -> Memory:
        """One memory by its id."""
        return await memories.by_id(self._database, self._caller, id)

    async def revise(
        self,
        id: str | UUID,
        text: str | None = None,
        *,
        version: int | None = None,
        category: str | UnsetType | None = UNSET,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | UnsetType | None = UNSET,
    ) -> Memory:
        """Change what is given; Conflict if ``version`` is no longer the current one.

        ``category=None`` and ``expires_at=None`` take these away; what is not given stays.
        """
        change = revising.Change(
            text=text, category=category, importance=importance, pinned=pinned, expires_at=expires_at
        )
        return await revising.revise(self._database, self._caller, self._models.embedders, id, change, version)

    async def history(self, id: str | UUID) -> list[MemoryVersion]:
        """Every version of a memory, oldest first."""
        return await revising.history(self._database, self._caller, id)

    async def undo(self, id: str | UUID, to: int | None = None) -> Memory:
        """Make an earlier version of a memory the current one again; by default the one before."""
        return await revising.undo(self._database, self._caller, self._models.embedders, id, to)

    async def release(self, id: str | UUID) -> Memory:
        """Let a quarantined memory take part."""
        return await revising.release(self._database, self._caller, id)

    async def forget(self, id: str | UUID, *, version: int | None = None) -> None:
        """Delete a memory with its versions and vectors. It is not learned again, from whatever message, until a
        person says it by ``remember`` or ``revise``.

        Conflict if ``version`` is given and no longer the current one.
        """
        await revising.forget(self._database, self._caller, id, version)

    async def forget_all(self, user: str, agent: str) -> int:
        """Forget all memories of the agent's pool about a user at once, those that were replaced, have expired or
        wait in quarantine included; returns how many there were."""
        return await revising.forget_all(self._database, self._caller, user, agent)

    async def consolidate(self, user: str, agent: str) -> Digested:
        """Merge what the agent's pool says twice, now; by itself this happens at every tenth update of a pool."""
        from recollect.remember.consolidate import consolidate

        user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
        return Digested(
            done=1, **await consolidate(self._database, self._caller, self._models.embedders, user, agent)
        )

    async def refusals(self, user: str, agent: str, *, limit: int = 50) -> list[Refusal]:
        """What was not learned about a user, and why, newest first."""
        return await memories.refusals(self._database, self._caller, user, agent, limit)
