"""Where the command line prints: colours and tables on a terminal, plain lines in a pipe."""

from __future__ import annotations

import errno
import os
import sys
import unicodedata
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from io import TextIOWrapper

from rich.console import Console
from rich.table import Table
from rich.text import Text

from recollect.errors import Unavailable

# No emoji: ":key:" in a name or a text is what somebody wrote, and stays so.
out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
#: What a column that is broken needs to be read at all, with the space after it.
_LEAST = 6
_UNWRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE}


def harmless(text: str) -> str:
    """The text with control characters as escapes: what somebody has said must not steer the terminal."""
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    steers = unicodedata.category(char) == "Cc" and char not in "\n\t"
    return char.encode("unicode_escape").decode() if steers else char


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], whole: int = 1) -> None:
    """A table. On a terminal it is as wide as the page, and the first ``whole`` columns are the last to be broken.
    In a pipe it is as wide as it has to be, with a line for each row; so it is where the page is too narrow."""
    lines = [columns, *([harmless(cell.replace("\n", " ")) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    least = sum(widths[:whole]) + 2 * whole + _LEAST * len(widths[whole:])
    if not out.is_terminal or out.width < least:
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            out.print("  ".join(cells).rstrip(), markup=False)
        return
    shown = Table(box=None, padding=(0, 2, 0, 0))
    for place, column in enumerate(columns):
        shown.add_column(column, no_wrap=place < whole, overflow="fold")
    for line in lines[1:]:
        shown.add_row(*map(Text, line))
    out.print(shown)


def progress(text: str) -> None:
    """What takes a moment, on the side."""
    err.print(text, style="dim", markup=False)


@contextmanager
def printing() -> Generator[None]:
    """Characters that the output cannot show stand as escapes; output that cannot be written is an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            yield
        finally:
            out.file.flush()
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITTEN:
            raise
        _print_no_more()
        if error.errno == errno.EPIPE:
            raise SystemExit(1) from None
        raise Unavailable("output", f"it cannot be written: {error.strerror}") from None


def _print_no_more() -> None:
    """Python would try once more to write what is left as it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.file.fileno())
    os.close(nowhere)
