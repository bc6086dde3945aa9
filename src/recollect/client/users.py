"""Everything of a user over HTTP: take it along, bring it back, erase it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import msgspec

from recollect.client.calls import Call, Content, named, numbered, query, reading
from recollect.client.door import Part
from recollect.client.http import broken
from recollect.errors import Invalid
from recollect.exchange.reading import Given, entries, given_as
from recollect.exchange.records import Imported
from recollect.forget.records import Receipt
from recollect.records import Analytics

PIECE = 256 << 10
#: The header that says how many entries an export has.
ENTRIES = "recollect-entries"


class Users(Part):
    """What concerns a user as a whole."""

    async def export(self, user: str) -> dict[str, Any]:
        """Everything that there is of a user, as one document of plain values, ready for JSON."""
        return msgspec.json.decode(await self._http.bytes(self._exported(user)), type=dict[str, Any])

    async def export_to(
        self, write: Callable[[bytes], object], user: str, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """The same document, handed to ``write`` piece by piece; returns how many entries it has."""
        response = await self._http.send(self._exported(user), stream=True)
        async with aclosing(response):
            try:
                async for piece in response.aiter_bytes():
                    write(piece)
            except httpx.TransportError as error:
                raise broken(error) from None
        entries = int(response.headers.get(ENTRIES, 0))
        if progress is not None:
            progress(entries, entries)
        return entries

    async def import_user(
        self,
        data: Mapping[str, Any] | str | Path,
        user: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Bring back what ``export`` gave, or a file of it, for the same user or another one.

        What is there already stays as it is, so that it can be stopped and started again.
        """
        return await self.import_from("recollect", data, user=user, progress=progress)

    async def import_from(
        self,
        format: str,
        source: Mapping[str, Any] | list[Any] | str | Path,
        *,
        user: str | None = None,
        agent: str | None = None,
        table: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Import a file, or what was in it: ``recollect``, ``chatgpt``, ``mem0`` or ``langchain-postgres``.

        All is checked before anything is written; it can be stopped and started again. A server does not read the
        ``table`` of another database: do that with the library.
        """
        if table is not None:
            raise Invalid("table", "cannot be read by a server; import it with the library, or import a file")
        given = given_as(source)
        if user is None and format == "recollect":
            user = _user_of(given)  # so that a key of that user is enough
        path = "/api/import" if user is None else f"/api/users/{named('user', user)}/import"
        call = Call(
            method="POST", path=path, params=query(format=format, agent=agent), content=_content(given), again=True
        )
        done = await self._http.ask(Imported, call)
        if progress is not None:
            total = done.conversations + done.memories + done.notes + done.known
            progress(total, total)
        return done

    async def erase(self, user: str) -> Receipt:
        """Remove everything of a user, for good; the receipt says how much it was, and not of whom."""
        path = f"/api/users/{named('user', self._whose(user))}"
        return await self._http.ask(Receipt, Call(method="DELETE", path=path))

    async def receipts(
        self, user: str | None = None, *, limit: int = 1000, cursor: str | UUID | None = None
    ) -> list[Receipt]:
        """The receipts of erasures, newest first; with a user, only those about this id. The id of the last one as
        the cursor gives those that follow."""
        after = None if cursor is None else numbered("cursor", cursor)
        return await self._http.ask(list[Receipt], reading("/api/receipts", user=user, limit=limit, cursor=after))

    async def analytics(self, user: str | None = None, agent: str | None = None, *, days: int = 30) -> Analytics:
        """How much there is, and how much came on each of the last days; of a user or an agent, if wanted."""
        asked = reading("/api/analytics", user=self._whose_if_any(user), agent=agent, days=days)
        return await self._http.ask(Analytics, asked)

    def _exported(self, user: str) -> Call:
        return reading(f"/api/users/{named('user', self._whose(user))}/export")


def _user_of(given: Given) -> str | None:
    """Whose export it is; it stands near its beginning."""
    return next((str(value) for name, place, value in entries(given) if name == "user" and place == -1), None)


def _content(given: Given) -> Content:
    """A file goes piece by piece, and from its beginning at every try."""
    if not isinstance(given, str | Path):
        try:
            return msgspec.json.encode(given)
        except (TypeError, ValueError, RecursionError):
            raise Invalid("source", "cannot be written as JSON") from None
    path = Path(given)
    try:
        path.open("rb").close()
    except OSError as error:
        raise Invalid("file", f"{path} cannot be read: {error.strerror}") from None

    async def pieces() -> AsyncIterator[bytes]:
        with await asyncio.to_thread(path.open, "rb") as file:
            while piece := await asyncio.to_thread(file.read, PIECE):
                yield piece

    return pieces
