"""One server for all who open the folder; the last one out stops it."""

# A test has its event loop to itself, so it may block.
# ruff: noqa: ASYNC222, ASYNC240, ASYNC251

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from embedded_processes import Owner, ask, is_down, postmaster_of, until

from recollect.storage.embedded import start
from recollect.storage.embedded.keeper import locks


async def test_first_start_creates_and_warm_start_remembers(folder: Path) -> None:
    told: list[str] = []
    server = await start(folder, progress=told.append)
    assert [text.split()[0] for text in told] == ["Creating", "Starting"]
    assert str(folder) in told[0]
    await ask(server, "create table kept as select 42 as answer")
    await server.close()
    assert is_down(folder)

    told.clear()
    server = await start(folder, progress=told.append)
    assert [text.split()[0] for text in told] == ["Starting"]
    assert await ask(server, "select answer from kept") == 42
    assert server.version.startswith("18.")
    assert (folder / ".gitignore").read_text() == "*\n"
    await server.close()
    await server.close()
    shutil.rmtree(folder)


async def test_settings_are_ours(folder: Path) -> None:
    server = await start(folder)
    expected = {
        "jit": "off",
        "listen_addresses": "",
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "log_error_verbosity": "terse",
        "log_statement": "none",
        "log_min_error_statement": "panic",
        "log_parameter_max_length_on_error": "0",
        "server_encoding": "UTF8",
    }
    assert {name: await ask(server, f"show {name}") for name in expected} == expected
    assert await ask(server, "select lower('ÄÑЖ')") == "äñж"
    assert (folder / "run").stat().st_mode & 0o777 == 0o700
    await server.close()


async def test_one_process_may_open_twice(folder: Path) -> None:
    told: list[str] = []
    first = await start(folder)
    second = await start(folder, progress=told.append)
    assert told == [], "sharing a running server is not worth a word"
    assert second.socket == first.socket
    await first.close()
    assert await ask(second, "select 1") == 1
    await second.close()
    assert is_down(folder)


async def test_last_process_out_stops_it(folder: Path, owner: Callable[..., Owner]) -> None:
    first, second = owner(), owner()
    socket = first.opened()
    assert second.opened() == socket
    running = postmaster_of(folder)
    first.close()
    assert await ask(socket, "select 1") == 1
    assert postmaster_of(folder) == running
    second.close()
    assert is_down(folder), "the last owner must return only after PostgreSQL has stopped"


async def test_many_start_at_the_same_moment_on_an_empty_folder(folder: Path, owner: Callable[..., Owner]) -> None:
    owners = [owner() for _ in range(4)]
    assert len({each.opened() for each in owners}) == 1
    assert [path.name for path in folder.glob("postgres*") if path.is_dir()] == ["postgres"]
    for each in owners:
        each.close()
    assert is_down(folder)


async def test_opening_and_closing_against_each_other(folder: Path) -> None:
    async def come_and_go() -> None:
        for _ in range(6):
            server = await start(folder)
            assert await ask(server, "select 1") == 1, "nobody may stop a server that we own"
            await server.close()

    await asyncio.gather(*(come_and_go() for _ in range(3)))
    assert is_down(folder)


async def test_ctrl_c_in_one_terminal_leaves_the_server_to_the_others(
    folder: Path, owner: Callable[..., Owner]
) -> None:
    interrupted = owner(popen={"start_new_session": True, "stderr": subprocess.DEVNULL})
    socket = interrupted.opened()
    other = owner()
    other.opened()
    running = postmaster_of(folder)
    os.killpg(interrupted.process.pid, signal.SIGINT)
    interrupted.process.communicate("\n")
    time.sleep(0.5)
    assert await ask(socket, "select 1") == 1
    assert postmaster_of(folder) == running
    other.close()


async def test_cancelled_start_lets_go(folder: Path) -> None:
    opening = asyncio.create_task(start(folder))
    await asyncio.sleep(0.2)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    until(lambda: is_down(folder), "nobody owns it, so it stops")
    assert locks.is_free(folder / locks.OWNERS, exclusive=True)
    server = await start(folder)
    assert await ask(server, "select 1") == 1
    await server.close()


async def test_forked_child_does_not_release_its_parents_share(folder: Path) -> None:
    server = await start(folder)
    share = server._share
    child = os.fork()
    if child == 0:
        share.release()
        os._exit(0)
    os.waitpid(child, 0)
    assert not locks.is_free(folder / locks.OWNERS, exclusive=True)
    await server.close()
    assert is_down(folder)
