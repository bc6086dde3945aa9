"""What a process keeps to itself: few, small, and each for a short time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class Kept:
    """The entries used last, each with the number under which it is believed and the end of its life."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._entries: OrderedDict[Hashable, tuple[object, float, Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, believed: object) -> Any:
        """What was kept under this key and this number; None if nothing, or no longer."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        under, until, value = entry
        if under != believed or self._clock() >= until:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return value

    def put(self, key: Hashable, believed: object, seconds: float, value: object) -> None:
        """Keep it; the one that was used longest ago makes room."""
        self._entries[key] = (believed, self._clock() + seconds, value)
        self._entries.move_to_end(key)
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
