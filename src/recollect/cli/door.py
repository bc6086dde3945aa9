"""The door, for commands: opened for one thing to do, and closed again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from recollect.cli.output import progress
from recollect.errors import Unavailable
from recollect.opening import Recollect
from recollect.settings import Settings
from recollect.storage.embedded.places import holds_data

T = TypeVar("T")


def at_the_door(settings: Settings, do: Callable[[Recollect], Awaitable[T]], *, operator: bool = False) -> T:
    """Open the door, do this, close it."""

    async def run() -> T:
        async with Recollect.open(settings=settings, actor="cli", operator=operator, progress=progress) as memory:
            return await do(memory)

    return asyncio.run(run())


def must_be_there(settings: Settings) -> None:
    """For commands that read or remove: in a wrong folder they would make a database, and find nothing in it."""
    if settings.database is None and not holds_data(settings.folder):
        raise Unavailable("database", f"there is none in {settings.folder}; name its --data-dir, or a --database")
