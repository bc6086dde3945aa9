"""The keys of a tenant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.access import keys
from recollect.access.records import Key, NewKey
from recollect.door.part import Part


class Keys(Part):
    """Who may come in by the server."""

    async def create_key(
        self,
        name: str = "",
        *,
        scopes: Sequence[str] | None = None,
        user: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """A key of this tenant for the server; its text can be read here and never again.

        ``scopes`` are some of ``read``, ``write`` and ``admin``, by default the first two; an operator may add
        ``operator``. A key with a ``user`` reaches that user only.
        """
        chosen = ("read", "write") if scopes is None else scopes
        return await keys.create(self._database, self._caller, name, chosen, user, expires_at)

    async def keys(self) -> list[Key]:
        """This tenant's keys, oldest first, revoked ones too."""
        return await keys.listed(self._database, self._caller)

    async def rotate_key(self, id: str) -> NewKey:
        """Give a key a new secret; the old one ends at once."""
        return await keys.rotate(self._database, self._caller, id)

    async def revoke_key(self, id: str) -> Key:
        """End a key, at once and for good."""
        return await keys.revoke(self._database, self._caller, id)
