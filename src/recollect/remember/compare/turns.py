"""Turns of phrase brought into one, by `turns.toml`: Spanish into English, "gave up" into "not"."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from recollect.text.marks import without_accents

_THEM = r"(?:del usuario|de la usuaria|del user|de user|de usuario)"
_GIVEN: list[list[str]] = tomllib.loads(files(__package__ or "").joinpath("turns.toml").read_text("utf-8"))[
    "turns"
]
_TURNS = [(re.compile(said.replace("{them}", _THEM), re.IGNORECASE), read) for said, read in _GIVEN]


def turned(text: str) -> str:
    """A text without accents and in English turns of phrase; its capitals stay."""
    plain = without_accents(" ".join(text.split()))
    for pattern, replacement in _TURNS:
        plain = pattern.sub(replacement, plain)
    return plain
