"""Marks that belong to the letter before them: accents, vowels of Hindi, Thai and Tamil, tones. Pure."""

from __future__ import annotations

import unicodedata

#: Scripts before this point, Latin to Arabic, are read without their marks too; after it marks are letters.
_OPTIONAL_BEFORE = 0x0700
#: Without figures: what is counted in a text is looked for by them.
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
#: Marks for any script: accents again, and signs around a letter.
_ADDED = ((0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF))


def with_marks_spelled(text: str) -> str:
    """The same with each mark as letters, since a pattern's ``\\w`` has no marks and would leave them out. How a
    picture is to be drawn says nothing."""
    if text.isascii():
        return text
    return text.translate({ord(one): _spelled(one) for one in set(text) if unicodedata.category(one)[0] == "M"})


def without_accents(text: str) -> str:
    """The same in plain letters; marks that are letters themselves are spelled."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", text)
    return with_marks_spelled("".join(letter for letter in letters if not _is_accent(letter)))


def _is_accent(letter: str) -> bool:
    if unicodedata.category(letter) != "Mn":
        return False
    point = ord(letter)
    return point < _OPTIONAL_BEFORE or any(first <= point <= last for first, last in _ADDED)


def _spelled(mark: str) -> str:
    return "" if "\ufe00" <= mark <= "\ufe0f" else f"ᴍ{ord(mark):x}ᴍ".translate(_LETTERS)
