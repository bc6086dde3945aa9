"""Notes over HTTP: read, edit, compare, go back."""

from __future__ import annotations

from typing import Any

from recollect import inputs
from recollect.client.calls import Call, body, match, once, reading
from recollect.client.door import Part
from recollect.ids import new_id
from recollect.notes.records import Notes, NoteVersion
from recollect.notes.sections import OPERATIONS, edited
from recollect.records import Page


class NotesOfUsers(Part):
    """What agents write down about users."""

    async def notes(self, user: str, agent: str, *, version: int | None = None) -> Notes:
        """The notes that an agent keeps about a user: one markdown document, empty at first."""
        return await self._http.ask(Notes, reading("/api/notes", **self._about(user, agent), version=version))

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
        inputs.choice("operation", operation, tuple(OPERATIONS))
        headers = match(version) | once(str(new_id()))
        if operation == "read":
            # An edit needs a key that may write, and this changes nothing.
            edited("", operation, content, section_header)
            return (await self.notes(user, agent)).at(version)
        asked = body(
            **self._about(user, agent), operation=operation, content=content, section_header=section_header
        )
        return await self._http.ask(
            Notes, Call(method="POST", path="/api/notes", content=asked, headers=headers, again=True)
        )

    async def notes_history(
        self, user: str, agent: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[NoteVersion]:
        """The versions of the notes, newest first, without their texts."""
        asked = reading("/api/notes/versions", **self._about(user, agent), limit=limit, cursor=cursor)
        return await self._http.ask(Page[NoteVersion], asked)

    async def diff_notes(self, user: str, agent: str, old: int, new: int) -> str:
        """What changed between two versions, as a unified diff."""
        asked = reading("/api/notes/diff", **self._about(user, agent), old=old, new=new)
        return (await self._http.ask(dict[str, Any], asked))["diff"]

    async def undo_notes(
        self, user: str, agent: str, version: int | None = None, *, current: int | None = None
    ) -> Notes:
        """Go back to an earlier version of the notes, by default the one before; this makes a new version.
        Conflict if ``current`` is no longer the current one."""
        asked = body(**self._about(user, agent), version=version)
        headers = match(current, "current") | once(str(new_id()))
        return await self._http.ask(
            Notes, Call(method="POST", path="/api/notes/undo", content=asked, headers=headers, again=True)
        )

    def _about(self, user: str, agent: str) -> dict[str, str]:
        return {"user": self._whose(user), "agent": inputs.identifier("agent", agent)}
