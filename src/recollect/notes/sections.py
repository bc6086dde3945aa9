"""The seven operations on notes, and the markdown sections that two of them work on. Pure.

A section goes from its header to the next header of the same or a higher level. What stands in a code fence
is no header. Whatever an operation does not name stays byte for byte as it was. No error quotes the notes or
a header of them: an error ends up in logs.
"""

from __future__ import annotations

import re

import msgspec

from recollect import inputs
from recollect.errors import Invalid

MAX_NOTES = 64 << 10
MAX_HEADER = 1000

#: What each operation takes: (content, section_header).
OPERATIONS = {
    "read": (False, False),
    "overwrite": (True, False),
    "append": (True, False),
    "prepend": (True, False),
    "delete_section_by_header": (False, True),
    "replace_section_by_header": (True, True),
    "delete_all_notes": (False, False),
}

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_CONTAINER = re.compile(r" {0,3}(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))")


class Header(msgspec.Struct, frozen=True):
    """A header, and where its line (for an underlined one, its lines) and its section stand in the text."""

    level: int
    title: str
    start: int
    body: int
    end: int


def edited(text: str, operation: str, content: str | None, section_header: str | None) -> str:
    """The notes after one operation; raises Invalid, with the name of the field, if it cannot be done."""
    _check(operation, content, section_header)
    match operation:
        case "overwrite":
            after = content or ""
        case "append":
            after = _append(text, content or "")
        case "prepend":
            after = _prepend(content or "", text)
        case "delete_section_by_header":
            header = _find(text, section_header or "")
            after = _joined(text[: header.start], text[header.end :])
        case "replace_section_by_header":
            after = _replace(text, _find(text, section_header or ""), content or "")
        case "delete_all_notes":
            after = ""
        case _:
            return text
    if content is not None and (size := len(after.encode())) > MAX_NOTES:
        raise Invalid(
            "content",
            f"would make the notes {size:,} bytes long; at most {MAX_NOTES:,} are allowed: "
            "shorten it, or delete or replace a section first",
        )
    return after


def headers(text: str) -> list[Header]:
    """Every header of a markdown text, in order: ATX (``## Diet``) and setext (underlined) ones."""
    return _parsed(text)[0]


def _check(operation: str, content: str | None, section_header: str | None) -> None:
    if operation not in OPERATIONS:
        raise Invalid("operation", f"must be one of {', '.join(OPERATIONS)}")
    wants_content, wants_header = OPERATIONS[operation]
    if wants_content and content is None:
        raise Invalid("content", f"is missing; {operation} needs it")
    if wants_header and (section_header is None or not section_header.strip()):
        raise Invalid("section_header", f"is missing; {operation} needs the header of a section")
    # A model that fills in every argument of its tool sends empty text for those that do not apply.
    if content and not wants_content:
        raise Invalid("content", f"must not be given; {operation} takes none")
    if section_header and not wants_header:
        raise Invalid("section_header", f"must not be given; {operation} takes none")
    if content is not None:
        inputs.text("content", content, MAX_NOTES)
    if section_header is not None:
        inputs.text("section_header", section_header, MAX_HEADER)


def _find(text: str, wanted: str) -> Header:
    found = headers(text)
    same = [header for header in found if _folded(header.title) == _folded(wanted)]
    marks = re.match(r"\s*(#{1,6})(?!#)", wanted)
    if not same and marks:
        level, title = len(marks[1]), _folded(_atx_title(wanted[marks.end() :]))
        same = [header for header in found if header.level == level and _folded(header.title) == title]
    if not same:
        raise Invalid("section_header", f"there is no such section among the {len(found)} of these notes")
    if len(same) > 1:
        raise Invalid(
            "section_header",
            f"{len(same)} sections have this header"
            + (
                "; give it with its #s to choose the level"
                if len({header.level for header in same}) > 1
                else " at the same level; overwrite the notes with headers that differ"
            ),
        )
    return same[0]


def _append(text: str, content: str) -> str:
    return _joined(text, content, keep_open=True)


def _prepend(content: str, text: str) -> str:
    if text.strip():
        _closed(content)
    return _joined(content, text)


def _replace(text: str, header: Header, content: str) -> str:
    """The header line stays, and so do the blank lines around the body: they belong to the layout."""
    first = next(iter(headers(content)), None)
    if (
        first is not None
        and not content[: first.start].strip()
        and (first.level, _folded(first.title)) == (header.level, _folded(header.title))
    ):
        content = content[first.body :]
    rest = text[header.end :]
    if rest.strip():
        _closed(content)
    lead, old, tail = _framed(text[header.body : header.end])
    _, new, _ = _framed(content)
    new = new.rstrip("\r\n")
    if new and (rest or not old or old[-1] in "\r\n"):
        new += "\n"
    head = text[: header.body]
    if new and head[-1] not in "\r\n":
        head += "\n"
    return _joined(head + lead + new + tail, rest)


def _framed(body: str) -> tuple[str, str, str]:
    """Blank lines, the body proper, blank lines."""
    lines = _LINE.findall(body)
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if not filled:
        return body, "", ""
    first, last = filled[0], filled[-1] + 1
    return "".join(lines[:first]), "".join(lines[first:last]), "".join(lines[last:])


def _joined(before: str, after: str, *, keep_open: bool = False) -> str:
    """Both texts, on lines of their own, with a blank line between them where a header would change otherwise."""
    if not before or not after:
        return before + after
    if before[-1] not in "\r\n":
        before += "\n"
    (first, still_open), second = _parsed(before), headers(after)
    if keep_open and still_open:
        return before + after
    names = [(header.level, header.title) for header in (*first, *second)]
    whole = before + after
    if [(header.level, header.title) for header in headers(whole)] == names:
        return whole
    return before + ("\r\n" if before[-1] == "\r" else "\n") + after


def _closed(content: str) -> None:
    if _parsed(content)[1]:
        raise Invalid(
            "content", "has a code fence that is not closed, which would swallow the sections after it; close it"
        )


def _parsed(text: str) -> tuple[list[Header], bool]:
    """The headers, and whether a code fence is still open at the end."""
    starts: list[tuple[int, str, int, int]] = []  # level, title, start, body
    fence = ""
    paragraph: int | None = None  # where the paragraph began that an underline would make a header
    in_container = False  # a line after a list item or a quotation may go on with it: it is no header then
    position = 0
    for line in _LINE.findall(text):
        start, position = position, position + len(line)
        line = line.rstrip("\r\n")
        if fence:
            if re.fullmatch(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*", line):
                fence = ""
            continue
        if not line.strip():
            paragraph, in_container = None, False
        elif opened := _FENCE.match(line):
            fence, paragraph, in_container = opened[1], None, False
        elif marks := _ATX.match(line):
            starts.append((len(marks[1]), _atx_title(line[marks.end() :]), start, position))
            paragraph, in_container = None, False
        elif paragraph is not None and (under := _UNDERLINE.match(line)):
            starts.append((1 if under[1][0] == "=" else 2, text[paragraph:start], paragraph, position))
            paragraph = None
        elif _BREAK.match(line):
            paragraph, in_container = None, False
        elif _CONTAINER.match(line):
            paragraph, in_container = None, True
        elif paragraph is None and not in_container and not line.startswith(("    ", "\t")):
            paragraph = start
    return _with_ends(starts, len(text)), bool(fence)


def _with_ends(starts: list[tuple[int, str, int, int]], length: int) -> list[Header]:
    """A section ends where the next one of its own or a higher level starts."""
    found: list[Header] = []
    next_start = [length] * 7  # by level: where the next header of this level or above starts
    for level, title, start, body in reversed(starts):
        found.append(Header(level, " ".join(title.split()), start, body, next_start[level]))
        next_start[level:] = [start] * (7 - level)
    return found[::-1]


def _atx_title(rest: str) -> str:
    """The text of an ATX header after its marks, without the closing marks it may have."""
    title = rest.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _folded(title: str) -> str:
    return " ".join(title.split()).casefold()
