"""Actions: guarded, done once, and delivered outside."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import asyncpg
import pytest

from recollect import Chat, Conflict, Delivery, Invalid, KeyReused, Recollect, Refused, Settings

DRAFT = {
    "title": "Laptops",
    "description": "20 laptops",
    "budget": 50000,
    "deadline": "2026-12-01",
    "requirements": {"items": [{"name": "laptop", "quantity": 20}]},
    "vendorsSelected": ["Acme"],
}


async def ready(memory: Recollect) -> Chat:
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.new_conversation(user="ana", agent="buyer")
    await chat.update_state({"rfpDraft": DRAFT})
    for step in ("drafting_rfp", "reviewing_rfp", "selecting_vendors", "ready_to_send"):
        await chat.move(step)
    return chat


async def test_an_action_is_refused_elsewhere(memory: Recollect) -> None:
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    with pytest.raises(Refused, match="allowed at ready_to_send"):
        await chat.act("send_rfp", vendors=["Acme"])
    with pytest.raises(Refused, match="no action"):
        await chat.act("explode")
    assert await memory.outbox() == []
    assert await memory.work() == []
    assert await chat.window() == []
    assert [one.change for one in (await chat.state_history()).items] == ["refused", "refused"]


async def test_everything_of_an_action_happens_together(memory: Recollect) -> None:
    chat = await ready(memory)
    state = await chat.act("send_rfp", vendors=["Acme"], cause="person:ana")
    assert (state.step, state.status, state.last_action, chat.status) == ("sent", "sent", "send_rfp", "sent")
    (said,) = await chat.window()
    assert (said.role, said.content) == ("system", "The request for proposals was sent to the selected vendors.")
    (entry,) = await memory.outbox(waiting=True)
    assert (entry.action, entry.user, entry.agent, entry.conversation) == ("send_rfp", "ana", "buyer", chat.id)
    assert entry.payload["arguments"] == {"vendors": ["Acme"]}
    assert entry.payload["state"]["rfpDraft"] == DRAFT
    assert [(one.kind, one.subject) for one in await memory.work()] == [("deliver", entry.id), ("settle", chat.id)]
    # Nobody is there to deliver it: it waits for who can, and was not tried.
    done = await memory.digest()
    assert (done.delivered, done.passed_on) == (0, 1)
    assert await memory.outbox(waiting=True) == [entry]
    work = (await memory.work())[0]
    assert (work.kind, work.subject, work.attempts) == ("deliver", entry.id, 0)


async def test_doing_it_twice_sends_once(memory: Recollect) -> None:
    chat = await ready(memory)
    results = await asyncio.gather(*(chat.act("send_rfp") for _ in range(8)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in results) == ["Refused"] * 7 + ["State"]
    assert len(await memory.outbox()) == 1
    chat = await ready(memory)
    states = await asyncio.gather(*(chat.act("send_rfp", key="k") for _ in range(8)))
    assert {one.step for one in states} == {"sent"}
    assert len(await memory.outbox()) == 2
    assert len(await chat.window()) == 1
    with pytest.raises(KeyReused):
        await chat.act("other", key="k")
    with pytest.raises(KeyReused):
        await chat.act("send_rfp", key="k", to="Globex")
    chat = await ready(memory)
    for note in ({"a": 1, "b": (0.5,)}, {"b": [0.5], "a": 1.0}):
        assert (await chat.act("send_rfp", key="k", note=note)).step == "sent"
    assert len(await memory.outbox()) == 3
    chat = await ready(memory)
    with pytest.raises(Conflict):
        await chat.act("send_rfp", version=1)
    with pytest.raises(Invalid):
        await chat.act("send_rfp", vendors={1, 2})
    assert (await chat.state()).step == "ready_to_send"


async def test_a_handler_delivers_and_is_tried_again(dsn: str, tenant: str, admin: asyncpg.Connection) -> None:
    seen: list[Delivery] = []

    async def send(entry: Delivery) -> None:
        seen.append(entry)
        if len(seen) == 1:
            raise RuntimeError("the mail server is away")

    async with Recollect.open(dsn, tenant=tenant, handlers={"send_rfp": send}) as memory:
        chat = await ready(memory)
        await chat.act("send_rfp", vendors=["Acme"])
        assert (await memory.digest()).failed == 1
        assert (await memory.outbox())[0].attempts == 1
        await admin.execute(
            "update recollect.work set due_at = now() where tenant = $1 and kind = 'deliver'", tenant
        )
        assert (await memory.digest()).delivered == 1
        (entry,) = await memory.outbox()
        assert (entry.attempts, entry.delivered_by) == (2, "handler")
        assert entry.delivered_at is not None
        assert [one.id for one in seen] == [entry.id, entry.id]
        assert seen[0].payload["arguments"] == {"vendors": ["Acme"]}
        assert await memory.outbox(waiting=True) == []
        assert (await memory.digest()).tried == 0


async def test_a_blocking_handler_delivers(dsn: str, tenant: str) -> None:
    seen: list[tuple[str, threading.Thread]] = []

    def send(entry: Delivery) -> None:
        seen.append((entry.id, threading.current_thread()))

    async with Recollect.open(dsn, tenant=tenant, handlers={"send_rfp": send}) as memory:
        await (await ready(memory)).act("send_rfp")
        assert (await memory.digest()).delivered == 1
        (entry,) = await memory.outbox()
    assert entry.delivered_by == "handler"
    ((id, thread),) = seen
    assert id == entry.id
    assert thread is not threading.current_thread()


async def test_a_worker_without_handlers_leaves_actions_to_the_one_that_has_them(
    memory: Recollect, dsn: str, admin: asyncpg.Connection
) -> None:
    seen: list[str] = []

    async def send(entry: Delivery) -> None:
        seen.append(entry.id)

    async def other(entry: Delivery) -> None: ...

    async with (
        Recollect.open(dsn, tenant=memory.tenant, handlers={"send_rfp": send}) as able,
        Recollect.open(dsn, tenant=memory.tenant, handlers={"other": other}) as other_one,
    ):
        chat = await ready(able)
        await chat.act("send_rfp")
        for unable in (memory, other_one):
            await admin.execute(
                "update recollect.work set due_at = now() where tenant = $1 and kind = 'deliver'", memory.tenant
            )
            assert (await unable.digest()).passed_on == 1
        # They were first each time, and it rests now.
        assert (await able.digest()).delivered == 1
        assert (await able.digest()).tried == 0
        (entry,) = await able.outbox()
    assert seen == [entry.id]
    assert entry.attempts == 1


async def test_what_nobody_is_due_to_deliver_is_marked_by_whoever_tidies(
    memory: Recollect, dsn: str, admin: asyncpg.Connection
) -> None:
    chat = await ready(memory)
    await chat.act("send_rfp")
    await admin.execute("delete from recollect.work where tenant = $1 and kind = 'deliver'", memory.tenant)
    seen: list[str] = []

    async def send(entry: Delivery) -> None:
        seen.append(entry.id)

    await admin.execute("update recollect.work set due_at = now() where tenant = $1", memory.tenant)
    await memory.digest()
    async with Recollect.open(dsn, tenant=memory.tenant, handlers={"send_rfp": send}) as able:
        await admin.execute(
            "update recollect.work set due_at = now() where tenant = $1 and kind = 'deliver'", memory.tenant
        )
        assert (await able.digest()).delivered == 1
    assert len(seen) == 1


async def test_what_nobody_has_delivered_for_a_week_waits_for_who_can(
    memory: Recollect, dsn: str, admin: asyncpg.Connection
) -> None:
    chat = await ready(memory)
    await chat.act("send_rfp")
    await admin.execute(
        "update recollect.outbox set created_at = now() - interval '8 days' where tenant = $1", memory.tenant
    )
    waiting = "select count(*) from recollect.work where tenant = $1 and kind = 'deliver'"
    for _ in range(2):  # what is due, and then what tidying finds
        await admin.execute("update recollect.work set due_at = now() where tenant = $1", memory.tenant)
        await memory.digest()
        assert await admin.fetchval(waiting, memory.tenant) == 0
    seen: list[str] = []
    async with Recollect.open(
        dsn, tenant=memory.tenant, handlers={"send_rfp": lambda entry: seen.append(entry.id)}
    ) as able:
        await admin.execute("update recollect.work set due_at = now() where tenant = $1", memory.tenant)
        for _ in range(2):  # tidying marks it, and then it is due
            await able.digest()
    assert len(seen) == 1


class Receiver:
    """A web server that keeps what it gets, and answers what it is told to."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.answers = [200]
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append(({key.lower(): value for key, value in self.headers.items()}, body))
                self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    made.thread.start()
    yield made
    made.server.shutdown()
    made.thread.join()
    made.server.server_close()


async def test_a_signed_webhook(dsn: str, tenant: str, admin: asyncpg.Connection, receiver: Receiver) -> None:
    receiver.answers = [500, 302, 204]
    settings = Settings.read(
        {}, database=dsn, tenant=tenant, webhook_url=receiver.url, webhook_secret="correct horse"
    )
    async with Recollect.open(settings=settings) as memory:
        chat = await ready(memory)
        await chat.act("send_rfp", vendors=["Acme"], url="http://127.0.0.1:9/not-from-a-request")
        for tried, delivered in ((1, 0), (2, 0), (3, 1)):
            done = await memory.digest()
            assert (len(receiver.requests), done.delivered, done.failed) == (tried, delivered, 1 - delivered)
            await admin.execute("update recollect.work set due_at = now() where kind = 'deliver'")
        (entry,) = await memory.outbox()
        assert (entry.delivered_by, entry.attempts) == ("webhook", 3)
    headers, body = receiver.requests[-1]
    signed = headers["recollect-timestamp"].encode() + b"." + body
    mark = hmac.new(b"correct horse", signed, hashlib.sha256).hexdigest()
    assert headers["recollect-signature"] == f"sha256={mark}"
    assert abs(time.time() - int(headers["recollect-timestamp"])) < 300
    sent: dict[str, Any] = json.loads(body)
    assert (sent["id"], sent["action"], sent["tenant"], sent["user"]) == (entry.id, "send_rfp", tenant, "ana")
    assert sent["id"] == headers["recollect-id"]
    assert {one[0]["recollect-id"] for one in receiver.requests} == {entry.id}
    assert sent["arguments"]["vendors"] == ["Acme"]
    assert sent["state"]["workflowStep"] == "sent"


async def test_a_webhook_that_is_away_is_tried_again(dsn: str, tenant: str) -> None:
    settings = Settings.read(
        {}, database=dsn, tenant=tenant, webhook_url="http://127.0.0.1:9/", webhook_secret="s"
    )
    async with Recollect.open(settings=settings) as memory:
        chat = await ready(memory)
        await chat.act("send_rfp")
        assert (await memory.digest()).failed == 1
        work = (await memory.work())[0]
        assert work.error is not None
        assert work.error.startswith("Unavailable: webhook")


def test_settings_of_the_webhook() -> None:
    with pytest.raises(Invalid, match="webhook_secret"):
        Recollect.open(settings=Settings.read({}, webhook_url="https://example.com/hook"))
    for bad in ("ftp://example.com", "file:///etc/passwd", "example.com", "http://"):
        with pytest.raises(Invalid, match="webhook_url"):
            Settings.read({}, webhook_url=bad, webhook_secret="s")
