"""The command line. It needs the extra ``cli``; without it, it says so."""

from __future__ import annotations

import sys

from recollect.errors import to_install


def main() -> None:
    """Run ``recollect``."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)


def _run() -> None:
    try:
        import rich  # noqa: F401  # pyright: ignore[reportUnusedImport]
        import typer  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ModuleNotFoundError as error:
        sys.exit(f"the command line needs {error.name}; {to_install('cli')}")
    from recollect.cli.app import run

    run()
