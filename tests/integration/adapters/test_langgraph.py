"""LangGraph's store over documents: what its own suite does not ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from recollect import Invalid, Recollect, sync
from recollect.adapters.langgraph import RecollectStore

FOODS = ("memories", "ana")


@pytest.fixture
def blocking(dsn: str, tenant: str) -> Iterator[sync.Recollect]:
    with sync.Recollect.open(dsn, tenant=tenant) as opened:
        yield opened


async def test_items_are_documents_of_ours(memory: Recollect) -> None:
    store = RecollectStore(memory)
    await store.aput(FOODS, "k", {"text": "likes figs"})
    await store.aput(FOODS, "k", {"text": "likes dates"})
    assert [one.value["text"] for one in await memory.document_history(FOODS, "k")] == [
        "likes figs",
        "likes dates",
    ]
    await memory.put_document(FOODS, "other", {"n": 1})
    assert {one.key for one in await store.asearch(("memories",))} == {"k", "other"}
    item = await store.aget(FOODS, "k")
    assert item is not None
    assert item.updated_at > item.created_at


async def test_search_works_without_any_setting(memory: Recollect) -> None:
    store = RecollectStore(memory)
    await store.aput(FOODS, "food", {"text": "She enjoys Italian food"})
    await store.aput(FOODS, "code", {"text": "The door code is XK-42"})
    await store.aput(FOODS, "hidden", {"text": "pasta"}, index=False)
    found = await store.asearch(FOODS, query="pasta from Italy")
    assert [one.key for one in found] == ["food", "code", "hidden"]
    assert [one.score is None for one in found] == [False, False, True]
    assert (await store.asearch(FOODS, query="XK-42"))[0].key == "code"
    await store.aput(FOODS, "field", {"text": "a secret zebra", "title": "about giraffes"}, index=["title"])
    assert (await store.asearch(FOODS, query="giraffes"))[0].key == "field"
    assert (await store.asearch(FOODS, query="zebra"))[0].score != 1.0


async def test_a_users_items_go_with_the_user(memory: Recollect) -> None:
    store = RecollectStore(memory, user_at=1)
    await store.aput(("memories", "ana"), "k", {"a": 1})
    await store.aput(("memories", "ben"), "k", {"a": 1})
    await store.aput(("shared",), "k", {"a": 1})
    assert (await memory.erase(user="ana")).counts["documents"] == 1
    assert [one.namespace for one in await store.asearch(())] == [("shared",), ("memories", "ben")]
    await RecollectStore(memory, user="cleo").aput(("x",), "k", {"a": 1})
    assert [one.namespace for one in await memory.documents(user="cleo")] == [("x",)]
    with pytest.raises(Invalid):
        RecollectStore(memory, user="cleo", user_at=1)


async def test_items_live_for_their_time(memory: Recollect, admin: asyncpg.Connection) -> None:
    store = RecollectStore(memory, ttl={"default_ttl": 10, "refresh_on_read": True})
    await store.aput(FOODS, "default", {"a": 1})
    await store.aput(FOODS, "own", {"a": 1}, ttl=1)
    await store.aput(FOODS, "never", {"a": 1}, ttl=None)

    async def left() -> dict[str, float | None]:
        rows = await admin.fetch(
            "select key, extract(epoch from expires_at - clock_timestamp())::float8 as left "
            "from recollect.documents where tenant = $1",
            memory.tenant,
        )
        return {row["key"]: row["left"] for row in rows}

    times = await left()
    assert times["never"] is None
    assert times["default"] == pytest.approx(600, abs=60)
    assert times["own"] == pytest.approx(60, abs=30)
    older = "update recollect.documents set expires_at = expires_at - interval '20 s' where tenant = $1"
    await admin.execute(older, memory.tenant)
    await store.aget(FOODS, "own", refresh_ttl=False)
    assert (await left())["own"] == pytest.approx(40, abs=19)
    before = (await left())["own"]
    await store.asearch(FOODS)
    after = await left()
    assert before is not None
    assert after["own"] is not None
    assert after["own"] > before + 10
    await admin.execute(older.replace("20 s", "1 hour"), memory.tenant)
    assert await store.aget(FOODS, "own") is None
    assert [one.key for one in await store.asearch(FOODS)] == ["never"]


async def test_a_batch_reads_first_then_writes_together(memory: Recollect) -> None:
    store = RecollectStore(memory)
    await store.aput(FOODS, "a", {"n": 1})
    results = await store.abatch(
        [
            PutOp(FOODS, "a", {"n": 2}),
            GetOp(FOODS, "a"),
            GetOp(FOODS, "missing"),
            SearchOp(("memories",), filter={"n": {"$gte": 1}}),
            ListNamespacesOp(),
            PutOp(FOODS, "a", {"n": 3}),
        ]
    )
    read: Any = results[1]
    assert read.value == {"n": 1}
    assert (results[0], results[2], results[4]) == (None, None, [FOODS])
    assert [one.value for one in await memory.documents()] == [{"n": 3}]
    with pytest.raises(ValueError, match="JSON"):
        await store.abatch([PutOp(FOODS, "b", {"n": 1}), PutOp(FOODS, "c", {"n": object()})])
    assert await store.aget(FOODS, "b") is None
    with pytest.raises(ValueError, match="operator"):
        await store.asearch(FOODS, filter={"n": {"$near": 1}})


async def test_several_conditions_on_namespaces(memory: Recollect) -> None:
    store = RecollectStore(memory)
    for names in (("a", "b", "c"), ("a", "x", "c"), ("d", "b", "c")):
        await store.aput(names, "k", {})
    conditions = (
        MatchCondition("prefix", ("a",)),
        MatchCondition("prefix", ("*", "b")),
        MatchCondition("suffix", ("c",)),
    )
    assert await store.abatch([ListNamespacesOp(conditions)]) == [[("a", "b", "c")]]
    never = (MatchCondition("prefix", ("a",)), MatchCondition("prefix", ("d",)))
    assert await store.abatch([ListNamespacesOp(never)]) == [[]]
    assert len(await store.asearch((), limit=5000)) == 3


def test_a_blocking_store(blocking: sync.Recollect) -> None:
    store = RecollectStore(blocking)
    store.put(FOODS, "k", {"text": "figs"})
    assert [one.key for one in store.search(FOODS, query="figs")] == ["k"]
    store.delete(FOODS, "k")
    assert store.get(FOODS, "k") is None


async def test_an_embedder_given_as_a_function(memory: Recollect) -> None:
    async def embed(texts: Any) -> list[list[float]]:
        return [[float("fig" in text), float("date" in text)] for text in texts]

    store = RecollectStore(memory, index={"dims": 2, "embed": embed, "fields": ["text"]})
    await store.aput(FOODS, "f", {"text": "fig"})
    await store.aput(FOODS, "d", {"text": "date"})
    found = await store.asearch(FOODS, query="date")
    assert [(one.key, one.score) for one in found] == [("d", 1.0), ("f", 0.0)]


async def test_concurrent_writers(memory: Recollect) -> None:
    store = RecollectStore(memory)
    await asyncio.gather(*(store.aput(FOODS, f"k{n % 3}", {"n": n}) for n in range(12)))
    assert len(await store.asearch(FOODS)) == 3
