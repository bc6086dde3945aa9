"""Documents over HTTP: JSON values by namespace and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from recollect import inputs
from recollect.client.calls import Call, match, query, reading
from recollect.client.door import Part
from recollect.documents import checking
from recollect.documents.records import (
    DeleteDocument,
    Document,
    DocumentHit,
    DocumentVersion,
    PutDocument,
    Vectors,
)
from recollect.errors import NotFound

ITEM = "/api/documents/item"


class Documents(Part):
    """JSON values, of users or of nobody."""

    async def put_document(
        self,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        *,
        user: str | None = None,
        version: int | None = None,
        ttl: float | None = None,
        expires_at: datetime | None = None,
        texts: Sequence[str] | None = None,
    ) -> Document:
        """Write a JSON value under a key of a namespace, a path of names such as ``("recipes", "soups")``.

        What belongs to a ``user`` is exported and erased with that user; the first write settles whose it is, and
        Refused is whoever would write over what is somebody else's, or nobody's. Conflict if ``version`` is given
        and no longer the current one; 0 says that there must be none yet. ``ttl`` is how many seconds it is kept.
        ``texts`` is what it is found by: by default all text in the value.
        """
        put = PutDocument(namespace=namespace, key=key, value=value, ttl=ttl, expires_at=expires_at, texts=texts)
        call = Call(
            method="PUT",
            path=ITEM,
            params=self._name(namespace, key, user),
            content=msgspec.json.encode(_written(put)),
            headers=match(version),
            again=version is None,  # the same value again makes no new version
        )
        return await self._http.ask(Document, call)

    async def change_documents(self, changes: Sequence[PutDocument | DeleteDocument]) -> list[Document | None]:
        """Write and delete several documents, all or none; returns what was written, None for what was deleted."""
        asked = {"changes": [self._change(one) for one in changes]}
        again = all(one.version is None and one.created_at is None for one in changes)
        return await self._http.ask(list[Document | None], _asking("change", asked, again=again))

    async def document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, refresh: bool = False
    ) -> Document:
        """One document; with ``user``, only if it is theirs; with ``refresh``, its time to live begins anew."""
        name = self._name(namespace, key, user)
        return await self._http.ask(Document, reading(ITEM, **name, refresh=refresh))

    async def documents(
        self,
        namespace: Sequence[str] = (),
        *,
        user: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 50,
        offset: int = 0,
        refresh: bool = False,
    ) -> list[Document]:
        """The documents of a namespace and of all below it, newest first.

        A ``filter`` names fields and their values, ``{"color": "red"}``, or compares them with ``$eq``, ``$ne``,
        ``$gt``, ``$gte``, ``$lt`` and ``$lte``: ``{"size": {"$gt": 3}}``.
        """
        asked = self._scope(namespace, user, filter, limit, offset, refresh)
        return [hit.document for hit in await self._http.ask(list[DocumentHit], _asking("search", asked))]

    async def documents_at(
        self, places: Sequence[tuple[Sequence[str], str]], *, user: str | None = None, refresh: bool = False
    ) -> list[Document | None]:
        """Several documents by namespace and key, in one go; None where there is none."""
        if not places:
            return []
        wanted = [
            {"namespace": checking.namespace(namespace), "key": inputs.identifier("key", key)}
            for namespace, key in places
        ]
        asked = {"places": wanted, "user": self._whose_if_any(user), "refresh": inputs.flag("refresh", refresh)}
        return await self._http.ask(list[Document | None], _asking("read", asked))

    async def search_documents(
        self,
        query: str,
        namespace: Sequence[str] = (),
        *,
        user: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        threshold: float | None = None,
        vectors: Vectors | None = None,
        refresh: bool = False,
    ) -> list[DocumentHit]:
        """The documents of a namespace and of all below it that belong to the query, best first.

        ``threshold`` is on a scale where 0.5, the default, means "related"; with 0 the others follow. ``vectors``
        holds the question as a model of your own sees it: documents that were written with its vectors are
        compared by them alone.
        """
        asked = {
            **self._scope(namespace, user, filter, limit, offset, refresh),
            "query": inputs.text("query", query),
            "threshold": _raw(inputs.json_text("threshold", threshold)),
            "vectors": _vectors(vectors),
        }
        return await self._http.ask(list[DocumentHit], _asking("search", asked))

    async def document_history(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, limit: int = 100
    ) -> list[DocumentVersion]:
        """The versions of a document, oldest first: the newest so many. More than 100 are not kept."""
        asked = reading(f"{ITEM}/versions", **self._name(namespace, key, user), limit=limit)
        return await self._http.ask(list[DocumentVersion], asked)

    async def delete_document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, version: int | None = None
    ) -> bool:
        """Delete a document with all of its versions; whether there was one."""
        call = Call(
            method="DELETE",
            path=ITEM,
            params=self._name(namespace, key, user),
            headers=match(version),
            again=version is None,
            ends=True,
        )
        try:
            await self._http.send(call)
        except NotFound as error:
            if error.what != "document":
                raise
            return False
        return True

    async def document_namespaces(
        self,
        prefix: Sequence[str] = (),
        suffix: Sequence[str] = (),
        *,
        user: str | None = None,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[tuple[str, ...]]:
        """The namespaces that hold documents, in order; ``*`` in a prefix or suffix stands for any name.

        With ``max_depth`` they are cut off there, and each is named once.
        """
        asked = reading(
            "/api/documents/namespaces",
            prefix=checking.path(prefix, "prefix") or None,
            suffix=checking.path(suffix, "suffix") or None,
            user=self._whose_if_any(user),
            max_depth=max_depth,
            limit=limit,
            offset=offset,
        )
        return await self._http.ask(list[tuple[str, ...]], asked)

    def _name(self, namespace: Sequence[str], key: str, user: str | None) -> dict[str, str | list[str]]:
        names, key = checking.namespace(namespace), inputs.identifier("key", key)
        return query(namespace=names, key=key, user=self._whose_if_any(user))

    def _scope(
        self,
        namespace: Sequence[str],
        user: str | None,
        filter: Mapping[str, Any] | None,
        limit: int,
        offset: int,
        refresh: bool,
    ) -> dict[str, Any]:
        return {
            "namespace": checking.path(namespace, "namespace"),
            "user": self._whose_if_any(user),
            "filter": _raw(checking.filter(filter)),
            "limit": inputs.amount("limit", limit),
            "offset": inputs.amount("offset", offset, most=1 << 31, least=0),
            "refresh": inputs.flag("refresh", refresh),
        }

    def _change(self, one: PutDocument | DeleteDocument) -> dict[str, Any]:
        named: dict[str, Any] = {
            "namespace": checking.namespace(one.namespace),
            "key": inputs.identifier("key", one.key),
            "user": self._whose_if_any(one.user),
            "version": checking.version(one.version),
        }
        if one.created_at is not None:
            named["createdAt"] = inputs.moment("created_at", one.created_at)
        if isinstance(one, DeleteDocument):
            return {"operation": "delete", **named}
        return {"operation": "put", **named, **_written(one), "vectors": _vectors(one.vectors)}


def _asking(what: str, asked: dict[str, Any], *, again: bool = True) -> Call:
    return Call(method="POST", path=f"/api/documents/{what}", content=msgspec.json.encode(asked), again=again)


def _written(put: PutDocument) -> dict[str, Any]:
    """What is to stand in a document, checked."""
    return {
        "value": _raw(checking.value(put.value)),
        "ttl": checking.seconds(put.ttl),
        "expiresAt": None if put.expires_at is None else inputs.moment("expires_at", put.expires_at),
        "texts": None if put.texts is None else checking.texts(put),
    }


def _vectors(given: Vectors | None) -> dict[str, Any] | None:
    if given is None:
        return None
    vectors = [checking.vector(part, "vectors") for part in given.vectors]
    return {"model": inputs.identifier("vectors", given.model), "vectors": vectors}


def _raw(text: str | None) -> msgspec.Raw | None:
    return None if text is None else msgspec.Raw(text.encode())
