"""One conversation at a server: what it is, as last seen, and everything that can be done with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, overload

import httpx
import msgspec

from recollect import inputs
from recollect.chat.records import Done, Event, Known, Reply, Turn
from recollect.client.calls import Call, body, match, message, numbered, once, query, reading, whole_body
from recollect.client.events import event_in, sent
from recollect.client.http import Http
from recollect.client.live import follow
from recollect.conversations.incoming import draft, drafts
from recollect.errors import Invalid
from recollect.ids import new_id
from recollect.live.records import LiveEvent
from recollect.recall.pack import Context
from recollect.records import AsBytes, AsText, Conversation, MemoryDocument, Message, Page, Summary
from recollect.workflows.records import Cause, State, StateChange

#: So that the reply has all that it has in the library.
WHOLE = query(context="true")


class Popped(msgspec.Struct, frozen=True):
    """What was taken back, if there was something."""

    message: Message | None


class Chat:
    """One conversation in hand: what it is, as last seen, and what can be done with it."""

    def __init__(self, http: Http, record: Conversation) -> None:
        self._http = http
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
        asked = msgspec.json.encode(message(draft(given)))
        return await self._http.ask(Message, self._once("/messages", asked, key))

    async def extend(
        self, messages: Sequence[Message | tuple[str, str] | Mapping[str, Any]], *, key: str | None = None
    ) -> list[Message]:
        """Store several messages in one transaction: ``(role, content)``, or mappings with append's fields."""
        asked = msgspec.json.encode({"messages": [message(one) for one in drafts(messages)]})
        return (await self._http.ask(Page[Message], self._once("/messages/batch", asked, key))).items

    async def window(self, limit: int | None = None, *, since: datetime | None = None) -> list[Message]:
        """The newest messages, oldest first: 12, or as many as asked; or those since a point in time."""
        many = {} if limit is None else {"limit": limit}
        return (await self._http.ask(Page[Message], self._read("/window", **many, since=since))).items

    async def messages(
        self, limit: int = 50, cursor: str | None = None, *, before: int | None = None
    ) -> Page[Message]:
        """A page of the whole history, oldest first.

        With ``before``, the last ones before the message of this number; the cursor then goes further back.
        """
        place = {"limit": limit, "cursor": cursor, "before": before}
        return await self._http.ask(Page[Message], self._read("/messages", **place))

    async def message(self, id: str) -> Message:
        """One message by its id."""
        return await self._http.ask(Message, self._read(f"/messages/{numbered('id', id)}"))

    async def memory_document(self) -> MemoryDocument:
        """The document that is kept beside its messages, free in form; version 0 if there is none."""
        return await self._http.ask(MemoryDocument, self._read("/memory"))

    async def save_memory_document(
        self, value: Mapping[str, Any], *, version: int | None = None
    ) -> MemoryDocument:
        """Replace the document. Conflict if ``version`` is no longer the current one."""
        asked = body(value=value)
        call = Call(
            method="PUT", path=self._at("/memory"), content=asked, headers=match(version), again=version is None
        )
        return await self._http.ask(MemoryDocument, call)

    async def context(self, message: str, *, budget: int | None = None, window: int | None = None) -> Context:
        """What the next prompt needs, packed into ``budget`` tokens: instructions, notes, related memories, the
        state, a summary of what is older than the window, and the newest messages with this one last. Budget and
        window are the agent's, unless given; where a workflow leads, the window is the last three messages.
        """
        asked = body(message=message, budget=budget, window=window)
        return await self._http.ask(
            Context, Call(method="POST", path=self._at("/context"), content=asked, again=True)
        )

    async def say(self, message: str, *, key: str | None = None) -> Reply:
        """A whole turn: store the message, fetch the context, let the agent answer, save what it says and does.

        ``key`` makes it exactly-once: the same call again gives the saved reply, or goes on where it broke off.
        Unavailable if the model is; Busy while another message of this conversation is being answered. Whoever
        stops waiting does not stop it.
        """
        return self._heard(await self._http.ask(Reply, self._turn("/message", message, key)))

    async def stream(self, message: str, *, key: str | None = None) -> AsyncGenerator[Event]:
        """The same, event by event: ``Started``, ``Piece`` of text, ``ToolCalled``, ``ToolAnswered``, and ``Done``
        with the reply, which is saved then. If the connection breaks, the reply comes without more pieces."""
        key = str(new_id()) if key is None else key
        call = self._turn("/stream", message, key)
        try:
            async with aclosing(self._events(call)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, Done):
                        self._heard(event.reply)
                        return
        except httpx.TransportError:
            pass
        # The turn goes on without us, and whoever asks with its key gets the reply.
        yield Done(self._heard(await self._http.ask(Reply, self._turn("/message", message, key, lost=True))))

    async def live(self, after: str | None = None, *, beats: bool = False) -> AsyncGenerator[LiveEvent]:
        """What changes in this conversation, as it happens: messages, title, state. See ``Recollect.live``."""
        async with aclosing(follow(self._http, self._at("/live"), None, after, beats)) as events:
            async for event in events:
                yield event

    async def known(self, reply: int) -> Known:
        """What the agent knew when it gave this reply, the message with this number."""
        return await self._http.ask(Known, self._read(f"/known/{inputs.whole('reply', reply)}"))

    async def turns(self, limit: int = 20) -> list[Turn]:
        """The records of its turns, newest first: which model, what each section cost, what went wrong."""
        return await self._http.ask(list[Turn], self._read("/turns", limit=limit))

    async def summary(self) -> Summary:
        """What it comes to so far, up to which message, and how its user feels."""
        return await self._http.ask(Summary, self._read("/summary"))

    async def state(self, at: int | None = None) -> State:
        """Its working memory: step, draft, what is missing; or as it stood when message ``at`` was the newest."""
        return await self._http.ask(State, self._read("/state", at=at))

    async def update_state(
        self, patch: Mapping[str, Any], *, version: int | None = None, cause: Cause | str | None = None
    ) -> State:
        """Merge a patch into the state: the draft under its name, ``workflowStep``, ``lastAction``, ``metadata``;
        null deletes. Conflict if ``version`` is no longer the current one; a move that is not allowed is Refused.
        ``cause`` says why, such as ``message:12`` or ``tool:search``; a person, if nothing is said.
        """
        if not isinstance(patch, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid("patch", f"must be a mapping, not {type(patch).__name__}")
        asked = inputs.json_text("patch", dict(patch)).encode()
        call = Call(
            method="PATCH",
            path=self._at("/state"),
            params=query(cause=_written(cause)),
            content=asked,
            headers=match(version),
        )
        return self._seen(await self._http.ask(State, call))

    async def move(self, step: str, *, version: int | None = None, cause: Cause | str | None = None) -> State:
        """Go to another step of the workflow. Refused, and recorded, if it has no such move."""
        return await self._changed("/state/move", body(step=step, cause=_written(cause)), match(version))

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
        asked = body(action=action, cause=_written(cause), arguments=arguments)
        headers = match(version) | once(str(new_id()) if key is None else key)
        return await self._changed("/state/act", asked, headers, again=True)

    async def state_history(self, limit: int = 50, cursor: str | None = None) -> Page[StateChange]:
        """What has changed in the state and what was refused, with the cause, newest first."""
        return await self._http.ask(Page[StateChange], self._read("/state/history", limit=limit, cursor=cursor))

    async def undo_state(
        self, to: int | None = None, *, version: int | None = None, cause: Cause | str | None = None
    ) -> State:
        """Go back to an earlier version of the state, by default the one before; this makes a new version.
        Conflict if ``version`` is no longer the current one."""
        headers = match(version) | once(str(new_id()))
        return await self._changed("/state/undo", body(to=to, cause=_written(cause)), headers, again=True)

    async def rename(self, title: str | None) -> None:
        """Give it a title; None takes it away."""
        await self._change(title=title)

    async def archive(self, archived: bool = True) -> None:
        """Put it aside: it is no longer the active one and not listed by default. False takes it out again."""
        await self._change(archived=archived)

    async def activate(self) -> None:
        """Make it the one that its user and agent go on with."""
        await self._change(active=True)

    async def clear(self) -> None:
        """Delete its messages and its summary, and let its state begin anew: a draft may quote what is deleted.
        Numbers are not used again: the next message gets the next one.
        """
        call = Call(method="DELETE", path=self._at("/messages"))
        self._record = await self._http.ask(Conversation, call)

    async def pop(self) -> Message | None:
        """Take back the newest message and return it; None if there is none. Its number is not used again."""
        call = Call(method="DELETE", path=self._at("/messages/last"))
        return (await self._http.ask(Popped, call)).message

    async def delete(self) -> None:
        """Delete it with everything in it."""
        await self._http.send(Call(method="DELETE", path=self._at(), again=True, ends=True))

    @overload
    async def export(self, format: AsText = "json") -> str: ...
    @overload
    async def export(self, format: AsBytes) -> bytes: ...
    async def export(self, format: str = "json") -> str | bytes:
        """The whole conversation as ``json``, ``markdown`` or ``pdf``, with its state if it has one."""
        document = await self._http.bytes(self._read("/export", format=format))
        return document if format == "pdf" else document.decode()

    async def _events(self, call: Call) -> AsyncGenerator[Event]:
        """The events until the connection ends, whether or not the last one has come."""
        response = await self._http.send(call, stream=True)
        async with aclosing(response), aclosing(sent(response.aiter_bytes())) as events:
            async for one in events:
                event = event_in(one.kind, one.data)
                if event is not None:
                    yield event

    async def _changed(self, rest: str, asked: bytes, headers: Mapping[str, str], again: bool = False) -> State:
        call = Call(method="POST", path=self._at(rest), content=asked, headers=headers, again=again)
        return self._seen(await self._http.ask(State, call))

    async def _change(self, **change: Any) -> None:
        call = Call(method="PATCH", path=self._at(), content=whole_body(change), again=True)
        self._record = await self._http.ask(Conversation, call)

    def _at(self, rest: str = "") -> str:
        return f"/api/conversations/{self.id}{rest}"

    def _read(self, rest: str, **params: Any) -> Call:
        return reading(self._at(rest), **params)

    def _once(self, rest: str, asked: bytes, key: str | None) -> Call:
        headers = once(str(new_id()) if key is None else key)
        return Call(method="POST", path=self._at(rest), content=asked, headers=headers, again=True)

    def _turn(self, rest: str, message: str, key: str | None, lost: bool = False) -> Call:
        call = self._once(rest, body(message=message), key)
        return msgspec.structs.replace(call, params=WHOLE, turn=True, lost=lost)

    def _seen(self, state: State) -> State:
        """The step's status is the conversation's."""
        if state.status is not None:
            self._record = msgspec.structs.replace(self._record, status=state.status)
        return state

    def _heard(self, reply: Reply) -> Reply:
        if reply.state is not None:
            self._seen(reply.state)
        return reply


def _written(cause: Cause | str | None) -> str | None:
    """A cause as text, checked."""
    if cause is None:
        return None
    checked = Cause.of(cause)
    return checked.kind if checked.ref is None else f"{checked.kind}:{checked.ref}"
