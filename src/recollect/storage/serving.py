"""Which model's vectors serve a tenant."""

from __future__ import annotations

from recollect.storage.database import Database


async def serving_model(database: Database, tenant: str) -> str | None:
    """The name of the model; none, as long as there are no vectors."""
    rows = await database.read(tenant, "serving_model")
    return rows[0]["model"] if rows else None
