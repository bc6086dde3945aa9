"""Documents over HTTP: whose they are, their versions, and how large an answer may get."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import msgspec
import pytest

from recollect import Conflict, DeleteDocument, Recollect
from serving import Served

ITEM = "/api/documents/item"


def at(key: str, **more: Any) -> dict[str, Any]:
    return {"namespace": ["pets", "birds"], "key": key, **more}


@pytest.fixture
async def ben(served: Served, memory: Recollect) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody whose key reaches what is Ben's, and names nobody."""
    key = (await memory.create_key(scopes=["read", "write"], user="ben")).text
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=served.url, headers=headers, timeout=30) as opened:
        yield opened


async def test_a_bound_key_reaches_only_its_users_documents(memory: Recollect, ben: httpx.AsyncClient) -> None:
    space = ("pets", "birds")
    for key, user in (("hers", "ana"), ("nobodys", None)):
        await memory.put_document(space, key, {"kind": "zebrafinch"}, user=user, ttl=3600)
    before = await memory.documents()
    for key in ("hers", "nobodys", "missing"):
        for path in (ITEM, f"{ITEM}/versions"):
            answer = await ben.get(path, params=at(key))
            assert (answer.status_code, answer.json()["what"]) == (404, "document")
        assert (await ben.get(ITEM, params=at(key, refresh=True))).status_code == 404
        assert (await ben.delete(ITEM, params=at(key))).status_code == 404
        assert (await ben.delete(ITEM, params=at(key), headers={"if-match": '"1"'})).status_code == 412
        places = {"places": [{"namespace": list(space), "key": key}], "refresh": True}
        assert (await ben.post("/api/documents/read", json=places)).json() == [None]
        gone = {"changes": [{"operation": "delete", "namespace": list(space), "key": key}]}
        assert (await ben.post("/api/documents/change", json=gone)).json() == [None]
    for key in ("hers", "nobodys"):
        for headers in ({}, {"if-match": '"0"'}, {"if-match": '"1"'}, {"if-match": '"7"'}):
            taken = await ben.put(ITEM, params=at(key), json={"value": {"kind": "parrot"}}, headers=headers)
            assert (taken.status_code, taken.json()["type"]) == (409, "urn:recollect:problem:refused")
            assert "zebrafinch" not in taken.text
            assert "ana" not in taken.text
        both = [{"operation": "put", "namespace": list(space), "key": name, "value": {}} for name in ("mine", key)]
        assert (await ben.post("/api/documents/change", json={"changes": both})).status_code == 409
    for asked in ({"query": "zebrafinch", "threshold": 0}, {"refresh": True}):
        assert (await ben.post("/api/documents/search", json=asked)).json() == []
    assert (await ben.get("/api/documents")).json() == []
    assert (await ben.get("/api/documents/namespaces")).json() == []
    assert await memory.documents() == before
    mine = await ben.put(ITEM, params=at("mine"), json={"value": {"kind": "owl"}})
    assert (mine.status_code, mine.json()["user"], mine.json()["version"]) == (200, "ben", 1)
    assert [one["key"] for one in (await ben.get("/api/documents")).json()] == ["mine"]


async def test_versions_are_tags(client: httpx.AsyncClient) -> None:
    first = await client.put(ITEM, params=at("a"), json={"value": {"n": 1}}, headers={"if-match": '"0"'})
    assert first.status_code == 200
    assert re.fullmatch('"1-[0-9a-f]{16}-[0-9a-f]{13}"', first.headers["etag"])
    for stale in ('"0"', '"2"'):
        again = await client.put(ITEM, params=at("a"), json={"value": {"n": 2}}, headers={"if-match": stale})
        assert again.status_code == 412
    second = await client.put(ITEM, params=at("a"), json={"value": {"n": 2}}, headers={"if-match": '"1"'})
    tag = second.headers["etag"]
    assert tag.startswith('"2-')
    for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        answer = await client.get(ITEM, params=at("a"), headers={"if-none-match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    assert (await client.get(ITEM, params=at("a"), headers={"if-none-match": '"2"'})).json() == second.json()
    versions = await client.get(f"{ITEM}/versions", params=at("a", limit=1))
    assert [one["version"] for one in versions.json()] == [2]
    assert (await client.delete(ITEM, params=at("a"), headers={"if-match": '"1"'})).status_code == 412
    assert (await client.delete(ITEM, params=at("a"), headers={"if-match": '"2"'})).status_code == 204


async def test_what_is_made_again_is_another(client: httpx.AsyncClient, memory: Recollect) -> None:
    old = (await client.put(ITEM, params=at("a"), json={"value": {"n": 1}})).headers["etag"]
    await client.delete(ITEM, params=at("a"))
    gone = await client.put(ITEM, params=at("a"), json={"value": {"n": 2}}, headers={"if-match": old})
    assert gone.status_code == 412
    new = await client.put(ITEM, params=at("a"), json={"value": {"n": 2}})
    assert new.json()["version"] == 1
    read = await client.get(ITEM, params=at("a"), headers={"if-none-match": old})
    assert (read.status_code, read.headers["etag"]) == (200, new.headers["etag"])
    stale = await client.put(ITEM, params=at("a"), json={"value": {}}, headers={"if-match": old})
    assert stale.status_code == 412
    assert (await client.delete(ITEM, params=at("a"), headers={"if-match": old})).status_code == 412
    assert (await client.get(ITEM, params=at("a"))).json() == new.json()
    # A refresh is no new version: the tag from before it is good for a change, and no longer for what was read.
    await client.put(ITEM, params=at("a"), json={"value": {"n": 2}, "ttl": 60})
    tag = new.headers["etag"]
    kept = await client.get(ITEM, params=at("a", refresh=True), headers={"if-none-match": tag})
    assert kept.json()["expiresAt"] is not None
    assert (await client.put(ITEM, params=at("a"), json={"value": {"n": 3}}, headers={"if-match": tag})).is_success
    # The same by the door.
    (second,) = await memory.documents()
    meant = DeleteDocument(namespace=second.namespace, key=second.key, created_at=second.created_at)
    early = msgspec.structs.replace(meant, created_at=second.created_at - timedelta(microseconds=1))
    with pytest.raises(Conflict, match="not the one that was read"):
        await memory.change_documents([early])
    await memory.change_documents([meant])
    assert await memory.documents() == []


async def test_only_if_there_is_one_or_none(client: httpx.AsyncClient) -> None:
    async def put(n: int, **headers: str) -> int:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await client.put(ITEM, params=at("a"), json={"value": {"n": n}}, headers=given)).status_code

    assert await put(1, if_match="*") == 412
    assert (await client.delete(ITEM, params=at("a"), headers={"if-match": "*"})).status_code == 412
    assert (await client.get(ITEM, params=at("a"))).status_code == 404
    assert await put(2, if_none_match="*") == 200
    assert await put(3, if_none_match="*") == 412
    assert await put(4, if_none_match='"1"') == 422
    assert await put(4, if_none_match="*", if_match="*") == 422
    assert (await client.delete(ITEM, params=at("a"), headers={"if-none-match": "*"})).status_code == 412
    assert (await client.get(ITEM, params=at("a"))).json()["value"] == {"n": 2}
    assert await put(5, if_match="*") == 200
    assert (await client.delete(ITEM, params=at("a"), headers={"if-match": "*"})).status_code == 204


async def test_a_refresh_needs_the_scope_write(served: Served, memory: Recollect) -> None:
    kept = await memory.put_document(("pets",), "a", {"n": 1}, ttl=3600)
    key = (await memory.create_key(scopes=["read"])).text
    headers = {"authorization": f"Bearer {key}"}
    place = {"namespace": ["pets"], "key": "a"}
    async with httpx.AsyncClient(base_url=served.url, headers=headers, timeout=30) as reader:
        assert (await reader.get(ITEM, params=place)).status_code == 200
        assert (await reader.get(ITEM, params={**place, "refresh": True})).status_code == 403
        for path, asked in (("search", {}), ("read", {"places": [place]})):
            assert (await reader.post(f"/api/documents/{path}", json=asked)).status_code == 200
            refused = await reader.post(f"/api/documents/{path}", json={**asked, "refresh": True})
            assert refused.status_code == 403
    assert await memory.document(("pets",), "a") == kept


async def test_no_answer_is_without_bound(client: httpx.AsyncClient, memory: Recollect) -> None:
    large = {"text": "a " * 500_000}
    for key in "abcdefghi":
        await memory.put_document(("large",), key, large, user="ana", texts=[])
    places = [{"namespace": ["large"], "key": key} for key in "abcdefghi"]
    answers = [
        (await client.get("/api/documents"), "limit"),
        (await client.post("/api/documents/search", json={"limit": 100}), "limit"),
        (await client.post("/api/documents/read", json={"places": places}), "places"),
    ]
    assert [(answer.status_code, answer.json()["field"]) for answer, _ in answers] == [
        (422, field) for _, field in answers
    ]
    assert len((await client.get("/api/documents", params={"limit": 2})).json()) == 2


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("change", {"changes": [{"operation": "put", "namespace": ["a"], "key": "b"}]}, "value"),
        ("change", {"changes": [{"operation": "delete", "namespace": ["a"], "key": "b", "value": {}}]}, "value"),
        ("change", {"changes": [{"operation": "delete", "namespace": [], "key": "b"}]}, "namespace"),
        ("change", {"changes": [{"operation": "delete", "namespace": ["a"], "key": "b"}] * 1001}, "changes"),
        ("read", {"places": []}, "places"),
        ("read", {"places": [{"namespace": ["a"], "key": "b"}] * 1001}, "places"),
        ("search", {"threshold": 0.5}, "query"),
        ("search", {"limit": 1001}, "limit"),
        ("search", {"offset": -1}, "offset"),
        ("search", {"filter": {"$near": 1}}, "filter"),
    ],
)
async def test_what_cannot_be_accepted(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], field: str
) -> None:
    answer = await client.post(f"/api/documents/{path}", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


async def test_the_newest_message_is_taken_back(client: httpx.AsyncClient, chat: str) -> None:
    await client.post(f"{chat}/messages", json={"role": "user", "content": "I was wrong"})
    assert (await client.delete(f"{chat}/messages/last")).json()["message"]["content"] == "I was wrong"
    assert (await client.delete(f"{chat}/messages/last")).json() == {"message": None}
