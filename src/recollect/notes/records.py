"""The records of notes. All are frozen."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from recollect.errors import Conflict

#: What can be done with notes.
Operation = Literal[
    "read",
    "overwrite",
    "append",
    "prepend",
    "delete_section_by_header",
    "replace_section_by_header",
    "delete_all_notes",
]


class Notes(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent has written down about a user; version 0 with no text before the first edit."""

    text: str
    version: int
    updated_at: datetime | None
    user: str
    agent: str

    def at(self, version: int | None) -> Notes:
        """Itself, if this is its version, or any will do; else Conflict."""
        if version is not None and version != self.version:
            raise Conflict(
                f"the notes are at version {self.version}, not {version}; read them again, then repeat the edit"
            )
        return self


class NoteVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of some notes: which operation made it, by whom and when. It holds no text."""

    version: int
    operation: str
    actor: str
    created_at: datetime
    size: int
    """Bytes of the text in UTF-8."""
