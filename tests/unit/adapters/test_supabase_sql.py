"""The SQL for a Supabase project, as the command prints it."""

from __future__ import annotations

from importlib.resources import files

from typer.testing import CliRunner

from recollect.cli.app import app


def test_the_command_prints_the_file() -> None:
    done = CliRunner().invoke(app, ["supabase", "sql"])
    assert done.exit_code == 0
    assert done.stdout == (files("recollect") / "adapters" / "supabase.sql").read_text()
    assert "create policy api_wall" in done.stdout
