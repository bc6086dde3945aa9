"""The door: everything that a caller can do, in one place. HTTP, adapters and the command line all enter here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversations import append, export, history, lifecycle, search
from recollect.conversations.incoming import draft, drafts
from recollect.errors import Invalid
from recollect.records import Caller, Conversation, Hit, Message, Page
from recollect.storage.database import Database


class Door:
    """The memory of one tenant's agents."""

    def __init__(self, database: Database, caller: Caller) -> None:
        self._database = database
        self._caller = caller

    @property
    def tenant(self) -> str:
        """The tenant that this door was opened for; nothing behind it reaches another."""
        return self._caller.tenant

    async def conversation(
        self, user: str | None = None, agent: str | None = None, *, id: str | UUID | None = None
    ) -> Chat:
        """The active conversation of a user and an agent, made if there is none; or the one with this id."""
        if id is not None:
            if user is not None or agent is not None:
                raise Invalid("id", "give either an id, or a user and an agent")
            return self._chat(await lifecycle.by_id(self._database, self._caller, id))
        if user is None or agent is None:
            raise Invalid("user" if user is None else "agent", "is needed when there is no id")
        return self._chat(await lifecycle.go_on(self._database, self._caller, user, agent))

    async def new_conversation(
        self, user: str, agent: str, title: str | None = None, id: str | UUID | None = None
    ) -> Chat:
        """A new conversation, which becomes the active one. Refused if the id is taken."""
        return self._chat(await lifecycle.begin(self._database, self._caller, user, agent, title, id))

    async def conversations(
        self,
        user: str,
        agent: str | None = None,
        *,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """A user's conversations, newest activity first."""
        return await lifecycle.listed(self._database, self._caller, user, agent, archived, limit, cursor)

    async def search(self, query: str, user: str, agent: str | None = None, *, limit: int = 20) -> list[Hit]:
        """Full-text search over a user's messages, best first.

        Every word must occur, in any order and form; ``"a phrase"``, ``-without`` and ``this or that`` work.
        """
        return await search.search(self._database, self._caller, query, user, agent, limit)

    def _chat(self, record: Conversation) -> Chat:
        return Chat(self._database, self._caller, record)


class Chat:
    """One conversation in hand: what it is, as last seen, and what can be done with it."""

    def __init__(self, database: Database, caller: Caller, record: Conversation) -> None:
        self._database = database
        self._caller = caller
        self._record = record

    def __repr__(self) -> str:
        return f"<Chat {self.id} user={self.user!r} agent={self.agent!r}>"

    @property
    def record(self) -> Conversation:
        """All that is known of it, as of the last call that changed it here."""
        return self._record

    @property
    def id(self) -> str:
        """Its id, a UUID as text."""
        return self._record.id

    @property
    def user(self) -> str:
        """Who talks."""
        return self._record.user

    @property
    def agent(self) -> str:
        """To which assistant."""
        return self._record.agent

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""
        return self._record.title

    @property
    def status(self) -> str:
        """Where it stands."""
        return self._record.status

    async def append(
        self,
        role: str,
        content: str | Sequence[Any] | None = None,
        *,
        key: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        name: str | None = None,
        at: datetime | None = None,
        tool_calls: Sequence[Any] | None = None,
        tool_call_id: str | None = None,
    ) -> Message:
        """Store one message, durably and in order.

        ``key`` makes it exactly-once: the same call again gives the same message. ``name`` is who spoke, when
        roles are not enough; ``at`` when it was said, else now.
        """
        given = {
            "role": role,
            "content": content,
            "name": name,
            "metadata": metadata,
            "at": at,
            "tool_calls": tool_calls,
            "tool_call_id": tool_call_id,
        }
        return (await append.append(self._database, self._caller, self.id, [draft(given)], key))[0]

    async def extend(
        self, messages: Sequence[Message | tuple[str, str] | Mapping[str, Any]], *, key: str | None = None
    ) -> list[Message]:
        """Store several messages in one transaction: ``(role, content)``, or mappings with append's fields."""
        return await append.append(self._database, self._caller, self.id, drafts(messages), key)

    async def window(self, limit: int | None = None, *, since: datetime | None = None) -> list[Message]:
        """The newest messages, oldest first: 12, or as many as asked; or those since a point in time."""
        return await history.window(self._database, self._caller, self.id, limit, since)

    async def messages(self, limit: int = 50, cursor: str | None = None) -> Page[Message]:
        """A page of the whole history, oldest first."""
        return await history.page(self._database, self._caller, self.id, limit, cursor)

    async def rename(self, title: str | None) -> None:
        """Give it a title; None takes it away."""
        self._record = await lifecycle.rename(self._database, self._caller, self.id, title)

    async def archive(self, archived: bool = True) -> None:
        """Put it aside: it is no longer the active one and not listed by default. False takes it out again."""
        self._record = await lifecycle.archive(self._database, self._caller, self.id, archived)

    async def activate(self) -> None:
        """Make it the one that its user and agent go on with."""
        await lifecycle.activate(self._database, self._caller, self.id)

    async def clear(self) -> None:
        """Delete its messages. Numbers are not used again: the next message gets the next one."""
        self._record = await lifecycle.clear(self._database, self._caller, self.id)

    async def delete(self) -> None:
        """Delete it with everything in it."""
        await lifecycle.delete(self._database, self._caller, self.id)

    async def export(self, format: str = "json") -> str:
        """The whole conversation as ``json`` or ``markdown``."""
        return await export.export(self._database, self._caller, self.id, format)
