"""Where the command line prints: colours and tables on a terminal, plain lines in a pipe."""

from __future__ import annotations

from rich.console import Console

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def progress(text: str) -> None:
    """What takes a moment, on the side."""
    err.print(text, style="dim", markup=False)
