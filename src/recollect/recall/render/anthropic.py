"""A packed prompt as a request to Anthropic's Messages API."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, cast

from recollect.recall.render.calls import arguments_of, openai_calls
from recollect.recall.render.openai import FAILED
from recollect.recall.render.parts import (
    PDF,
    THOUGHTS,
    anthropic_image,
    in_words,
    inline,
    is_secure,
    is_text,
    parts_of,
    picture,
    text_part,
)

Block = dict[str, Any]
Turn = tuple[str, list[Block]]
Place = Literal["user", "assistant", "result", "failure"]

_NOT_IN_AN_ID = re.compile(r"[^a-zA-Z0-9_-]")
#: What a block of text has in Anthropic's own shape.
_TEXT_FIELDS = {"type", "text", "cache_control", "citations"}
#: How the names of blocks end in which its servers say what they called and what came of it.
_SERVED = ("_tool_use", "_tool_result")
#: Where LangChain keeps the place of a block in a stream, and the pieces of an input.
_OF_STREAMS = ("index", "partial_json")
#: A name of LangChain's that ends like them.
_NOT_SERVED = "server_tool_result"
#: So many blocks of a request may be marked as the end of what is to be cached; one more, and it is refused.
_MOST_MARKED = 4
NOT_SHOWN = "(The conversation up to here is not shown.)"
#: For a tool that failed without a word, since a failure must say something.
JUST_FAILED = "The tool failed."


def anthropic_request(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """``system`` and ``messages`` of a request: roles alternate, the first is the user's, results are blocks."""
    system: list[str] = []
    said: list[Turn] = []
    ids = _Ids()
    for place, message in enumerate(messages):
        if message["role"] == "system":
            system += [block["text"] for block in _blocks(message["content"], "user") if block["type"] == "text"]
            continue
        said.append(_turn(message, f"unnamed_{place}", ids))
    # A thought can be stored before what came of it, so only all of a turn shows which one is its last.
    turns = _alternating((role, _ended(blocks)) for role, blocks in _alternating(said))
    if turns and turns[0][0] == "assistant":
        turns.insert(0, ("user", [text_part(NOT_SHOWN)]))
    # Whoever marks the end of every request stores one more with each turn, and only the newest are of use.
    marked = [each for _, blocks in turns for each in _marked(blocks)]
    for blocks, place in marked[:-_MOST_MARKED]:
        blocks[place] = {name: value for name, value in blocks[place].items() if name != "cache_control"}
    return {
        "system": "\n\n".join(system),
        "messages": [{"role": role, "content": blocks} for role, blocks in turns],
    }


def _alternating(said: Iterable[Turn]) -> list[Turn]:
    """Turns, each of all that one side says before the other does; those that say nothing are left out."""
    turns: list[Turn] = []
    for role, blocks in said:
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        elif blocks:
            turns.append((role, blocks))
    return turns


def _marked(blocks: list[Block]) -> Iterator[tuple[list[Block], int]]:
    """Where the blocks are that end what is to be cached, also those in the results of tools."""
    for place, block in enumerate(blocks):
        if block["type"] == "tool_result":
            yield from _marked(block["content"])
        if block.get("cache_control"):
            yield blocks, place


def _ended(blocks: list[Block]) -> list[Block]:
    """A turn must not end with a thought: it is refused."""
    last = len(blocks)
    while last and blocks[last - 1]["type"] in THOUGHTS:
        last -= 1
    return blocks[:last]


class _Ids:
    """The ids of tool calls as Anthropic takes them: of few letters, and each only once in a request. Servers of
    local models begin to count anew with every answer."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._waiting: dict[str, deque[str]] = {}

    def of_call(self, id: str) -> str:
        safe = unique = _safe(id)
        while unique in self._given:
            self._numbers[safe] = number = self._numbers.get(safe, 1) + 1
            unique = f"{safe}_{number}"
        self._given.add(unique)
        self._waiting.setdefault(id, deque()).append(unique)
        return unique

    def of_result(self, id: str) -> str:
        waiting = self._waiting.get(id)
        return waiting.popleft() if waiting else _safe(id)


def _safe(name: str) -> str:
    return _NOT_IN_AN_ID.sub("_", name) or "unknown"


def _turn(message: dict[str, Any], stem: str, ids: _Ids) -> Turn:
    content = message.get("content")
    if message["role"] == "tool":
        return "user", [_result(ids.of_result(message.get("tool_call_id") or ""), content)]
    if message["role"] == "user":
        return "user", _spoken(_blocks(content, "user"), message.get("name"))
    blocks = _blocks(content, "assistant")
    for call in openai_calls(message.get("tool_calls") or (), stem):
        blocks.append(
            {
                "type": "tool_use",
                "id": ids.of_call(call["id"]),
                "name": _safe(call["function"]["name"]),
                "input": arguments_of(call),
            }
        )
    return message["role"], blocks


def _result(id: str, content: Any) -> Block:
    result: Block = {"type": "tool_result", "tool_use_id": id}
    if isinstance(content, list) and content and content[0] == text_part(FAILED):
        told = _blocks(cast("list[object]", content)[1:], "failure")
        return result | {"content": told or [text_part(JUST_FAILED)], "is_error": True}
    return result | {"content": _blocks(content, "result")}


def _spoken(blocks: list[Block], name: str | None) -> list[Block]:
    """There is no field for who speaks, and in a conversation of several people that must not be lost."""
    if name is None or not blocks:
        return blocks
    if blocks[0]["type"] != "text":
        return [text_part(f"{name}:"), *blocks]
    return [blocks[0] | {"text": f"{name}: {blocks[0]['text']}"}, *blocks[1:]]


def _blocks(content: Any, place: Place) -> list[Block]:
    """Content blocks that may stand there; empty text is left out, since it is refused."""
    if isinstance(content, list):
        blocks = [_block(part, place) for part in parts_of(cast("list[object]", content))]
        return [
            block for block in blocks if block is not None and (block["type"] != "text" or block["text"].strip())
        ]
    return [text_part(content)] if isinstance(content, str) and content.strip() else []


def _block(part: Block, place: Place) -> Block | None:
    """What is in Anthropic's shape stays as it is, where it may stand; the rest becomes an image or text, or is
    left out."""
    if part["type"] in THOUGHTS:
        return _sealed(part) if place == "assistant" else None
    if is_text(part):
        return part if part["type"] == "text" and part.keys() <= _TEXT_FIELDS else text_part(part["text"])
    if part["type"].endswith(_SERVED) and part["type"] != _NOT_SERVED:
        return _served(part) if place == "assistant" else None
    if place in ("user", "result"):
        if _is_own(part) or part["type"] == "search_result":
            return part
        if part["type"] == "container_upload" and place == "user":
            return part
        if image := anthropic_image(picture(part) or ""):
            return part | image if isinstance(part.get("source"), dict) else image
        if part["type"] == "file" and (held := inline(part)) and held[0] == PDF:
            return {"type": "document", "source": {"type": "base64", "media_type": PDF, "data": held[1]}}
    text = in_words(part)
    return None if text is None else text_part(text)


def _is_own(part: Block) -> bool:
    """Whether an image or a document is in Anthropic's shape, and none that it refuses; images whose kind or
    address it does not take may still have others."""
    match part:
        case {"type": "image", "source": {"type": "file"}}:
            return True
        case {"type": "document", "source": {"type": "url", "url": str(url)}}:
            return is_secure(url)
        case {"type": "document", "source": {"type": "base64", "media_type": kind}}:
            return kind == PDF
        case {"type": "document", "source": dict()}:
            return True
        case _:
            return False


def _sealed(thought: Block) -> Block | None:
    """A thought with all that a model's own has and nothing else; others are refused."""
    match thought:
        case {"type": "thinking", "thinking": str(thinking), "signature": str(signature)}:
            return {"type": "thinking", "thinking": thinking, "signature": signature}
        case {"type": "redacted_thinking", "data": str(data)}:
            return {"type": "redacted_thinking", "data": data}
        case _:
            return None


def _served(block: Block) -> Block:
    """What its servers called, or what came of it, without what LangChain adds when it puts it together from a
    stream."""
    own = {name: value for name, value in block.items() if name not in _OF_STREAMS}
    match block:
        case {"input": {}, "partial_json": str(written)} if not block["input"]:
            return own | {"input": arguments_of({"function": {"arguments": written}})}
        case _:
            return own
