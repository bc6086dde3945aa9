"""``recollect serve``."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.options import Database, DataDir
from recollect.cli.output import err, out
from recollect.errors import Unavailable, to_install
from recollect.settings import Settings, unknown_variables


def serve_command(
    host: Annotated[str | None, typer.Option(help="Where to listen [default: 127.0.0.1].")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes a free one [default: 8765].")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that serve.")] = 1,
    worker: Annotated[
        bool, typer.Option(help="Also do due work: learn, consolidate, summarise, clean up.")
    ] = True,
    database: Database = None,
    data_dir: DataDir = None,
) -> None:
    """Serve over HTTP until Ctrl-C. Without keys, this machine only."""
    settings = Settings.read(database=database, data_dir=data_dir, host=host, port=port)
    for said in unknown_variables():
        err.print(f"warning: {said}", style="yellow", markup=False)
    try:
        from recollect.server.serve import serve
    except ModuleNotFoundError as error:
        raise Unavailable(
            "server", f"it needs {error.name}, which is not installed; {to_install('server')}"
        ) from None
    serve(settings, workers=workers, work=worker, say=lambda text: out.print(text, markup=False))
