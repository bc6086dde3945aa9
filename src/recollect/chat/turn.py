"""One turn: store what the user says, fetch the context, let the model or the offline responder answer, save."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from recollect import inputs
from recollect.chat import store
from recollect.chat.desk import Desk
from recollect.chat.known import noted
from recollect.chat.offline.responder import Responder
from recollect.chat.records import OFFLINE, Asking, Done, Ended, Event, Reply, Started
from recollect.chat.rounds import Emit, Rounds, Said
from recollect.chat.tools import Toolbox
from recollect.chat.working import Update, Working
from recollect.conversations.incoming import drafts
from recollect.errors import RecollectError, Unavailable
from recollect.observe import counted
from recollect.observe.spans import span
from recollect.ports import LanguageModel
from recollect.recall.context import COUNTED_AT_ONCE, Fetched, fetch, packed
from recollect.recall.pack import FRAME, Context
from recollect.records import Message
from recollect.workflows.current import Current, current_from_json


async def say(desk: Desk, message: str, key: str | None) -> Reply:
    """A whole turn. Whoever gives up waiting for it does not stop it."""
    return await asyncio.shield(desk.equipment.start(_run(desk, message, key, None)))


async def stream(desk: Desk, message: str, key: str | None) -> AsyncGenerator[Event]:
    """The same, event by event; the last one has the reply. Whoever stops listening does not stop it."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    task = desk.equipment.start(_run(desk, message, key, events.put_nowait))
    task.add_done_callback(lambda _: events.put_nowait(None))
    while (event := await events.get()) is not None:
        yield event
    yield Done(await asyncio.shield(task))


async def _run(desk: Desk, message: str, key: str | None, emit: Emit | None) -> Reply:
    message = inputs.spoken("message", message)
    begun = await store.begin(desk, message, key)
    if emit is not None:
        emit(Started(str(begun.id), begun.asked))
    if begun.answered:
        return await store.saved(desk, begun)
    if begun.token == 1:
        counted.appended(desk.caller.tenant, ["user"], begun.asked)
    async with store.kept(desk, begun):
        with span("recollect.turn"):
            return await _Answering(desk, begun, message, emit).run()


class _Answering:
    """A turn that is leased to us, from the context to the saved reply."""

    def __init__(self, desk: Desk, begun: store.Begun, message: str, emit: Emit | None) -> None:
        self._desk = desk
        self._begun = begun
        self._message = message
        self._emit = emit
        self._said = Said()
        self._model: str | None = None
        self._context: Context | None = None
        self._window: list[Message] = []
        self._tools = 0
        self._started = time.monotonic()

    async def run(self) -> Reply:
        seconds = self._desk.limits.seconds
        try:
            async with asyncio.timeout(seconds):
                working = await self._answer()
            return await self._saved(working)
        except TimeoutError:
            error = Unavailable("model", f"the turn took longer than {seconds:g} s")
            await self._failed(str(error))
            raise error from None
        except asyncio.CancelledError:
            await asyncio.shield(self._failed("it was called off, since the process ends"))
            raise
        except Exception as error:
            # Of an error that is not ours only the kind is safe to keep.
            await self._failed(str(error) if isinstance(error, RecollectError) else type(error).__name__)
            raise

    async def _answer(self) -> Working:
        desk = self._desk
        fetched = await fetch(
            desk.database, desk.caller, desk.models.embedders, desk.conversation, self._message, None
        )
        current = current_of(desk.conversation, fetched)
        summary = "" if current is None else current.state().summary
        self._window = fetched.window
        room = await self._room(fetched.budget)
        self._context = await packed(fetched, self._message, room, desk.models.counter, summary)
        model = desk.models.language(desk.caller.tenant, fetched.model)
        self._model = OFFLINE if model is None else model.name
        working = Working(current, "message" if model is None else "model")
        asking = Asking(
            tenant=desk.caller.tenant, user=fetched.user, agent=fetched.agent, conversation=desk.conversation
        )
        toolbox = Toolbox(desk, asking, working, fetched.window)
        if model is None:
            await self._offline(fetched, working, toolbox)
        else:
            await self._by_model(model, working, toolbox)
        return working

    async def _room(self, budget: int) -> int:
        """The agent's budget; a message that is longer than that comes on top of it, since it must be answered."""
        count = self._desk.models.counter.count
        if len(self._message) <= COUNTED_AT_ONCE:
            needed = FRAME + count(self._message)
        else:
            needed = FRAME + await asyncio.to_thread(count, self._message)
        return budget if needed <= budget else budget + needed

    async def _by_model(self, model: LanguageModel, working: Working, toolbox: Toolbox) -> None:
        assert self._context is not None
        described = msgspec.json.encode(toolbox.described).decode()
        self._tools = await asyncio.to_thread(self._desk.models.counter.count, described)
        rounds = Rounds(model, toolbox, working, self._desk.limits, self._emit, self._said)
        await rounds.run(self._context.to_openai())

    async def _offline(self, fetched: Fetched, working: Working, toolbox: Toolbox) -> None:
        responder = Responder(self._desk.conversation, fetched, working, toolbox.look_up)
        answer = await responder.answer(self._message, self._begun.asked)
        self._said.text = answer.text
        self._said.messages.append({"role": "assistant", "content": answer.text, "metadata": answer.metadata})
        if self._emit is not None:
            for piece in answer.pieces():
                self._emit(piece)

    async def _saved(self, working: Working) -> Reply:
        begun, desk = self._begun, self._desk
        ended = self._ended()
        messages = [
            one
            | {
                "metadata": {
                    "model": self._model,
                    "execution_time": round(ended.seconds, 3),
                    **one.get("metadata", {}),
                }
            }
            if one["role"] == "assistant"
            else one
            for one in self._said.messages
        ]

        async def change(transaction: Any) -> list[str]:
            return await working.carry_out(transaction, desk, begun.asked)

        await store.finish(desk, begun, ended, drafts(messages), change)
        counted.TURN_SECONDS.add("done", seconds=ended.seconds)
        reply = await store.saved(desk, begun)
        patches = [one.patch for one in working.changes if isinstance(one, Update)]
        return msgspec.structs.replace(
            reply, context=self._context, state_update=store.united(patches), state=working.after
        )

    async def _failed(self, problem: str) -> None:
        ended = self._ended()
        counted.TURN_SECONDS.add("failed", seconds=ended.seconds)
        await store.fail(
            self._desk, self._begun, msgspec.structs.replace(ended, problems=[*ended.problems, problem])
        )

    def _ended(self) -> Ended:
        said = self._said
        sections = {} if self._context is None else self._context.tokens
        counted = {"tools": self._tools, "sent": said.sent, "received": said.received, "rounds": said.rounds}
        return Ended(
            model=self._model,
            tokens={**sections, **counted},
            problems=said.problems,
            seconds=time.monotonic() - self._started,
            known=None
            if self._context is None
            else msgspec.json.encode(noted(self._context, self._window)).decode(),
        )


def current_of(conversation: str, fetched: Fetched) -> Current | None:
    """The state that came with a context."""
    return None if fetched.state is None else current_from_json(conversation, fetched.state)
