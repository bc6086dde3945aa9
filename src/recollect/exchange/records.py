"""What an import comes to."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

#: Told how many entries are done, and how many there are.
Progress = Callable[[int, int], None]


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import added. What was there already is counted in ``known``, and stayed as it was."""

    conversations: int = 0
    messages: int = 0
    memories: int = 0
    notes: int = 0
    documents: int = 0
    known: int = 0

    def __add__(self, other: Imported) -> Imported:
        return Imported(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})


def told(progress: Progress | None, done: int, of: int) -> None:
    """Tell whoever wants to know."""
    if progress is not None:
        progress(done, of)
