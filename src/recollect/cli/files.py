"""Files that a command writes, and texts that it is given."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from recollect.errors import Invalid
from recollect.inputs import MAX_CONTENT


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


def given(field: str, text: str, more: Sequence[str] = ()) -> str:
    """The text that a command is given as an argument; ``-`` is all of the standard input. ``more`` are arguments
    that nobody expects, but a text without quotes has."""
    if more:
        raise Invalid(field, f"came as {len(more) + 1} arguments; put it in quotes")
    return _all_of_input(field) if text == "-" else text


def _all_of_input(field: str) -> str:
    stdin = cast("TextIO | None", sys.stdin)
    if stdin is None:
        raise Invalid(field, "the standard input is closed")
    read = stdin.buffer.read(MAX_CONTENT + 1)
    if len(read) > MAX_CONTENT:
        raise Invalid(field, f"has more than {MAX_CONTENT:,} bytes")
    try:
        return read.decode()
    except UnicodeDecodeError:
        raise Invalid(field, "is not text in UTF-8") from None


def _is_there(path: Path) -> bool:
    """Raises where it cannot be told, before there is anything to write."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True
