"""What the tools take. Each field is checked before anything is done, and described to the model."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from recollect.notes.records import Operation

User = Annotated[str | None, Meta(description="Whom it is about; by default whoever is connected.")]
Agent = Annotated[str | None, Meta(description="Which assistant's memory; by default the connection's.")]
Id = Annotated[str, Meta(description="The id of a memory.")]
Query = Annotated[str, Meta(min_length=1, max_length=10_000, description="What to look for, in plain words.")]
Limit = Annotated[int, Meta(ge=1, le=100)]


class About(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose memory."""

    user: User = None
    agent: Agent = None


class AddMemory(About, frozen=True, kw_only=True):
    """A fact to keep."""

    text: Annotated[
        str, Meta(min_length=1, description="One short fact about the user, such as `user is vegetarian`.")
    ]
    category: str | None = None
    importance: Annotated[float, Meta(ge=0, le=1)] | None = None


class SearchMemories(About, frozen=True, kw_only=True):
    """What to look for among the memories."""

    query: Query
    limit: Limit = 5
    threshold: Annotated[float, Meta(ge=0, le=1, description="0.5 means related.")] = 0.5


class GetMemories(About, frozen=True, kw_only=True):
    """Which memories to list."""

    category: str | None = None
    text: Annotated[str | None, Meta(description="Only those with this text in them.")] = None
    limit: Limit = 50
    cursor: Annotated[str | None, Meta(description="From the answer before, for the next page.")] = None


class OneMemory(About, frozen=True, kw_only=True):
    """Which memory."""

    id: Id


class UpdateMemory(OneMemory, frozen=True, kw_only=True):
    """What a memory says from now on."""

    text: Annotated[str, Meta(min_length=1)]
    version: Annotated[int | None, Meta(description="Refuse if it is no longer this version.")] = None


class DeleteAll(About, frozen=True, kw_only=True):
    """All memories of a user and an assistant."""

    confirm: Annotated[
        bool, Meta(description="Whether the user has said so. Hosts that can ask the user do so in any case.")
    ] = False


class GetContext(About, frozen=True, kw_only=True):
    """What the next prompt is about."""

    message: Annotated[str, Meta(max_length=100_000, description="What the user says now.")]
    conversation: Annotated[str | None, Meta(description="By default the active one.")] = None
    budget: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="At most so many tokens; by default the agent's.")]
        | None
    ) = None


class ManageNotes(About, frozen=True, kw_only=True):
    """What to do with the notes."""

    operation: Operation
    content: str | None = None
    section_header: str | None = None


class SearchMessages(About, frozen=True, kw_only=True):
    """What to look for in what was said."""

    query: Query
    limit: Limit = 10
    exact: Annotated[bool, Meta(description="By words that must occur, instead of by meaning.")] = False
