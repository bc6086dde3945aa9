"""Files that a command writes."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from recollect.errors import Invalid


@contextmanager
def into(field: str, path: Path | None) -> Generator[Callable[[bytes], object]]:
    """A file appears when it is complete, and is for its owner only; what failed leaves none, and what was there
    stays. A link stays a link, and a pipe or a device is written to as it is. None is the standard output."""
    if path is None:
        stdout = cast("TextIO | None", sys.stdout)
        if stdout is None:
            raise Invalid(field, "the standard output is closed; name a file")
        yield stdout.buffer.write
        return
    try:
        if _is_there(path) and not path.is_file():
            with path.open("wb") as file:
                yield file.write
            return
        place = path.resolve()
        # Nobody can have put something else under a name that is made up now.
        with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".recollect-", delete=False) as file:
            part = Path(file.name)
            try:
                yield file.write
                file.flush()
                part.replace(place)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise Invalid(field, f"{path} cannot be written: {error.strerror}") from None


def _is_there(path: Path) -> bool:
    """Raises where it cannot be told, before there is anything to write."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True
