"""Text into lines that fit a width. Pure; the library's own way takes a minute for what this does in a second."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

Width = Callable[[str], float]
_RUNS = re.compile(r"\s+|\S+")
#: They steer how others are drawn, and are nothing by themselves.
_SILENT = {
    *(0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF),
    *range(0xFE00, 0xFE10),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
}
_FROM_THE_RIGHT = ("R", "AL")


def wrapped(text: str, width: Width, most: float) -> Iterator[str]:
    """The lines of a text, none of them wider than ``most``; what has no spaces is cut where it must."""
    for paragraph in text.splitlines():
        line, used = "", 0.0
        for run in _RUNS.findall(paragraph):
            wide = sum(map(width, run))
            if used + wide <= most:
                line, used = line + run, used + wide
            elif run.isspace():
                yield line
                line, used = "", 0.0
            else:
                if line.strip():
                    yield line.rstrip()
                    line, used = "", 0.0
                *full, line = _cut(line + run, width, most)
                yield from full
                used = sum(map(width, line))
        yield line.rstrip()


def _cut(word: str, width: Width, most: float) -> list[str]:
    pieces: list[str] = []
    start, used = 0, 0.0
    for place, letter in enumerate(word):
        wide = width(letter)
        if used + wide > most and place > start:
            pieces.append(word[start:place])
            start, used = place, 0.0
        used += wide
    return [*pieces, word[start:]]


def cleaned(text: str, drawable: Callable[[str], bool], stand_in: str) -> tuple[str, int]:
    """The text with a stand-in for each character that cannot be drawn, and how many those are."""
    missing = 0
    letters: list[str] = []
    known: dict[str, str | None] = {}
    for letter in text.replace("\r\n", "\n").expandtabs(4):
        if letter not in known:
            known[letter] = _drawn(letter, drawable)
        drawn = known[letter]
        missing += drawn is None
        letters.append(stand_in if drawn is None else drawn)
    return "".join(letters), missing


def _drawn(letter: str, drawable: Callable[[str], bool]) -> str | None:
    if letter == "\n" or drawable(letter):
        return letter
    if ord(letter) in _SILENT or unicodedata.category(letter) == "Cc":
        return ""
    if letter.isspace():
        return "\n" if letter in "\u2028\u2029" else " "
    plain = unicodedata.normalize("NFKC", letter)
    return plain if plain != letter and all(map(drawable, plain)) else None


def from_the_right(line: str) -> bool:
    """Whether a line is read from right to left."""
    kinds = (unicodedata.bidirectional(letter) for letter in line)
    return next((kind in _FROM_THE_RIGHT for kind in kinds if kind in ("L", *_FROM_THE_RIGHT)), False)
