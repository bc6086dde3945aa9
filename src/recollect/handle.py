"""One conversation in hand: what it is, and everything that can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.conversations import append, export, history, lifecycle
from recollect.conversations.incoming import draft, drafts
from recollect.models.generations import Embedders
from recollect.ports import Counter, Embedder, LanguageModel
from recollect.records import Caller, Conversation, Message, Page, Summary
from recollect.storage.database import Database
from recollect.workflows import store as states
from recollect.workflows.records import Cause, State, StateChange

if TYPE_CHECKING:
    from recollect.recall.pack import Context


class Models:
    """What understands and counts text, made when first needed: whoever only stores messages loads nothing."""

    def __init__(
        self,
        make_embedder: Callable[[], Embedder],
        make_counter: Callable[[], Counter],
        embedder_named: Callable[[str], Embedder | None] = lambda _: None,
        make_language: Callable[[str], LanguageModel | None] = lambda _: None,
    ) -> None:
        self._make_embedder = make_embedder
        self._make_counter = make_counter
        self._embedder_named = embedder_named
        self._make_language = cache(make_language)

    @cached_property
    def embedder(self) -> Embedder:
        """Turns text into vectors, as the settings say."""
        return self._make_embedder()

    def language(self, tenant: str) -> LanguageModel | None:
        """Answers prompts, within the tenant's budget; None where everything goes the offline way."""
        return self._make_language(tenant)

    @cached_property
    def embedders(self) -> Embedders:
        """The same, and what served before it."""
        return Embedders(self.embedder, self._embedder_named)

    @cached_property
    def counter(self) -> Counter:
        """Counts tokens."""
        return self._make_counter()


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
        """What the next prompt needs, packed into ``budget`` tokens: instructions, notes, related memories, a
        summary of what is older than the window, and the newest messages with this one last. Budget and window
        are the agent's, unless given.
        """
        from recollect.recall.context import context  # loads the models' libraries

        return await context(
            self._database,
            self._caller,
            self._models.embedders,
            self._models.counter,
            self.id,
            message,
            budget,
            window,
        )

    async def summary(self) -> Summary:
        """What it comes to so far, up to which message, and how its user feels."""
        from recollect.remember.digest.store import summary  # loads lists of words

        return await summary(self._database, self._caller, self.id)

    async def state(self, at: int | None = None) -> State:
        """Its working memory: step, draft, what is missing; or as it stood when message ``at`` was the newest."""
        return await states.read(self._database, self._caller, self.id, at)

    async def update_state(
        self, patch: Mapping[str, Any], *, version: int | None = None, cause: Cause | str | None = None
    ) -> State:
        """Merge a patch into the state: the draft under its name, ``workflowStep``, ``lastAction``, ``metadata``;
        null deletes. Conflict if ``version`` is no longer the current one; a move that is not allowed is Refused.
        ``cause`` says why, such as ``message:12`` or ``tool:search``; a person, if nothing is said.
        """
        return self._seen(await states.update(self._database, self._caller, self.id, patch, version, cause))

    async def move(self, step: str, *, version: int | None = None, cause: Cause | str | None = None) -> State:
        """Go to another step of the workflow. Refused, and recorded, if it has no such move."""
        return self._seen(await states.move(self._database, self._caller, self.id, step, version, cause))

    async def act(self, action: str, *, version: int | None = None, cause: Cause | str | None = None) -> State:
        """Write down that a guarded action of the workflow was done; look at ``state().actions`` before doing it.
        Refused, and recorded, where it is not allowed.
        """
        return self._seen(await states.act(self._database, self._caller, self.id, action, version, cause))

    async def state_history(self, limit: int = 50, cursor: str | None = None) -> Page[StateChange]:
        """What has changed in the state and what was refused, with the cause, newest first."""
        return await states.history(self._database, self._caller, self.id, limit, cursor)

    async def undo_state(self, to: int | None = None, *, cause: Cause | str | None = None) -> State:
        """Go back to an earlier version of the state, by default the one before; this makes a new version."""
        return self._seen(await states.undo(self._database, self._caller, self.id, to, cause))

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
        """Delete its messages and its summary. Numbers are not used again: the next message gets the next one."""
        self._record = await lifecycle.clear(self._database, self._caller, self.id)

    async def delete(self) -> None:
        """Delete it with everything in it."""
        await lifecycle.delete(self._database, self._caller, self.id)

    async def export(self, format: str = "json") -> str:
        """The whole conversation as ``json`` or ``markdown``."""
        return await export.export(self._database, self._caller, self.id, format)

    def _seen(self, state: State) -> State:
        """The step's status is the conversation's."""
        if state.status is not None:
            self._record = msgspec.structs.replace(self._record, status=state.status)
        return state
