"""What a command writes: complete or not at all, for its owner only, and nothing else is touched."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from recollect import Invalid
from recollect.cli.files import into


def written(path: Path, text: bytes = b"new") -> None:
    with into("output", path) as write:
        write(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_is_for_its_owner_only(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "x"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o644)
    written(file)
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert names(tmp_path) == ["x"]


def test_bystanders_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"kept")
    (tmp_path / "x.part").symlink_to("victim")
    (tmp_path / "y.part").write_bytes(b"kept too")
    written(tmp_path / "x")
    written(tmp_path / "y")
    assert (tmp_path / "victim").read_bytes() == b"kept"
    assert (tmp_path / "y.part").read_bytes() == b"kept too"
    assert names(tmp_path) == ["victim", "x", "x.part", "y", "y.part"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    if there:
        target.write_bytes(b"old")
    (tmp_path / "x").symlink_to("folder/target")
    written(tmp_path / "x")
    assert (tmp_path / "x").is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["folder", "x"]
    assert names(tmp_path / "folder") == ["target"]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    listening = threading.Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    listening.start()
    written(pipe)
    listening.join(10)
    assert heard == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_what_failed_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"old")

    def fail() -> None:
        with into("output", file) as write:
            write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert file.read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


def test_a_long_name(tmp_path: Path) -> None:
    written(tmp_path / ("x" * 252))
    assert names(tmp_path) == ["x" * 252]


@pytest.mark.parametrize("bad", [".", "/", "no/where", "x" * 256, "loop"])
def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(Invalid, match=r"^output: .* cannot be written: "):
        written(Path(bad))
    assert names(tmp_path) == ["loop"]


def test_a_standard_output_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(Invalid, match=r"^output: the standard output is closed"), into("output", None):
        pass
