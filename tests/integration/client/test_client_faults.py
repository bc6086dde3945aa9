"""What the client does when the way to the server, or the server itself, is in trouble."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import (
    Conflict,
    Done,
    Invalid,
    NotFound,
    Overloaded,
    Recollect,
    Refused,
    Unauthorized,
    Unavailable,
    client,
)
from serving import Served, serving

WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}


class Way(httpx.AsyncBaseTransport):
    """The way to a server, on which a test may do harm: what it makes of a request comes instead, if anything."""

    def __init__(self) -> None:
        self._real = httpx.AsyncHTTPTransport()
        self.harm: Callable[[httpx.Request], Awaitable[httpx.Response | None]] | None = None
        self.sent: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        instead = None if self.harm is None else await self.harm(request)
        return instead or await self._real.handle_async_request(request)

    async def lose_answers(self, request: httpx.Request, times: int) -> httpx.Response | None:
        """Let the request through, and its answer not, the first times."""
        if times_sent(self, request) > times:
            return None
        answer = await self._real.handle_async_request(request)
        await answer.aread()
        raise httpx.ReadError("cut", request=request)

    async def aclose(self) -> None:
        await self._real.aclose()


def times_sent(way: Way, request: httpx.Request) -> int:
    return sum(one.url == request.url and one.method == request.method for one in way.sent)


@pytest.fixture
def way() -> Way:
    return Way()


@pytest.fixture
async def shaky(client_server: Served, key: str, way: Way) -> AsyncIterator[client.Recollect]:
    async with client.Recollect.open(client_server.url, key=key, transport=way) as opened:
        yield opened


async def test_what_makes_something_is_made_once_though_its_answer_was_lost(
    shaky: client.Recollect, way: Way, memory: Recollect
) -> None:
    chat = await shaky.conversation(**WHO)
    way.harm = lambda request: way.lose_answers(request, 2)
    assert (await chat.append("user", "hello")).seq == 1
    assert [one.seq for one in await chat.extend([("user", "a"), ("user", "b")])] == [2, 3]
    mem = await shaky.remember("user is tall", **WHO)
    assert mem.update_count == (await memory.memory(mem.id)).update_count == 0
    assert (await shaky.edit_notes("append", "x", **WHO)).version == 1
    assert (await shaky.undo_notes(**WHO)).version == 2
    await memory.revise(mem.id, "user is small")
    assert (await shaky.undo(mem.id)).version == 3
    await (await memory.conversation(id=chat.id)).update_state({"metadata": {"a": 1}})
    assert (await chat.undo_state()).version == 2
    new = await shaky.new_conversation(**WHO)
    assert [one.id for one in (await memory.conversations("ana")).items] == [new.id, chat.id]
    reply = await chat.say("how are you?")
    assert [one.asked for one in await (await memory.conversation(id=chat.id)).turns()] == [reply.asked]
    stored = await (await memory.conversation(id=chat.id)).window(50)
    assert [one.content for one in stored] == ["hello", "a", "b", "how are you?", reply.text]
    keys = [
        one.headers["idempotency-key"] for one in way.sent if one.method == "POST" and "/messages" in one.url.path
    ]
    assert len(keys) == 6
    assert len(set(keys)) == 2
    await new.delete()
    with pytest.raises(NotFound):
        await memory.conversation(id=new.id)


async def test_what_could_happen_twice_is_not_sent_twice(
    shaky: client.Recollect, way: Way, memory: Recollect
) -> None:
    chat = await shaky.conversation(**WHO)
    mem = await memory.remember("user is tall", **WHO)
    way.harm = lambda request: way.lose_answers(request, 99)
    for call in (
        lambda: chat.update_state({"metadata": {"a": 1}}),
        lambda: shaky.revise(mem.id, "user is small"),
        lambda: shaky.create_key("x"),
        lambda: shaky.erase("ana"),
    ):
        way.sent.clear()
        with pytest.raises(Unavailable, match="may or may not") as broken:
            await call()
        assert broken.value.part == "server"
        assert len(way.sent) == 1


async def test_a_stream_that_is_cut_still_ends_with_the_reply(
    shaky: client.Recollect, way: Way, memory: Recollect
) -> None:
    chat = await shaky.conversation(**WHO)

    class Cut(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b'event: started\r\ndata: {"type":"started","turn":"t","asked":1}\r\n\r\nevent: piece\r\ndata: {"ty'
            raise httpx.ReadError("cut")

    async def cut(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/stream"):
            return None
        await (await way._real.handle_async_request(request)).aread()
        return httpx.Response(200, stream=Cut(), headers={"content-type": "text/event-stream"})

    way.harm = cut
    events = [event async for event in chat.stream("hello")]
    assert isinstance(events[-1], Done)
    stored = await (await memory.conversation(id=chat.id)).window()
    assert [one.role for one in stored] == ["user", "assistant"]
    assert events[-1].reply.messages == stored[1:]


async def test_too_many_requests_are_repeated_when_the_server_says_so(
    dsn: str, memory: Recollect, key: str, tmp_path: Path
) -> None:
    with serving(tmp_path, "--no-worker", database=dsn, rate_limit="4") as served:
        async with (
            client.Recollect.open(served.url, key=key) as door,
            client.Recollect.open(served.url, key=key, retrying=0.0) as hasty,
        ):
            chat = await door.conversation(**WHO)
            await asyncio.gather(*(chat.append("user", str(number)) for number in range(24)))
            assert "429" in served.said
            stored = await (await memory.conversation(**WHO)).window(200)
            assert sorted(int(one.content) for one in stored) == list(range(24))
            told = await asyncio.gather(*(hasty.agents() for _ in range(40)), return_exceptions=True)
            turned_away = [one for one in told if isinstance(one, Overloaded)]
            assert turned_away
            assert all(one.retry_after > 0 for one in turned_away)


async def test_a_server_that_dies_and_comes_back_loses_and_doubles_nothing(
    dsn: str, memory: Recollect, key: str, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
    chat = await memory.conversation(**WHO)
    done, enough = list[str](), asyncio.Event()
    with _server(tmp_path, dsn, port) as first:
        await _ready(first, port)
        async with client.Recollect.open(f"http://127.0.0.1:{port}", key=key, retrying=200.0) as door:
            talk = await door.conversation(id=chat.id)

            async def write(writer: int) -> None:
                for number in range(40):
                    done.append((await talk.append("user", f"{writer}.{number}")).content)
                    if len(done) == 80:
                        enough.set()

            async with asyncio.TaskGroup() as writers:
                for writer in range(6):
                    writers.create_task(write(writer))
                await enough.wait()
                first.kill()
                first.wait()
                assert len(done) < 240
                second = _server(tmp_path, dsn, port)
    with second:
        second.terminate()
    stored = [one.content for one in await chat.window(1000)]
    assert len(stored) == len(set(stored)) == 240
    for writer in range(6):
        assert [one for one in stored if one.startswith(f"{writer}.")] == [f"{writer}.{n}" for n in range(40)]


def _server(folder: Path, dsn: str, port: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "recollect", "serve", "--port", port, "--no-worker"]
    environment = os.environ | {"RECOLLECT_DATABASE": dsn}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


async def _ready(process: subprocess.Popen[bytes], port: str) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as asking:
        while process.poll() is None:
            try:
                if (await asking.get("/healthz")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
    raise AssertionError("the server did not start")


async def test_wrong_keys(client_server: Served, memory: Recollect) -> None:
    await memory.create_key()
    for wrong in (None, "nonsense", "rk_nonsense"):
        with pytest.raises(Unauthorized):
            await client.Recollect.open(client_server.url, key=wrong)
    for unusable in ("", "a\nb", "kéy"):
        with pytest.raises(Invalid) as refused:
            client.Recollect.open(client_server.url, key=unusable)
        assert refused.value.field == "key"
    bound = (await memory.create_key(scopes=["read", "write"], user="ana")).text
    async with client.Recollect.open(client_server.url, key=bound, user="ana") as mine:
        chat = await mine.conversation(agent="librarian")
        assert chat.user == "ana"
        with pytest.raises(NotFound):
            await mine.conversation(user="ben", agent="librarian")
        with pytest.raises(NotFound):
            await mine.active_conversation("ben", "librarian")
        with pytest.raises(Unauthorized):
            await mine.keys()
    reading = (await memory.create_key(scopes=["read"])).text
    async with client.Recollect.open(client_server.url, key=reading) as only:
        assert (await only.edit_notes("read", **WHO)).version == 0
        with pytest.raises(Conflict, match="version 0, not 3;"):
            await only.edit_notes("read", **WHO, version=3)
        with pytest.raises(Unauthorized, match="write"):
            await only.edit_notes("append", "x", **WHO)
    writing = (await memory.create_key(scopes=["write"])).text
    async with client.Recollect.open(client_server.url, key=writing) as only:
        assert (await (await only.conversation(**WHO)).append("user", "x")).seq == 1
        with pytest.raises(Unauthorized, match="read"):
            _ = only.tenant


async def test_whom_calls_are_about_that_name_nobody(client_server: Served, key: str) -> None:
    about: Any = None
    async with client.Recollect.open(client_server.url, key=key, user="ana") as mine:
        assert (await mine.conversation(agent="librarian")).user == "ana"
        assert (await mine.put_document(("a",), "b", {})).user == "ana"
        assert await mine.agents() == ["librarian"]
        assert (await mine.analytics()).conversations == 1
        assert (await mine.remember("user is tall", about, "librarian")).user == "ana"
    async with client.Recollect.open(client_server.url, key=key) as nobodys:
        assert (await nobodys.put_document(("a",), "c", {})).user is None
        for call in (nobodys.conversation(agent="librarian"), nobodys.notes(about, "librarian")):
            with pytest.raises(Invalid) as refused:
                await call
            assert refused.value.field == "user"


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """Something that listens, and answers everything with this."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def _http(status: str, body: str, kind: str = "application/json") -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode()


IDENTITY = '{"tenant":"t","actor":"a","scopes":["read"],"user":null'


@pytest.mark.parametrize(
    ("answer", "said"),
    {
        "another service": (_http("404 Not Found", "<h1>nginx</h1>", "text/html"), "no Recollect"),
        "a page": (_http("200 OK", "<h1>hello</h1>", "text/html"), "not a Recollect"),
        "other JSON": (_http("200 OK", '{"status":"ok"}'), "not a Recollect"),
        "too old": (_http("200 OK", IDENTITY + "}"), "upgrade the server"),
        "too new": (_http("200 OK", IDENTITY + ',"api":2}'), "upgrade this client"),
        "not HTTP": (b"220 mail.example ESMTP\r\n", "connection broke"),
        "nothing": (b"", "connection broke"),
    }.values(),
    ids=["another", "page", "json", "old", "new", "mail", "nothing"],
)
async def test_what_is_not_a_recollect_is_told_clearly(answer: bytes, said: str) -> None:
    async with answering(answer) as url:
        with pytest.raises(Unavailable, match=said):
            await client.Recollect.open(url, retrying=0.3)


async def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match="cannot be reached"):
            await client.Recollect.open(f"http://127.0.0.1:{port}", retrying=0.3)
    for address in ("postgresql://x/y", "127.0.0.1:8765", "http://", "http://me:secret@host/"):
        with pytest.raises(Invalid):
            client.Recollect.open(address)


async def test_an_id_of_ones_own_that_is_taken_stays_refused(shaky: client.Recollect, memory: Recollect) -> None:
    taken = await memory.new_conversation(**WHO)
    with pytest.raises(Refused):
        await shaky.new_conversation(**WHO, id=taken.id)


async def test_one_connection_serves_many_callers(client_server: Served, key: str) -> None:
    async with client.Recollect.open(client_server.url, key=key, connections=2) as door:
        chat = await door.conversation(**WHO)
        await asyncio.gather(*(chat.append("user", "x") for _ in range(50)))
        assert [one.seq for one in await chat.window(100)] == list(range(1, 51))


def test_the_blocking_twin(client_server: Served, key: str) -> None:
    from recollect.client.sync import Chat
    from recollect.client.sync import Recollect as Blocking

    with Blocking.open(client_server.url, key=key) as door:
        chat = door.conversation(**WHO)
        assert isinstance(chat, Chat)
        first = chat.append("user", "hello")
        assert chat.window() == [first]
        assert isinstance(list(chat.stream("how are you?"))[-1], Done)
        with pytest.raises(NotFound):
            door.memory("0190d3f0-0000-7000-8000-000000000000")
        assert door.tenant
