"""Documents: JSON values by namespace and key, of a user or of nobody.

A credential that is bound to a user reaches what is theirs. What is somebody else's, or nobody's, is not there for
it; only that a name is taken can be seen, by whoever tries to write there.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.params import FromQuery, JSONBody, QueryParameter

from recollect.documents.records import (
    DeleteDocument,
    Document,
    DocumentHit,
    PutDocument,
    Vectors,
)
from recollect.documents.store import MOST
from recollect.errors import Conflict, Forbidden, Invalid, NotFound
from recollect.server.rules import rule
from recollect.server.sizes import fitting, gathered
from recollect.server.versions import any_version, made_at, versioned, wanted
from recollect.server.who import Asking, Who
from recollect.server.wire.documents import DocumentHitView, DocumentVersionView, DocumentView
from recollect.server.wire.view import shown

ITEM = "/api/documents/item"
Namespace = FromQuery[list[str]]
Depth = Annotated[int | None, QueryParameter(name="maxDepth")]


class VectorsGiven(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model of the client's own made of texts, or of a question."""

    model: str
    vectors: list[list[float]]


class NewDocument(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What to write; ``texts`` is what it is found by, all text in the value if nothing is said."""

    value: dict[str, Any]
    ttl: float | None = None
    expires_at: datetime | None = None
    texts: list[str] | None = None


class DocumentChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A document to be written, or deleted."""

    operation: Literal["put", "delete"]
    namespace: list[str]
    key: str
    user: str | None = None
    version: int | None = None
    created_at: datetime | None = None
    value: dict[str, Any] | None = None
    ttl: float | None = None
    expires_at: datetime | None = None
    texts: list[str] | None = None
    vectors: VectorsGiven | None = None


class DocumentChanges(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several changes, made together or not at all."""

    changes: list[DocumentChange]


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The name of a document."""

    namespace: list[str]
    key: str


class Places(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The names of several."""

    places: list[Place]
    user: str | None = None
    refresh: bool = False


class DocumentsAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which documents; without a query all that fit, newest first."""

    query: str | None = None
    namespace: list[str] = []
    user: str | None = None
    filter: dict[str, Any] | None = None
    limit: int = 10
    offset: int = 0
    threshold: float | None = None
    vectors: VectorsGiven | None = None
    refresh: bool = False


@get("/api/documents", opt=rule("read"))
async def listed(
    who: Asking,
    namespace: FromQuery[tuple[str, ...]] = (),
    user: FromQuery[str | None] = None,
    limit: FromQuery[int] = 50,
    offset: FromQuery[int] = 0,
) -> list[DocumentView]:
    """The documents of a namespace (`namespace=recipes&namespace=soups`) and of all below it, newest first."""
    whose = who.user_if_any(user)

    async def part(most: int, after: int) -> list[Document]:
        return await who.door.documents(namespace, user=whose, limit=most, offset=after)

    return [shown(DocumentView, one) for one in await gathered(part, limit, offset)]


@post("/api/documents/search", status_code=200, opt=rule("read"))
async def search(data: JSONBody[DocumentsAsked], who: Asking) -> list[DocumentHitView]:
    """The documents of a namespace and of all below it that belong to a query, best first; without a query, all
    that fit the filter, newest first. A refresh needs the scope write."""
    whose, refresh = who.user_if_any(data.user), _refresh(who, data.refresh)
    if data.query is None and (data.threshold is not None or data.vectors is not None):
        raise Invalid("query", "is needed with a threshold or vectors")

    async def part(most: int, after: int) -> list[DocumentHit]:
        scope: dict[str, Any] = {"user": whose, "filter": data.filter, "refresh": refresh}
        if data.query is None:
            found = await who.door.documents(data.namespace, limit=most, offset=after, **scope)
            return [DocumentHit(document=one, score=None) for one in found]
        return await who.door.search_documents(
            data.query,
            data.namespace,
            limit=most,
            offset=after,
            threshold=data.threshold,
            vectors=_vectors(data.vectors),
            **scope,
        )

    return [shown(DocumentHitView, one) for one in await gathered(part, data.limit, data.offset)]


@post("/api/documents/read", status_code=200, opt=rule("read"))
async def read(data: JSONBody[Places], who: Asking) -> list[DocumentView | None]:
    """Up to 1000 documents by their names; null where there is none. A refresh needs the scope write."""
    whose, refresh = who.user_if_any(data.user), _refresh(who, data.refresh)
    if not 1 <= len(data.places) <= MOST:
        raise Invalid("places", f"must be 1 to {MOST} at once, not {len(data.places)}")

    async def part(most: int, after: int) -> list[Document | None]:
        places = [(one.namespace, one.key) for one in data.places[after : after + most]]
        return await who.door.documents_at(places, user=whose, refresh=refresh)

    found = await gathered(part, len(data.places), 0, "places")
    return [None if one is None else shown(DocumentView, one) for one in found]


@post("/api/documents/change", status_code=200, opt=rule("write"))
async def change(data: JSONBody[DocumentChanges], who: Asking) -> list[DocumentView | None]:
    """Write and delete up to 1000 documents, all or none: what was written, null for what was deleted."""
    done = await who.door.change_documents([_change(who, one) for one in data.changes])
    return [None if one is None else shown(DocumentView, one) for one in done]


@get("/api/documents/namespaces", opt=rule("read"))
async def namespaces(
    who: Asking,
    prefix: FromQuery[tuple[str, ...]] = (),
    suffix: FromQuery[tuple[str, ...]] = (),
    user: FromQuery[str | None] = None,
    max_depth: Depth = None,
    limit: FromQuery[int] = 100,
    offset: FromQuery[int] = 0,
) -> list[list[str]]:
    """The namespaces that hold documents, in order; `*` in a prefix or suffix stands for any name."""
    found = await who.door.document_namespaces(
        prefix,
        suffix,
        user=who.user_if_any(user),
        max_depth=max_depth,
        limit=limit,
        offset=offset,
    )
    return [list(one) for one in found]


@get(ITEM, opt=rule("read"))
async def one(
    request: Request[Any, Any, Any],
    who: Asking,
    namespace: Namespace,
    key: FromQuery[str],
    user: FromQuery[str | None] = None,
    refresh: FromQuery[bool] = False,
) -> Response[DocumentView]:
    """One document. A refresh, after which its time to live begins anew, needs the scope write."""
    found = await who.door.document(namespace, key, user=who.user_if_any(user), refresh=_refresh(who, refresh))
    return versioned(request, shown(DocumentView, found), found.version, found.created_at)


@put(ITEM, opt=rule("write", versioned=True))
async def write(
    request: Request[Any, Any, Any],
    data: JSONBody[NewDocument],
    who: Asking,
    namespace: Namespace,
    key: FromQuery[str],
    user: FromQuery[str | None] = None,
) -> Response[DocumentView]:
    """Write a document; with If-Match, only if it is still the version that was read, "0" for none. 409 if the
    name is taken, and not by this user."""
    whose = who.user_if_any(user)
    put = PutDocument(
        namespace=namespace,
        key=key,
        value=data.value,
        user=whose,
        version=wanted(request),
        created_at=await _made(request, who, namespace, key, whose),
        ttl=data.ttl,
        expires_at=data.expires_at,
        texts=data.texts,
    )
    (written,) = await who.door.change_documents([put])
    assert written is not None
    return versioned(request, shown(DocumentView, written), written.version, written.created_at)


@delete(ITEM, opt=rule("write", versioned=True))
async def remove(
    request: Request[Any, Any, Any],
    who: Asking,
    namespace: Namespace,
    key: FromQuery[str],
    user: FromQuery[str | None] = None,
) -> None:
    """Delete a document with all of its versions."""
    whose, version = who.user_if_any(user), wanted(request)
    made = await _made(request, who, namespace, key, whose)
    if made is None:
        if not await who.door.delete_document(namespace, key, user=whose, version=version):
            raise NotFound("document", key)
        return
    gone = DeleteDocument(namespace=namespace, key=key, user=whose, version=version, created_at=made)
    await who.door.change_documents([gone])


@get(f"{ITEM}/versions", opt=rule("read"))
async def history(
    who: Asking,
    namespace: Namespace,
    key: FromQuery[str],
    user: FromQuery[str | None] = None,
    limit: FromQuery[int] = 100,
) -> list[DocumentVersionView]:
    """The newest versions of a document, oldest first; 100 are kept."""
    found = await who.door.document_history(namespace, key, user=who.user_if_any(user), limit=limit)
    return fitting([shown(DocumentVersionView, version) for version in found])


def _refresh(who: Who, wanted: bool) -> bool:
    """A read that puts off the end of a document changes it."""
    if wanted and "write" not in who.holder.scopes:
        raise Forbidden("a refresh keeps documents for longer, and the credential lacks the scope write")
    return wanted


async def _made(
    request: Request[Any, Any, Any], who: Who, namespace: list[str], key: str, user: str | None
) -> datetime | None:
    """When the document was made that a change is meant for; one that was made after it, it is not for."""
    if not any_version(request):
        return made_at(request)
    try:
        return (await who.door.document(namespace, key, user=user)).created_at
    except NotFound:
        raise Conflict(f"there is no document {key!r}; nothing was changed") from None


def _change(who: Who, one: DocumentChange) -> PutDocument | DeleteDocument:
    whose = who.user_if_any(one.user)
    if one.operation == "delete":
        if one.value is not None:
            raise Invalid("value", "must not be there with the operation delete")
        return DeleteDocument(
            namespace=one.namespace, key=one.key, user=whose, version=one.version, created_at=one.created_at
        )
    if one.value is None:
        raise Invalid("value", "is missing; a put needs it")
    return PutDocument(
        namespace=one.namespace,
        key=one.key,
        value=one.value,
        user=whose,
        version=one.version,
        created_at=one.created_at,
        ttl=one.ttl,
        expires_at=one.expires_at,
        texts=one.texts,
        vectors=_vectors(one.vectors),
    )


def _vectors(given: VectorsGiven | None) -> Vectors | None:
    return None if given is None else Vectors(given.model, given.vectors)


ROUTES = [listed, search, read, change, namespaces, one, write, remove, history]
