"""LangGraph's long-term memory: a ``BaseStore`` whose items are documents of ours, versioned and searchable."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from recollect import inputs
from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.documents.records import DeleteDocument, Document, PutDocument, Vectors
from recollect.errors import Invalid, Unavailable, to_install

try:
    from langchain_core.embeddings import Embeddings
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
    )
except ImportError:
    raise Unavailable("langgraph", f"LangGraph is not installed; {to_install('langgraph')}") from None

#: What the door gives and takes at once.
AT_ONCE = 1000
MAX_QUERY = 10_000
T = TypeVar("T")
Page = Callable[[int, int], Awaitable[list[T]]]


class RecollectStore(BaseStore):
    """Items by namespace and key, for ``create_agent(store=…)`` and ``graph.compile(store=…)``.

    Search works without any setting, by the embedder of the installation and by words. With an ``index`` it is as
    in LangGraph's own stores: its ``embed`` makes the vectors, of its ``fields``. ``ttl`` is LangGraph's too. What
    belongs to a person should be erased with that person: ``user_at`` says which name of a namespace is the
    user's, ``user_at=1`` for ``("memories", "ana")``; or ``user`` names one for all items.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: AnyDoor,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        user: str | None = None,
        user_at: int | None = None,
    ) -> None:
        super().__init__()
        if user is not None and user_at is not None:
            raise Invalid("user_at", "give either user_at, or a user")
        self._bridge = Bridge(memory)
        self._user, self._user_at = user, user_at
        self.ttl_config = ttl
        self.index_config = None if index is None else index.copy()
        self.embeddings: Embeddings | None = None
        self._fields: list[str] | None = None
        if index is not None:
            self._fields = list(index.get("fields") or ["$"])
            embed = cast("Any", index.get("embed"))
            if embed is not None:
                self.embeddings = ensure_embeddings(embed)
                self._model = _name(embed, self.embeddings, index.get("dims"))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations: all reads first, then all writes, which happen together."""
        given = list(ops)
        puts, queries = self._to_embed(given)
        texts = [text for put in puts for text in put]
        embeddings = self.embeddings
        vectors = embeddings.embed_documents(texts) if embeddings and texts else []
        asked = {query: embeddings.embed_query(query) for query in queries} if embeddings else {}
        return self._bridge.wait(self._done(given, puts, vectors, asked))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations: all reads first, then all writes, which happen together."""
        given = list(ops)
        puts, queries = self._to_embed(given)
        texts = [text for put in puts for text in put]
        embeddings = self.embeddings
        vectors = await embeddings.aembed_documents(texts) if embeddings and texts else []
        asked = {query: await embeddings.aembed_query(query) for query in queries} if embeddings else {}
        return await self._bridge.run(self._done(given, puts, vectors, asked))

    def _to_embed(self, ops: Sequence[Op]) -> tuple[list[list[str]], list[str]]:
        """What each of the writes that count is found by, and the questions."""
        puts = [self._texts(op) or [] for op in _writes(ops)]
        queries = dict.fromkeys(
            query for op in ops if isinstance(op, SearchOp) for query in [_question(op)] if query is not None
        )
        return puts, list(queries)

    def _texts(self, op: PutOp) -> list[str] | None:
        """None leaves it to the store, which takes all text in the value."""
        if op.value is None or op.index is False:
            return []
        fields = self._fields if op.index is None else op.index
        if fields is None:
            return None
        return [text for field in fields for text in get_text_at_path(op.value, field)]

    async def _done(
        self,
        ops: Sequence[Op],
        puts: Sequence[Sequence[str]],
        vectors: Sequence[Sequence[float]],
        asked: dict[str, list[float]],
    ) -> list[Result]:
        results: dict[int, Result] = {}
        gets = [(place, op) for place, op in enumerate(ops) if isinstance(op, GetOp)]
        for refresh in (True, False):
            wanted = [(place, (op.namespace, op.key)) for place, op in gets if bool(op.refresh_ttl) is refresh]
            for start in range(0, len(wanted), AT_ONCE):
                some = wanted[start : start + AT_ONCE]
                found = await self._bridge.door.documents_at([names for _, names in some], refresh=refresh)
                results |= {place: one and _item(one) for (place, _), one in zip(some, found, strict=True)}
        for place, op in enumerate(ops):
            if isinstance(op, SearchOp):
                results[place] = await self._search(op, asked)
            elif isinstance(op, ListNamespacesOp):
                results[place] = await self._namespaces(op)
        changes = self._changes(_writes(ops), puts, vectors)
        for start in range(0, len(changes), AT_ONCE):
            await self._bridge.door.change_documents(changes[start : start + AT_ONCE])
        return [results.get(place) for place in range(len(ops))]

    def _changes(
        self, writes: Sequence[PutOp], puts: Sequence[Sequence[str]], vectors: Sequence[Sequence[float]]
    ) -> list[PutDocument | DeleteDocument]:
        made = iter(vectors)
        changes: list[PutDocument | DeleteDocument] = []
        for op, texts in zip(writes, puts, strict=True):
            if op.value is None:
                changes.append(DeleteDocument(namespace=op.namespace, key=op.key))
                continue
            own = None if self.embeddings is None else Vectors(self._model, [next(made) for _ in texts])
            changes.append(
                PutDocument(
                    namespace=op.namespace,
                    key=op.key,
                    value=dict(op.value),
                    user=self._owner(op.namespace),
                    ttl=None if op.ttl is None else op.ttl * 60,
                    texts=self._texts(op) if own is None else texts,
                    vectors=own,
                )
            )
        return changes

    def _owner(self, namespace: tuple[str, ...]) -> str | None:
        at = self._user_at
        if at is None:
            return self._user
        return namespace[at] if -len(namespace) <= at < len(namespace) else None

    async def _search(self, op: SearchOp, asked: dict[str, list[float]]) -> list[SearchItem]:
        door, query = self._bridge.door, _question(op)
        refresh = bool(op.refresh_ttl)

        async def newest(limit: int, offset: int) -> list[SearchItem]:
            found = await door.documents(
                op.namespace_prefix, filter=op.filter, limit=limit, offset=offset, refresh=refresh
            )
            return [_found(one, None) for one in found]

        async def best(limit: int, offset: int) -> list[SearchItem]:
            own = Vectors(self._model, [asked[query or ""]]) if self.embeddings is not None else None
            hits = await door.search_documents(
                query or "",
                op.namespace_prefix,
                filter=op.filter,
                limit=limit,
                offset=offset,
                threshold=0,
                vectors=own,
                refresh=refresh,
            )
            return [_found(hit.document, hit.score) for hit in hits]

        return await _pages(newest if query is None else best, op.limit, op.offset)

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        prefix = _joined([one.path for one in conditions if one.match_type == "prefix"])
        suffix = _joined([one.path[::-1] for one in conditions if one.match_type == "suffix"])
        if prefix is None or suffix is None:
            return []

        async def page(limit: int, offset: int) -> list[tuple[str, ...]]:
            return await self._bridge.door.document_namespaces(
                prefix, suffix[::-1], max_depth=op.max_depth, limit=limit, offset=offset
            )

        return await _pages(page, op.limit, op.offset)


def _writes(ops: Sequence[Op]) -> list[PutOp]:
    """Of several writes of one item, the last one counts."""
    return list({(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values())


def _question(op: SearchOp) -> str | None:
    return op.query[:MAX_QUERY] if op.query and op.query.strip() else None


async def _pages(page: Page[T], limit: int, offset: int) -> list[T]:
    found: list[T] = []
    while len(found) < limit:
        wanted = min(limit - len(found), AT_ONCE)
        more = await page(wanted, offset + len(found))
        found += more
        if len(more) < wanted:
            break
    return found


def _joined(paths: Sequence[Sequence[str]]) -> Sequence[str] | None:
    """One path for several that all have to match; None if they cannot."""
    whole: list[str] = []
    for path in paths:
        for place, name in enumerate(path):
            if place == len(whole):
                whole.append(name)
            elif whole[place] == "*":
                whole[place] = name
            elif name not in ("*", whole[place]):
                return None
    return whole


def _name(embed: Any, embeddings: Embeddings, dims: object) -> str:
    """What keeps the vectors of one model apart from those of others."""
    model = embed if isinstance(embed, str) else None
    for holder in (embeddings, embed):
        model = model or getattr(holder, "model", None) or getattr(holder, "model_name", None)
    model = model or getattr(embed, "__qualname__", None) or type(embed).__qualname__
    return inputs.identifier("index", f"langgraph:{str(model)[:200]}:{dims}")


def _item(one: Document) -> Item:
    return Item(
        value=one.value,
        key=one.key,
        namespace=one.namespace,
        created_at=one.created_at,
        updated_at=one.updated_at,
    )


def _found(one: Document, score: float | None) -> SearchItem:
    return SearchItem(one.namespace, one.key, one.value, one.created_at, one.updated_at, score)
