"""A message as it is embedded."""

from __future__ import annotations

#: The beginning of a message, in characters; a vector of more says little about any of it.
LONGEST = 4000


def spoken(name: str | None, content: str) -> str:
    """Who spoke is part of what was said."""
    return f"{name}: {content}" if name else content
