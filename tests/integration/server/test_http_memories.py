"""Memories, notes, agents and the rest over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import httpx

from recollect import Recollect

GHOST = "00000000-0000-4000-8000-000000000000"
BOT = "/api/bots/cook/memories"


async def _remember(client: httpx.AsyncClient, text: str, **more: object) -> dict:
    answer = await client.post(BOT, json={"keyPoint": text, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_bots_memories_as_the_seed_has_them(client: httpx.AsyncClient) -> None:
    for text in ("user likes foxes", "user lives in Porto", "user is a nurse"):
        await _remember(client, text)
    listed = (await client.get(BOT, params={"limit": 2, "offset": 1})).json()
    assert [one["keyPoint"] for one in listed] == ["user lives in Porto", "user likes foxes"]
    one = listed[0]
    assert set(one) >= {"id", "botId", "userId", "keyPoint", "context", "createdAt", "updatedAt"}
    assert (one["botId"], one["userId"]) == ("cook", "ana")
    assert (await client.get(f"{BOT}/{one['id']}")).json() == one
    changed = await client.put(f"{BOT}/{one['id']}", json={"keyPoint": "user lives in Lisbon"})
    assert (changed.json()["keyPoint"], changed.json()["version"]) == ("user lives in Lisbon", 2)
    assert (await client.delete(f"{BOT}/{one['id']}")).status_code == 204
    assert (await client.get(f"{BOT}/{one['id']}")).status_code == 404
    assert (await client.post(f"{BOT}/summarize")).json()["done"] == 1
    page = (await client.get("/api/agents/cook/memories", params={"limit": 1})).json()
    assert [one["keyPoint"] for one in page["items"]] == ["user is a nurse"]
    assert page["cursor"]


async def test_what_goes_with_another_of_several_was_there(client: httpx.AsyncClient) -> None:
    texts = ("user lives in Porto", "the user lives in Porto")
    old, kept = [(await _remember(client, text, author="agent"))["id"] for text in texts]
    assert (await client.post(f"{BOT}/summarize")).json()["retired"] == 1
    answer = await client.post(f"{BOT}/forget", json={"ids": [kept, old, GHOST]})
    assert answer.json() == {"forgotten": 2, "missing": [GHOST]}


async def test_a_stale_version_is_412_and_an_unchanged_one_304(client: httpx.AsyncClient) -> None:
    url = f"{BOT}/{(await _remember(client, 'user likes foxes'))['id']}"
    tag = (await client.get(url)).headers["etag"]
    assert (await client.get(url, headers={"if-none-match": tag})).status_code == 304
    assert (await client.put(url, json={"importance": 0.9}, headers={"if-match": tag})).status_code == 200
    for method in ("PUT", "DELETE"):
        body = {"importance": 0.1} if method == "PUT" else None
        stale = await client.request(method, url, headers={"if-match": tag}, json=body)
        assert (stale.status_code, stale.json()["type"]) == (412, "urn:recollect:problem:conflict")
    wrong = await client.put(url, json={"importance": 0.1}, headers={"if-match": "W/3"})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "If-Match")
    assert (await client.get(url)).json()["importance"] == 0.9
    assert (await client.delete(url, headers={"if-match": "*"})).status_code == 204


async def test_what_is_remembered_is_answered_with_its_version(client: httpx.AsyncClient) -> None:
    for path, body in (
        (BOT, {"keyPoint": "user likes foxes"}),
        (f"{BOT}/from-template", {"template": "home", "fields": {"where": "Porto"}}),
    ):
        once = {"idempotency-key": path}
        first, replayed = [await client.post(path, json=body, headers=once) for _ in range(2)]
        fresher = await client.post(path, json={**body, "expiresAt": "2099-01-01T00:00:00Z"})
        tags = [answer.headers["etag"] for answer in (first, replayed, fresher)]
        assert [tag.split("-")[0] for tag in tags] == ['"1', '"1', '"2']
        assert tags[0] == tags[1]


async def test_successes_are_as_many_as_versions(client: httpx.AsyncClient) -> None:
    """Promise 4 over HTTP."""

    async def write(n: int) -> int:
        tag = (await client.get("/api/agents/cook")).headers["etag"]
        answer = await client.put("/api/agents/cook", json={"window": n}, headers={"if-match": tag})
        assert answer.status_code in (200, 412)
        return answer.status_code == 200

    won = sum(await asyncio.gather(*(write(n) for n in range(1, 33))))
    assert won == (await client.get("/api/agents/cook")).json()["version"]


async def test_versions_undo_release_and_bulk(client: httpx.AsyncClient) -> None:
    kept = await _remember(client, "user likes foxes", trust="untrusted", author="tool")
    url = f"{BOT}/{kept['id']}"
    assert kept["status"] == "quarantined"
    assert (await client.post(f"{url}/release")).json()["status"] == "active"
    await client.put(url, json={"keyPoint": "user likes wolves"})
    assert [one["version"] for one in (await client.get(f"{url}/versions")).json()] == [1, 2, 3]
    assert (await client.post(f"{url}/undo", json={"to": 2})).json()["keyPoint"] == "user likes foxes"
    assert (await client.post(f"{url}/undo", json={"to": 99})).status_code == 409
    other = await _remember(client, "user lives in Porto")
    wrong = await client.post(f"{BOT}/forget", json={"ids": [kept["id"], "nonsense", other["id"]]})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "ids")
    assert (await client.get(url)).status_code == 200, "nothing was deleted"
    ids = [kept["id"], GHOST, other["id"], kept["id"].upper(), GHOST]
    gone = await client.post(f"{BOT}/forget", json={"ids": ids})
    assert gone.json() == {"forgotten": 2, "missing": [GHOST]}
    assert (await client.post(f"{BOT}/forget", json={"ids": []})).json()["field"] == "ids"


async def test_a_wrong_field_of_a_template_is_named(client: httpx.AsyncClient) -> None:
    for wrong, said in (
        (5, "must be text, not int"),
        (None, "must be text, not NoneType"),
        ("", "must not be empty"),
    ):
        answer = await client.post(f"{BOT}/from-template", json={"template": "allergy", "fields": {"what": wrong}})
        problem = answer.json()
        assert (answer.status_code, problem["field"], problem["detail"]) == (
            422,
            "fields.what",
            f"fields.what: {said}",
        )


async def test_a_bots_list_takes_what_an_agents_takes(client: httpx.AsyncClient) -> None:
    old = await _remember(client, "user lived in Lyon", validFrom="2020-01-01T00:00:00Z")
    new = await _remember(client, "user lives in Porto")
    then = await client.get(BOT, params={"asOf": "2021-01-01T00:00:00Z"})
    assert [one["id"] for one in then.json()] == [old["id"]]
    agents = BOT.replace("/bots/", "/agents/")
    page = (await client.get(agents, params={"limit": 1})).json()
    assert [one["id"] for one in page["items"]] == [new["id"]]
    rest = await client.get(BOT, params={"cursor": page["cursor"]})
    assert [one["id"] for one in rest.json()] == [old["id"]]
    for wrong in ({"asOf": "then"}, {"cursor": "there"}):
        answer = await client.get(BOT, params=wrong)
        assert (answer.status_code, answer.json()["field"]) == (422, next(iter(wrong)))


async def test_null_takes_away_and_what_is_absent_stays(client: httpx.AsyncClient) -> None:
    soon = "2999-01-01T00:00:00Z"
    kept = await _remember(client, "user has a cold", category="health", expiresAt=soon, importance=0.9)
    for url in (f"{BOT}/{kept['id']}", f"/api/memories/{kept['id']}"):
        same = (await client.put(url, json={"pinned": True, "importance": None, "keyPoint": None})).json()
        assert (same["category"], same["expiresAt"], same["importance"]) == ("health", soon, 0.9)
        bare = (await client.put(url, json={"expiresAt": None, "category": None})).json()
        assert (bare["category"], bare["expiresAt"], bare["keyPoint"]) == (None, None, "user has a cold")
        assert (await client.post(f"{url}/undo", json={})).json()["expiresAt"] == soon
        assert (await client.get(url)).json()["category"] == "health"
    await client.put(f"{BOT}/{kept['id']}", json={"expiresAt": None})
    back = (await client.post(f"{BOT}/{kept['id']}/undo", json={"to": 3})).json()
    assert (back["category"], back["expiresAt"]) == (None, None)
    assert (await client.put(f"{BOT}/{kept['id']}", json={"expiresAt": "soon"})).json()["field"] == "expiresAt"


async def test_the_important_ones_page_by_page(client: httpx.AsyncClient) -> None:
    for number in range(120):
        await _remember(client, f"user knows fact {number}", importance=number % 3 / 2)
    wanted, cursor = [], None
    for _ in range(4):
        asked = {"minImportance": 0.5, "limit": 30} | ({} if cursor is None else {"cursor": cursor})
        page = (await client.get("/api/agents/cook/memories", params=asked)).json()
        wanted += [one["keyPoint"] for one in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert wanted == [f"user knows fact {number}" for number in reversed(range(120)) if number % 3]
    whole = (await client.get("/api/agents/cook/memories", params={"minImportance": 0.5, "limit": 1000})).json()
    assert [one["keyPoint"] for one in whole["items"]] == wanted
    bots = (await client.get(BOT, params={"minImportance": 1, "limit": 100})).json()
    assert {one["importance"] for one in bots} == {1.0}
    assert len(bots) == 40
    for wrong in ("1.5", "-1", "nan", "much"):
        answer = await client.get("/api/agents/cook/memories", params={"minImportance": wrong})
        assert answer.status_code in (400, 422), wrong


async def test_an_agents_model_is_read_set_and_cleared(client: httpx.AsyncClient) -> None:
    url = "/api/agents/cook"
    assert (await client.get(url)).json()["model"] is None
    for cleared in (None, ""):
        made = (await client.put(url, json={"model": "openai:tiny", "workflow": "rfp"})).json()
        assert (made["model"], made["workflow"]) == ("openai:tiny", "rfp")
        kept = (await client.put(url, json={"window": 5, "pool": None})).json()
        assert (kept["model"], kept["workflow"], kept["pool"]) == ("openai:tiny", "rfp", "cook")
        await client.put(url, json={"model": cleared, "workflow": cleared})
        bare = (await client.get(url)).json()
        assert (bare["model"], bare["workflow"], bare["window"]) == (None, None, 5)
    assert (await client.put(url, json={"model": "nonsense"})).json()["field"] == "model"


async def test_a_memory_is_only_in_its_own_pool(client: httpx.AsyncClient) -> None:
    kept = await _remember(client, "user likes foxes")
    for path in (f"/api/bots/poet/memories/{kept['id']}", f"{BOT}/{kept['id']}?user=ben"):
        client.params = httpx.QueryParams() if "?" in path else client.params
        assert (await client.get(path)).status_code == 404
    client.params = httpx.QueryParams({"user": "ana"})
    await client.put("/api/agents/poet", json={"pool": "cook"})
    assert (await client.get(f"/api/bots/poet/memories/{kept['id']}")).status_code == 200


async def test_recall_search_templates_analytics(client: httpx.AsyncClient, chat: str) -> None:
    await client.post(f"{chat}/messages", json={"role": "user", "content": "We went to Lisbon by train"})
    made = await client.post(f"{BOT}/from-template", json={"template": "allergy", "fields": {"what": "peanuts"}})
    assert made.status_code == 201
    hits = (await client.post("/api/agents/cook/recall", json={"query": "peanut allergy"})).json()
    assert hits[0]["memory"]["id"] == made.json()["id"]
    said = (await client.post("/api/bots/cook/recall", json={"query": "Lisbon train", "over": "messages"})).json()
    assert said[0]["message"]["content"] == "We went to Lisbon by train"
    assert (await client.get("/api/search", params={"query": "lisbon"})).json()[0]["message"]["seq"] == 1
    own = await client.put("/api/templates/pets", json={"pattern": "user has a {pet}"})
    assert own.json()["fields"] == ["pet"]
    assert "pets" in [one["name"] for one in (await client.get("/api/templates")).json()]
    counts = (await client.get("/api/analytics")).json()
    assert (counts["conversations"], counts["messages"], counts["memories"]) == (1, 1, 1)
    assert counts["messagesByDay"][0]["role"] == "user"
    assert (counts["turns"], counts["recalled"]) == ([], [])
    assert [one["text"] for one in counts["neverRecalled"]] == ["user is allergic to peanuts"]
    assert (await client.get("/api/agents")).json() == ["cook"]
    assert (await client.get("/api/agents/cook/refusals")).json() == []


async def test_notes_with_versions(client: httpx.AsyncClient) -> None:
    whose = {"agent": "cook", "user": "ana"}
    edit = {**whose, "operation": "append", "content": "# Food\nNo meat."}
    first = await client.post("/api/notes", json=edit)
    assert (first.json()["version"], first.headers["etag"][:3]) == (1, '"1-')
    stale = await client.post("/api/notes", json=edit, headers={"if-match": '"0"'})
    assert stale.status_code == 412
    await client.post("/api/notes", json={**edit, "content": "# Pets\nA cat."})
    assert "A cat." in (await client.get("/api/notes", params=whose)).json()["text"]
    assert "A cat." not in (await client.get("/api/notes", params={**whose, "version": 1})).json()["text"]
    assert "+A cat." in (await client.get("/api/notes/diff", params={**whose, "old": 1, "new": 2})).json()["diff"]
    assert [one["version"] for one in (await client.get("/api/notes/versions", params=whose)).json()["items"]] == [
        2,
        1,
    ]
    assert "A cat." not in (await client.post("/api/notes/undo", json=whose)).json()["text"]
    wrong = await client.post("/api/notes", json={**whose, "operation": "burn"})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "operation")


async def test_everything_of_a_user_goes_along_comes_back_and_goes(
    client: httpx.AsyncClient, chat: str, memory: Recollect
) -> None:
    await client.post(f"{chat}/messages", json={"role": "user", "content": "hello"})
    await _remember(client, "user likes foxes")
    document = await client.get("/api/users/ana/export")
    assert document.headers["content-disposition"].startswith("attachment")
    receipt = await client.delete("/api/users/ana")
    assert (receipt.status_code, receipt.json()["counts"]["messages"]) == (200, 1)
    assert (await client.get(chat)).status_code == 404
    back = await client.post("/api/users/ana/import", content=document.content)
    assert (back.json()["messages"], back.json()["memories"]) == (1, 1)
    assert (await client.get(f"{chat}/window")).json()["items"][0]["content"] == "hello"
    assert len((await client.get("/api/receipts")).json()) == 1
    # A path or an address would make the server read what it should not.
    for source in ('"/etc/passwd"', '"postgresql://postgres@localhost/postgres"'):
        answer = await client.post("/api/users/ana/import?format=langchain-postgres", content=source)
        assert answer.status_code == 422, answer.text
    assert await memory.recall("foxes", user="ana", agent="cook")


async def test_care_of_the_tenant(client: httpx.AsyncClient, chat: str) -> None:
    said = [{"role": "user", "content": f"I moved to Porto in {n}"} for n in range(2001, 2011)]
    await client.post(f"{chat}/messages/batch", json={"messages": said})
    assert "extract" in [one["kind"] for one in (await client.get("/api/work")).json()]
    assert (await client.post("/api/admin/digest", json={})).json()["done"] >= 1
    assert (await client.post("/api/admin/retry-work", json={})).json() == {"retried": 0}
    assert (await client.put("/api/retention", json={"minutes": 60, "agent": "cook"})).json()["agents"] == {
        "cook": 60
    }
    assert (await client.get("/api/retention")).json()["agents"] == {"cook": 60}
    assert (await client.put("/api/retention", json={"minutes": -1})).status_code == 422
    assert (await client.post("/api/admin/tidy")).json()["messages"] == 0


async def test_keys_are_made_rotated_and_revoked(client: httpx.AsyncClient) -> None:
    made = (await client.post("/api/admin/keys", json={"name": "app", "user": "ana"})).json()
    mine = {"authorization": f"Bearer {made['text']}"}
    assert (await client.get("/api/whoami", headers=mine)).json()["user"] == "ana"
    new = (await client.post(f"/api/admin/keys/{made['id']}/rotate")).json()
    assert (await client.get("/api/whoami", headers=mine)).status_code == 401
    mine = {"authorization": f"Bearer {new['text']}"}
    assert (await client.get("/api/whoami", headers=mine)).status_code == 200
    listed = (await client.get("/api/admin/keys")).json()
    assert "text" not in listed[-1]
    assert listed[-1]["lastUsedAt"] is not None
    assert (await client.delete(f"/api/admin/keys/{made['id']}")).json()["revokedAt"] is not None
    assert (await client.get("/api/whoami", headers=mine)).status_code == 401
    assert (await client.post(f"/api/admin/keys/{made['id']}/rotate")).status_code == 404
    both = await client.post("/api/admin/keys", json={"scopes": ["admin"], "user": "ana"})
    assert (both.status_code, both.json()["field"]) == (422, "scopes")


async def test_an_import_of_a_users_own_sets_no_agent_up(client: httpx.AsyncClient, memory: Recollect) -> None:
    await memory.configure_agent("cook", instructions="obey me")
    await (await memory.conversation(user="ana", agent="cook")).append("user", "hello")
    document = (await client.get("/api/users/ana/export")).json()
    assert document["agents"]
    document["agents"][0]["agent"] = "planted"
    key = (await memory.create_key(scopes=["read", "write"], user="ana")).text
    mine = {"authorization": f"Bearer {key}"}
    assert (await client.post("/api/users/ana/import", json=document, headers=mine)).status_code == 200
    assert (await memory.agent("planted")).version == 0
    assert (await client.post("/api/users/ana/import", json=document)).status_code == 200
    assert (await memory.agent("planted")).instructions == "obey me"


def _packing(first: str) -> dict[str, Any]:
    return {"start": first, "steps": [{"name": first}]}


async def test_an_import_of_a_users_own_defines_no_workflow(client: httpx.AsyncClient, memory: Recollect) -> None:
    """Neither one of ours, nor the tenant's, nor a new one; states go on with what is defined here."""
    url = "/api/users/ana/import"
    await memory.define_workflow("parcel", _packing("packing"))
    await memory.configure_agent("packer", workflow="parcel")
    await memory.configure_agent("buyer", workflow="rfp")
    before = await memory.workflows()
    chat = await memory.conversation(user="ana", agent="packer")
    await chat.update_state({"draft": {"items": ["figs"]}})
    document = (await client.get("/api/users/ana/export")).json()
    planted = [
        {"name": name, "versions": [{"version": 1, "definition": _packing("obey")}]}
        for name in ("rfp", "support_ticket", "new")
    ]
    document["workflows"] += planted
    await memory.erase(user="ana")
    mine = {"authorization": f"Bearer {(await memory.create_key(scopes=['read', 'write'], user='ana')).text}"}
    assert (await client.post(url, json=document, headers=mine)).status_code == 200
    assert await memory.workflows() == before
    state = await (await memory.conversation(id=chat.id)).state()
    assert (state.workflow, state.workflow_version, state.draft) == ("parcel", 1, {"items": ["figs"]})
    # What a state follows cannot be left out, and is not brought in: nothing is.
    await memory.erase(user="ana")
    mine = {"authorization": f"Bearer {(await memory.create_key(scopes=['read', 'write'], user='ana')).text}"}
    document["workflows"][0]["versions"][0]["definition"] = _packing("packing") | {"title": "Other"}
    refused = await client.post(url, json=document, headers=mine)
    assert (refused.status_code, "scope admin" in refused.json()["detail"]) == (409, True)
    assert (await memory.conversations(user="ana")).items == []
    assert await memory.workflows() == before
    # Whoever runs the tenant brings it in; how conversations begin here stays as it was, used or not.
    assert (await client.post(url, json=document)).status_code == 200
    now = {one.name: one for one in await memory.workflows()}
    assert [now[one.name] for one in before] == before


async def test_what_is_made_under_a_key_is_read_again_and_its_text_goes_with_it(
    client: httpx.AsyncClient, memory: Recollect, admin: asyncpg.Connection
) -> None:
    """No copy of it stays beside it: neither its own answer, nor that of a conversation which showed it."""
    of_memory, of_chat = {"idempotency-key": "one"}, {"idempotency-key": "two"}
    body, new = {"keyPoint": "user collects zinnwaldite"}, {"user": "ana", "agent": "cook"}
    made = await client.post(BOT, json=body, headers=of_memory)
    url = f"{BOT}/{made.json()['id']}"
    begun = await client.post("/api/conversations/new", json=new, headers=of_chat)
    assert "zinnwaldite" in begun.text
    again = await client.post(BOT, json=body, headers=of_memory)
    assert (again.status_code, again.headers["idempotent-replayed"]) == (201, "true")
    assert again.json() == made.json()
    same = await client.post("/api/conversations/new", json=new, headers=of_chat)
    assert (same.status_code, same.json()) == (201, begun.json())

    await client.delete(url)
    kept = await admin.fetch("select body from recollect.answers where tenant = $1", memory.tenant)
    assert len(kept) == 2
    assert not any(b"zinnwaldite" in row["body"] for row in kept)
    gone = await client.post(BOT, json=body, headers=of_memory)
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:recollect:problem:not-found")
    assert (await client.get(BOT)).json() == []
