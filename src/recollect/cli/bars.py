"""Progress bars: on a terminal only, beside the output."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from recollect.cli.output import err


@contextmanager
def bar(what: str) -> Generator[Callable[[int, int], None]]:
    """A bar that is told how many are done, and how many there are."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, of: bars.update(task, completed=done, total=of)
