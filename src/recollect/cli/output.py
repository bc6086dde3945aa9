"""Where the command line prints: colours and tables on a terminal, plain lines in a pipe."""

from __future__ import annotations

import errno
import os
import sys
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from io import TextIOWrapper

from rich.console import Console

from recollect.errors import Unavailable

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)
_UNWRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE}


def harmless(text: str) -> str:
    """The text with control characters as escapes: what somebody has said must not steer the terminal."""
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    steers = unicodedata.category(char) == "Cc" and char not in "\n\t"
    return char.encode("unicode_escape").decode() if steers else char


def progress(text: str) -> None:
    """What takes a moment, on the side."""
    err.print(text, style="dim", markup=False)


@contextmanager
def printing() -> Generator[None]:
    """Characters that the output cannot show stand as escapes; output that cannot be written is an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
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
