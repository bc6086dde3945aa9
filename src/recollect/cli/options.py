"""Options that several commands have."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

Database = Annotated[
    str | None, typer.Option(help="Address of a PostgreSQL; without it, the embedded one.", metavar="DSN")
]
DataDir = Annotated[str | None, typer.Option(help="Folder of the embedded PostgreSQL [default: ./.recollect].")]
Tenant = Annotated[str | None, typer.Option(help="Whose data [default: default].")]

#: How a list or a line begins in markdown, and no option does.
_MARKDOWN = re.compile(r"-+\s")


class TextCommand(TyperCommand):
    """A command that is given a text, which may begin like an option: ``- likes tea``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What is no option is text then, and these commands complain of what they did not expect."""
        ctx.ignore_unknown_options = any(map(_MARKDOWN.match, args))
        return super().parse_args(ctx, args)
