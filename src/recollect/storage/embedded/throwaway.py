"""A folder for a database that is thrown away."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

#: Seconds for a server to notice that it is no longer wanted.
PATIENCE = 30.0


@contextmanager
def throwaway(prefix: str) -> Generator[Path]:
    """A new folder, which is removed at the end with whatever is in it."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Whoever is stopped while a database is being made leaves somebody behind who writes on for a moment."""
    until = time.monotonic() + PATIENCE
    while True:
        last = time.monotonic() > until
        shutil.rmtree(folder, ignore_errors=not last)
        if last or not folder.exists():
            return
        time.sleep(0.05)
