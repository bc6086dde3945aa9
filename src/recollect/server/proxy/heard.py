"""What a model said, read from an answer that is passed on as it is. Pure."""

from __future__ import annotations

import math
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.models.assembly import Assembly, Misshapen, TooLong
from recollect.ports import Answer, Tokens
from recollect.server.openai_shape import UpstreamFailed
from recollect.server.proxy.upstream import broken, too_large

#: More than an event of a stream can sensibly have.
MOST_EVENT = 1 << 20
DONE = b"[DONE]"


_parts = msgspec.json.Decoder(dict[str, Any])


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
        part = _read(body)
        if not _objects(part.get("choices")):
            raise broken("what it sent is not a chat completion")
        self.finish = "stop"
        self._add(part)
        if not self.complete:
            raise broken("its answer ended with an error")

    def event(self, data: bytes) -> None:
        """An event of a stream; what is none of ours is passed by."""
        self._add(_read(data))

    def _add(self, part: dict[str, Any]) -> None:
        """Endpoints differ, so only what is needed is looked at, and anything may be there. After an error, what
        was said is half of an answer."""
        if usage := _object(part.get("usage")):
            self._assembly.count(_number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens")))
        self.model = _text(part.get("model")) or self.model
        for choice in _objects(part.get("choices")):
            if not _number(choice.get("index")):
                self._add_choice(choice)
        if part.get("error") or self.finish == "error":
            self.finish = None

    def _add_choice(self, choice: dict[str, Any]) -> None:
        said = _object(choice.get("delta")) or _object(choice.get("message"))
        spoken = _text(_object(said.get("audio")).get("transcript"))
        calls = _objects(said.get("tool_calls"))
        try:
            text = self._assembly.add_text(_text(said.get("content")) or _text(said.get("refusal")) or spoken)
            for call in calls:
                made = _object(call.get("function")) or _object(call.get("custom"))
                arguments = _written(made.get("arguments")) or _text(made.get("input"))
                self._assembly.add_call(
                    _number(call.get("index")), _text(call.get("id")), _text(made.get("name")), arguments
                )
        except TooLong:
            raise too_large(inputs.MAX_CONTENT) from None
        self.anything = self.anything or bool(text or calls)
        self.finish = _text(choice.get("finish_reason")) or self.finish

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


def _read(data: bytes) -> dict[str, Any]:
    try:
        return _parts.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    several = cast("list[Any]", value) if isinstance(value, list) else []
    return [one for one in several if isinstance(one, dict)]


def _text(value: Any) -> str:
    """A text, or the texts of its parts."""
    if isinstance(value, list):
        texts = [_object(one).get("text", one) for one in cast("list[Any]", value)]
        return "".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _written(arguments: Any) -> str:
    """As JSON, which most endpoints write themselves."""
    return msgspec.json.encode(arguments).decode() if isinstance(arguments, dict) else _text(arguments)


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
