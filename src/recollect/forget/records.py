"""The records of forgetting. All are frozen."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Literal

import msgspec

#: A limit, or none at all.
Limit = int | Literal["forever"]
#: The same, or None for no rule.
Minutes = Limit | None


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """That a user was erased: when, by whom and how much it was. It holds nothing of the user."""

    id: str
    at: datetime
    actor: str
    user: str
    """A hash of the user's id, salted with the receipt's: it tells only whoever knows the id already."""
    counts: dict[str, int]
    """How many rows of each kind went; for ``audit``, ``workflows`` and ``receipts``, how many lost their name;
    ``signed`` is how many others keep that were signed with it."""

    def concerns(self, user: str) -> bool:
        """Whether this is about a user of this id."""
        return self.user == hash_of(self.id, user)


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How many minutes messages are kept, rule by rule, as they were set; None is that there is no rule."""

    installation: int | None = None
    """For every tenant that has no rule of its own."""
    tenant: Minutes = None
    agents: dict[str, Limit] = {}
    """Rules of single agents, which override the tenant's."""

    @property
    def usual(self) -> int | None:
        """For agents without a rule of their own: minutes, or None for ever."""
        return _limit(self.installation if self.tenant is None else self.tenant)

    def minutes(self, agent: str) -> int | None:
        """For one agent: minutes, or None for ever."""
        return _limit(self.agents[agent]) if agent in self.agents else self.usual


def _limit(minutes: Minutes) -> int | None:
    return None if minutes == "forever" else minutes


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """What an installation keeps for how long, where nobody has said otherwise."""

    retention_minutes: int | None = None
    key_days: float = 7


class Tidied(msgspec.Struct, frozen=True, kw_only=True):
    """What a clean-up removed."""

    messages: int = 0
    memories: int = 0
    keys: int = 0
    documents: int = 0


def hash_of(receipt: str, user: str) -> str:
    """What a receipt says instead of the user's id."""
    return hashlib.blake2b(user.encode(), key=receipt.encode(), digest_size=32).hexdigest()
