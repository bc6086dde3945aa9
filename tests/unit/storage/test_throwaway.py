from __future__ import annotations

import threading
from pathlib import Path

from recollect.storage.embedded.throwaway import throwaway


def test_what_is_written_meanwhile_goes_too() -> None:
    begun, ended = threading.Event(), threading.Event()

    def write(folder: Path) -> None:
        for number in range(3000):
            try:
                (folder / str(number)).mkdir()
                (folder / str(number) / "file").write_text("x")
            except FileNotFoundError:
                break  # as a server does whose folder is gone
            begun.set()
        ended.set()

    with throwaway("recollect-test-") as folder:
        threading.Thread(target=write, args=(folder,)).start()
        begun.wait()
    assert ended.wait(30)
    assert not folder.exists()
