"""What a client of the proxy asks: in whose name, in which conversation, with which messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request

from recollect.chat.beside.reading import Sent, read
from recollect.errors import Invalid, NotFound
from recollect.handle import Chat
from recollect.server.naming import header_text
from recollect.server.routes.conversations import USUAL_AGENT
from recollect.server.who import Who

#: What of ``metadata`` is for us; an upstream would not know what to do with it.
OURS = ("user", "conversation", "conversation_id", "agent")


class StreamOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer is streamed."""

    include_usage: bool | None = None


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message in OpenAI's form; fields that are not listed here are passed on."""

    role: str
    content: str | list[Any] | None = None


class CompletionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A chat completion as OpenAI describes it; fields that are not listed here are passed on."""

    model: str
    messages: list[ChatMessage]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: str | None = None
    """Who talks, if the credential does not say; also ``metadata.user`` or the header X-Recollect-User."""
    metadata: dict[str, Any] | None = None
    """``user``, ``agent`` and ``conversation`` are ours; the rest is passed on."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request, understood."""

    chat: Chat
    data: CompletionRequest
    body: dict[str, msgspec.Raw]
    """As it came."""
    messages: list[dict[str, Any]]
    sent: Sent
    recall: bool
    retried: bool
    """Whether the client says that it sends this again."""

    @property
    def usage_wanted(self) -> bool:
        """Whether a stream ends with what it cost."""
        return bool(self.data.stream_options and self.data.stream_options.include_usage)


async def asked_of(request: Request[Any, Any, Any], data: CompletionRequest, who: Who) -> Asked:
    """Everything that can be wrong with a request is found here, before anybody else is asked."""
    body = msgspec.json.decode(await request.body(), type=dict[str, msgspec.Raw])
    messages = msgspec.json.decode(body["messages"], type=list[dict[str, Any]])
    sent = read(messages)
    return Asked(
        chat=await _chat(who, request.headers, data),
        data=data,
        body=body,
        messages=messages,
        sent=sent,
        recall=_switch(request.headers.get("x-recollect-memory")),
        retried=request.headers.get("x-stainless-retry-count", "0") != "0",
    )


async def _chat(who: Who, headers: Mapping[str, str], data: CompletionRequest) -> Chat:
    """The conversation that is named, or the active one. One that is not known yet begins here; somebody else's is
    not there."""
    user = _named(headers, data, "user") or data.user
    agent = _named(headers, data, "agent")
    id = _named(headers, data, "conversation", "conversation_id")
    if id is None:
        return await who.door.conversation(who.user(user), agent or USUAL_AGENT)
    try:
        chat = await who.chat(id)
    except NotFound:
        return await who.begin(who.user(user), agent or USUAL_AGENT, id=id)
    if (user is not None and who.user(user) != chat.user) or (agent is not None and agent != chat.agent):
        raise NotFound("conversation", id)
    return chat


def _named(headers: Mapping[str, str], data: CompletionRequest, *names: str) -> str | None:
    """What a header says, or else the metadata."""
    if (given := header_text(headers, f"X-Recollect-{names[0].title()}")) is not None:
        return given
    for name in names:
        value = (data.metadata or {}).get(name)
        if value is not None and not isinstance(value, str):
            raise Invalid(f"metadata.{name}", "must be text")
        if value is not None:
            return value
    return None


def _switch(given: str | None) -> bool:
    if given is not None and given not in ("on", "off"):
        raise Invalid("X-Recollect-Memory", "must be on or off")
    return given != "off"


def outgoing(asked: Asked, messages: list[dict[str, Any]]) -> bytes:
    """The body for the upstream: as it came, but for the messages, and for what was said to us only."""
    body = {**asked.body, "messages": msgspec.Raw(msgspec.json.encode(messages))}
    metadata = asked.data.metadata
    if metadata is not None and any(name in metadata for name in OURS):
        theirs = {name: value for name, value in metadata.items() if name not in OURS}
        if theirs:
            body["metadata"] = msgspec.Raw(msgspec.json.encode(theirs))
        else:
            del body["metadata"]
    return msgspec.json.encode(body)
