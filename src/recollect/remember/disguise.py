"""Text without its disguises: invisible characters, other widths, look-alike letters, letters spaced out. Pure."""

from __future__ import annotations

import re
import unicodedata

_LOOK_ALIKES = str.maketrans(
    "авеікмнорсстухѕјԁɡαεικνορτυχγβ" + "ıł",
    "abeikmhopcctyxsjdgaeiknoptuxyb" + "il",
)
_DIGITS_AS_LETTERS = str.maketrans("013457@$", "oieastas")
_SPACED = re.compile(r"(?<![\w'])(?:\w[ .·*_-]){3,}\w(?!\w)")
#: Tags and overrides of direction have no place in a sentence; they are there to hide something from a reader.
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def hides_text(text: str) -> bool:
    """Whether it has characters whose only use in a short text is to hide another one."""
    return _HIDING.search(text) is not None


def visible(text: str) -> str:
    """What a reader sees: in one width, without invisible characters, case kept."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(
        char for char in plain if unicodedata.category(char) not in ("Cf", "Mn", "Cc") or char in "\n\t"
    )


def readings(text: str) -> list[str]:
    """The ways in which a model might read it, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFD", visible(text).casefold())
    plain = "".join(char for char in decomposed if not unicodedata.combining(char)).translate(_LOOK_ALIKES)
    plain = " ".join(re.sub(r"[’‘`´]", "'", plain).split())
    joined = _SPACED.sub(lambda match: re.sub(r"[ .·*_-]", "", match[0]), plain)
    return list(dict.fromkeys((plain, joined, plain.translate(_DIGITS_AS_LETTERS))))
