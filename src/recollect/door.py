"""The door: everything that a caller can do, in one place. HTTP, adapters and the command line all enter here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from recollect.agents import settings as agents
from recollect.conversations import append, export, history, lifecycle, search
from recollect.conversations.incoming import draft, drafts
from recollect.errors import Invalid
from recollect.notes import store as notes
from recollect.notes.records import Notes, NoteVersion
from recollect.ports import Counter, Embedder
from recollect.recall.memories import recall_memories
from recollect.records import (
    Agent,
    Caller,
    Conversation,
    Hit,
    Memory,
    MemoryVersion,
    Message,
    Page,
    Source,
)
from recollect.remember import memories
from recollect.remember.insight import insight
from recollect.storage.database import Database

if TYPE_CHECKING:
    from recollect.recall.pack import Context


class Models:
    """What understands and counts text, made when first needed: whoever only stores messages loads nothing."""

    def __init__(self, make_embedder: Callable[[], Embedder], make_counter: Callable[[], Counter]) -> None:
        self._make_embedder = make_embedder
        self._make_counter = make_counter

    @cached_property
    def embedder(self) -> Embedder:
        """Turns text into vectors."""
        return self._make_embedder()

    @cached_property
    def counter(self) -> Counter:
        """Counts tokens."""
        return self._make_counter()


class Door:
    """The memory of one tenant's agents."""

    def __init__(self, database: Database, caller: Caller, models: Models) -> None:
        self._database = database
        self._caller = caller
        self._models = models

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
        return await memories.remember(self._database, self._caller, self._models.embedder, given, user, agent)

    async def recall(
        self,
        query: str,
        user: str,
        agent: str,
        *,
        limit: int = 5,
        threshold: float = 0.5,
        as_of: datetime | None = None,
    ) -> list[Hit]:
        """What is known that is related to the query, best first; nothing when nothing is.

        ``threshold`` is on a scale where 0.5 means "related". ``as_of`` asks what was held to be true then.
        """
        return await recall_memories(
            self._database, self._caller, self._models.embedder, query, user, agent, limit, threshold, as_of
        )

    async def memories(
        self,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        text: str | None = None,
        status: str = "active",
        as_of: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """The memories of the agent's pool, newest first; ``text`` filters by a part of the text."""
        return await memories.listed(
            self._database, self._caller, user, agent, category, text, status, as_of, limit, cursor
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
        category: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | None = None,
    ) -> Memory:
        """Change what is given; Conflict if ``version`` is no longer the current one."""
        change = memories.Change(
            text=text, category=category, importance=importance, pinned=pinned, expires_at=expires_at
        )
        return await memories.revise(self._database, self._caller, self._models.embedder, id, change, version)

    async def history(self, id: str | UUID) -> list[MemoryVersion]:
        """Every version of a memory, oldest first."""
        return await memories.history(self._database, self._caller, id)

    async def undo(self, id: str | UUID, to: int | None = None) -> Memory:
        """Make an earlier version of a memory the current one again; by default the one before."""
        return await memories.undo(self._database, self._caller, self._models.embedder, id, to)

    async def release(self, id: str | UUID) -> Memory:
        """Let a quarantined memory take part."""
        return await memories.release(self._database, self._caller, id)

    async def forget(self, id: str | UUID) -> None:
        """Delete a memory with its versions and vectors; it is not learned again from the same messages."""
        await memories.forget(self._database, self._caller, id)

    async def notes(self, user: str, agent: str, *, version: int | None = None) -> Notes:
        """The notes that an agent keeps about a user: one markdown document, empty at first."""
        return await notes.read(self._database, self._caller, user, agent, version)

    async def edit_notes(
        self,
        operation: str,
        content: str | None = None,
        *,
        user: str,
        agent: str,
        section_header: str | None = None,
        version: int | None = None,
    ) -> Notes:
        """Edit the notes: read, overwrite, append, prepend, delete_section_by_header, replace_section_by_header
        or delete_all_notes. Conflict if ``version`` is given and no longer the current one.
        """
        return await notes.edit(
            self._database, self._caller, operation, content, user, agent, section_header, version
        )

    async def notes_history(
        self, user: str, agent: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[NoteVersion]:
        """The versions of the notes, newest first, without their texts."""
        return await notes.history(self._database, self._caller, user, agent, limit, cursor)

    async def diff_notes(self, user: str, agent: str, old: int, new: int) -> str:
        """What changed between two versions, as a unified diff."""
        return await notes.diff(self._database, self._caller, user, agent, old, new)

    async def undo_notes(self, user: str, agent: str, version: int | None = None) -> Notes:
        """Go back to an earlier version of the notes, by default the one before; this makes a new version."""
        return await notes.undo(self._database, self._caller, user, agent, version)

    async def agent(self, agent: str) -> Agent:
        """How an agent is set up."""
        return await agents.read(self._database, self._caller, agent)

    async def configure_agent(
        self,
        agent: str,
        *,
        instructions: str | None = None,
        window: int | None = None,
        budget: int | None = None,
        pool: str | None = None,
        version: int | None = None,
    ) -> Agent:
        """Change what is given. Agents that name the same ``pool`` share their memories."""
        return await agents.configure(
            self._database, self._caller, agent, instructions, window, budget, pool, version
        )

    def _chat(self, record: Conversation) -> Chat:
        return Chat(self._database, self._caller, self._models, record)


class Chat:
    """One conversation in hand: what it is, as last seen, and what can be done with it."""

    def __init__(self, database: Database, caller: Caller, models: Models, record: Conversation) -> None:
        self._database = database
        self._caller = caller
        self._models = models
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
        content: str | list[Any] | None = None,
        *,
        key: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        name: str | None = None,
        at: datetime | None = None,
        tool_calls: list[Any] | None = None,
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

    async def context(self, message: str, *, budget: int | None = None, window: int | None = None) -> Context:
        """What the next prompt needs, packed into ``budget`` tokens: instructions, notes, related memories, and
        the newest messages with this one last. Budget and window are the agent's, unless given.
        """
        from recollect.recall.context import context  # loads the models' libraries

        return await context(
            self._database,
            self._caller,
            self._models.embedder,
            self._models.counter,
            self.id,
            message,
            budget,
            window,
        )

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
