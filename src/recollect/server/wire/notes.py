"""Notes and their versions, as they are sent."""

from __future__ import annotations

from datetime import datetime

from recollect.server.wire.view import View


class NotesView(View, frozen=True, kw_only=True):
    """What an agent has written down about a user."""

    text: str
    version: int
    updated_at: datetime | None
    user: str
    agent: str


class NoteVersionView(View, frozen=True, kw_only=True):
    """One version of some notes, without its text."""

    version: int
    operation: str
    actor: str
    created_at: datetime
    size: int


class NoteVersions(View, frozen=True, kw_only=True):
    """A page, newest first."""

    items: list[NoteVersionView]
    cursor: str | None
