"""Lists of words, written as they are read."""

from __future__ import annotations


def listed(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())
