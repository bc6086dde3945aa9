"""Which lines of a markdown text are headers of its top level, as CommonMark has it. Pure.

A line first goes on with the quotations and list items that are open, then it may open others, and what is left of
it is a header, a break, the start of a fence, text and so on. What stands in a quotation or in a list item is no
header of the text, and a fence that is opened in there ends with it. Of the blocks of HTML only those are known in
which a blank line ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

#: What files of Windows begin with; nobody sees it, wherever the text of such a file comes to stand.
_MARK = "\ufeff"

_ATX = re.compile(r" {0,3}(#{1,6})(?= |$)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-+) *$")
_BREAK = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_TEXT = re.compile(r" {0,3}[^ ]")
#: Where a link goes, on a line of its own: nobody sees it, and a line under it makes no header of it.
_DEFINITION = re.compile(
    r" {0,3}\[(?=[^]]*[^] ])(?:[^][\\]|\\.){1,999}\]: *(?:<(?:[^<>\\]|\\.)*>|(?!<)(?:[^ ()\\]|\\.|\([^ ()\\]*\))+)"
    r"(?: +(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))? *$"
)
_QUOTATION = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( {0,3}(?:[-+*]|([0-9]{1,9})[.)]))( +|$)")
#: How blocks of HTML start and end, of the kinds 1 to 5 of CommonMark.
_HTML = [
    (re.compile(" {0,3}" + start), re.compile(end))
    for start, end in (
        (r"(?i:<(?:pre|script|style|textarea)(?=[ >]|$))", r"(?i:</(?:pre|script|style|textarea)>)"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<![A-Za-z]", r">"),
        (r"<!\[CDATA\[", r"\]\]>"),
    )
]
#: Quotations and items inside of each other; each line is compared with all of them, and nobody writes more.
_DEEPEST = 20


class Found(NamedTuple):
    """A header: where its line (for an underlined one, the first of its lines) and its section's body begin."""

    level: int
    title: str
    start: int
    body: int


class _Opening(NamedTuple):
    """A container that a line opens: its indent, how much of the line that takes, whether the rest is blank."""

    indent: int
    taken: int
    bare: bool


class _Verbatim(NamedTuple):
    """A code fence or a block of HTML, and what ends it."""

    name: str
    closing: re.Pattern[str]


class Blocks:
    """What is open after the lines read so far, and the headers among them."""

    def __init__(self, text: str = "") -> None:
        self.found: list[Found] = []
        self._text = ""
        self._containers: list[int] = []  # how far the lines of an item are indented; 0 is a quotation
        self._bare = False  # the innermost item has nothing in it yet: a blank line ends it
        self._verbatim: _Verbatim | None = None
        self._paragraph: int | None = None  # where it began
        self.read(text)

    def read(self, text: str) -> None:
        """Go on with another text, which begins on a line of its own."""
        for _ in self._reading(text):
            pass

    def keeps_headers_of(self, text: str) -> bool:
        """Whether a text that follows has the headers that it has alone. It is read until what came before no
        longer matters."""
        along, alone = self._without_headers(), Blocks()
        if along._text.endswith("\r") and text.startswith("\n"):
            # Together they are one end of a line; alone, a blank line at the start says nothing.
            along._text, text = along._text + "\n", text[1:]
        behind = len(along._text)
        for _ in zip(along._reading(text), alone._reading(text), strict=True):
            if along._open(behind) == alone._open(0):
                break
        return [one[:2] for one in along.found] == [one[:2] for one in alone.found]

    @property
    def still_open(self) -> str:
        """What would swallow whatever follows; in a quotation or an item, what follows ends it."""
        return self._verbatim.name if self._verbatim is not None and not self._containers else ""

    def _reading(self, text: str) -> Iterator[None]:
        """Line by line, so that what is open can be seen after each."""
        behind = len(self._text)
        self._text += text
        for line in LINE.finditer(text):
            # Tabs stand for columns; with those of the whole line, nothing below has to count them.
            seen = line[0].rstrip("\r\n").removeprefix(_MARK).expandtabs(4)
            self._read(seen, behind + line.start(), behind + line.end())
            yield

    def _open(self, since: int) -> tuple[object, ...]:
        """All that the reading of the next line depends on, with places as they are counted from one on."""
        paragraph = None if self._paragraph is None else self._paragraph - since
        return paragraph, self._verbatim, self._bare, self._containers

    def _without_headers(self) -> Blocks:
        """A copy that goes on from here."""
        other = copy(self)
        other.found, other._containers = [], [*self._containers]
        return other

    def _read(self, line: str, start: int, end: int) -> None:
        kept, taken = self._going_on(line)
        goes_on = kept == len(self._containers)
        rest = line[taken:]
        if self._verbatim is not None and goes_on:
            if self._verbatim.closing.search(rest):
                self._verbatim = None
            return
        self._verbatim, self._bare = None, False
        while kept < _DEEPEST and (opening := _opening(rest, goes_on and self._paragraph is not None)):
            self._close(kept)
            self._containers.append(opening.indent)
            kept, goes_on, self._bare = kept + 1, True, opening.bare
            rest = rest[opening.taken :]
        self._read_rest(rest, kept, goes_on, start, end)

    def _going_on(self, line: str) -> tuple[int, int]:
        """How many of the open containers go on with this line, and how much of it that takes."""
        taken, filled = 0, len(line.rstrip(" "))
        for place, indent in enumerate(self._containers):
            if not indent:
                mark = _QUOTATION.match(line, taken)
                if mark is None:
                    return place, taken
                taken = mark.end()
            elif taken >= filled:
                if self._bare and place == len(self._containers) - 1:
                    return place, taken
            elif line.startswith(" " * indent, taken):
                taken += indent
            else:
                return place, taken
        return len(self._containers), taken

    def _read_rest(self, rest: str, kept: int, goes_on: bool, start: int, end: int) -> None:
        """What a line has behind the marks and indents of its containers."""
        if goes_on and self._paragraph is not None and (under := _UNDERLINE.match(rest)):
            self._add(1 if under[1][0] == "=" else 2, self._text[self._paragraph : start], self._paragraph, end)
            self._paragraph = None
        elif not rest.strip(" ") or _BREAK.match(rest):
            self._close(kept)
        elif marks := _ATX.match(rest):
            self._close(kept)
            self._add(len(marks[1]), atx_title(rest[marks.end() :]), start, end)
        elif fence := _FENCE.match(rest):
            self._close(kept)
            closing = re.compile(rf"^ {{0,3}}{fence[1][0]}{{{len(fence[1])},}} *$")
            self._verbatim = _Verbatim("a code fence", closing)
        elif "<" in rest and (closing := next((end for begin, end in _HTML if begin.match(rest)), None)):
            self._close(kept)
            self._verbatim = None if closing.search(rest) else _Verbatim("a block of HTML", closing)
        elif self._paragraph is None:
            self._close(kept)
            self._paragraph = start if _TEXT.match(rest) and not _DEFINITION.match(rest) else None
        # Otherwise the paragraph goes on, and needs none of the marks and indents of its containers for that.

    def _close(self, kept: int) -> None:
        del self._containers[kept:]
        self._paragraph = None

    def _add(self, level: int, title: str, start: int, body: int) -> None:
        if not self._containers:
            self.found.append(Found(level, title.removeprefix(_MARK), start, body))


def atx_title(rest: str) -> str:
    """The text of an ATX header after its marks, without the closing marks it may have."""
    title = rest.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _opening(rest: str, in_paragraph: bool) -> _Opening | None:
    if quotation := _QUOTATION.match(rest):
        return _Opening(0, quotation.end(), False)
    item = _ITEM.match(rest)
    if item is None or _BREAK.match(rest):
        return None
    bare = item.end() == len(rest)
    # "14. was a good year" in the middle of a text is no list.
    if in_paragraph and (bare or int(item[2] or 1) != 1):
        return None
    if bare:
        return _Opening(item.end(1) + 1, len(rest), True)
    # From five spaces on, all but the first belong to the code that the item begins with.
    indent = item.end() if len(item[3]) < 5 else item.end(1) + 1
    return _Opening(indent, indent, False)
