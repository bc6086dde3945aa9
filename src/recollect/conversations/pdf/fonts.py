"""What a PDF is written with: FiraGO, with signs from Noto, which come in a wheel; or else the font that every
reader has, which knows the languages of western Europe."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Generator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from recollect.errors import Invalid, to_install

CORE = "Helvetica"
OURS = "text"
#: In the wheel's own words: the text, regular and bold, and what stands in where it has no letter.
_REGULAR, _BOLD = "figo", "figbo"
_STAND_BY = ("symbol1", "symbol2", "math", "music")
_STAND_INS = "□▯◻?"


class Fonts(msgspec.Struct, frozen=True):
    """The fonts of one document."""

    family: str
    letters: frozenset[int] | None
    """What the text's own font can draw; None for the core font."""
    others: frozenset[int] = frozenset()
    """What others can draw in its place."""
    shaping: bool = False
    """Whether letters can be joined, as Arabic and Hindi need it."""

    def drawable(self, letter: str) -> bool:
        """Whether there is a sign for it."""
        return self.plain(letter) or ord(letter) in self.others

    def plain(self, letter: str) -> bool:
        """Whether the text's own font has it."""
        if self.letters is not None:
            return ord(letter) in self.letters
        try:
            return letter.isprintable() and bool(letter.encode("cp1252"))
        except UnicodeEncodeError:
            return False

    @property
    def stand_in(self) -> str:
        """For what cannot be drawn."""
        return next(letter for letter in _STAND_INS if self.plain(letter))


def library(name: str = "fpdf") -> Any:
    """The library that writes PDF; Invalid says how to get it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise Invalid("format", f"a PDF needs a library that is not installed; {to_install('pdf')}") from None


@contextmanager
def fonts_of(pdf: Any, letters: AbstractSet[str]) -> Generator[Fonts]:
    """Give a document the fonts that its letters need; their files are there until it is written."""
    if importlib.util.find_spec("pymupdf_fonts") is None:
        pdf.core_fonts_encoding = "windows-1252"
        yield Fonts(CORE, None)
        return
    with TemporaryDirectory() as folder:
        for name, style in ((_REGULAR, ""), (_BOLD, "B")):
            pdf.add_font(OURS, style, _file(folder, name))
        own = frozenset(pdf.fonts[OURS].cmap) & frozenset(pdf.fonts[f"{OURS}B"].cmap)
        others = frozenset[int]()
        if not own.issuperset(map(ord, letters)):  # reading a font takes a while
            for name in _STAND_BY:
                pdf.add_font(name, "", _file(folder, name))
                others |= frozenset(pdf.fonts[name].cmap)
            pdf.set_fallback_fonts(list(_STAND_BY), exact_match=False)
        yield Fonts(OURS, own, others, importlib.util.find_spec("uharfbuzz") is not None)


def _file(folder: str, name: str) -> Path:
    file = Path(folder) / f"{name}.ttf"
    file.write_bytes(_bytes(name))
    return file


@cache
def _bytes(name: str) -> bytes:
    return importlib.import_module("pymupdf_fonts").myfont(name)
