"""Whether a user was erased since something was begun for them: what is under way must not bring them back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from recollect.errors import Refused
from recollect.forget.records import hash_of
from recollect.records import Caller
from recollect.storage.database import Database, Row, Transaction

#: A receipt bears the moment at which the erasure was begun, which may end much later; and clocks differ.
MARGIN = timedelta(hours=1)


class Since(msgspec.Struct, frozen=True):
    """What had been erased of a user when something was begun for them."""

    user: str
    at: datetime
    receipts: frozenset[str]

    async def check(self, transaction: Transaction) -> None:
        """Before anything is written: Refused if the user was erased meanwhile. Whoever is just erasing is waited
        for, and nobody erases them until this transaction ends."""
        await transaction.run("keep_erasure_out", self.user)
        if _of(self.user, await transaction.rows("receipts_since", self.at)) - self.receipts:
            raise Refused(
                "this user was erased while the import was under way, which ends here; what it had brought is gone"
            )


async def since_now(database: Database, caller: Caller, user: str) -> Since:
    """From now on."""
    at = datetime.now(UTC) - MARGIN
    return Since(user, at, _of(user, await database.read(caller.tenant, "receipts_since", at)))


def _of(user: str, rows: Sequence[Row]) -> frozenset[str]:
    ids = [(str(row["id"]), row["user_hash"]) for row in rows]
    return frozenset(id for id, told in ids if told == hash_of(id, user))
