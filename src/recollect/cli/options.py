"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Database = Annotated[
    str | None, typer.Option(help="Address of a PostgreSQL; without it, the embedded one.", metavar="DSN")
]
DataDir = Annotated[str | None, typer.Option(help="Folder of the embedded PostgreSQL [default: ./.recollect].")]
Tenant = Annotated[str | None, typer.Option(help="Whose [default: default].")]
