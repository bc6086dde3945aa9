"""A conversation as a PDF: who said what when, over as many pages as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from recollect.conversations.pdf.fonts import Fonts, fonts_of, library
from recollect.conversations.pdf.wrapping import Width, cleaned, from_the_right, wrapped
from recollect.errors import Invalid
from recollect.records import Conversation, Message

#: Nobody prints more, and it must not keep a server from its other work.
MOST_TEXT = 5_000_000

Colour = tuple[int, int, int]
INK: Colour = (34, 34, 34)
GREY: Colour = (125, 125, 125)
COLOURS: dict[str, Colour] = {
    "user": (38, 98, 170),
    "assistant": (24, 124, 88),
    "tool": (160, 104, 24),
    "system": (125, 125, 125),
}
# Millimetres on A4.
LEFT, RIGHT, TOP, BOTTOM = 20.0, 190.0, 20.0, 275.0
INDENT = 4.0
#: Text in points, and its line in millimetres.
BODY, SMALL, TITLE = (10.0, 5.0), (8.5, 4.3), (17.0, 8.0)


class Paper(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be drawn."""

    tenant: str
    conversation: Conversation
    messages: Sequence[Message]
    state: tuple[str, bytes] | None
    """In a line, and the draft as JSON."""


def paper(given: Paper) -> bytes:
    """The bytes of a PDF. A sign stands for what the fonts cannot draw; the first page says how much that is."""
    size = sum(len(one.content) for one in given.messages)
    if size > MOST_TEXT:
        raise Invalid("format", f"the text has {size:,} characters, and a PDF at most {MOST_TEXT:,}; export json")
    pdf = library().FPDF()
    pdf.set_auto_page_break(False)
    pdf.c_margin = 0
    pdf.str_alias_nb_pages = ""  # or what people write could be taken for the number of pages
    letters = set[str]().union(*(one.content for one in given.messages), given.conversation.title or "")
    with fonts_of(pdf, {letter for letter in letters if not letter.isspace()}) as fonts:
        _Drawing(pdf, fonts, given).draw()
        return bytes(pdf.output())


class _Drawing:
    """A document in the making."""

    def __init__(self, pdf: Any, fonts: Fonts, given: Paper) -> None:
        self._pdf = pdf
        self._fonts = fonts
        self._given = given
        self._y = TOP
        self._bar: Colour | None = None
        self._missing = 0
        self._widths = cache(self._measured)

    def draw(self) -> None:
        """All of it."""
        given, pdf = self._given, self._pdf
        title = self._text(given.conversation.title or "Conversation")
        messages = [(one, self._text(one.content), self._text(_besides(one))) for one in given.messages]
        pdf.set_title(title)
        pdf.set_creator("Recollect")
        self._page()
        self._head(title)
        for one, text, besides in messages:
            self._message(one, text, besides)
        if given.state is not None:
            self._title("State", COLOURS["system"], "")
            self._lines(self._text(given.state[0]), BODY, INK)
            self._lines(self._text(given.state[1].decode()), SMALL, GREY)

    def _head(self, title: str) -> None:
        talk, messages = self._given.conversation, self._given.messages
        self._lines(title, TITLE, INK, "B", indent=0)
        self._y += 1
        until = f", last message {_time(messages[-1].created_at)}" if messages else ""
        count = f"{len(messages)} message{'' if len(messages) == 1 else 's'}"
        who = self._text(f"{talk.user} with {talk.agent}, tenant {self._given.tenant}")
        for line in (who, f"{count}, begun {_time(talk.created_at)}{until}"):
            self._lines(line, SMALL, GREY, indent=0)
        if self._missing:
            said = "character has" if self._missing == 1 else "characters have"
            self._lines(
                f"{self._missing} {said} no sign in the fonts of this document and stand as "
                f"{self._fonts.stand_in}; the exports as JSON and markdown have them.",
                SMALL,
                COLOURS["tool"],
                indent=0,
            )
        self._y += 2
        self._pdf.set_draw_color(210, 210, 210)
        self._pdf.line(LEFT, self._y, RIGHT, self._y)
        self._y += 4

    def _message(self, one: Message, text: str, besides: str) -> None:
        who = f"{one.seq}. {one.role}" + (f" ({one.name})" if one.name else "")
        self._title(self._text(who), COLOURS[one.role], _time(one.created_at))
        self._bar = COLOURS[one.role]
        self._lines(text, BODY, INK)
        self._lines(besides, SMALL, GREY)
        self._bar = None
        self._y += 3.5

    def _title(self, left: str, colour: Colour, right: str) -> None:
        if self._y + SMALL[1] + 2 * BODY[1] > BOTTOM:  # a title stays with what it is about
            self._page()
        self._font(SMALL[0], colour, "B")
        first, *_ = [*wrapped(left, self._width(SMALL[0]), RIGHT - LEFT - 45), ""]
        self._line(first, LEFT, SMALL[1])
        self._font(SMALL[0], GREY)
        self._pdf.text(RIGHT - self._pdf.get_string_width(right), self._y + 0.75 * SMALL[1], right)
        self._y += SMALL[1] + 0.8

    def _lines(
        self, text: str, size: tuple[float, float], colour: Colour, style: str = "", indent: float = INDENT
    ) -> None:
        points, height = size
        self._font(points, colour, style)
        for line in wrapped(text, self._width(points), RIGHT - LEFT - indent - 1):
            if self._y + height > BOTTOM:
                self._page()
                self._font(points, colour, style)
            if self._bar is not None:
                self._pdf.set_fill_color(*self._bar)
                self._pdf.rect(LEFT, self._y, 0.7, height, style="F")
            self._line(line, LEFT + indent, height)
            self._y += height

    def _line(self, line: str, x: float, height: float) -> None:
        """One line. The short way is many times faster, and enough for letters that stand one after the other."""
        pdf = self._pdf
        if not line:
            return
        if line.isascii() or (all(map(self._fonts.plain, line)) and not any(map(_joins, line))):
            pdf.text(x, self._y + 0.75 * height, line)
            return
        if self._fonts.shaping:
            pdf.set_text_shaping(use_shaping_engine=True)
        pdf.set_xy(x, self._y)
        pdf.cell(RIGHT - x, height, line, align="R" if from_the_right(line) else "L")
        if self._fonts.shaping:
            pdf.set_text_shaping(use_shaping_engine=False)

    def _page(self) -> None:
        pdf = self._pdf
        pdf.add_page()
        self._y = TOP
        self._font(SMALL[0], GREY)
        number = str(pdf.page_no())
        pdf.text(RIGHT - pdf.get_string_width(number), BOTTOM + 10, number)

    def _font(self, points: float, colour: Colour, style: str = "") -> None:
        self._pdf.set_font(self._fonts.family, style, points)
        self._pdf.set_text_color(*colour)

    def _text(self, text: str) -> str:
        """What of a text can be drawn."""
        drawn, missing = cleaned(text, self._fonts.drawable, self._fonts.stand_in)
        self._missing += missing
        return drawn

    def _width(self, points: float) -> Width:
        def width(letter: str) -> float:
            return self._widths(letter) * points

        return width

    def _measured(self, letter: str) -> float:
        """The width of a letter at one point, in bold: regular ones are no wider."""
        pdf = self._pdf
        style, points = pdf.font_style, pdf.font_size_pt
        pdf.set_font(self._fonts.family, "B", 100)
        wide = pdf.get_string_width(letter) / 100
        pdf.set_font(self._fonts.family, style, points)
        return wide


def _besides(one: Message) -> str:
    """What a message has beside its text: calls of tools, and parts that are not drawn."""
    said = [f"calls {msgspec.json.encode(call).decode()}" for call in one.tool_calls or ()]
    hidden = sum(not (isinstance(part, str) or _is_text(part)) for part in one.parts or ())
    if hidden:
        said.append(f"attachments that are not shown: {hidden}")
    if one.tool_call_id is not None:
        said.append(f"answers the call {one.tool_call_id}")
    return "\n".join(said)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and "text" in part


def _joins(letter: str) -> bool:
    """Whether it may be drawn differently beside others, or from the right: Hebrew to Thai, and marks."""
    return 0x0590 <= ord(letter) < 0x1100 or 0x0300 <= ord(letter) < 0x0370 or 0xFB1D <= ord(letter) < 0xFF00


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
