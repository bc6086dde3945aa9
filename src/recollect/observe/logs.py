"""Log lines of one shape: an event, then ``field=value`` pairs."""

from __future__ import annotations

import logging

logger = logging.getLogger("recollect")
logger.addHandler(logging.NullHandler())


def say(level: int, event: str, **fields: str | int | float | None) -> None:
    """Log an event. Fields are short facts that we chose: never input, never stored text."""
    if logger.isEnabledFor(level):
        pairs = " ".join(f"{name}={value}" for name, value in fields.items() if value is not None)
        logger.log(level, "%s %s", event, pairs, extra={"event": event, "fields": fields})
