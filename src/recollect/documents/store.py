"""Documents in the database: write, read, list, look back, delete."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from recollect import inputs
from recollect.documents import checking
from recollect.documents.records import DeleteDocument, Document, DocumentVersion, PutDocument, Vectors
from recollect.errors import Conflict, Invalid, NotFound, Refused, Unavailable
from recollect.ids import new_id
from recollect.models.generations import Embedders, vector_texts
from recollect.observe.logs import say
from recollect.records import Caller
from recollect.storage.database import Database, Row, Transaction
from recollect.text.spoken import LONGEST

#: What one call may change or ask for.
MOST = 1000
#: A version that no document has, so that the store itself says why it does not write.
NEVER = -1


class _Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A document about to be written, checked."""

    namespace: list[str]
    key: str
    value: str
    user: str | None
    version: int | None
    created_at: datetime | None
    ttl: float | None
    expires_at: Any
    texts: list[str]
    vectors: Vectors | None


async def change(
    database: Database, caller: Caller, embedders: Embedders, changes: Sequence[PutDocument | DeleteDocument]
) -> list[Document | None]:
    """Write and delete documents, all or none, in their order; what was written, None for what was deleted."""
    if len(changes) > MOST:
        raise Invalid("changes", f"are {len(changes)}; at most {MOST} at once are allowed")
    ready = [_checked(one) for one in changes]
    embedder = embedders.serving(caller.tenant)
    to_embed = [
        text[:LONGEST] for one in ready if isinstance(one, _Ready) and one.vectors is None for text in one.texts
    ]
    try:
        made = iter(await vector_texts(await embedder.embed(to_embed)) if to_embed else ())
    except Unavailable as error:
        say(logging.WARNING, "documents.words_only", model=embedder.name, error=type(error).__name__)
        made = None
    done: list[Document | None] = []
    async with database.transaction(caller.tenant) as transaction:
        if to_embed:
            row = await transaction.row("take_generation", embedders.current.name)
            embedders.heard(caller.tenant, None if row is None else row[0])
        for one in ready:
            if isinstance(one, DeleteDocument):
                await _delete(transaction, caller, one)
                done.append(None)
                continue
            if one.vectors is None:
                # Without vectors, or with those of a generation that has just ended, a document is found by its
                # words until a search makes new ones.
                vectors = [] if made is None else [next(made) for _ in one.texts]
                model = embedder.name
            else:
                model, vectors = one.vectors.model, await vector_texts(one.vectors.vectors)
            done.append(await _put(transaction, caller, one, model, vectors))
    return done


async def _put(transaction: Transaction, caller: Caller, one: _Ready, model: str, vectors: list[str]) -> Document:
    another = False
    if one.created_at is not None:
        held = await transaction.row("lock_document", one.namespace, one.key)
        another = held is None or held["created_at"] != one.created_at
    row = await transaction.row(
        "put_document",
        new_id(),
        one.namespace,
        one.key,
        one.user,
        one.value,
        NEVER if another else one.version,
        one.ttl,
        one.expires_at,
        one.texts,
        model,
        vectors,
        caller.actor,
    )
    assert row is not None
    if row["outcome"] == "refused":
        raise Refused(f"the name {one.key!r} is taken there, and not by this user; nothing was changed")
    if row["outcome"] == "conflict" and another:
        raise Conflict(f"the document {one.key!r} is not the one that was read; nothing was changed")
    if row["outcome"] == "conflict":
        raise Conflict(
            f"the document {one.key!r} is at version {row['version'] or 0}, not {one.version}; nothing was changed"
        )
    return document_from(row)


async def _delete(transaction: Transaction, caller: Caller, one: DeleteDocument) -> bool:
    row = await transaction.row("delete_document", one.namespace, one.key, one.version, one.user, one.created_at)
    if row is None:
        if one.version is not None:
            raise Conflict(f"the document {one.key!r} is not at version {one.version}; nothing was changed")
        if one.created_at is not None:
            raise Conflict(f"the document {one.key!r} is not the one that was read; nothing was changed")
        return False
    await transaction.run("record_audit", caller.actor, "document.delete", row["user_id"], str(row["id"]))
    return True


async def delete(
    database: Database, caller: Caller, namespace: Sequence[str], key: str, user: str | None, version: int | None
) -> bool:
    """Delete a document with all of its versions; whether there was one."""
    given = _checked(DeleteDocument(namespace=namespace, key=key, user=user, version=version))
    assert isinstance(given, DeleteDocument)
    async with database.transaction(caller.tenant) as transaction:
        return await _delete(transaction, caller, given)


async def by_key(
    database: Database, caller: Caller, namespace: Sequence[str], key: str, user: str | None, *, refresh: bool
) -> Document:
    """One document; NotFound if there is none."""
    found = await by_keys(database, caller, [(namespace, key)], user, refresh=refresh)
    if found[0] is None:
        raise NotFound("document", key)
    return found[0]


async def by_keys(
    database: Database,
    caller: Caller,
    places: Sequence[tuple[Sequence[str], str]],
    user: str | None,
    *,
    refresh: bool,
) -> list[Document | None]:
    """The documents under these names, None where there is none; with ``refresh``, each is kept for longer."""
    if len(places) > MOST:
        raise Invalid("places", f"are {len(places)}; at most {MOST} at once are allowed")
    wanted = [(tuple(checking.namespace(namespace)), inputs.identifier("key", key)) for namespace, key in places]
    user, refresh = _whose(user), inputs.flag("refresh", refresh)
    given = [msgspec.json.encode(place).decode() for place in dict.fromkeys(wanted)]
    async with database.transaction(caller.tenant) as transaction:
        rows = await transaction.rows("documents_by_keys", given, user)
        if refresh:
            rows = await refreshed(transaction, rows)
    found = {(one.namespace, one.key): one for one in map(document_from, rows)}
    return [found.get(place) for place in wanted]


async def listed(
    database: Database,
    caller: Caller,
    namespace: Sequence[str],
    user: str | None,
    filter: Mapping[str, Any] | None,
    limit: int,
    offset: int,
    *,
    refresh: bool,
) -> list[Document]:
    """The documents of a namespace and of all below it, newest first."""
    user, refresh = _whose(user), inputs.flag("refresh", refresh)
    limit, offset = inputs.amount("limit", limit), inputs.amount("offset", offset, most=1 << 31, least=0)
    asked = (*checking.below(namespace), user, checking.filter(filter), limit, offset)
    async with database.transaction(caller.tenant) as transaction:
        rows = await transaction.rows("documents_below", *asked)
        if refresh:
            rows = await refreshed(transaction, rows)
    return [document_from(row) for row in rows]


async def namespaces(
    database: Database,
    caller: Caller,
    prefix: Sequence[str],
    suffix: Sequence[str],
    user: str | None,
    max_depth: int | None,
    limit: int,
    offset: int,
) -> list[tuple[str, ...]]:
    """The namespaces that hold documents, in order; cut off at a depth, if asked."""
    depth = None if max_depth is None else inputs.amount("max_depth", max_depth)
    asked = (checking.path(prefix, "prefix"), checking.path(suffix, "suffix"), depth, _whose(user))
    page = (inputs.amount("limit", limit), inputs.amount("offset", offset, most=1 << 31, least=0))
    rows = await database.read(caller.tenant, "document_namespaces", *asked, *page)
    return [tuple(row["namespace"]) for row in rows]


async def history(
    database: Database, caller: Caller, namespace: Sequence[str], key: str, user: str | None, limit: int
) -> list[DocumentVersion]:
    """The newest of the versions that are kept, oldest first; NotFound if there is no such document."""
    place = (checking.namespace(namespace), inputs.identifier("key", key))
    asked = (_whose(user), inputs.amount("limit", limit))
    rows = await database.read(caller.tenant, "document_versions", *place, *asked)
    if not rows:
        raise NotFound("document", key)
    return [
        DocumentVersion(
            version=row["version"],
            value=checking.decoded(row["value"]),
            actor=row["actor"],
            created_at=row["created_at"],
        )
        for row in reversed(rows)
    ]


async def refreshed(transaction: Transaction, rows: Sequence[Row]) -> Sequence[Row]:
    """The same documents; those that are kept for a time, from now on and as they stand then."""
    kept = [row["id"] for row in rows if row["ttl"] is not None]
    longer = {row["id"]: row for row in await transaction.rows("refresh_documents", kept)} if kept else {}
    return [longer.get(row["id"], row) for row in rows]


def _checked(one: PutDocument | DeleteDocument) -> _Ready | DeleteDocument:
    namespace, key = checking.namespace(one.namespace), inputs.identifier("key", one.key)
    version, user = checking.version(one.version), _whose(one.user)
    created_at = None if one.created_at is None else inputs.moment("created_at", one.created_at)
    if isinstance(one, DeleteDocument):
        return DeleteDocument(namespace=namespace, key=key, user=user, version=version, created_at=created_at)
    value = checking.value(one.value)  # before its texts are looked for, as deep as it goes
    texts = checking.texts(one)
    vectors = one.vectors
    if vectors is not None:
        if len(vectors.vectors) != len(texts):
            raise Invalid("vectors", f"are {len(vectors.vectors)}, for {len(texts)} texts")
        made = [checking.vector(part, "vectors") for part in vectors.vectors]
        vectors = Vectors(inputs.identifier("vectors", vectors.model), made)
    return _Ready(
        namespace=namespace,
        key=key,
        value=value,
        user=user,
        version=version,
        created_at=created_at,
        ttl=checking.seconds(one.ttl),
        expires_at=None if one.expires_at is None else inputs.moment("expires_at", one.expires_at),
        texts=texts,
        vectors=vectors,
    )


def _whose(user: str | None) -> str | None:
    return None if user is None else inputs.identifier("user", user)


def document_from(row: Row) -> Document:
    """A row of ``recollect.documents``."""
    return Document(
        namespace=tuple(row["namespace"]),
        key=row["key"],
        value=checking.decoded(row["value"]),
        version=row["version"],
        user=row["user_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        expires_at=row["expires_at"],
    )
