"""Hear an answer piece by piece, and tell what of it is for the user. Pure."""

from __future__ import annotations

import json
import re

from recollect.models.assembly import storable

_OPENS = re.compile(r"\{")
_IN_OBJECT = re.compile(r'["{}\[\]:,]')
_IN_TEXT = re.compile(r'["\\]')
_KEY = "response"
#: What a JSON string is made of; half of an escape is none of these, and waits for its other half. Half a
#: character whose other half did not come is one.
_UNITS = re.compile(
    r'(?:[^"\\]|\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}'
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?=[^\\]|\\[^u]|\\u(?:[^dD]|[dD][^c-fC-F]))"
    r"|\\u(?![dD][89abAB])[0-9a-fA-F]{4})*"
)


class Listening:
    """The text of ``response`` as it comes, or everything where the answer is no JSON."""

    def __init__(self) -> None:
        self._waiting = ""
        self._plain: bool | None = None
        self._inside = False
        self._over = False
        # Where we are before the response: how deep, in which text (its beginning), after which, after a colon.
        self._depth = 0
        self._text: str | None = None
        self._last = ""
        self._value = False

    def hear(self, piece: str) -> str:
        """What has become clear of the text for the user."""
        if self._over:
            return ""
        self._waiting += piece
        if self._plain is None:
            begun = self._waiting.lstrip()
            if not begun:
                return ""
            self._plain = begun[0] not in "{[`"
        if self._plain:
            said, self._waiting = self._waiting, ""
            return said
        self._inside = self._inside or self._begins()
        return self._decoded() if self._inside else ""

    def _begins(self) -> bool:
        """Whether the response begins in what waits, which is the response then. It is a field of the outermost
        object: a draft may have one of the same name. What was looked at is not looked at again."""
        heard, place = self._waiting, 0
        while True:
            pattern = _IN_TEXT if self._text is not None else _IN_OBJECT if self._depth else _OPENS
            mark = pattern.search(heard, place)
            if self._text is not None:
                self._text = (self._text + heard[place : mark.start() if mark else None])[: len(_KEY) + 1]
            if mark is None or (mark[0] == "\\" and mark.end() == len(heard)):
                self._waiting = "" if mark is None else mark[0]
                return False
            place = mark.end()
            match mark[0]:
                case "\\":
                    self._text = f"{self._text}\\"
                    place += 1
                case '"' if self._text is not None:
                    self._last, self._text = self._text, None
                case '"' if self._depth == 1 and self._value and self._last == _KEY:
                    self._waiting = heard[place:]
                    return True
                case '"':
                    self._text = ""
                case "{" | "[":
                    self._depth += 1
                case "}" | "]":
                    self._depth -= 1
                case _:
                    self._value = mark[0] == ":"

    def _decoded(self) -> str:
        units = _UNITS.match(self._waiting)
        raw = units[0] if units else ""
        self._waiting = self._waiting[len(raw) :]
        self._over = self._waiting.startswith('"')
        try:
            return storable(json.loads(f'"{raw}"', strict=False))
        except ValueError:
            return ""
