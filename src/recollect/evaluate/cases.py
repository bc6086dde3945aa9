"""What is stored, what is asked, and what should be found: the one shape of all data sets."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One message to store; ``id`` is what questions cite as evidence."""

    id: str
    role: str
    text: str
    at: datetime
    name: str | None = None

    @property
    def message(self) -> dict[str, Any]:
        """As it is appended to a conversation."""
        return {"role": self.role, "content": self.text, "name": self.name, "at": self.at}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its evidence."""

    question: str
    gold: list[str]
    kind: str = ""
    answer: str | None = None
    asked_at: datetime | None = None
    newest: list[str] = []
    """Where something changed: the evidence that holds now; the rest of the evidence is out of date."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wrote down about what was said."""

    text: str
    at: datetime
    evidence: list[str]
    """The turns that say so."""


class Store(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one user said, one list for each conversation, and the questions about it."""

    user: str
    sessions: list[list[Turn]]
    cases: list[Case]
    facts: list[Fact] = []
    """What is known of it, for recall over memories."""


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """A file of stores."""

    name: str
    stores: list[Store]
