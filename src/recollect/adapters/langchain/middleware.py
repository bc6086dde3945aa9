"""Memory for ``create_agent``: what is known comes into each model call, and what was said is saved at the end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage, ToolMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime

from recollect import inputs
from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.adapters.langchain.history import SESSIONS
from recollect.adapters.langchain.messages import message_fields, to_langchain
from recollect.adapters.sessions import Session
from recollect.errors import Invalid
from recollect.handle import Chat

#: So far back it is looked whether a message of the run is stored already.
LOOK_BACK = 200


class RecollectMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """The memory of one user and agent around an agent of LangChain's.

    Each model call gets, at the end of its system message, the notes, the related memories, the summary of what is
    older and what the system noted in between; before its messages come the newest stored ones (``window``, 12 by
    default) that a checkpointer has not put there already, or none where LangChain's SummarizationMiddleware has
    summed them up. After the agent, the run's new messages are saved, each once. The conversation is the one of
    ``session_id``, or else of the run's ``thread_id``; one that belongs to another user or agent is Refused.
    """

    def __init__(
        self, memory: AnyDoor, user: str, agent: str, *, session_id: str | None = None, window: int = 12
    ) -> None:
        super().__init__()
        self._bridge = Bridge(memory)
        self._user, self._agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
        self._session = session_id
        self._window = inputs.amount("window", window, least=0)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Recall, then call the model."""
        return handler(self._bridge.wait(self._recalled(request, self._session_id())))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Recall, then call the model."""
        return await handler(await self._bridge.run(self._recalled(request, self._session_id())))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:  # noqa: ARG002
        """Save what was said."""
        self._bridge.wait(self._saved(state["messages"], self._session_id()))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:  # noqa: ARG002
        """Save what was said."""
        await self._bridge.run(self._saved(state["messages"], self._session_id()))

    def _session_id(self) -> str:
        """Read where the agent runs: the run's settings do not travel to the door's loop."""
        session = self._session or get_config().get("configurable", {}).get("thread_id")
        if session is None:
            raise Invalid("session_id", "is needed where the run has no thread_id")
        return str(session)

    async def _recalled(self, request: ModelRequest[Any], session: str) -> ModelRequest[Any]:
        chat = await self._conversation(session)
        asked = next(
            (one.text for one in reversed(request.messages) if one.type == "human" and one.text.strip()), ""
        )
        known = await chat.context(asked or "hello", window=0)
        told = [one["content"] for one in known.messages if one["role"] == "system"]
        there = {one.id for one in request.messages if one.id}
        window = 0 if any(map(_is_summary, request.messages)) else self._window  # it tells what was earlier
        earlier = [to_langchain(one) for one in await chat.window(window)] if window else []
        earlier = [one for one in earlier if one.id not in there]
        # Many models take only one system message, and only at the beginning.
        told += [one.text for one in earlier if one.type == "system"]
        spoken = _whole([one for one in earlier if one.type != "system"])
        changed = request.override(messages=[*spoken, *request.messages])
        return changed.override(system_message=_extended(request.system_message, told)) if told else changed

    async def _saved(self, messages: Sequence[AnyMessage], session: str) -> None:
        chat = await self._conversation(session)
        stored = {to_langchain(one).id for one in await chat.window(LOOK_BACK)}
        last = max((place for place, one in enumerate(messages) if one.id in stored), default=-1)
        said = [one for one in messages[last + 1 :] if one.type not in ("system", "remove")]
        new = [message_fields(one) for one in said if not _is_summary(one)]
        if new:
            await chat.extend(new)

    async def _conversation(self, session: str) -> Chat:
        return await Session(self._bridge.door, session, SESSIONS, self._user, self._agent).begun()


def _is_summary(message: BaseMessage) -> bool:
    """Whether this is what SummarizationMiddleware has put in the place of older messages, in the user's name."""
    return message.additional_kwargs.get("lc_source") == "summarization"


def _extended(system: SystemMessage | None, told: Sequence[str]) -> SystemMessage:
    """The system message with what we have to say at its end; its blocks stay as they are, as they may be marked
    to be cached."""
    text = "\n\n".join(told)
    if system is None or not system.content:
        return SystemMessage(text)
    content: Any = system.content
    added = f"{content}\n\n{text}" if isinstance(content, str) else [*content, {"type": "text", "text": text}]
    return system.model_copy(update={"content": added})


def _whole(messages: Sequence[BaseMessage]) -> list[Any]:
    """Without calls that have not all of their results, and results whose calls are not there, which models
    refuse: they were cut off, or their turn broke off."""
    whole: list[BaseMessage] = []
    place = 0
    while place < len(messages):
        first = messages[place]
        after = place + 1
        while after < len(messages) and isinstance(messages[after], ToolMessage):
            after += 1
        results = [one for one in messages[place + 1 : after] if isinstance(one, ToolMessage)]
        calls = {call["id"] for call in (first.tool_calls if isinstance(first, AIMessage) else ())}
        if calls <= {one.tool_call_id for one in results} and not isinstance(first, ToolMessage):
            whole += [first, *(one for one in results if one.tool_call_id in calls)]
        place = after
    return whole
