"""What a request costs over HTTP: append, window and context at 1, 16 and 100 clients.

    python benchmarks/over_http.py [--seconds 4] [--clients 1,16,100] [--rounds 3]

Three are measured in turns, each in a process of its own, and only its own CPU counts (user and system, Postgres
apart), so that a noisy machine changes little:

* the server, as ``recollect serve`` starts it, with a key;
* a bare Litestar route on the same stack (uvicorn, httptools, uvloop) that takes the same request and returns the
  same bytes;
* the call of the library alone, in a loop.

The goal is that a request costs the server at most three times the bare route and the call together. ``wrk`` makes
the load where it is installed, and a small client of our own elsewhere.

Not beside them: Redis agent-memory-server needs Python 3.12 and a Redis with its search module, and mem0's server
is not in its wheel.

(Not called http.py: scripts in this folder would then find it in place of Python's own ``http``.)
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import uvicorn
import uvloop
from litestar import Litestar, Request, Response, get, post

from recollect import Recollect
from recollect.handle import Chat
from recollect.storage import embedded

TEXT = "I moved to Porto in May, and I am looking for a vegetarian restaurant near the river for Friday."
ASKED = "what should I cook for dinner?"
NOTES = "# Tone\nShort answers, no emojis.\n\n# Food\nVegetarian. Allergic to peanuts.\n"
FACTS = ("user is vegetarian", "user lives in Porto", "user is allergic to peanuts", "user has a finch")
HISTORY = 200
OPERATIONS = ("append", "window", "context")
LOAD = """
wrk.method, wrk.body = "%s", %s
for line in string.gmatch([[%s]], "[^\\n]+") do
  local name, value = string.match(line, "([^:]+): (.*)")
  wrk.headers[name] = value
end
done = function(summary, latency)
  io.write(string.format("\\nRESULT %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
"""


class Ask:
    """A request of one kind."""

    def __init__(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> None:
        self.method, self.path, self.body, self.headers = method, path, body, headers


class Figures:
    """What was counted in all rounds."""

    def __init__(self) -> None:
        self.requests, self.errors, self.seconds, self.cpu = 0, 0, 0.0, 0.0
        self.p50: list[float] = []
        self.p99: list[float] = []

    @property
    def cpu_ms(self) -> float:
        return self.cpu / self.requests * 1000

    @property
    def rate(self) -> float:
        return self.requests / self.seconds


def asks(chat: str, key: str) -> dict[str, Ask]:
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    at = f"/api/conversations/{chat}"
    message = json.dumps({"role": "user", "content": TEXT}).encode()
    question = httpx.QueryParams({"message": ASKED})
    return {
        "append": Ask("POST", f"{at}/messages", message, headers),
        "window": Ask("GET", f"{at}/window", None, headers),
        "context": Ask("GET", f"{at}/context?{question}", None, headers),
    }


async def prepared(memory: Recollect) -> Chat:
    chat = await memory.new_conversation("ana", "guide")
    await memory.configure_agent("guide", instructions="You are a guide.", learn_every=0)
    await chat.extend([("user", TEXT), ("assistant", "How about the market?")] * (HISTORY // 2))
    await memory.edit_notes("overwrite", NOTES, user="ana", agent="guide")
    for fact in FACTS:
        await memory.remember(fact, user="ana", agent="guide")
    return chat


def used(process: psutil.Process) -> float:
    """Seconds of CPU of a process with its children."""
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def load(url: str, ask: Ask, clients: int, seconds: float, figures: Figures) -> None:
    """Let so many clients ask again and again."""
    if shutil.which("wrk") is None:
        asyncio.run(_own_load(url, ask, clients, seconds, figures))
        return
    lines = "\n".join(f"{name}: {value}" for name, value in ask.headers.items())
    body = "nil" if ask.body is None else json.dumps(ask.body.decode())
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(LOAD % (ask.method, body, lines))
        script.flush()
        command = [
            "wrk",
            "-t1",
            f"-c{clients}",
            f"-d{max(1, round(seconds))}s",
            "--timeout",
            "30s",
            "-s",
            script.name,
            url + ask.path,
        ]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+)", said)
    assert found is not None, said
    requests, duration, errors, p50, p99 = (int(one) for one in found.groups())
    figures.requests += requests
    figures.seconds += duration / 1e6
    figures.errors += errors
    figures.p50.append(p50 / 1000)
    figures.p99.append(p99 / 1000)


async def _own_load(url: str, ask: Ask, clients: int, seconds: float, figures: Figures) -> None:
    took: list[float] = []
    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=url, headers=ask.headers, timeout=30) as client:

        async def one() -> None:
            while time.perf_counter() < began + seconds:
                start = time.perf_counter()
                answer = await client.request(ask.method, ask.path, content=ask.body)
                figures.errors += answer.status_code >= 400
                took.append(time.perf_counter() - start)

        await asyncio.gather(*(one() for _ in range(clients)))
    took.sort()
    figures.requests += len(took)
    figures.seconds += time.perf_counter() - began
    figures.p50.append(took[len(took) // 2] * 1000)
    figures.p99.append(took[len(took) * 99 // 100] * 1000)


@contextlib.contextmanager
def child(*arguments: str, **settings: str) -> Iterator[tuple[psutil.Process, str]]:
    """A process that says where it listens."""
    environment = os.environ | {f"RECOLLECT_{name.upper()}": value for name, value in settings.items()}
    command = [sys.executable, *arguments]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, "it did not start"
        try:
            yield psutil.Process(process.pid), found[0]
        finally:
            process.terminate()


def bare(port: int, answers: Path) -> None:
    """A server that knows its answers by heart."""
    known = {name: text.encode() for name, text in json.loads(answers.read_text()).items()}

    @post("/api/conversations/{id:str}/messages")
    async def append(request: Request[Any, Any, Any], id: str) -> Response[bytes]:  # noqa: ARG001
        await request.body()
        return Response(known["append"], status_code=201, media_type="application/json")

    @get("/api/conversations/{id:str}/window")
    async def window(id: str) -> Response[bytes]:  # noqa: ARG001
        return Response(known["window"], media_type="application/json")

    @get("/api/conversations/{id:str}/context")
    async def context(id: str, message: str) -> Response[bytes]:  # noqa: ARG001
        return Response(known["context"], media_type="application/json")

    app = Litestar([append, window, context], openapi_config=None, logging_config=None)
    listening = socket.create_server(("127.0.0.1", port))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(app, access_log=False, log_config=None, lifespan="off")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(uvicorn.Server(config).serve(sockets=[listening]))


async def library(dsn: str, chat: str, operation: str, clients: int, seconds: float) -> None:
    """The call alone; prints how often, and what it cost."""
    async with Recollect.open(dsn) as memory:
        talk = await memory.conversation(id=chat)
        calls = {
            "append": lambda: talk.append("user", TEXT),
            "window": lambda: talk.window(),
            "context": lambda: talk.context(ASKED),
        }
        call = calls[operation]
        await asyncio.gather(*(call() for _ in range(clients)))
        count, cpu, began = 0, time.process_time(), time.perf_counter()

        async def one() -> None:
            nonlocal count
            while time.perf_counter() < began + seconds:
                await call()
                count += 1

        await asyncio.gather(*(one() for _ in range(clients)))
        print(json.dumps([count, time.perf_counter() - began, time.process_time() - cpu]))


def alone(dsn: str, chat: str, operation: str, clients: int, seconds: float, figures: Figures) -> None:
    command = [sys.executable, __file__, "--library", dsn, chat, operation, str(clients), str(seconds)]
    count, took, cpu = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    figures.requests += count
    figures.seconds += took
    figures.cpu += cpu


@contextlib.asynccontextmanager
async def database() -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        server = await embedded.start(Path(folder) / "data")
        try:
            yield f"postgresql://postgres@/postgres?host={server.socket}&port={server.port}"
        finally:
            await server.close()


def measured(process: psutil.Process, url: str, ask: Ask, clients: int, seconds: float, figures: Figures) -> None:
    before = used(process)
    load(url, ask, clients, seconds, figures)
    figures.cpu += used(process) - before


async def main(clients: list[int], seconds: float, rounds: int, operations: list[str]) -> None:
    async with database() as dsn:
        async with Recollect.open(dsn, migrate=True) as memory:
            chat = await prepared(memory)
            key = (await memory.create_key(scopes=["read", "write"])).text
        requests = asks(chat.id, key)
        with contextlib.ExitStack() as stack:
            serve = ("-m", "recollect", "serve", "--port", "0", "--no-worker")
            ours, url = stack.enter_context(child(*serve, database=dsn))
            async with httpx.AsyncClient(base_url=url, timeout=60) as client:
                known = {
                    name: (await client.request(ask.method, ask.path, content=ask.body, headers=ask.headers)).text
                    for name, ask in requests.items()
                }
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            answers = Path(folder) / "answers.json"
            answers.write_text(json.dumps(known))
            plain, plain_url = stack.enter_context(child(__file__, "--bare", "0", str(answers)))
            print(
                f"load by {'wrk' if shutil.which('wrk') else 'httpx'}; CPU in ms a request, of the process alone\n"
            )
            print("| | clients | requests/s | p50 ms | p99 ms | CPU | bare CPU | library CPU | ratio |")
            print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
            for operation in operations:
                for count in clients:
                    server, route, call = Figures(), Figures(), Figures()
                    await asyncio.to_thread(load, url, requests[operation], count, 1, Figures())
                    for _ in range(rounds):
                        await asyncio.to_thread(
                            measured, ours, url, requests[operation], count, seconds / rounds, server
                        )
                        await asyncio.to_thread(
                            measured, plain, plain_url, requests[operation], count, seconds / rounds, route
                        )
                        await asyncio.to_thread(alone, dsn, chat.id, operation, count, seconds / rounds, call)
                    assert not server.errors, server.errors
                    times = server.cpu_ms / (route.cpu_ms + call.cpu_ms)
                    print(
                        f"| {operation} | {count} | {server.rate:,.0f} | {min(server.p50):.1f} | "
                        f"{min(server.p99):.1f} | {server.cpu_ms:.2f} | {route.cpu_ms:.2f} | {call.cpu_ms:.2f} | "
                        f"**{times:.1f}** |",
                        flush=True,
                    )


if __name__ == "__main__":
    if "--bare" in sys.argv:
        bare(int(sys.argv[2]), Path(sys.argv[3]))
    elif "--library" in sys.argv:
        _, _, dsn, chat, operation, count, seconds = sys.argv
        uvloop.run(library(dsn, chat, operation, int(count), float(seconds)))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--seconds", type=float, default=6.0)
        parser.add_argument("--rounds", type=int, default=3)
        parser.add_argument("--clients", default="1,16,100")
        parser.add_argument("--operations", default=",".join(OPERATIONS))
        given = parser.parse_args()
        asyncio.run(
            main(
                [int(one) for one in given.clients.split(",")],
                given.seconds,
                given.rounds,
                given.operations.split(","),
            )
        )
