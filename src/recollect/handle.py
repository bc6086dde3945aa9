"""One conversation in hand: what it is, and everything that can be done with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, overload

import msgspec

from recollect.chat import actions
from recollect.chat import store as turns
from recollect.chat.desk import Desk, Equipment
from recollect.chat.records import Done, Ended, Event, Kept, Known, Reply, Turn
from recollect.conversations import append, document, export, history, lifecycle
from recollect.conversations.incoming import draft, drafts
from recollect.live.following import follow
from recollect.live.records import LiveEvent
from recollect.models.generations import Embedders
from recollect.ports import Counter, Embedder, LanguageModel
from recollect.records import AsBytes, AsText, Caller, Conversation, MemoryDocument, Message, Page, Summary
from recollect.storage.database import Database
from recollect.workflows import store as states
from recollect.workflows.current import current_from_json
from recollect.workflows.records import Cause, State, StateChange

if TYPE_CHECKING:
    from recollect.recall.context import Fetched
    from recollect.recall.pack import Context


class Models:
    """What understands and counts text, made when first needed: whoever only stores messages loads nothing."""

    def __init__(
        self,
        make_embedder: Callable[[], Embedder],
        make_counter: Callable[[], Counter],
        embedder_named: Callable[[str], Embedder | None] = lambda _: None,
        make_language: Callable[[str, str | None], LanguageModel | None] = lambda _tenant, _model: None,
    ) -> None:
        self._make_embedder = cache(make_embedder)
        self._make_embedders = cache(lambda: Embedders(self.embedder, embedder_named))
        self._make_counter = cache(make_counter)
        self._make_language = cache(make_language)

    @property
    def embedder(self) -> Embedder:
        """Turns text into vectors, as the settings say."""
        return self._make_embedder()

    def language(self, tenant: str, model: str | None = None) -> LanguageModel | None:
        """Answers prompts, within the tenant's budget; None where everything goes the offline way. ``model`` is
        one that an agent has for itself."""
        return self._make_language(tenant, model)

    @property
    def embedders(self) -> Embedders:
        """The same, and what served before it."""
        return self._make_embedders()

    @property
    def counter(self) -> Counter:
        """Counts tokens."""
        return self._make_counter()


class Chat:
    """One conversation in hand: what it is, as last seen, and what can be done with it."""

    def __init__(
        self,
        database: Database,
        caller: Caller,
        models: Models,
        record: Conversation,
        equipment: Equipment | None = None,
    ) -> None:
        self._database = database
        self._caller = caller
        self._models = models
        self._record = record
        self._equipment = equipment or Equipment()

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

    async def messages(
        self, limit: int = 50, cursor: str | None = None, *, before: int | None = None
    ) -> Page[Message]:
        """A page of the whole history, oldest first.

        With ``before``, the last ones before the message of this number; the cursor then goes further back.
        """
        return await history.page(self._database, self._caller, self.id, limit, cursor, before)

    async def message(self, id: str) -> Message:
        """One message by its id."""
        return await history.message(self._database, self._caller, self.id, id)

    async def memory_document(self) -> MemoryDocument:
        """The document that is kept beside its messages, free in form; version 0 if there is none."""
        return await document.read(self._database, self._caller, self.id)

    async def save_memory_document(
        self, value: Mapping[str, Any], *, version: int | None = None
    ) -> MemoryDocument:
        """Replace the document. Conflict if ``version`` is no longer the current one."""
        return await document.save(self._database, self._caller, self.id, value, version)

    async def context(self, message: str, *, budget: int | None = None, window: int | None = None) -> Context:
        """What the next prompt needs, packed into ``budget`` tokens: instructions, notes, related memories, the
        state, a summary of what is older than the window, and the newest messages with this one last. Budget and
        window are the agent's, unless given; where a workflow leads, the window is the last three messages.
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
            lambda fetched: _state_in_words(self.id, fetched),
        )

    async def say(self, message: str, *, key: str | None = None) -> Reply:
        """A whole turn: store the message, fetch the context, let the agent answer, save what it says and does.

        ``key`` makes it exactly-once: the same call again gives the saved reply, or goes on where it broke off.
        Unavailable if the model is; Busy while another message of this conversation is being answered. Whoever
        stops waiting does not stop it.
        """
        from recollect.chat.turn import say

        return self._heard(await say(self._desk, message, key))

    async def stream(self, message: str, *, key: str | None = None) -> AsyncGenerator[Event]:
        """The same, event by event: ``Started``, ``Piece`` of text, ``ToolCalled``, ``ToolAnswered``, and ``Done``
        with the reply, which is saved then."""
        from recollect.chat.turn import stream

        async with aclosing(stream(self._desk, message, key)) as events:
            async for event in events:
                if isinstance(event, Done):
                    self._heard(event.reply)
                yield event

    async def enrich(self, messages: Sequence[Mapping[str, Any]], *, retried: bool = False) -> Context:
        """For a client that asks a model itself: its ``messages``, in OpenAI's form, with what is known in front.

        Notes, related memories and the state join its system message; the agent's instructions come along where it
        has none, and the window where it sent nothing but the turn that is going on. It stores nothing.
        """
        from recollect.chat.beside.enriching import enrich  # loads the models' libraries
        from recollect.chat.beside.reading import read

        return await enrich(self._desk, messages, read(messages), retried)

    async def keep(
        self,
        messages: Sequence[Mapping[str, Any]],
        reply: Mapping[str, Any] | None = None,
        *,
        before: Kept | None = None,
        ended: Ended | None = None,
        retried: bool = False,
    ) -> Kept:
        """Store what a client said to a model itself: of its ``messages`` the turn that is going on, as far as it
        is not stored yet, and the model's ``reply``. Whoever stops waiting does not stop it.

        ``before`` is what an earlier call returned, when the reply comes later than the question; ``ended`` says
        what the turn cost. ``retried`` says that the client knows that it sends this again.
        """
        from recollect.chat.beside.keeping import keep
        from recollect.chat.beside.reading import read

        said = None if reply is None else draft(reply, "reply")
        work = keep(self._desk, read(messages), said, ended, before, retried)
        return await asyncio.shield(self._equipment.start(work))

    async def live(self, after: str | None = None, *, beats: bool = False) -> AsyncGenerator[LiveEvent]:
        """What changes in this conversation, as it happens: messages, title, state. See ``Door.live``."""
        listening = follow(self._database, self._caller, self.user, after, conversation=self.id, beats=beats)
        async with aclosing(listening) as events:
            async for event in events:
                yield event

    async def turns(self, limit: int = 20) -> list[Turn]:
        """The records of its turns, newest first: which model, what each section cost, what went wrong."""
        found = await turns.listed(self._database, self._caller, self.id, limit)
        if not found:
            await history.must_exist(self._database, self._caller, self.id)
        return found

    async def known(self, reply: int) -> Known:
        """What the agent knew when it gave a reply: the memories, notes, state and messages that were sent."""
        from recollect.chat.known import known  # loads what finds memories

        return await known(self._database, self._caller, self.id, reply)

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

    async def act(
        self,
        action: str,
        *,
        version: int | None = None,
        cause: Cause | str | None = None,
        key: str | None = None,
        **arguments: Any,
    ) -> State:
        """Do a guarded action of the workflow, such as ``send_rfp``: its step, the status, a system message and an
        entry in the outbox together, which is delivered afterwards with the ``arguments``. Refused, and recorded,
        where it is not allowed. With a ``key``, once however often it is called.
        """
        return self._seen(await actions.act(self._desk, action, arguments, version=version, cause=cause, key=key))

    async def state_history(self, limit: int = 50, cursor: str | None = None) -> Page[StateChange]:
        """What has changed in the state and what was refused, with the cause, newest first."""
        page = await states.history(self._database, self._caller, self.id, limit, cursor)
        if not page.items:
            await history.must_exist(self._database, self._caller, self.id)
        return page

    async def undo_state(
        self, to: int | None = None, *, version: int | None = None, cause: Cause | str | None = None
    ) -> State:
        """Go back to an earlier version of the state, by default the one before; this makes a new version.
        Conflict if ``version`` is no longer the current one."""
        return self._seen(await states.undo(self._database, self._caller, self.id, to, version, cause))

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
        """Delete its messages, its summary and its document, and let its state begin anew: a draft may quote what
        is deleted.
        Numbers are not used again: the next message gets the next one.
        """
        self._record = await lifecycle.clear(
            self._database,
            self._caller,
            self.id,
            lambda transaction: states.begin_anew(transaction, self._caller, self.id, Cause("system", "clear")),
        )

    async def pop(self) -> Message | None:
        """Take back the newest message and return it; None if there is none. Its number is not used again."""
        return await lifecycle.pop(self._database, self._caller, self.id)

    async def delete(self) -> None:
        """Delete it with everything in it."""
        await lifecycle.delete(self._database, self._caller, self.id)

    @overload
    async def export(self, format: AsText = "json") -> str: ...
    @overload
    async def export(self, format: AsBytes) -> bytes: ...
    async def export(self, format: str = "json") -> str | bytes:
        """The whole conversation as ``json`` or ``markdown`` text, or as the bytes of a ``pdf``, with its state if
        there is one."""
        return await export.export(
            self._database,
            self._caller,
            self.id,
            format,
            lambda transaction: states.outline(transaction, self.id),
        )

    def _seen(self, state: State) -> State:
        """The step's status is the conversation's."""
        if state.status is not None:
            self._record = msgspec.structs.replace(self._record, status=state.status)
        return state

    def _heard(self, reply: Reply) -> Reply:
        if reply.state is not None:
            self._seen(reply.state)
        return reply

    @property
    def _desk(self) -> Desk:
        return Desk(
            database=self._database,
            caller=self._caller,
            models=self._models,
            equipment=self._equipment,
            conversation=self.id,
        )


def _state_in_words(conversation: str, fetched: Fetched) -> str:
    return "" if fetched.state is None else current_from_json(conversation, fetched.state).state().summary
