"""When to come back: whoever finds no place is told when, at the pace of these moments, one will be free."""

from __future__ import annotations

#: Seconds between two places at first, while nobody knows the pace.
GUESS = 0.005
#: How much one place changes what is known: about the last fifty count.
WEIGHT = 0.02
#: Seconds that one place may count for at most: a stall says little about the pace.
STALL = 5.0
#: How many places become free for each one that is promised: most go to those who are here already, and ask again.
FREED_FOR_ONE = 2
SOONEST, LATEST = 1.0, 20.0


class Pace:
    """How fast places become free, and which of them have been promised.

    Whoever is sent away gets a time of their own, so that they do not all come back at once; and no more of them
    come back in a second than half of those who are served in it: on the slowest machine too, sending away takes a
    small part.
    """

    def __init__(self) -> None:
        self._step = GUESS
        self._freed: float | None = None
        self._promised = 0.0

    def freed(self, now: float, wanted: bool) -> None:
        """A place became free; ``wanted`` if somebody was waiting for it, else it says nothing about the pace."""
        if wanted and self._freed is not None:
            self._step += WEIGHT * (min(now - self._freed, STALL) - self._step)
        self._freed = now if wanted else None

    def come_back(self, now: float) -> float:
        """Seconds until the next place that nobody was told of."""
        self._promised = min(max(self._promised, now) + FREED_FOR_ONE * self._step, now + LATEST)
        return max(SOONEST, self._promised - now)
