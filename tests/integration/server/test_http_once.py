"""An Idempotency-Key where a commit is not heard of: what it is for happens once, and is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest

from recollect import KeyReused, Recollect
from recollect.access import answers
from recollect.errors import Refused, UnderWay
from recollect.notes import store
from recollect.records import Caller
from recollect.server.app import create_app
from recollect.settings import Settings
from recollect.storage import embedded
from recollect.storage.database import Database, Lost
from recollect.storage.making import Answer, Making
from relay import Relay, relayed
from scripted_model import ScriptedModel

NOTES = {"user": "ana", "agent": "cook", "operation": "append", "content": "buy milk"}
BOT = "/api/agents/cook/memories"


@pytest.fixture
async def relay(server: embedded.Server, dsn: str) -> AsyncIterator[Relay]:
    assert dsn
    async with relayed(server) as running:
        yield running


@pytest.fixture
async def behind(relay: Relay, memory: Recollect, scripted: ScriptedModel) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that reaches its database by the relay."""
    key = (await memory.create_key(scopes=["read", "write"])).text
    database = f"postgresql://postgres@127.0.0.1:{relay.port}/postgres"
    settings = Settings(
        database=database, tenant=memory.tenant, openai_base_url=scripted.url, openai_api_key="sk-none"
    )
    async with Recollect.open(settings=settings) as inner:
        app = create_app(inner, settings)
        transport = httpx.ASGITransport(app=app)  # pyright: ignore[reportArgumentType]
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            client.params = httpx.QueryParams({"user": "ana"})
            # The first use of a key, and of the model, is written down.
            assert (await client.post(BOT, json={"keyPoint": "user has a dog"})).status_code == 201
            yield client
        await app.state.gateway.close()


async def _twice(
    relay: Relay, client: httpx.AsyncClient, path: str, body: Any, carried_out: bool, cuts: int = 1
) -> httpx.Response:
    """The answer to a request that is sent again under its key after its commit was cut off."""
    headers = {"idempotency-key": path}
    relay.cutting, relay.carried_out = cuts, carried_out
    first = await client.post(path, json=body, headers=headers)
    assert (first.status_code, relay.cutting) == (503, 0)
    again = await client.post(path, json=body, headers=headers)
    assert again.headers.get("idempotent-replayed") == ("true" if carried_out else None)
    third = await client.post(path, json=body, headers=headers)
    assert (third.status_code, third.json()) == (again.status_code, again.json())
    assert third.headers["idempotent-replayed"] == "true"
    assert third.headers.get("etag") == again.headers.get("etag")
    return again


@pytest.mark.parametrize("carried_out", [True, False])
async def test_notes_are_edited_once(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, admin: asyncpg.Connection, carried_out: bool
) -> None:
    again = await _twice(relay, behind, "/api/notes", NOTES, carried_out)
    assert (again.status_code, again.json()["text"], again.json()["version"]) == (200, "buy milk", 1)
    assert "etag" in again.headers
    await memory.edit_notes("append", "buy figs", user="ana", agent="cook")
    later = await behind.post("/api/notes", json=NOTES, headers={"idempotency-key": "/api/notes"})
    assert later.json() == again.json()
    assert (await memory.notes("ana", "cook")).text.count("milk") == 1
    kept = await admin.fetch("select body from recollect.answers where tenant = $1", memory.tenant)
    assert [bytes(row["body"]) for row in kept] == [b"1"]


@pytest.mark.parametrize("carried_out", [True, False])
async def test_one_conversation_begins(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, carried_out: bool
) -> None:
    body = {"user": "ana", "agent": "cook"}
    again = await _twice(relay, behind, "/api/conversations/new", body, carried_out)
    assert [one.id for one in (await memory.conversations("ana")).items] == [again.json()["id"]]


@pytest.mark.parametrize("carried_out", [True, False])
async def test_a_memory_is_said_once(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, carried_out: bool
) -> None:
    again = await _twice(relay, behind, BOT, {"keyPoint": "user likes figs"}, carried_out)
    assert again.json()["updateCount"] == 0
    versions = await memory.history(again.json()["id"])
    assert len(versions) == 1


@pytest.mark.parametrize("carried_out", [True, False])
async def test_notes_go_back_once(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, carried_out: bool
) -> None:
    for text in ("figs", "plums", "pears"):
        await memory.edit_notes("overwrite", text, user="ana", agent="cook")
    again = await _twice(relay, behind, "/api/notes/undo", {"user": "ana", "agent": "cook"}, carried_out)
    assert (again.status_code, again.json()["text"], again.json()["version"]) == (200, "plums", 4)
    assert (await memory.notes("ana", "cook")).version == 4


@pytest.mark.parametrize("path", ["/api/memories/{}/undo", BOT + "/{}/undo"])
async def test_a_memory_goes_back_once(behind: httpx.AsyncClient, memory: Recollect, path: str) -> None:
    made = await memory.remember("user likes figs", user="ana", agent="cook")
    for text in ("user likes plums", "user likes pears"):
        await memory.revise(made.id, text)
    headers = {"idempotency-key": "k"}
    first = await behind.post(path.format(made.id), json={}, headers=headers)
    again = await behind.post(path.format(made.id), json={}, headers=headers)
    assert (first.status_code, first.json()["keyPoint"], first.json()["version"]) == (200, "user likes plums", 4)
    assert (again.status_code, again.json(), again.headers["etag"]) == (200, first.json(), first.headers["etag"])
    assert again.headers["idempotent-replayed"] == "true"
    assert (await memory.memory(made.id)).version == 4


@pytest.mark.parametrize("carried_out", [True, False])
async def test_a_state_goes_back_once(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, carried_out: bool
) -> None:
    chat = await memory.conversation("ana", "cook")
    for step in ("one", "two", "three"):
        await chat.update_state({"metadata": {"at": step}})
    again = await _twice(relay, behind, f"/api/conversations/{chat.id}/state/undo", {}, carried_out)
    assert (again.status_code, again.json()["metadata"], again.json()["version"]) == (200, {"at": "two"}, 4)
    assert (await chat.state()).version == 4


@pytest.mark.parametrize("carried_out", [True, False])
async def test_a_tenant_is_made_once(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, tenant: str, carried_out: bool
) -> None:
    operator = await memory.for_tenant(memory.tenant, operator=True).create_key(scopes=["operator"])
    behind.headers["authorization"] = f"Bearer {operator.text}"
    behind.params = httpx.QueryParams()
    assert (await behind.get("/api/tenants")).status_code == 200
    again = await _twice(relay, behind, "/api/tenants", {"tenant": f"{tenant}-new"}, carried_out)
    assert (again.status_code, again.json()["tenant"], again.json()["keys"]) == (201, f"{tenant}-new", 0)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_reply_is_kept_once(
    relay: Relay, behind: httpx.AsyncClient, memory: Recollect, scripted: ScriptedModel, stream: bool
) -> None:
    """Its transaction is tried again by itself, and finds its own answer there."""

    def answered(_: Any) -> str:
        relay.cutting = 1
        return "Try figs."

    scripted.respond = answered
    body = {"model": "m", "user": "ana", "messages": [{"role": "user", "content": "hi"}], "stream": stream}
    headers = {"idempotency-key": "k"}
    behind.params = httpx.QueryParams()
    first = await behind.post("/v1/chat/completions", json=body, headers=headers)
    again = await behind.post("/v1/chat/completions", json=body, headers=headers)
    assert (first.status_code, again.content, relay.cutting) == (200, first.content, 0)
    assert again.headers["idempotent-replayed"] == "true"
    assert len(scripted.requests) == 1
    chat = await memory.conversation("ana", "assistant")
    assert [one.role for one in await chat.window()] == ["user", "assistant"]


async def test_what_changes_nothing_leaves_the_key_free(behind: httpx.AsyncClient, memory: Recollect) -> None:
    body = {"user": "ana", "agent": "cook", "operation": "read"}
    for text in ("", "fig"):
        if text:
            await memory.edit_notes("append", text, user="ana", agent="cook")
        answer = await behind.post("/api/notes", json=body, headers={"idempotency-key": "r"})
        assert (answer.status_code, answer.json()["text"]) == (200, text)


async def _edit(memory: Recollect, mine: Making) -> None:
    with mine.making(lambda notes: Answer(200, {}, msgspec.json.encode(notes.version))):
        caller = Caller(memory.tenant, "me")
        await store.edit(memory.database, caller, "append", "x", "ana", "cook", None, None)


async def test_an_attempt_whose_lease_is_over_makes_nothing(memory: Recollect) -> None:
    who = (memory.database, Caller(memory.tenant, "me"), "ana", "k", b"same")
    slow = await answers.begin(*who, lease=0.0)
    quick = await answers.begin(*who)
    assert isinstance(slow, Making)
    assert isinstance(quick, Making)
    with pytest.raises(UnderWay):
        await _edit(memory, slow)
    assert (await memory.notes("ana", "cook")).version == 0
    await answers.drop(memory.database, slow)  # it is not its own any more
    with pytest.raises(UnderWay):
        await answers.begin(*who)
    await _edit(memory, quick)
    await answers.drop(memory.database, quick)  # and what was made is not dropped
    assert await answers.begin(*who) == Answer(200, {}, b"1")
    with pytest.raises(KeyReused):
        await answers.begin(*who[:-1], b"other")


async def test_a_commit_in_doubt_is_waited_for(memory: Recollect) -> None:
    """Whoever drops the key while the effect is being committed finds it answered."""
    who = (memory.database, Caller(memory.tenant, "me"), "ana", "k", b"same")
    mine = await answers.begin(*who)
    assert isinstance(mine, Making)
    async with memory.database.transaction(memory.tenant) as transaction:
        with mine.making(lambda _: Answer(201, {}, b"1")):
            await transaction.made(None)
        dropping = asyncio.create_task(answers.drop(memory.database, mine))
        await asyncio.sleep(0.3)
        assert not dropping.done()
    await dropping
    assert await answers.begin(*who) == Answer(201, {}, b"1")


class Forgetful(Database):
    """A database whose answers get lost after the statement was carried out."""

    losing = 0

    async def call_once(self, query: str, *args: object) -> Sequence[Any]:
        rows = await super().call_once(query, *args)
        if self.losing:
            self.losing -= 1
            raise Lost
        return rows


async def test_whoever_does_not_hear_that_they_have_begun_begins(memory: Recollect) -> None:
    database = Forgetful(memory.database._pool, patience=5)  # pyright: ignore[reportPrivateUsage]
    database.losing = 2
    caller = Caller(memory.tenant, "me")
    assert isinstance(await answers.begin(database, caller, "ana", "k", b"same"), Making)
    with pytest.raises(UnderWay):
        await answers.begin(database, caller, "ana", "k", b"same")


class Unheard(Database):
    """A database whose answers never come, though the statement was carried out."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.carried_out = asyncio.Event()

    async def call_once(self, query: str, *args: object) -> Sequence[Any]:
        await super().call_once(query, *args)
        self.carried_out.set()
        return await asyncio.Future()


async def test_whoever_is_called_off_while_they_begin_leaves_the_key_free(memory: Recollect) -> None:
    database = Unheard(memory.database._pool, patience=5)  # pyright: ignore[reportPrivateUsage]
    who = (Caller(memory.tenant, "me"), "ana", "k", b"same")
    beginning = asyncio.create_task(answers.begin(database, *who))
    await database.carried_out.wait()
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    assert isinstance(await answers.begin(memory.database, *who), Making)


def test_an_answer_that_is_kept_no_longer_is_refused() -> None:
    with pytest.raises(Refused, match="answered before"):
        answers.told(Answer(200, {}, None))
