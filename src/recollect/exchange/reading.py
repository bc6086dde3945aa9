"""Read large JSON files piece by piece: a file of any size needs no more memory than its largest entry."""

from __future__ import annotations

import asyncio
import mmap
import os
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from recollect.errors import Invalid
from recollect.exchange.wrong import decoded

#: A whole string, or one of the characters that make the structure; a quote alone begins a string that never ends.
#: Strings are matched without going back.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[][{},:"]', re.DOTALL)
_SPACE = b" \t\r\n"
#: What no name of a file has in it, or begins with, but for odd ones: the text of a document has it.
_OF_A_TEXT = re.compile(r"\s*(?:\{|\[\s*[\[{\"])|.*[\x00-\x1f\ud800-\udfff]", re.DOTALL)

#: A file, or what was in it.
Given = str | Path | Mapping[str, Any] | list[Any]
T = TypeVar("T")


def given_as(source: object) -> Given:
    """What a caller may hand over to be imported. The text of a document is not looked for as a file: nobody would
    find it, and the error would quote all of it."""
    # Path.exists raises where a name is too long.
    if isinstance(source, str) and _OF_A_TEXT.match(source) and not os.path.exists(source):  # noqa: PTH110
        raise Invalid("source", "is a text, and no name of a file; hand over what json.loads makes of it")
    if isinstance(source, str | Path | Mapping | list):
        return cast("Given", source)
    raise Invalid("source", f"must be a file, a mapping or a list, not {type(source).__name__}")


def entries(given: Given) -> Iterator[tuple[str, int, object]]:
    """The entries of a list as ("", place, entry); those of each list in an object as (name, place, entry), and
    other values as (name, -1, value)."""
    if isinstance(given, str | Path):
        yield from _from_file(Path(given))
    elif isinstance(given, Mapping):
        for name, value in given.items():
            if isinstance(value, list):
                for place, item in enumerate(cast("list[object]", value)):
                    yield name, place, item
            else:
                yield name, -1, value
    else:
        for place, item in enumerate(given):
            yield "", place, item


async def beside(items: Iterator[T]) -> AsyncGenerator[T]:
    """What an iterator gives, each made in a thread: to read and check an entry may take long. None is its end."""
    while (item := await asyncio.to_thread(next, items, None)) is not None:
        yield item


def _from_file(path: Path) -> Iterator[tuple[str, int, object]]:
    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                raise Invalid("file", f"{path} is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
                yield from _scan(text, str(path))
    except OSError as error:
        raise Invalid("file", f"{path} cannot be read: {error.strerror}") from None


def _scan(text: mmap.mmap, file: str) -> Iterator[tuple[str, int, object]]:
    """Only brackets and commas near the surface are looked at; each entry is decoded as a whole."""
    first = text[: 1 << 16].lstrip(b"\xef\xbb\xbf" + _SPACE)[:1]
    if first not in (b"[", b"{"):
        raise Invalid("file", f"{file} is not a JSON list or object")
    surface = 1 if first == b"[" else 2  # the depth at which entries are
    depth, start, name, listed, place = 0, 0, "", first == b"[", 0

    def piece(end: int) -> bytes:
        return text[start:end].strip(_SPACE)

    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in (b"[", b"{"):
            depth += 1
            if depth == 1:
                start = token.end()
            elif depth == 2 and surface == 2 and mark == b"[" and not piece(token.start()):
                listed, place, start = True, 0, token.end()
        elif mark == b":" and depth == 1 and surface == 2:
            name = str(decoded(piece(token.start()), file))
            start = token.end()
        elif mark == b'"':
            break  # or the rest would be looked through again at each of its characters
        elif mark in (b"]", b"}", b","):
            if listed and depth == surface and mark != b"}":
                if raw := piece(token.start()):
                    yield name, place, decoded(raw, f"{name}[{place}]")
                    place += 1
                start = token.end()
                if mark == b"]" and surface == 2:
                    listed = False
            elif surface == 2 and depth == 1:
                if raw := piece(token.start()):
                    yield name, -1, decoded(raw, name)
                start = token.end()
            depth -= mark != b","
            if depth == 0 and mark != b",":
                if text[token.end() :].strip(_SPACE):
                    raise Invalid("file", f"{file} goes on after its end")
                return
    raise Invalid("file", f"{file} ends in the middle; is it complete?")
