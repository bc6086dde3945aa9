from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from embedded_processes import Owner, end_everything


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A data folder that does not exist yet."""
    place = tmp_path / ".recollect"
    yield place
    end_everything(place)


@pytest.fixture
def owner(folder: Path) -> Iterator[Callable[..., Owner]]:
    """Starts processes that open the folder."""
    owners: list[Owner] = []

    def begin(**options: Any) -> Owner:
        owners.append(Owner(options.pop("folder", folder), **options))
        return owners[-1]

    yield begin
    for each in owners:
        each.kill()
