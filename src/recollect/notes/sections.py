"""The seven operations on notes, and the markdown sections that two of them work on. Pure.

A section goes from its header to the next header of the same or a higher level. What stands in a code fence, in
an HTML comment or in a block like ``<pre>`` is no header. Whatever an operation does not name stays byte for byte
as it was, and what comes in takes on the line ending of the notes. No error quotes the notes or a header of them:
an error ends up in logs.
"""

from __future__ import annotations

import re
from collections import Counter

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
_END = re.compile(r"\r\n|\r|\n")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
#: How blocks of HTML start and end, of the kinds 1 to 5 of CommonMark: those in which a blank line ends nothing.
_HTML = [
    (re.compile(" {0,3}" + start), re.compile(end))
    for start, end in (
        (r"(?i:<(?:pre|script|style|textarea)(?=[ \t>]|$))", r"(?i:</(?:pre|script|style|textarea)>)"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<![A-Za-z]", r">"),
        (r"<!\[CDATA\[", r"\]\]>"),
    )
]
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
    ending = _ending(text) or _ending(content or "") or "\n"
    brought = _END.sub(ending, content or "")
    match operation:
        case "overwrite":
            after = content or ""
        case "append":
            after = _joined(text, brought, ending, keep_open=True)
        case "prepend":
            after = _prepend(brought, text, ending)
        case "delete_section_by_header":
            header = _find(text, section_header or "")
            after = _joined(text[: header.start], text[header.end :], ending)
        case "replace_section_by_header":
            after = _replace(text, _find(text, section_header or ""), brought, ending)
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


def _check(operation: object, content: object, section_header: object) -> None:
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise Invalid("operation", f"must be one of {', '.join(OPERATIONS)}")
    if content is not None:
        content = inputs.text("content", content, MAX_NOTES)
    if section_header is not None:
        section_header = inputs.text("section_header", section_header, MAX_HEADER)
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


def _ending(text: str) -> str:
    """The line ending that a text uses most, of several the first; empty if it is one line."""
    return next((end for end, _ in Counter(_END.findall(text)).most_common(1)), "")


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


def _prepend(content: str, text: str, ending: str) -> str:
    if text.strip():
        _closed(content)
    return _joined(content, text, ending)


def _replace(text: str, header: Header, content: str, ending: str) -> str:
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
        new += ending
    head = text[: header.body]
    if new and head[-1] not in "\r\n":
        head += ending
    return _joined(head + lead + new + tail, rest, ending)


def _framed(body: str) -> tuple[str, str, str]:
    """Blank lines, the body proper, blank lines."""
    lines = _LINE.findall(body)
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if not filled:
        return body, "", ""
    first, last = filled[0], filled[-1] + 1
    return "".join(lines[:first]), "".join(lines[first:last]), "".join(lines[last:])


def _joined(before: str, after: str, ending: str, *, keep_open: bool = False) -> str:
    """Both texts, on lines of their own, with a blank line between them where a header would change otherwise."""
    if not before or not after:
        return before + after
    if before[-1] not in "\r\n":
        before += ending
    (first, still_open), second = _parsed(before), headers(after)
    if keep_open and still_open:
        return before + after
    names = [(header.level, header.title) for header in (*first, *second)]
    whole = before + after
    if [(header.level, header.title) for header in headers(whole)] == names:
        return whole
    # A line feed alone would become part of the carriage return before it.
    return before + ("\r\n" if before[-1] == "\r" and ending == "\n" else ending) + after


def _closed(content: str) -> None:
    if still_open := _parsed(content)[1]:
        raise Invalid(
            "content", f"has {still_open} that is not closed, which would swallow the sections after it; close it"
        )


def _parsed(text: str) -> tuple[list[Header], str]:
    """The headers, and what is still open at the end, if anything is."""
    starts: list[tuple[int, str, int, int]] = []  # level, title, start, body
    fence = ""
    html: re.Pattern[str] | None = None  # what ends the block of HTML
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
        if html is not None:
            if html.search(line):
                html = None
            continue
        if not line.strip():
            paragraph, in_container = None, False
        elif opened := _FENCE.match(line):
            fence, paragraph, in_container = opened[1], None, False
        elif closing := next((end for begin, end in _HTML if begin.match(line)), None):
            html, paragraph, in_container = None if closing.search(line) else closing, None, False
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
    return _with_ends(starts, len(text)), "a code fence" if fence else "a block of HTML" if html else ""


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
