"""Stored messages as an OpenAI-style client takes them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, cast

import msgspec

from recollect.recall.render.calls import BLOCKS_OF_CALLS, all_calls, has_attempts, openai_calls
from recollect.recall.render.parts import (
    PDF,
    THOUGHTS,
    anthropic_image,
    in_words,
    inline,
    is_text,
    parts_of,
    picture,
    text_part,
)
from recollect.records import Message

Rendered = tuple[Message, dict[str, Any]]

_NOT_IN_A_NAME = re.compile(r"[\s<|\\/>]+")
#: What the result of a tool that failed begins with, as OpenAI has no field for it.
FAILED = "The tool failed:"
_FILE_FIELDS = ("file_id", "file_data", "filename")
#: The sounds that it takes, and what it calls them.
_SOUNDS = {
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


def openai_messages(stored: Iterable[Message]) -> list[Rendered]:
    """Stored messages in OpenAI's order, each beside the one that it comes from. What other formats have a place
    for is still in their parts; ``ready`` takes it out.

    Blocks of tools become calls, and messages with their results. A call without an id is given one, and a result
    without one answers the first call that has no result yet. Calls that were made together but stored one by one
    are one message. What the system notes between a call and its results comes after them. An assistant who says
    nothing is left out.
    """
    window = list(stored)
    said: list[Rendered] = []
    waiting: dict[str, None] = {}  # in order, and found at once: there may be thousands
    noted: list[Rendered] = []  # by the system, which must not part a call from its results
    one_by_one = False
    for place, message in enumerate(window, start=1):
        if not waiting and not noted and message.content and _is_plain(message):  # as nearly all are
            said.append((message, {"role": message.role, "content": message.content}))
            continue
        for rendered in _openai_messages(message, islice(window, place, None)):
            follows = False
            if rendered["role"] == "tool":
                follows = True
                if waiting:
                    id = rendered.setdefault("tool_call_id", next(iter(waiting)))
                    waiting.pop(id, None)
            elif rendered["role"] == "system" and waiting:
                noted.append((message, rendered))
                continue
            elif "tool_calls" in rendered:
                follows = bool(said) and "tool_calls" in said[-1][1] and _only_calls(rendered)
                one_by_one = one_by_one or follows
                waiting = (waiting if follows else {}) | dict.fromkeys(_ids(rendered))
            elif is_silent(rendered) and (waiting or not _has_more(rendered)):
                continue  # it says nothing, and would part a call from its result
            else:
                waiting = {}
            if noted and not follows:
                said += noted
                noted = []
            said.append((message, rendered))
    said += noted
    return list(_joined(said)) if one_by_one else said


def is_of_tools(message: Message) -> bool:
    """Whether a stored message belongs to the use of tools, or says nothing: the turn before it goes on."""
    if message.content and _is_plain(message):
        return False
    return all(one["role"] == "tool" or "tool_calls" in one for _, one in openai_messages([message]))


def _joined(said: list[Rendered]) -> Iterator[Rendered]:
    """Calls that follow each other as one message, as far as they have results: those of a turn that broke off
    must not take others along."""
    place = 0
    while place < len(said):
        results = after = place + 1
        if "tool_calls" in said[place][1]:
            while results < len(said) and _only_calls(said[results][1]):
                results += 1
            after = results
            while after < len(said) and said[after][1]["role"] == "tool":
                after += 1
        if results - place > 1:
            yield from _exchange(said[place:results], said[results:after])
        else:
            yield from said[place:after]
        place = after


def _exchange(calling: list[Rendered], results: list[Rendered]) -> Iterator[Rendered]:
    whole: list[Rendered] = []
    broken: list[list[Rendered]] = []
    answered: set[int] = set()
    taken: set[int] = set()
    left: dict[object, deque[int]] = {}
    for place, (_, result) in enumerate(results):
        left.setdefault(result.get("tool_call_id"), deque()).append(place)
    # The newest first: where an id was given twice and there is one result, it is the newer call's.
    for one in reversed(calling):
        own = [left[id].popleft() for id in _ids(one[1]) if left.get(id)]
        taken.update(own)
        if len(own) == len(_ids(one[1])):
            whole.append(one)
            answered.update(own)
        else:
            broken.append([one, *(results[place] for place in own)])
    yield from (one for several in reversed(broken) for one in several)
    if whole:
        first, message = whole[-1]
        yield first, message | {"tool_calls": [call for _, one in reversed(whole) for call in one["tool_calls"]]}
        yield from (result for place, result in enumerate(results) if place in answered)
    yield from (result for place, result in enumerate(results) if place not in taken)


def _ids(message: dict[str, Any]) -> list[str]:
    return [call["id"] for call in message["tool_calls"]]


def _only_calls(message: dict[str, Any]) -> bool:
    return "tool_calls" in message and not message["content"]


def _has_more(message: dict[str, Any]) -> bool:
    """Whether there is something in a message that others have a place for."""
    content: Any = message["content"]
    return isinstance(content, list) and not all(map(is_text, cast("list[dict[str, Any]]", content)))


def _answered(after: Iterable[Message]) -> set[str]:
    """The ids of the results that come next."""
    ids: set[str] = set()
    for message in after:
        results = [part for part in parts_of(message.parts or ()) if part["type"] == "tool_result"]
        if message.role != "tool" and not results:
            break
        given: list[Any] = [message.tool_call_id, *(part.get("tool_use_id") for part in results)]
        ids |= {id for id in given if isinstance(id, str)}
    return ids


def _is_plain(message: Message) -> bool:
    """Whether there is nothing to it but who says it and a text."""
    return message.parts is None and message.tool_calls is None and message.name is None and message.role != "tool"


def _openai_messages(message: Message, after: Iterable[Message]) -> list[dict[str, Any]]:
    """The tool results in a message, and then the rest of it."""
    if _is_plain(message):
        return [{"role": message.role, "content": message.content}]
    parts = parts_of(message.parts or ())
    rest = [
        _openai_part(part)
        for part in parts
        if part["type"] != "tool_result" and part["type"] not in BLOCKS_OF_CALLS
    ]
    rendered: dict[str, Any] = {
        "role": message.role,
        "content": message.content if message.parts is None else rest or "",
    }
    if message.name is not None:
        rendered["name"] = _NOT_IN_A_NAME.sub("_", message.name)[:64]
    if message.role == "tool" and message.tool_call_id is not None:
        rendered["tool_call_id"] = message.tool_call_id
    if message.role == "assistant":
        answered = _answered(after) if has_attempts(parts) else ()
        calls = all_calls(message.tool_calls or (), parts, answered)
        if calls := openai_calls(calls, f"unnamed_{message.seq}"):
            rendered |= {"content": rendered["content"] or None, "tool_calls": calls}
    if message.role not in ("user", "tool"):
        return [rendered]
    results = [_openai_result(part, message) for part in parts if part["type"] == "tool_result"]
    return results if results and not rest else [*results, rendered]


def _openai_part(part: dict[str, Any]) -> dict[str, Any]:
    """Parts of the Responses API, and Anthropic's images, as those of a chat, where others lose nothing by it;
    anything else as it is."""
    match part:
        case {"type": "input_text" | "output_text", "text": str(text)}:
            return text_part(text)
        case {"type": "input_image", "image_url": str(url)} if url:
            return _image(part, url)
        case {"type": "image", "source": dict()} if part == anthropic_image(url := picture(part) or ""):
            return _image(part, url)
        case _:
            return part


def _openai_result(block: dict[str, Any], message: Message) -> dict[str, Any]:
    given: Any = block.get("content")
    if isinstance(given, list):
        content = parts_of(cast("list[object]", given)) or ""
    else:
        content = given if isinstance(given, str) else "" if given is None else msgspec.json.encode(given).decode()
    if block.get("is_error") is True:
        content = [text_part(FAILED), *parts_of([content] if isinstance(content, str) and content else content)]
    rendered = {"role": "tool", "content": content}
    id = block.get("tool_use_id") or message.tool_call_id
    return rendered | {"tool_call_id": id} if isinstance(id, str) else rendered


def ready(message: dict[str, Any]) -> dict[str, Any]:
    """The message with nothing in it that OpenAI refuses; the same one if there was nothing."""
    content: Any = message["content"]
    if not isinstance(content, list):
        return message
    given = cast("list[dict[str, Any]]", content)
    told = [shown for part in given if (shown := _allowed(part, message["role"])) is not None]
    return message if told == given else message | {"content": told or (None if "tool_calls" in message else "")}


def is_silent(message: dict[str, Any]) -> bool:
    """Whether there is nothing that OpenAI could be told of what an assistant said: an empty turn is refused by
    many, and answers nothing."""
    if message["role"] != "assistant" or "tool_calls" in message:
        return False
    content: Any = ready(message)["content"]
    if not isinstance(content, list):
        return not content
    return not any(part["text"] for part in cast("list[dict[str, Any]]", content))


def _allowed(part: dict[str, Any], role: str) -> dict[str, Any] | None:
    """A part as it may stand in a message of this role. Only users show images, play sounds and hand over files:
    elsewhere, also in the result of a tool, a word stands for them, as models that insist on an answer after a
    result would not take a message with the image in between."""
    if part["type"] in THOUGHTS:
        return None
    if role == "user" and not is_text(part):
        if url := picture(part):
            return _image(part, url)
        if shown := _attached(part):
            return shown
    text = in_words(part)
    return None if text is None else text_part(text)


def _image(part: dict[str, Any], url: str) -> dict[str, Any]:
    given: Any = part.get("image_url")
    detail = cast("dict[str, Any]", given).get("detail") if isinstance(given, dict) else part.get("detail")
    shown = {"url": url, "detail": detail} if detail in ("auto", "low", "high") else {"url": url}
    return {"type": "image_url", "image_url": shown}


def _attached(part: dict[str, Any]) -> dict[str, Any] | None:
    match part:
        case {"type": "input_audio", "input_audio": {"data": str(data), "format": str(kind)}}:
            return {"type": "input_audio", "input_audio": {"data": data, "format": kind}}
        case {"type": "audio"} if (held := inline(part)) and (kind := _SOUNDS.get(held[0])):
            return {"type": "input_audio", "input_audio": {"data": held[1], "format": kind}}
        case {"type": "file", "file": dict()}:
            return _file(part["file"])
        case {"type": "file"} if (held := inline(part)) and held[0] == PDF:
            return _file({"file_data": f"data:{PDF};base64,{held[1]}", "filename": _filename(part)})
        case {"type": "file", "file_id": str(id)} if id.startswith("file-"):  # others are of other providers
            return _file({"file_id": id})
        case {"type": "input_file"}:
            return _file(part)
        case _:
            return None


def _filename(part: dict[str, Any]) -> str:
    """A file needs a name, for which LangChain has had several places."""
    match part:
        case {"filename": str(name)} | {"extras": {"filename": str(name)}} | {"metadata": {"filename": str(name)}}:
            return name or "file.pdf"
        case _:
            return "file.pdf"


def _file(given: dict[str, Any]) -> dict[str, Any] | None:
    file = {name: given[name] for name in _FILE_FIELDS if isinstance(given.get(name), str)}
    return {"type": "file", "file": file} if file.keys() & {"file_id", "file_data"} else None
