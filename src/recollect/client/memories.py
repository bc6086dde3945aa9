"""Memories over HTTP: remember, recall, list, change, forget."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import UNSET, UnsetType

from recollect import inputs
from recollect.client.calls import Call, body, match, named, numbered, once, reading, whole_body
from recollect.client.door import Part
from recollect.ids import new_id
from recollect.records import OVER, STATUSES, Digested, Hit, Memory, MemoryVersion, Page, Refusal, Source, Template


def _at(id: str | UUID, rest: str = "") -> str:
    return f"/api/memories/{numbered('id', id)}{rest}"


def _of(agent: str, rest: str) -> str:
    return f"/api/agents/{named('agent', agent)}/{rest}"


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
        asked = body(
            key_point=text,
            category=category,
            importance=importance,
            pinned=pinned,
            expires_at=expires_at,
            valid_from=valid_from,
            source=source,
            author=author,
            trust=trust,
            context=context,
        )
        return await self._make(_of(agent, "memories"), user, asked)

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
        asked = body(template=template, fields=fields, expires_at=expires_at, source=source)
        return await self._make(_of(agent, "memories/from-template"), user, asked)

    async def templates(self) -> list[Template]:
        """The templates there are: those that come with us, and the tenant's own."""
        return await self._http.ask(list[Template], reading("/api/templates"))

    async def define_template(
        self, name: str, pattern: str, *, category: str | None = None, importance: float = 0.5
    ) -> Template:
        """Add or change a template: a pattern with fields in braces, like ``user collects {what}``."""
        asked = body(pattern=pattern, category=category, importance=inputs.share("importance", importance))
        path = f"/api/templates/{named('name', name)}"
        return await self._http.ask(Template, Call(method="PUT", path=path, content=asked, again=True))

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
        asked = body(query=query, limit=limit, threshold=threshold, as_of=as_of, over=over)
        call = Call(
            method="POST",
            path=_of(agent, "recall"),
            params={"user": self._whose(user)},
            content=asked,
            again=True,
        )
        return await self._http.ask(list[Hit], call)

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
        status = inputs.choice("status", status, STATUSES)
        asked = {"category": category, "text": text, "status": status, "as_of": as_of}
        asked |= {"min_importance": min_importance}
        place = {"limit": limit, "cursor": cursor, "offset": offset}
        return await self._http.ask(
            Page[Memory], reading(_of(agent, "memories"), user=self._whose(user), **asked, **place)
        )

    async def memory(self, id: str | UUID) -> Memory:
        """One memory by its id."""
        return await self._http.ask(Memory, reading(_at(id)))

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
        given = {"key_point": text, "importance": importance, "pinned": pinned}
        clearable = {"category": category, "expires_at": expires_at}
        asked = whole_body(
            {name: value for name, value in given.items() if value is not None}
            | {name: value for name, value in clearable.items() if value is not UNSET}
        )
        return await self._http.ask(
            Memory, Call(method="PUT", path=_at(id), content=asked, headers=match(version))
        )

    async def history(self, id: str | UUID) -> list[MemoryVersion]:
        """Every version of a memory, oldest first."""
        return await self._http.ask(list[MemoryVersion], reading(_at(id, "/versions")))

    async def undo(self, id: str | UUID, to: int | None = None) -> Memory:
        """Make an earlier version of a memory the current one again; by default the one before."""
        headers = once(str(new_id()))
        call = Call(method="POST", path=_at(id, "/undo"), content=body(to=to), headers=headers, again=True)
        return await self._http.ask(Memory, call)

    async def release(self, id: str | UUID) -> Memory:
        """Let a quarantined memory take part."""
        return await self._http.ask(Memory, Call(method="POST", path=_at(id, "/release")))

    async def forget(self, id: str | UUID, *, version: int | None = None) -> None:
        """Delete a memory with its versions and vectors. It is not learned again, from whatever message, until a
        person says it by ``remember`` or ``revise``.

        Conflict if ``version`` is given and no longer the current one.
        """
        await self._http.send(Call(method="DELETE", path=_at(id), headers=match(version), again=True, ends=True))

    async def consolidate(self, user: str, agent: str) -> Digested:
        """Merge what the agent's pool says twice, now; by itself this happens at every tenth update of a pool."""
        params = {"user": self._whose(user)}
        return await self._http.ask(
            Digested, Call(method="POST", path=_of(agent, "memories/summarize"), params=params)
        )

    async def refusals(self, user: str, agent: str, *, limit: int = 50) -> list[Refusal]:
        """What was not learned about a user, and why, newest first."""
        asked = reading(_of(agent, "refusals"), user=self._whose(user), limit=limit)
        return await self._http.ask(list[Refusal], asked)

    async def _make(self, path: str, user: str, asked: bytes) -> Memory:
        params, headers = {"user": self._whose(user)}, once(str(new_id()))
        call = Call(method="POST", path=path, params=params, content=asked, headers=headers, again=True)
        return await self._http.ask(Memory, call)
