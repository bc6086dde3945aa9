"""Under which id something from elsewhere is kept: its own if that is free, else one that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid5

from recollect.storage.database import Transaction

_SPACE = UUID("6e1f6c0e-6f6a-5b0b-9a34-2d7c3f1d8b52")


def derived(*parts: object) -> UUID:
    """The same for the same parts, so that an import that is started again finds what it has done."""
    return uuid5(_SPACE, "\x1f".join(str(part) for part in parts))


def source_id(value: str) -> UUID | None:
    """An id from elsewhere that can be kept as it is."""
    try:
        return UUID(value)
    except ValueError:
        return None


async def chosen(transaction: Transaction, query: str, user: str, ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """For each id the one to use for this user; ``query`` tells whose these are."""
    others = {id: derived(user, id) for id in ids}
    rows = await transaction.rows(query, [*others, *others.values()])
    owners: dict[UUID, str] = {row["id"]: row["user_id"] for row in rows}
    return {id: other if other in owners or owners.get(id, user) != user else id for id, other in others.items()}
