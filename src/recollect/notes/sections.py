"""The seven operations on notes, and the markdown sections that two of them work on. Pure.

A section goes from its header to the next header of the same or a higher level; ``blocks`` tells what is a header.
Whatever an operation does not name stays byte for byte as it was, and what comes in takes on the line ending of
the notes. No error quotes the notes or a header of them: an error ends up in logs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.notes.blocks import LINE, Blocks, Found, atx_title

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

_END = re.compile(r"\r\n|\r|\n")
_EMPHASISED = re.compile(r"(\*{1,3}|_{1,3})(?![\s*_])(.+)(?<![\s*_])\1")
#: A header with spaces in front would become part of the list before it, and a blank line ends no list.
_END_OF_LIST = "<!-- -->"


class Header(msgspec.Struct, frozen=True):
    """A header, and where its line (for an underlined one, its lines) and its section stand in the text."""

    level: int
    title: str
    start: int
    body: int
    end: int


def edited(text: str, operation: str, content: str | None, section_header: str | None) -> str:
    """The notes after one operation; raises Invalid, with the name of the field, if it cannot be done."""
    check(operation, content, section_header)
    ending = _ending(text) or _ending(content or "") or "\n"
    brought = _END.sub(ending, content or "")
    match operation:
        case "overwrite":
            after = content or ""
        case "append":
            after = _joined(text, brought, ending, keep_open=True)
        case "prepend":
            after = _joined(brought, text, ending)
        case "delete_section_by_header":
            after = _delete(text, headers(text), section_header or "", ending)
        case "replace_section_by_header":
            after = _replace(text, _find(headers(text), section_header or ""), brought, ending)
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
    return _with_ends(Blocks(text).found, len(text))


def check(operation: object, content: object, section_header: object) -> None:
    """Raises Invalid, with the name of the field, for what no notes could be edited with."""
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


def _find(found: Sequence[Header], wanted: str) -> Header:
    same = _named(found, wanted, _folded) or _named(found, wanted, _plain)
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


def _named(found: Sequence[Header], wanted: str, read: Callable[[str], str]) -> list[Header]:
    """The headers of a title; of a level too, if there are none without and it is given with its marks."""
    title = read(wanted)
    same = [header for header in found if read(header.title) == title]
    marks = re.match(r"\s*(#{1,6})(?!#)", wanted)
    if same or not marks:
        return same
    level, title = len(marks[1]), read(atx_title(wanted[marks.end() :]))
    return [header for header in found if header.level == level and read(header.title) == title]


def _delete(text: str, found: Sequence[Header], wanted: str, ending: str) -> str:
    header = _find(found, wanted)
    since = max((one.body for one in found if one.start < header.start), default=0)
    return _joined(text[: header.start], text[header.end :], ending, since=since)


def _replace(text: str, header: Header, content: str, ending: str) -> str:
    """The header line stays, and so do the blank lines around the body: they belong to the layout."""
    first = next(iter(headers(content)), None)
    if (
        first is not None
        and not content[: first.start].strip()
        and (first.level, _plain(first.title)) == (header.level, _plain(header.title))
    ):
        content = content[first.body :]
    rest = text[header.end :]
    lead, old, tail = _framed(text[header.body : header.end])
    _, new, _ = _framed(content)
    new = new.rstrip("\r\n")
    if new and (rest or not old or old[-1] in "\r\n"):
        new += ending
    head = text[: header.body]
    if new and head[-1] not in "\r\n":
        head += ending
    return _joined(head + lead + new + tail, rest, ending, since=len(head))


def _framed(body: str) -> tuple[str, str, str]:
    """Blank lines, the body proper, blank lines."""
    lines = LINE.findall(body)
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if not filled:
        return body, "", ""
    first, last = filled[0], filled[-1] + 1
    return "".join(lines[:first]), "".join(lines[first:last]), "".join(lines[last:])


def _joined(before: str, after: str, ending: str, *, since: int = 0, keep_open: bool = False) -> str:
    """Both texts, on lines of their own, with as much between them as it takes to keep every header what it is.
    ``since`` is the end of a header in the first: nothing is open there, so it need not be read from its start."""
    if not before or not after:
        return before + after
    if before[-1] not in "\r\n":
        before += ending
    first = Blocks(before[since:])
    if first.still_open:
        if keep_open or not after.strip():
            return before + after
        raise Invalid(
            "content",
            f"has {first.still_open} that is not closed, which would swallow the sections after it; close it",
        )
    # A line feed alone would become part of the carriage return before it.
    blank = "\r\n" if before[-1] == "\r" and ending == "\n" else ending
    for between in ("", blank):
        first.read(between)
        if first.keeps_headers_of(after):
            return before + between + after
    return before + blank + _END_OF_LIST + ending + after


def _with_ends(starts: Sequence[Found], length: int) -> list[Header]:
    """A section ends where the next one of its own or a higher level starts."""
    found: list[Header] = []
    next_start = [length] * 7  # by level: where the next header of this level or above starts
    for level, title, start, body in reversed(starts):
        found.append(Header(level, " ".join(title.split()), start, body, next_start[level]))
        next_start[level:] = [start] * (7 - level)
    return found[::-1]


def _folded(title: str) -> str:
    # An accent may be a character of its own, and looks the same.
    return unicodedata.normalize("NFC", " ".join(title.split()).casefold())


def _plain(title: str) -> str:
    """Without the emphasis that the whole of it may have."""
    folded = _folded(title)
    emphasised = _EMPHASISED.fullmatch(folded)
    return emphasised[2] if emphasised else folded
