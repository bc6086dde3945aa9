"""kill -9 of anybody at any time: the server goes on, comes back, or stops, and never wedges."""

# A test has its event loop to itself, so it may block.
# ruff: noqa: ASYNC220, ASYNC240, ASYNC251

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from embedded_processes import (
    Owner,
    as_server_account,
    ask,
    is_down,
    keeper_of,
    kill,
    postmaster_of,
    until,
)

from recollect.storage.embedded import start


async def test_owner_killed_while_another_goes_on(folder: Path, owner: Callable[..., Owner]) -> None:
    killed, other = owner(), owner()
    socket = killed.opened()
    other.opened()
    running = postmaster_of(folder)
    killed.kill()
    time.sleep(0.5)
    assert await ask(socket, "select 1") == 1
    assert postmaster_of(folder) == running
    other.close()
    assert is_down(folder)


async def test_only_owner_killed(folder: Path, owner: Callable[..., Owner]) -> None:
    only = owner()
    only.opened()
    assert not is_down(folder)
    only.kill()
    until(lambda: is_down(folder), "the keeper notices and stops the server")
    assert not (folder / "postgres" / "postmaster.pid").exists(), "it was stopped cleanly"


async def test_keeper_killed_and_adopted_by_the_next(folder: Path, owner: Callable[..., Owner]) -> None:
    first = owner()
    socket = first.opened()
    running, keeper = postmaster_of(folder), keeper_of(folder)
    assert keeper
    kill(keeper)
    until(lambda: keeper_of(folder) is None, "the keeper is dead")
    assert await ask(socket, "select 1") == 1

    told: list[str] = []
    server = await start(folder, progress=told.append)
    assert postmaster_of(folder) == running, "adopted, not restarted"
    assert told == []
    assert keeper_of(folder) not in (None, keeper)
    first.close()
    assert await ask(server, "select 1") == 1

    assert running
    kill(running)
    assert await ask(server, "select 1", patient=True) == 1, "an adopted server is watched too"
    await server.close()
    assert is_down(folder)


async def test_keeper_killed_and_then_the_only_owner_closes(folder: Path) -> None:
    server = await start(folder)
    keeper = keeper_of(folder)
    assert keeper
    kill(keeper)
    until(lambda: keeper_of(folder) is None, "the keeper is dead")
    await server.close()
    assert is_down(folder)
    assert not (folder / "postgres" / "postmaster.pid").exists()


async def test_postmaster_killed_again_and_again(folder: Path) -> None:
    server = await start(folder)
    await ask(server, "create table kept as select 42 as answer")
    for _ in range(6):
        running = until(lambda: postmaster_of(folder), "a server runs")
        kill(running)
        assert await ask(server, "select answer from kept", patient=True) == 42
        assert postmaster_of(folder) != running
    await server.close()
    assert is_down(folder)


async def test_everything_killed_at_once(folder: Path, owner: Callable[..., Owner]) -> None:
    victim = owner()
    socket = victim.opened()
    await ask(socket, "create table kept as select 42 as answer")
    keeper, running = keeper_of(folder), postmaster_of(folder)
    assert keeper
    assert running
    kill(keeper)
    kill(running)
    victim.kill()
    # At once, while the kernel has not yet buried them.
    server = await start(folder)
    assert await ask(server, "select answer from kept") == 42
    await server.close()
    assert is_down(folder)


async def _die_leaving_pid(folder: Path, pid: int) -> None:
    """End the server as a crash would, with a pid file that names another process."""
    server = await start(folder)
    keeper, running = keeper_of(folder), postmaster_of(folder)
    assert keeper
    assert running
    content = (folder / "postgres" / "postmaster.pid").read_text()
    lock = (folder / "run" / ".s.PGSQL.5432.lock").read_text()
    kill(keeper)
    kill(running)
    until(lambda: is_down(folder), "keeper and server are dead")
    server._share.release()
    (folder / "postgres" / "postmaster.pid").write_text(content.replace(str(running), str(pid), 1))
    (folder / "run" / ".s.PGSQL.5432.lock").write_text(lock.replace(str(running), str(pid), 1))


async def test_stale_pid_file_of_a_reused_pid(folder: Path) -> None:
    with subprocess.Popen(["sleep", "300"], **as_server_account()) as unrelated:
        try:
            await _die_leaving_pid(folder, unrelated.pid)
            server = await start(folder)
            assert await ask(server, "select 1") == 1
            await server.close()
            assert unrelated.poll() is None, "the unrelated process was left alone"
        finally:
            unrelated.kill()


async def test_stale_pid_file_of_a_zombie(folder: Path) -> None:
    # A zombie still answers kill(pid, 0), which PostgreSQL takes for a sign of life.
    zombie = subprocess.Popen(["true"], **as_server_account())
    until(lambda: os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT), "it has ended")
    await _die_leaving_pid(folder, zombie.pid)
    server = await start(folder)
    assert await ask(server, "select 1") == 1
    await server.close()
    zombie.wait()


async def test_killed_in_the_middle_of_initdb(folder: Path, owner: Callable[..., Owner]) -> None:
    victim = owner()
    half = until(lambda: next(iter(folder.glob("postgres.new-*/base")), None), "initdb is at work")
    keeper = keeper_of(folder)
    assert keeper
    children = Path(f"/proc/{keeper}/task/{keeper}/children")
    initdb = [int(pid) for pid in children.read_text().split()] if children.exists() else []
    kill(keeper)
    victim.kill()
    for pid in initdb:
        kill(pid)
    assert not (folder / "postgres").exists()

    server = await start(folder)
    assert await ask(server, "select 1") == 1
    assert not half.exists(), "what was left behind is swept"
    await server.close()
    assert is_down(folder)


async def test_keeper_asked_to_stop_stops_the_server_cleanly(folder: Path) -> None:
    server = await start(folder)
    keeper = keeper_of(folder)
    assert keeper
    kill(keeper, signal.SIGTERM)
    until(lambda: is_down(folder), "both have ended")
    assert not (folder / "postgres" / "postmaster.pid").exists()
    await server.close()
