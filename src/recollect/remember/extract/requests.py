"""What somebody tells beside a request: "I can't eat nuts, so no almonds please". Pure.

A request, a question or a condition says nothing of whoever makes it, but what it follows from does. And who asks
that something be kept in mind tells it, and wants it to be known.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_I = re.IGNORECASE
_SPEAKER = r"(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our)\b"
_MODAL = r"(?:can|could|would|will|should|may|might)"

#: "Please remember that …", "don't forget: …", "I want you to know that …".
_KEEP = re.compile(
    r"^(?:(?:please|and|so|also|but|just|oh|ok|okay|hey|hi|hello|always|do|by the way|btw|"
    r"(?:can|could|would|will) you|i(?:'d| would) (?:like|want) you to|i (?:want|need) you to|"
    r"you (?:should|must|need to|have to))[,!]?\s+)*"
    r"(?:remember|note|keep in mind|bear in mind|(?:don't|do not|never) forget|be aware|make a note|take note|"
    r"know(?= that\b))(?:,? please)?"
    rf"(?:(?P<that>\s+that\b|\s*:)[,:]?\s+(?!(?:time|day|one)\b)|,?\s+(?={_SPEAKER}))",
    _I,
)
#: "Recuerda que …", "por favor, ten en cuenta que …".
_KEEP_SPANISH = re.compile(
    r"^(?:(?:por favor|y|pero|oye|hola|ah|vale|quiero que|necesito que)[,!]?\s+)*"
    r"(?:recu[eé]rd[ae]|recuerdes|acu[eé]rdate(?: de)?|te acuerdes de|ten(?:gas)? (?:en cuenta|presente)|"
    r"no (?:te )?olvides|apunta|anota|toma nota(?: de)?|sepas)(?:,? por favor,?)?(?P<that>\s+que\b|\s*:)\s+",
    _I,
)
#: What a request, a condition or a question to somebody begins after.
_FOLLOWS = re.compile(
    r"\s*(?:[,;]|\s[–—-]+)\s+(?:so|and|but)\s+"
    rf"|\s*(?:[,;]|\s[–—-]+)\s+(?=(?:please|let's|let us|{_MODAL} (?:you|i|we))\b)"
    rf"|\s+so\s+(?=(?:please|no|don't|do not|if|{_MODAL})\b)",
    _I,
)
_ASKS = re.compile(
    r"\s*(?:[,;]|\s[–—-]+|\s+(?:so|and|but))\s+(?:(?:so|and|but)\s+)?"
    rf"(?=(?:{_MODAL}|any|is there|are there|what|what's|which|where|how|do you|does|got any)\b)",
    _I,
)
#: "No meat please, I'm vegetarian": the request comes first.
_FIRST = re.compile(rf"^[^,;.!?]{{1,60}}\bplease\s*[,;–—-]+\s+(?={_SPEAKER})", _I)
#: "…, if that matters" is no condition.
_IN_CASE = re.compile(
    r",?\s+(?:if|in case) (?:that|it|this)(?:'s| is)? (?:matters|helps|useful|relevant|of any (?:use|help)|"
    r"makes (?:a|any) difference)(?=\W*$)",
    _I,
)
#: Who is after something tells of this moment.
_WANTS = re.compile(
    r"\bi(?:'d| would)? (?:want|need|like (?:you|to)|am trying|am looking)\b|\bi'm (?:trying|looking)\b", _I
)
_FOLLOWS_SPANISH = re.compile(
    r"\s*[,;]?\s+(?:así que|por eso|entonces)\s+|\s*[,;]\s+(?=(?:por favor|puedes|podrías|(?:y|pero) si)\b)", _I
)
_WANTS_SPANISH = re.compile(r"\b(?:quiero|quisiera|necesito|busco|buscando|me gustaría)\b", _I)


class Told(NamedTuple):
    """What is told, and whether it is asked to be kept in mind."""

    text: str
    urged: bool = False


def asks_to_keep(sentence: str) -> bool:
    """Whether an English sentence asks that something be kept in mind."""
    return _KEEP.match(sentence) is not None


def told_in_english(sentence: str, unsure: re.Pattern[str]) -> Told:
    """A sentence without the request, condition or question that it ends with, as far as something was told
    before it; ``unsure`` finds the words of those."""
    asked = sentence.rstrip("\"')").endswith("?")
    keep = _KEEP.match(sentence)
    if keep is not None and (not asked or keep["that"]):
        return Told(sentence[keep.end() :].rstrip("?\"')"), urged=True)
    sentence = _FIRST.sub("", _IN_CASE.sub("", sentence))
    if _WANTS.search(sentence):
        return Told(sentence)
    if asked and (question := _ASKS.search(sentence)):
        sentence = sentence[: question.start()] + "."
    return Told(_before(sentence, _FOLLOWS, unsure))


def told_in_spanish(sentence: str, unsure: re.Pattern[str]) -> Told:
    """The same for a Spanish sentence, in which a question begins with a mark of its own."""
    keep = _KEEP_SPANISH.match(sentence)
    if keep is not None and "?" not in sentence:
        return Told(sentence[keep.end() :], urged=True)
    if _WANTS_SPANISH.search(sentence):
        return Told(sentence)
    first, mark, _ = sentence.partition("¿")
    if mark and first.strip(" ,;"):
        sentence = first.rstrip(" ,;") + "."
    return Told(_before(sentence, _FOLLOWS_SPANISH, unsure))


def _before(sentence: str, follows: re.Pattern[str], unsure: re.Pattern[str]) -> str:
    """What stands before the first of the unsure words, if something begins there that follows from it."""
    found = unsure.search(sentence)
    if found is None:
        return sentence
    ends = [one.start() for one in follows.finditer(sentence) if one.end() <= found.start()]
    return sentence[: ends[-1]] + "." if ends else sentence
