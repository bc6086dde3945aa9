"""``recollect cache`` as a user runs it, and the numbers at /metrics."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import httpx

from recollect import Recollect
from serving import serving
from valkeys import Valkey

NewDatabase = Callable[[], Awaitable[str]]


def _run(arguments: tuple[str, ...], cwd: Path, settings: dict[str, str], code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "cache", *arguments],
        cwd=cwd,
        env=os.environ | {f"RECOLLECT_{name.upper()}": value for name, value in settings.items()},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


async def test_rebuild_verify_and_stats(new_database: NewDatabase, cache_server: Valkey, tmp_path: Path) -> None:
    dsn = await new_database()
    async with Recollect.open(dsn, tenant="acme", migrate=True) as memory:
        chats = [await memory.new_conversation("ana", f"cook-{number}") for number in range(2)]
        chats.append(await memory.new_conversation("ana", "cook-2", id=str(UUID(int=0))))
        for chat in chats:
            await chat.append("user", "hello")
    settings = {"database": dsn, "cache": cache_server.url}
    done = _run(
        (
            "rebuild",
            "--tenant",
            "acme",
        ),
        tmp_path,
        settings,
    )
    assert done == "the cache of 3 conversations of 'acme' is filled anew\n"
    one = ("--tenant", "acme", "--conversation", chats[0].id)
    assert "of 1 conversations" in _run(
        (
            "rebuild",
            *one,
        ),
        tmp_path,
        settings,
    )
    verified = _run(
        (
            "verify",
            "--tenant",
            "acme",
        ),
        tmp_path,
        settings,
    )
    assert re.fullmatch(r"3 conversations, 6 entries cached, 0 differences\n", verified), verified
    assert "used_memory_human" in _run(("stats",), tmp_path, settings)
    assert "no Redis is believed" in _run(("verify",), tmp_path, {"database": dsn}, code=1)
    wrong = _run(("stats",), tmp_path, {"database": dsn, "cache": "http://:secret@x"}, code=1)
    assert "must be like redis://" in wrong
    assert "secret" not in wrong


async def test_metrics_show_hits_and_misses(
    new_database: NewDatabase, cache_server: Valkey, tmp_path: Path
) -> None:
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True) as memory:
        chat = await memory.new_conversation("local", "cook")
        await chat.append("user", "hello")
    with serving(tmp_path, database=dsn, cache=cache_server.url) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            for _ in range(3):
                assert (await client.get(f"/api/conversations/{chat.id}/messages")).status_code == 200
            assert (await client.get("/api/agents/cook")).status_code == 200
            text = (await client.get("/metrics")).text
    assert "# TYPE recollect_cache_reads_total counter" in text
    assert "recollect_cache_seconds_bucket" in text
