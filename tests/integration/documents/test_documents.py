"""Documents: written, read, listed, found, versioned, expired."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from recollect import (
    Conflict,
    DeleteDocument,
    Invalid,
    NotFound,
    PutDocument,
    Recollect,
    Refused,
    Vectors,
)

SOUPS = ("recipes", "soups")


async def test_a_document_is_written_read_and_changed(memory: Recollect) -> None:
    value: dict[str, Any] = {
        "text": "Caldo verde",
        "tags": ["kale"],
        "serves": 4,
        "n": None,
        "big": 1e30,
        "x": -0.5,
    }
    first = await memory.put_document(SOUPS, "caldo", value)
    assert (first.namespace, first.key, first.value, first.version, first.user) == (SOUPS, "caldo", value, 1, None)
    assert await memory.document(SOUPS, "caldo") == first
    same = await memory.put_document(SOUPS, "caldo", value)
    assert (same.version, same.created_at) == (1, first.created_at)
    assert same.updated_at > first.updated_at
    second = await memory.put_document(SOUPS, "caldo", {"text": "Caldo"}, version=1)
    assert (second.version, second.created_at) == (2, first.created_at)
    assert [(one.version, one.value["text"]) for one in await memory.document_history(SOUPS, "caldo")] == [
        (1, "Caldo verde"),
        (2, "Caldo"),
    ]


async def test_a_stale_version_changes_nothing(memory: Recollect) -> None:
    await memory.put_document(SOUPS, "caldo", {"a": 1}, version=0)
    for stale in (0, 2):
        with pytest.raises(Conflict, match="version 1"):
            await memory.put_document(SOUPS, "caldo", {"a": 2}, version=stale)
    with pytest.raises(Conflict):
        await memory.put_document(SOUPS, "bisque", {"a": 2}, version=1)
    with pytest.raises(Conflict):
        await memory.delete_document(SOUPS, "caldo", version=7)
    assert [one.value for one in await memory.documents()] == [{"a": 1}]


async def test_several_changes_happen_together_or_not_at_all(memory: Recollect) -> None:
    await memory.put_document(SOUPS, "caldo", {"a": 1})
    renamed: list[PutDocument | DeleteDocument] = [
        PutDocument(namespace=SOUPS, key="caldo verde", value={"a": 1}, version=0),
        DeleteDocument(namespace=SOUPS, key="caldo"),
    ]
    written, gone = await memory.change_documents(renamed)
    assert written is not None
    assert gone is None
    await memory.put_document(SOUPS, "caldo", {"a": 3})
    with pytest.raises(Conflict):
        await memory.change_documents([*renamed[1:], *renamed[:1]])
    assert {one.key: one.value["a"] for one in await memory.documents()} == {"caldo verde": 1, "caldo": 3}
    found = await memory.documents_at([(SOUPS, "caldo"), (("recipes",), "caldo"), (SOUPS, "caldo verde")])
    assert [one and one.value["a"] for one in found] == [3, None, 1]


async def test_a_deleted_document_is_gone_with_its_versions(memory: Recollect, admin: asyncpg.Connection) -> None:
    await memory.put_document(SOUPS, "caldo", {"text": "kale"})
    assert await memory.delete_document(SOUPS, "caldo") is True
    assert await memory.delete_document(SOUPS, "caldo") is False
    for use in (memory.document(SOUPS, "caldo"), memory.document_history(SOUPS, "caldo")):
        with pytest.raises(NotFound):
            await use
    for table in ("documents", "document_versions", "document_texts", "document_vectors"):
        assert (
            await admin.fetchval(f"select count(*) from recollect.{table} where tenant = $1", memory.tenant) == 0
        )


async def test_two_first_writers_write_one_document(memory: Recollect) -> None:
    done = await asyncio.gather(*(memory.put_document(SOUPS, "caldo", {"n": n}) for n in range(8)))
    assert sorted(one.version for one in done) == list(range(1, 9))
    assert len(await memory.documents(SOUPS)) == 1


async def test_only_so_many_versions_are_kept(memory: Recollect) -> None:
    for start in range(0, 105, 15):
        puts = [PutDocument(namespace=SOUPS, key="k", value={"n": n}) for n in range(start, start + 15)]
        await memory.change_documents(puts)
    kept = await memory.document_history(SOUPS, "k")
    assert ([kept[0].version, kept[-1].version], len(kept)) == ([6, 105], 100)


async def test_a_namespace_is_listed_with_what_is_below_it_only(memory: Recollect) -> None:
    names = [("a",), ("a", "b"), ("a", "b", "c"), ("a", "bb"), ("ab",), ("a b",), ("A",), ("á",), ("b",)]
    for place, names_ in enumerate(names):
        await memory.put_document(names_, "k", {"n": place})
    assert [one.value["n"] for one in await memory.documents(("a",))] == [3, 2, 1, 0]
    assert [one.value["n"] for one in await memory.documents(("a", "b"))] == [2, 1]
    assert [one.value["n"] for one in await memory.documents(("a",), limit=2, offset=1)] == [2, 1]
    assert len(await memory.documents()) == len(names)
    assert await memory.document_namespaces(("a",)) == [("a",), ("a", "b"), ("a", "b", "c"), ("a", "bb")]
    assert await memory.document_namespaces(("*", "b"), ("c",)) == [("a", "b", "c")]
    assert await memory.document_namespaces(("a",), max_depth=2, limit=2, offset=1) == [("a", "b"), ("a", "bb")]


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"color": "red"}, {"car", "apple"}),
    ({"color": {"$ne": "red"}}, {"sea", "odd"}),
    ({"size": {"$gt": 3}}, {"car", "sea"}),
    ({"size": {"$gte": 3, "$lt": 9}}, {"apple"}),
    ({"size": {"$lte": 3}}, {"apple"}),
    ({"color": {"$gt": "blue"}}, {"car", "apple"}),
    ({"maker": {"city": "Porto"}}, {"car"}),
    ({"maker": {"city": {"$ne": "Porto"}}}, set()),
    ({"tags": ["a", "b"]}, {"apple"}),
    ({"tags": ["a"]}, set()),
    ({"maker": None, "color": "red"}, {"apple"}),
    ({"odd": {"$eq": True}}, {"odd"}),
    ({"'; drop": "x"}, set()),
]


@pytest.mark.parametrize(("filter", "keys"), FILTERS)
async def test_filters(memory: Recollect, filter: dict[str, Any], keys: set[str]) -> None:
    things: dict[str, dict[str, Any]] = {
        "car": {"color": "red", "size": 9.5, "maker": {"city": "Porto"}},
        "apple": {"color": "red", "size": 3, "tags": ["a", "b"]},
        "sea": {"color": "blue", "size": 1e9},
        "odd": {"odd": True, "size": "3"},
    }
    await memory.change_documents([PutDocument(namespace=("t",), key=key, value=it) for key, it in things.items()])
    assert {one.key for one in await memory.documents(filter=filter)} == keys
    hits = await memory.search_documents("red", ("t",), filter=filter, threshold=0)
    assert {one.document.key for one in hits} == keys


async def test_documents_are_found_by_meaning_and_by_words(memory: Recollect) -> None:
    await memory.put_document(("notes",), "food", {"text": "She enjoys Italian food", "n": 1})
    await memory.put_document(("notes",), "code", {"text": "The door code is XK-42"})
    await memory.put_document(("notes",), "none", {"n": 1})
    await memory.put_document(("notes",), "hidden", {"text": "She likes pasta"}, texts=[])
    found = await memory.search_documents("pasta from Italy", ("notes",))
    assert [hit.document.key for hit in found] == ["food"]
    assert [hit.document.key for hit in await memory.search_documents("XK-42")] == ["code"]
    assert await memory.search_documents("volcanoes of Iceland") == []
    everything = await memory.search_documents("pasta from Italy", ("notes",), threshold=0)
    assert (everything[0].document.key, everything[0].score is None) == ("food", False)
    assert {hit.document.key for hit in everything if hit.score is None} == {"none", "hidden"}
    assert [hit.document.key for hit in await memory.search_documents("pasta", threshold=0, limit=1, offset=1)]


async def test_a_text_of_its_own_and_its_change_are_what_is_searched(memory: Recollect) -> None:
    await memory.put_document(SOUPS, "k", {"text": "about elephants"}, texts=["about zebras"])
    assert await memory.search_documents("zebras")
    assert not await memory.search_documents("elephants")
    await memory.put_document(SOUPS, "k", {"text": "about giraffes"})
    assert not await memory.search_documents("zebras")
    assert await memory.search_documents("giraffes")


async def test_vectors_of_another_model_are_kept_apart(memory: Recollect) -> None:
    puts = [
        PutDocument(namespace=("v",), key=key, value={}, texts=["t"], vectors=Vectors("mine", [vector]))
        for key, vector in {"east": [1.0, 0.0], "north": [0.0, 1.0]}.items()
    ]
    await memory.change_documents(puts)
    await memory.put_document(("v",), "other", {"text": "x"})
    asked = Vectors("mine", [[0.9, 0.1]])
    found = await memory.search_documents("q", ("v",), vectors=asked, threshold=0)
    assert [hit.document.key for hit in found] == ["east", "north", "other"]
    assert found[0].score == pytest.approx(0.9939, abs=1e-3)
    assert found[2].score is None
    with pytest.raises(Invalid, match="vectors"):
        await memory.search_documents("q", ("v",), vectors=Vectors("mine", []))
    bad = PutDocument(namespace=("v",), key="k", value={}, texts=["a", "b"], vectors=asked)
    with pytest.raises(Invalid, match="1, for 2 texts"):
        await memory.change_documents([bad])


async def test_what_has_lived_its_time_is_gone(memory: Recollect, admin: asyncpg.Connection) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    await memory.put_document(SOUPS, "old", {"text": "kale"}, expires_at=past)
    kept = await memory.put_document(SOUPS, "new", {"text": "kale"}, ttl=3600)
    assert kept.expires_at is not None
    assert [one.key for one in await memory.documents()] == ["new"]
    assert [hit.document.key for hit in await memory.search_documents("kale")] == ["new"]
    assert await memory.documents_at([(SOUPS, "old")]) == [None]
    again = await memory.put_document(SOUPS, "old", {"text": "again"}, version=0, expires_at=past)
    assert again.version == 1
    assert (await memory.document(SOUPS, "new")).expires_at == kept.expires_at
    # Each read says until when the document is kept from then on.
    told = [
        kept,
        await memory.document(SOUPS, "new", refresh=True),
        *await memory.documents(refresh=True),
        *await memory.documents_at([(SOUPS, "new")], refresh=True),
        *(hit.document for hit in await memory.search_documents("kale", refresh=True)),
    ]
    moments = [one.expires_at for one in told if one is not None and one.expires_at is not None]
    assert len(moments) == 5
    assert moments == sorted(set(moments))
    assert (await memory.document(SOUPS, "new")).expires_at == moments[-1]
    assert (await memory.tidy()).documents == 1
    assert await admin.fetchval("select count(*) from recollect.documents where tenant = $1", memory.tenant) == 1


async def test_a_users_documents_are_exported_restored_and_erased(memory: Recollect) -> None:
    await memory.put_document(SOUPS, "caldo", {"text": "kale", "n": 1}, user="ana")
    before = await memory.put_document(SOUPS, "caldo", {"text": "kale", "n": 2})
    await memory.put_document(SOUPS, "nobody's", {"text": "kale"})
    assert before.user == "ana"
    assert [one.key for one in await memory.documents(user="ana")] == ["caldo"]
    document = await memory.export(user="ana")
    history = await memory.document_history(SOUPS, "caldo")
    assert (await memory.erase(user="ana")).counts["documents"] == 1
    assert [one.key for one in await memory.documents()] == ["nobody's"]
    done = await memory.import_user(document)
    assert (done.documents, done.known) == (1, 0)
    assert await memory.document(SOUPS, "caldo") == before
    assert await memory.document_history(SOUPS, "caldo") == history
    assert {hit.document.key for hit in await memory.search_documents("kale")} == {"caldo", "nobody's"}
    assert (await memory.import_user(document)).known == 1


deep: dict[str, Any] = {"a": "text"}
for _ in range(3000):
    deep = {"a": deep}

BAD: list[Any] = [
    {"namespace": ()},
    {"namespace": "a"},
    {"namespace": ("",)},
    {"namespace": ("a\nb",)},
    {"namespace": ("a",) * 17},
    {"namespace": ("a" * 250,) * 4},
    {"key": ""},
    {"key": "a\0"},
    {"value": []},
    {"value": {"x": float("nan")}},
    {"value": {"x": "a\0"}},
    {"value": {"x": "a" * (1 << 20)}},
    {"user": ""},
    {"version": -1},
    {"ttl": 0},
    {"ttl": float("inf")},
    {"texts": ["a\0"]},
    {"texts": "hello"},
    {"texts": 5},
    pytest.param({"value": deep}, id="deep"),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: str(bad)[:30])
async def test_bad_input_is_refused_and_changes_nothing(memory: Recollect, bad: dict[str, Any]) -> None:
    given: dict[str, Any] = {"namespace": SOUPS, "key": "k", "value": {"a": 1}, **bad}
    with pytest.raises(Invalid) as refused:
        await memory.put_document(**given)
    assert refused.value.field == next(iter(bad))
    assert await memory.documents() == []


async def test_an_unknown_operator_is_refused(memory: Recollect) -> None:
    with pytest.raises(Invalid, match="operator"):
        await memory.documents(filter={"a": {"$regex": "x"}})


async def test_nobody_takes_over_what_is_not_theirs(memory: Recollect) -> None:
    """Whose a document is, its first write settles; to others it does not tell even its version."""
    hers = await memory.put_document(SOUPS, "caldo", {"n": 1}, user="ana")
    nobodys = await memory.put_document(SOUPS, "bisque", {"n": 1})
    for key in ("caldo", "bisque"):
        for version in (None, 0, 1, 7):
            with pytest.raises(Refused):
                await memory.put_document(SOUPS, key, {"n": 2}, user="ben", version=version)
    both = [
        PutDocument(namespace=SOUPS, key="borscht", value={"n": 1}, user="ben"),
        PutDocument(namespace=SOUPS, key="caldo", value={"n": 2}, user="ben"),
    ]
    with pytest.raises(Refused):
        await memory.change_documents(both)
    assert set(map(repr, await memory.documents())) == {repr(hers), repr(nobodys)}
    assert (await memory.put_document(SOUPS, "caldo", {"n": 2}, user="ana")).version == 2
    assert (await memory.put_document(SOUPS, "caldo", {"n": 3})).user == "ana"
    assert (await memory.put_document(SOUPS, "bisque", {"n": 2})).user is None


async def test_with_a_user_only_theirs_are_there(memory: Recollect) -> None:
    for key, user in (("caldo", "ana"), ("bisque", None)):
        await memory.put_document((*SOUPS, key), key, {"text": "kale"}, user=user, ttl=3600)
        await memory.put_document((*SOUPS, key), key, {"text": "more kale"}, ttl=3600)
    place, other = ((*SOUPS, "caldo"), "caldo"), ((*SOUPS, "bisque"), "bisque")
    assert (await memory.document(*place, user="ana")).user == "ana"
    assert [one and one.key for one in await memory.documents_at([place, other], user="ana")] == ["caldo", None]
    assert await memory.document_namespaces(user="ana") == [place[0]]
    assert [one.version for one in await memory.document_history(*place, user="ana")] == [1, 2]
    assert [one.version for one in await memory.document_history(*place, limit=1)] == [2]
    assert await memory.document_namespaces(user="ben") == []
    for name, user in ((place, "ben"), (other, "ana")):
        before = await memory.document(*name)
        for use in (
            memory.document(*name, user=user, refresh=True),
            memory.document_history(*name, user=user),
        ):
            with pytest.raises(NotFound):
                await use
        assert await memory.documents_at([name], user=user, refresh=True) == [None]
        assert await memory.delete_document(*name, user=user) is False
        assert await memory.change_documents([DeleteDocument(namespace=name[0], key=name[1], user=user)]) == [None]
        with pytest.raises(Conflict):
            await memory.delete_document(*name, user=user, version=2)
        assert await memory.document(*name) == before
    assert await memory.delete_document(*place, user="ana", version=2) is True
