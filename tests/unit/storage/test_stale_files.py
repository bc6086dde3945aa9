"""What is left of a server that ended badly, and of one that only seems to have."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.storage.embedded.keeper import postmaster


@pytest.mark.parametrize("damaged", ["", "garbage\n", "0\n", "99999999999999\n"])
def test_a_damaged_pid_file_goes_unless_somebody_works_in_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: str
) -> None:
    written = tmp_path / "postmaster.pid"
    written.write_text(damaged)
    monkeypatch.setattr(postmaster, "is_server_of", lambda pid, data: True)
    postmaster.clear_stale_files(tmp_path, tmp_path)
    assert written.exists(), "a server may be about to write it"
    monkeypatch.setattr(postmaster, "is_server_of", lambda pid, data: False)
    postmaster.clear_stale_files(tmp_path, tmp_path)
    assert not written.exists()
