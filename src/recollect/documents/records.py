"""The records of documents. All are frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON value under a key of a namespace."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    version: int
    user: str | None
    """Whom it belongs to, and with whom it is erased, as its first write said; nobody, if nothing was said."""
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class DocumentVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What a document was at one of its versions, and who made it so."""

    version: int
    value: dict[str, Any]
    actor: str
    created_at: datetime


class DocumentHit(msgspec.Struct, frozen=True, kw_only=True):
    """A document that was found, with how well it fits; None where it has no text to compare."""

    document: Document
    score: float | None


class Vectors(msgspec.Struct, frozen=True):
    """What a model of the caller's own made of texts, or of a question; its name keeps it apart from others."""

    model: str
    vectors: Sequence[Sequence[float]]


class PutDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document to be written. ``texts`` is what it is found by: all text in its value, if nothing is said."""

    namespace: Sequence[str]
    key: str
    value: Mapping[str, Any]
    user: str | None = None
    """Whose it is. What stands there already must be theirs; if nothing is said, it stays whose it is."""
    version: int | None = None
    """Only if this is the current one; 0 if there must be none."""
    created_at: datetime | None = None
    """Only if it is the one that was made then: what is deleted and made again begins with the same versions."""
    ttl: float | None = None
    """Seconds until it ends; a read may put that off."""
    expires_at: datetime | None = None
    texts: Sequence[str] | None = None
    vectors: Vectors | None = None
    """Of the texts, by a model of the caller's own; else ours makes them."""


class DeleteDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document to be deleted, with all of its versions; no error if there is none, unless it says which one."""

    namespace: Sequence[str]
    key: str
    user: str | None = None
    """Only if it is theirs."""
    version: int | None = None
    created_at: datetime | None = None
    """Only if it is the one that was made then."""
