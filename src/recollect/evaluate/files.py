"""The files of an evaluation. What is wrong with one is said with its name, and never with what it holds."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from recollect.errors import Invalid

T = TypeVar("T")
#: What is written here goes to the standard output.
STDOUT = Path("-")


class Source(msgspec.Struct, frozen=True):
    """A file to read or to write; ``field`` is what it was given as."""

    field: str
    path: Path

    @property
    def name(self) -> str:
        """What figures call it. A name need not be text, and they must."""
        return os.fsencode(self.path.stem).decode(errors="replace")

    def wrong(self, problem: str) -> Invalid:
        """The error to raise."""
        return Invalid(self.field, f"{self.path.name}: {problem}")

    def text(self) -> str:
        """All of it, with its line endings as they are."""
        try:
            text = self.path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            raise self.wrong("there is no such file") from None
        except IsADirectoryError:
            raise self.wrong("this is a folder, not a file") from None
        except OSError as error:
            raise self.wrong(f"cannot be read: {error.strerror}") from None
        except UnicodeError:
            raise self.wrong("is not text in UTF-8") from None
        if not text.strip():
            raise self.wrong("is empty")
        return text

    def json(self, text: str, place: str = "") -> Any:
        """A text of this file as JSON."""
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self.wrong(f"{place or 'the file'} is not JSON") from None

    def shaped(self, value: object, kind: type[T], place: str = "$") -> T:
        """A value of this file as what it should be; ``place`` is where it stands, as a path of JSON."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            problem, _, inner = str(error).partition(" - at `$")
            raise self.wrong(f"{problem} at {place}{inner.rstrip('`')}") from None
        except UnicodeError:
            raise self.wrong(f"has a lone surrogate in it, below {place}") from None

    def date(self, text: str, place: str, form: str | None = None) -> datetime:
        """A date of this file, by default as ISO 8601 has it; taken as UTC."""
        try:
            if form is None:
                return datetime.fromisoformat(text).replace(tzinfo=UTC)
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            raise self.wrong(f"Not a date of this format at {place}") from None


def check_apart(outputs: Sequence[Source], inputs: Sequence[Source]) -> None:
    """Refuse to write where something is read from, or to the same place twice."""
    for number, output in enumerate(outputs):
        for other in (*inputs, *outputs[:number]):
            if same_file(output.path, other.path):
                raise output.wrong(f"is given as {other.field} too, and would be overwritten; name another file")


def check_different(files: Sequence[Source]) -> None:
    """Refuse a file that is given twice: what only the others can answer, it can."""
    for number, one in enumerate(files):
        if any(same_file(one.path, other.path) for other in files[:number]):
            raise one.wrong("is given twice")


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by whatever links; it need not be there yet."""
    with suppress(OSError):
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def check_writable(field: str, path: Path) -> None:
    """Refuse a place that cannot be written, before there is anything to write; leaves no trace."""
    if path == STDOUT:
        return
    try:
        if path.exists():
            path.open("ab").close()
        else:
            tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise _unwritable(field, path, error) from None


def write(field: str, path: Path, content: bytes) -> None:
    """Write a whole file."""
    try:
        if path == STDOUT:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        else:
            path.write_bytes(content)
    except OSError as error:
        raise _unwritable(field, path, error) from None


def _unwritable(field: str, path: Path, error: OSError) -> Invalid:
    return Invalid(field, f"{path} cannot be written: {error.strerror}")
