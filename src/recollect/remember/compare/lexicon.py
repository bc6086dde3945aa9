"""The words of `lexicon.toml`, ready to be looked up."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

_ALL: dict[str, Any] = tomllib.loads(files(__package__ or "").joinpath("lexicon.toml").read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_ALL[name].split())


def _groups(name: str) -> list[list[str]]:
    return [group.split() for group in _ALL[name].split(";") if group.strip()]


SMALL = _words("small")
LIGHT = _words("light")
WEAK = _words("weak")
QUALITIES = _words("qualities")
MANY = _words("many")
ACQUAINTANCES = _words("acquaintances")
OCCUPATIONS = _words("occupations")
NOT_OCCUPATIONS = _words("not_occupations")
TRADES = tuple(sorted(_words("trades")))
HAPPENED = _words("happened")
STATES = _words("states")
SEVERAL = _words("several")
SLOT_WORDS = _words("slot_words")
ANIMAL: dict[str, int] = _ALL["animal"]
DIETS: dict[str, int] = _ALL["diets"]

#: From each word to the one that stands for its group.
SYNONYMS = {word: group[0] for group in _groups("same") for word in group}
PEOPLE = {word: group[0] for group in _groups("people") for word in group}
KINDS = {word: number for number, group in enumerate(_groups("kinds")) for word in group}
OPPOSITES = frozenset(frozenset(pair.split("/")) for (pair,) in _groups("opposite"))
