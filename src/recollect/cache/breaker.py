"""A breaker in front of Redis: while it is open nobody waits for Redis; only a probe of our own asks."""

from __future__ import annotations


class Breaker:
    """Opens after some failures in a row, and closes when a probe succeeds."""

    def __init__(self, most: int = 3) -> None:
        self._most = most
        self._failures = 0
        self.opened = 0
        """How often it has opened."""
        self.open = False

    def succeeded(self) -> None:
        """Redis answered in time."""
        self._failures = 0
        self.open = False

    def failed(self) -> bool:
        """It did not; True if this opened the breaker."""
        self._failures += 1
        return self._failures >= self._most and self.trip()

    def trip(self) -> bool:
        """Open at once; True if it was closed."""
        if self.open:
            return False
        self.open = True
        self.opened += 1
        return True
