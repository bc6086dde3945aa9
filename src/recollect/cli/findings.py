"""What was looked at, and how it is told: a table on a terminal, a line each in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.table import Table

from recollect.cli.output import out


class Finding(msgspec.Struct, frozen=True):
    """One thing looked at."""

    what: str
    fine: bool
    detail: str
    warning: bool = False
    """Whether it may be wrong, although everything works."""

    @property
    def verdict(self) -> str:
        """In a word."""
        return "warning" if self.warning else "ok" if self.fine else "problem"


COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


def report(findings: Sequence[Finding]) -> None:
    """A table on a terminal, one line each in a pipe."""
    if not out.is_terminal:
        for finding in findings:
            verdict = finding.verdict.replace("problem", "PROBLEM")
            out.print(f"{verdict}: {finding.what}: {finding.detail}", markup=False)
        return
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for finding in findings:
        colour = COLOURS[finding.verdict]
        table.add_row(f"[{colour}]{finding.verdict}[/{colour}]", finding.what, finding.detail.replace("[", "\\["))
    out.print(table)
