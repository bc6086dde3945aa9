"""The notes that agents keep about users."""

from __future__ import annotations

from recollect.door.part import Part
from recollect.notes import store as notes
from recollect.notes.records import Notes, NoteVersion
from recollect.records import Page


class NotesOfUsers(Part):
    """One markdown document for each user and agent."""

    async def notes(self, user: str, agent: str, *, version: int | None = None) -> Notes:
        """The notes that an agent keeps about a user: one markdown document, empty at first."""
        return await notes.read(self._database, self._caller, user, agent, version)

    async def edit_notes(
        self,
        operation: str,
        content: str | None = None,
        *,
        user: str,
        agent: str,
        section_header: str | None = None,
        version: int | None = None,
    ) -> Notes:
        """Edit the notes: read, overwrite, append, prepend, delete_section_by_header, replace_section_by_header
        or delete_all_notes. Conflict if ``version`` is given and no longer the current one.
        """
        return await notes.edit(
            self._database, self._caller, operation, content, user, agent, section_header, version
        )

    async def notes_history(
        self, user: str, agent: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[NoteVersion]:
        """The versions of the notes, newest first, without their texts."""
        return await notes.history(self._database, self._caller, user, agent, limit, cursor)

    async def diff_notes(self, user: str, agent: str, old: int, new: int) -> str:
        """What changed between two versions, as a unified diff."""
        return await notes.diff(self._database, self._caller, user, agent, old, new)

    async def undo_notes(
        self, user: str, agent: str, version: int | None = None, *, current: int | None = None
    ) -> Notes:
        """Go back to an earlier version of the notes, by default the one before; this makes a new version.
        Conflict if ``current`` is no longer the current one."""
        return await notes.undo(self._database, self._caller, user, agent, version, current)
