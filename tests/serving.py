"""The real server in a process of its own, as ``recollect serve`` starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Served:
    """A running server: where it is, and what it has said."""

    def __init__(self, process: subprocess.Popen[str], url: str, log: Path) -> None:
        self.process, self.url, self.log = process, url, log
        self.printed: list[str] = []
        """What it printed after its address, once it has ended."""

    @property
    def said(self) -> str:
        return self.log.read_text()


@contextmanager
def serving(folder: Path, *arguments: str, **settings: str) -> Iterator[Served]:
    """Start a server on a free port; ``settings`` are RECOLLECT_ variables."""
    log = folder / "server.log"
    environment = os.environ | {f"RECOLLECT_{name.upper()}": value for name, value in settings.items()}
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "recollect", "serve", "--port", "0", *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            process.wait(30)
            raise AssertionError(f"the server did not start: {log.read_text()}")
        served, printed = Served(process, found[0], log), process.stdout
        drain = threading.Thread(target=lambda: served.printed.append(printed.read()), daemon=True)
        drain.start()
        try:
            yield served
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            drain.join()
