"""The parts of a content, in whichever of the shapes of OpenAI, Anthropic and LangChain they were stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

Part = dict[str, Any]

#: What a model thought before it spoke, which is nobody's business but its own.
THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
#: What stands for a part where only text may stand.
_LABELS = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "video": "[video]",
    "file": "[file]",
    "input_file": "[file]",
    "document": "[file]",
    "text-plain": "[file]",
}
#: The only files that both of OpenAI and Anthropic read.
PDF = "application/pdf"
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,")
#: The images that Anthropic takes, by what they are called, and what it calls them.
_IMAGES = {
    "image/jpeg": "image/jpeg",
    "image/jpg": "image/jpeg",
    "image/png": "image/png",
    "image/gif": "image/gif",
    "image/webp": "image/webp",
}
_NOT_WRITTEN_OUT = ("base64", "url", "file")


def parts_of(given: Iterable[object]) -> list[Part]:
    """The parts of a content, each with its type; those that say nothing are left out."""
    parts: list[Part] = []
    for part in given:
        if isinstance(part, str):
            parts.append(text_part(part))
        elif isinstance(part, dict):
            known = _unwrapped(cast("Part", part))
            if not isinstance(known.get("type"), str):
                known = known | {"type": "image_url" if "image_url" in known else "text"}
            if is_text(known) or known["type"] != "text":
                parts.append(known)
    return parts


def _unwrapped(part: Part) -> Part:
    """What LangChain has no name for, as its provider wrote it: it may be a call, or a thought."""
    match part:
        case {"type": "non_standard", "value": {"type": str()}}:
            return _unwrapped(part["value"])
        case _:
            return part


def text_part(text: str) -> Part:
    """Text, as all of them write it."""
    return {"type": "text", "text": text}


def is_text(part: Part) -> bool:
    """Whether a part is text, by whatever name."""
    return isinstance(part.get("text"), str)


def has_flat_price(part: Part) -> bool:
    """Whether what is written in a part says nothing about what it costs a model to look at it."""
    if part["type"] != "document":
        return part["type"] in _LABELS
    source = part.get("source")
    return isinstance(source, dict) and cast("Part", source).get("type") in _NOT_WRITTEN_OUT


def in_words(part: Part) -> str | None:
    """A part as text: its own, or what stands for it; None where it says nothing outside of its own format, as
    what the tools of a provider were asked and answered."""
    if is_text(part):
        return part["text"]
    match part:
        case {"type": "refusal", "refusal": str(said)}:
            return said
        case {"type": "document", "source": {"type": "text", "data": str(written)}}:
            return written
        case {"type": "document", "source": {"type": "content", "content": str(written)}}:
            return written
        case {"type": "document", "source": {"type": "content", "content": list()}}:
            return texts(part["source"]["content"])
        case {"type": "search_result", "content": list()}:
            return texts(part["content"])
        case _:
            return _LABELS.get(part["type"])


def texts(content: Iterable[object]) -> str:
    """All that parts say, where only text may stand."""
    return "\n".join(filter(None, map(in_words, parts_of(content))))


def picture(part: Part) -> str | None:
    """Where the image of a part is: an address, or a data URL with all of it; None if it has none that can be
    reached."""
    match part:
        case {"image_url": str(url)} | {"image_url": {"url": str(url)}}:
            return url or None
        case {"type": "image", "source": {"type": "url", "url": str(url)}}:
            return url or None
        case {"type": "image", "source": {"type": "base64", "media_type": str(kind), "data": str(data)}}:
            return f"data:{kind};base64,{data}"
        case {"type": "image"} if held := inline(part):
            kind, data = held
            return f"data:{kind};base64,{data}"
        case {"type": "image", "url": str(url)}:  # in both of LangChain's shapes
            return url or None
        case _:
            return None


def inline(part: Part) -> tuple[str, str] | None:
    """The kind and the data of a file that is in a part in one of LangChain's shapes."""
    match part:
        case {"mime_type": str(kind), "base64": str(data)} if data:  # since its version 1
            return kind, data
        case {"source_type": "base64", "mime_type": str(kind), "data": str(data)} if data:
            return kind, data
        case _:
            return None


def anthropic_image(url: str) -> Part | None:
    """The image at an address, or in a data URL, in Anthropic's shape; None for one that it refuses, and the whole
    request with it."""
    if data := _DATA_URL.match(url):
        kind = _IMAGES.get(data[1].lower())
        source = {"type": "base64", "media_type": kind, "data": url[data.end() :]}
        return {"type": "image", "source": source} if kind else None
    return {"type": "image", "source": {"type": "url", "url": url}} if is_secure(url) else None


def is_secure(url: str) -> bool:
    """Whether Anthropic would fetch what is at an address."""
    return url.startswith("https://")
