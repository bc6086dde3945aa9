"""A memory about to be written, checked and brought into one shape. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.records import Source
from recollect.text.marks import with_marks_spelled

MAX_TEXT = 1000
MAX_CATEGORY = 64
#: Of an importance, behind the point.
PLACES = 4
AUTHORS = ("user", "agent", "tool", "extractor")
TRUSTS = ("trusted", "untrusted")


class Insight(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be remembered. Text from a source that nobody vouches for waits in quarantine."""

    text: str
    category: str | None = None
    importance: float = 0.5
    pinned: bool = False
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    source: Source | None = None
    author: str = "user"
    trust: str = "trusted"
    context: dict[str, Any] = {}
    given: frozenset[str] = frozenset()
    """Which of these somebody has named, where the others are what is usual."""

    @property
    def status(self) -> str:
        """Where it starts."""
        return "active" if self.trust == "trusted" else "quarantined"

    @property
    def by_person(self) -> bool:
        """A person's own word is not overwritten by what is learned."""
        return self.author.partition(":")[0] == "user"


def insight(given: Mapping[str, Any]) -> Insight:
    """Check what a caller wants remembered; None means the default."""
    values = {name: value for name, value in given.items() if value is not None}
    checked: dict[str, Any] = {"text": key_point(values.get("text")), "given": frozenset(values)}
    if "category" in values:
        checked["category"] = category(values["category"])
    if "importance" in values:
        checked["importance"] = importance(values["importance"])
    for name in ("expires_at", "valid_from"):
        if name in values:
            checked[name] = inputs.moment(name, values[name])
    if "context" in values:
        checked["context"] = inputs.metadata("context", values["context"])
        inputs.json_text("context", checked["context"])
    if "author" in values:
        checked["author"] = _one_of("author", values["author"], AUTHORS)
        # What a tool brings is somebody else's text.
        checked["trust"] = "untrusted" if checked["author"].partition(":")[0] == "tool" else "trusted"
    if "trust" in values:
        checked["trust"] = _one_of("trust", values["trust"], TRUSTS)
    if "pinned" in values:
        checked["pinned"] = inputs.flag("pinned", values["pinned"])
    if "source" in values:
        checked["source"] = source(values["source"])
    return Insight(**checked)


def key_point(value: object) -> str:
    """The text of a memory: one line, at most 1,000 characters."""
    text = " ".join(inputs.text("text", value, MAX_TEXT * 4).split())
    if not text:
        raise Invalid("text", "must not be empty")
    if len(text) > MAX_TEXT:
        raise Invalid("text", f"has {len(text)} characters; a memory has at most {MAX_TEXT}")
    return text


def category(value: object) -> str:
    """A word for the kind of memory."""
    word = inputs.identifier("category", value)
    if len(word) > MAX_CATEGORY:
        raise Invalid("category", f"has {len(word)} characters; at most {MAX_CATEGORY} are allowed")
    return word


def importance(value: object) -> float:
    """Between 0 and 1, as it is shown: what a list shows must be found by it."""
    return round(inputs.share("importance", value), PLACES)


#: A word; a sign that makes it another one (".NET", "C#", "-5", "!=", "4/5", "A*"); one that stands in a figure
#: ("3.5", "10:30"); any other sign.
_TOLD = re.compile(
    r"(\w+)"
    r"|((?<![\w.])\.(?=\w)|(?<=\w)#|#(?=\w)|(?<!\w)-(?=[\d.])|!(?==)"
    r"|(?<=\d)[/*](?=\w)|(?<=\w)[/*](?=\d)|(?<=\w)\^(?=-?\w)"
    r"|(?:(?<=\w)(?<![\w*-]\w)|(?<=\bab))[*-](?![\w*-]))"
    r"|((?<=\d)[.,:'~-](?=\d)|(?<=\d)\.(?=\w)|(?<=\w)\.(?=\d))"
    r"|([^\w\s])"
)
#: In an address, of a mailbox or a page, every sign counts but those around it.
_IN_ADDRESS = re.compile(r"(\w+)|([^\w\s])")
_AROUND_ADDRESS = ".,;:!?'\"“”«»()[]{}<>*`|/-—"

#: One form of signs that are written in several.
_ONE_FORM = str.maketrans({**dict.fromkeys("−‐‑‒–", "-"), **dict.fromkeys("’ʼ′", "'"), **dict.fromkeys("⁄∕", "/")})
_RAISED = re.compile(r"(?<=\d)[⁰¹²³⁴-⁹⁺⁻₀-₉₊₋]+")
_MIXED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅟↉])")
_APART = re.compile(r"(?<=\d)\s+([-/*])\s+(?=\d)")


class _Told(NamedTuple):
    """A part of a text that counts; two of the three are empty."""

    word: str = ""
    sign: str = ""
    within: str = ""
    """A sign within a figure: what the figure is tells it as well."""


def fingerprint(text: str) -> bytes:
    """The same for the same words, whatever their case, accents' form, spacing and punctuation. Signs that say
    something themselves, such as those of money and arithmetic, those in figures and addresses, and those behind a
    grade, count like words: "C++" is not "C", "4/5" is not "4.5"."""
    folded = _folded(text)
    return hashlib.sha256(" ".join("".join(told) for told in _told(folded)).encode() or folded.encode()).digest()


def telling_signs(text: str) -> tuple[str, ...]:
    """The signs of a text that say something themselves, in their order; not those within figures."""
    return tuple(told.sign for told in _told(_folded(text)) if told.sign)


def _folded(text: str) -> str:
    # Unicode's own folding would make 52 of 5², and 11/2 of 1½.
    text = _MIXED.sub(" ", _RAISED.sub(r"^\g<0>", text))
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_ONE_FORM)
    return with_marks_spelled(_APART.sub(r"\1", folded))


def _told(folded: str) -> Iterator[_Told]:
    for part in folded.split():
        if "@" in part or "://" in part:
            yield from (_Told(*one) for one in _IN_ADDRESS.findall(part.strip(_AROUND_ADDRESS)))
            continue
        for word, sign, within, other in _TOLD.findall(part):
            if word or sign or within or _says_something(other):
                yield _Told(word, sign or other, within)


def _says_something(sign: str) -> bool:
    if sign in "%&@" or unicodedata.category(sign) in ("Sc", "Sm", "So"):
        return True
    # The colour of a hand, and the letters that make a black flag that of Scotland.
    return "\U0001f3fb" <= sign <= "\U0001f3ff" or "\U000e0020" <= sign <= "\U000e007e"


def _one_of(field: str, value: object, allowed: tuple[str, ...]) -> str:
    """One of these words; behind an author, and a colon, may stand which one."""
    word = inputs.identifier(field, value)
    if (word.partition(":")[0] if field == "author" else word) not in allowed:
        raise Invalid(field, f"must be one of {', '.join(allowed)}, not {word!r}")
    return word


def source(value: object) -> Source:
    """The messages that a memory comes from, as far as they can be checked without looking."""
    if not isinstance(value, Source):
        raise Invalid("source", "must be a Source(conversation, first, last)")
    conversation = str(inputs.uuid("source.conversation", value.conversation))
    first = inputs.amount("source.first", value.first, most=1 << 62)
    return Source(conversation, first, inputs.amount("source.last", value.last, most=1 << 62, least=first))
