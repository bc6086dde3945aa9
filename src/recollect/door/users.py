"""Everything of a user: take it along, bring it back, erase it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from recollect.analytics import analytics
from recollect.door.part import Part
from recollect.exchange import export
from recollect.exchange.importing import Order, import_from
from recollect.exchange.reading import given_as
from recollect.exchange.records import Imported
from recollect.forget import erase
from recollect.forget.records import Receipt
from recollect.records import Analytics


class Users(Part):
    """What concerns a user as a whole."""

    async def export(self, user: str) -> dict[str, Any]:
        """Everything that there is of a user, as one document of plain values, ready for JSON."""
        return await export.export(self._database, self._caller, user)

    async def export_to(
        self, write: Callable[[bytes], object], user: str, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """The same document, handed to ``write`` piece by piece; returns how many entries it has."""
        return await export.export_to(self._database, self._caller, user, write, progress)

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

        For the last one, ``source`` may also be the address of a database, with the name of the ``table``. All is
        checked before anything is written; it can be stopped and started again.
        """
        order = Order(format=format, given=given_as(source), user=user, agent=agent, table=table)
        return await import_from(self._database, self._caller, lambda: self._models.embedders, order, progress)

    async def import_own(
        self, format: str, source: Mapping[str, Any] | list[Any], user: str, agent: str | None = None
    ) -> Imported:
        """The same for somebody who may not run the tenant: settings of agents stay as they are, and workflows are
        not defined; ``Refused`` if a state follows one that is not here."""
        order = Order(format=format, given=given_as(source), user=user, agent=agent, own=True)
        return await import_from(self._database, self._caller, lambda: self._models.embedders, order, None)

    async def erase(self, user: str) -> Receipt:
        """Remove everything of a user, for good; the receipt says how much it was, and not of whom."""
        return await erase.erase(self._database, self._caller, user)

    async def receipts(
        self, user: str | None = None, *, limit: int = 1000, cursor: str | UUID | None = None
    ) -> list[Receipt]:
        """The receipts of erasures, newest first; with a user, only those about this id. The id of the last one as
        the cursor gives those that follow."""
        return await erase.receipts(self._database, self._caller, user, limit, cursor)

    async def analytics(self, user: str | None = None, agent: str | None = None, *, days: int = 30) -> Analytics:
        """How much there is, and how much came on each of the last days; of a user or an agent, if wanted."""
        return await analytics(self._database, self._caller, user, agent, days)
