"""Hear an answer piece by piece, and tell what of it is for the user. Pure."""

from __future__ import annotations

import json
import re

from recollect.models.assembly import storable

_KEY = re.compile(r'"response"\s*:\s*"')
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

    def hear(self, piece: str) -> str:
        """What has become clear of the text for the user."""
        self._waiting += piece
        if self._plain is None:
            begun = self._waiting.lstrip()
            if not begun:
                return ""
            self._plain = begun[0] not in "{[`"
        if self._plain:
            said, self._waiting = self._waiting, ""
            return said
        if not self._inside:
            key = _KEY.search(self._waiting)
            if key is None:
                return ""
            self._inside = True
            self._waiting = self._waiting[key.end() :]
        return "" if self._over else self._decoded()

    def _decoded(self) -> str:
        units = _UNITS.match(self._waiting)
        raw = units[0] if units else ""
        self._waiting = self._waiting[len(raw) :]
        self._over = self._waiting.startswith('"')
        try:
            return storable(json.loads(f'"{raw}"', strict=False))
        except ValueError:
            return ""
