"""``recollect supabase``."""

from __future__ import annotations

from importlib.resources import files

import typer

from recollect.cli.output import out

supabase_app = typer.Typer(help="Reach the memory by Supabase's client and PostgREST.", no_args_is_help=True)


@supabase_app.callback()
def supabase() -> None:
    """Has one command so far; without this, typer would make it the group itself."""


@supabase_app.command()
def sql() -> None:
    """Print the SQL that lets PostgREST reach the views of schema api: roles, grants, policies.

    For `recollect supabase sql | psql …` as an administrator, after `recollect migrate`.
    """
    # Read as a file: the module beside it needs packages that the command line does not.
    out.file.write((files("recollect") / "adapters" / "supabase.sql").read_text("utf-8"))
