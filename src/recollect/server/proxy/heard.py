"""What a model said, read from an answer that is passed on as it is. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from recollect import inputs
from recollect.models.assembly import Assembly, Misshapen, TooLong
from recollect.ports import Answer, Tokens
from recollect.server.openai_shape import UpstreamFailed
from recollect.server.proxy.upstream import broken, too_large

#: More than an event of a stream can sensibly have.
MOST_EVENT = 1 << 20
DONE = b"[DONE]"


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None
    input: str | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    custom: _Function | None = None


class _Audio(msgspec.Struct):
    transcript: str | None = None


class _Said(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    audio: _Audio | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Part(msgspec.Struct):
    """What we read of an answer, or of a piece of one."""

    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


_parts = msgspec.json.Decoder(_Part)


class Heard:
    """Listens to an answer; of several choices, to the first."""

    def __init__(self, model: str) -> None:
        self._assembly = Assembly(model)
        self.model = model
        self.finish: str | None = None
        self.anything = False

    @property
    def complete(self) -> bool:
        """Whether the model has come to an end."""
        return self.finish is not None

    def whole(self, body: bytes) -> None:
        """An answer in one piece; UpstreamFailed if it is none."""
        try:
            part = _parts.decode(body)
            if not part.choices:
                raise Misshapen
            self._add(part)
        except (msgspec.DecodeError, UnicodeDecodeError, Misshapen):
            raise broken("what it sent is not a chat completion") from None
        self.finish = self.finish or "stop"

    def event(self, data: bytes) -> None:
        """An event of a stream; what is none of ours is passed by."""
        try:
            self._add(_parts.decode(data))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return

    def _add(self, part: _Part) -> None:
        if part.usage:
            self._assembly.count(part.usage.prompt_tokens, part.usage.completion_tokens)
        self.model = part.model or self.model
        for choice in part.choices or ():
            if choice.index == 0:
                self._add_choice(choice)

    def _add_choice(self, choice: _Choice) -> None:
        said = choice.delta or choice.message or _Said()
        heard = said.audio.transcript if said.audio else None
        try:
            text = self._assembly.add_text(said.content or said.refusal or heard or "")
            for call in said.tool_calls or ():
                function = call.function or call.custom or _Function()
                self._assembly.add_call(call.index, call.id, function.name, function.arguments or function.input)
        except TooLong:
            raise too_large(inputs.MAX_CONTENT) from None
        self.anything = self.anything or bool(text or said.tool_calls)
        self.finish = choice.finish_reason or self.finish

    def answer(self) -> Answer:
        """What was said; UpstreamFailed if it cannot be read."""
        try:
            return self._assembly.answer()
        except Misshapen:
            raise broken("it sent a tool call without a name") from None

    def tokens(self, sent: int) -> Tokens:
        """What it used: as the endpoint says, or about so many for the bytes that were sent and received."""
        try:
            answer = self.answer()
        except UpstreamFailed:
            return Tokens(-(-sent // 3), 0)
        if answer.tokens.sent or answer.tokens.received:
            return answer.tokens
        received = len(answer.text.encode()) + sum(len(str(call)) for call in answer.tool_calls)
        return Tokens(-(-sent // 3), -(-received // 3))

    def reply(self, seconds: float) -> dict[str, Any] | None:
        """The message to keep; None if nothing was said."""
        answer = self.answer()
        if not answer.text and not answer.tool_calls:
            return None
        text = answer.text.encode()
        if len(text) > inputs.MAX_CONTENT or len(msgspec.json.encode(answer.tool_calls)) > inputs.MAX_CONTENT:
            raise too_large(inputs.MAX_CONTENT)
        return {
            "role": "assistant",
            "content": answer.text,
            "tool_calls": answer.tool_calls or None,
            "metadata": {
                "model": self.model[:200].replace("\0", "?"),
                "execution_time": round(seconds, 3),
                "finish_reason": (self.finish or "")[:40].replace("\0", "?"),
            },
        }


class Events:
    """Cuts a stream of bytes into its events (server-sent events), each as it came."""

    def __init__(self) -> None:
        self._waiting = b""

    def feed(self, piece: bytes) -> list[bytes]:
        """The events that are whole now."""
        self._waiting += piece
        events: list[bytes] = []
        while (end := _end(self._waiting)) is not None:
            events.append(self._waiting[:end])
            self._waiting = self._waiting[end:]
        if len(self._waiting) > MOST_EVENT:
            raise too_large(MOST_EVENT)
        return events

    def rest(self) -> bytes:
        """What comes after the last whole event."""
        rest, self._waiting = self._waiting, b""
        return rest


def _end(text: bytes) -> int | None:
    found = [(place, len(gap)) for gap in (b"\n\n", b"\r\n\r\n", b"\r\r") if (place := text.find(gap)) >= 0]
    return None if not found else sum(min(found))


def data_of(event: bytes) -> bytes:
    """The data of an event."""
    lines = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(lines)
