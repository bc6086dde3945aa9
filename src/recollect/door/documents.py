"""Documents: JSON values by namespace and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.documents import search as document_search
from recollect.documents import store as documents
from recollect.documents.records import (
    DeleteDocument,
    Document,
    DocumentHit,
    DocumentVersion,
    PutDocument,
    Vectors,
)
from recollect.door.part import Part
from recollect.recall.candidates import RELATED


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
        put = PutDocument(
            namespace=namespace,
            key=key,
            value=value,
            user=user,
            version=version,
            ttl=ttl,
            expires_at=expires_at,
            texts=texts,
        )
        (written,) = await self.change_documents([put])
        assert written is not None
        return written

    async def change_documents(self, changes: Sequence[PutDocument | DeleteDocument]) -> list[Document | None]:
        """Write and delete several documents, all or none; returns what was written, None for what was deleted."""
        return await documents.change(self._database, self._caller, self._models.embedders, changes)

    async def document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, refresh: bool = False
    ) -> Document:
        """One document; with ``user``, only if it is theirs; with ``refresh``, its time to live begins anew."""
        return await documents.by_key(self._database, self._caller, namespace, key, user, refresh=refresh)

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
        return await documents.listed(
            self._database, self._caller, namespace, user, filter, limit, offset, refresh=refresh
        )

    async def documents_at(
        self, places: Sequence[tuple[Sequence[str], str]], *, user: str | None = None, refresh: bool = False
    ) -> list[Document | None]:
        """Several documents by namespace and key, in one go; None where there is none."""
        return await documents.by_keys(self._database, self._caller, places, user, refresh=refresh)

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
        return await document_search.search(
            self._database,
            self._caller,
            self._models.embedders,
            query,
            namespace,
            user,
            filter,
            limit,
            offset,
            RELATED if threshold is None else threshold,
            vectors,
            refresh=refresh,
        )

    async def document_history(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, limit: int = 100
    ) -> list[DocumentVersion]:
        """The versions of a document, oldest first: the newest so many. More than 100 are not kept."""
        return await documents.history(self._database, self._caller, namespace, key, user, limit)

    async def delete_document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, version: int | None = None
    ) -> bool:
        """Delete a document with all of its versions; whether there was one."""
        return await documents.delete(self._database, self._caller, namespace, key, user, version)

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
        return await documents.namespaces(
            self._database, self._caller, prefix, suffix, user, max_depth, limit, offset
        )
