"""What a tenant's language models used, day by day."""

from __future__ import annotations

from recollect.ports import Tokens
from recollect.storage.database import Database


class TenantLedger:
    """The ledger of one tenant."""

    def __init__(self, database: Database, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    async def spent(self) -> int:
        """Tokens of today, sent and received."""
        rows = await self._database.read(self._tenant, "spent_today")
        return rows[0]["tokens"] if rows else 0

    async def add(self, tokens: Tokens) -> None:
        """Count one call."""
        async with self._database.transaction(self._tenant) as transaction:
            await transaction.run("ensure_tenant")
            await transaction.run("add_spending", tokens.sent, tokens.received)
