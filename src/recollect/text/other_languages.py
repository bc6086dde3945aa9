"""Whether the words of a text were said, in languages whose forms nobody here knows: by what they share. Pure.

In Latin letters that is German, French, Italian and Portuguese, as far as their words of grammar tell them; other
scripts tell themselves. Words are the same if they begin alike and end as words of their kind do; what is written
without spaces is compared by pairs of signs. In doubt a word was not said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from recollect.text.function_words import is_function_word
from recollect.text.languages import folded, is_grammar, language
from recollect.text.wordlists import listed

#: Of a source, so much tells its language.
_READ = 600
#: Thai, Lao, Burmese, Khmer; kana; Chinese.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\uac00-\ud7a3"
#: Marks are letters there, and no ``\\w``: points of Hebrew and Arabic, vowels of India.
_MARKS = "\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0971-\u0dff"
_LATIN = "0-9a-zA-Z\u00aa\u00ba\u00c0-\u02ff\u1e00-\u1eff\ufb00-\ufb06"
#: Figures stay where they are: 三 is a sign, and ३ a number.
_ANY = re.compile(rf"(?:[^\W\d_{_LATIN}]|[{_MARKS}{_UNSPACED}])+")
_RUN = re.compile(f"[{_UNSPACED}]+")
#: Hiragana, katakana, and any other: where Japanese goes from one to the other, another word may begin.
_PARTS = re.compile("[\u3041-\u309f]+|[\u30a1-\u30ff]+|[^\u3041-\u30ff]+")
_KOREAN = re.compile(f"[{_HANGUL}]+")
_SPACED = re.compile(rf"(?:[^\W\d_{_LATIN}{_UNSPACED}{_HANGUL}]|[{_MARKS}])+")
#: What Chinese may leave out at will.
_NEEDLESS = re.compile("[的了着]")
#: Who it is about, with the particle that is written in one with it.
_SUBJECT = re.compile(
    r"(?<![a-z])(users?|agent|assistant)(?:には|では|とは|[はがのもをにへとで]|에게|에서|[은는이가의을를도와과])?",
    re.IGNORECASE,
)
_PARTICLES = listed("은 는 이 가 을 를 에 의 도 와 과 로 만 에서 에게 한테 으로 이랑 까지 부터")
#: Pairs of hiragana that an ending may have of its own: 住んでいます, 住んでいる.
_MOST_ENDING = 2

_ENDINGS = listed("""
e en er es et est em n ns s st t te ten tet a ai ais ait as am ao i is it o os u us eu ou iu ei ee ees ent ons
ez x mo mos amo emo iamo iscono ono ano
""")
#: For each script, the fewest letters that two forms of a word share, and what may follow.
_FORMS = (
    ("\u0400", "\u052f", 2, listed("""
    а я ы и у ю е о ь ои еи ом ем ам ям ах ях ов ев ых их ую юю ая яя ые ие ое ее ешь ет ит ишь ем им ете ите
    ут ют ат ят л ла ло ли ть лю люсь усь юсь ется ится
    """)),
    ("\u0600", "\u06ff", 2, listed("ة ه ها ي ا ات ون ين ان ت تي ته")),
    ("\u0900", "\u097f", 2, listed("ा े ी ो ें ों ीं ना ने नी ता ते ती कर")),
)  # fmt: skip
#: In other scripts, how many letters two forms share at least, and how many may follow.
_SHARED, _MOST_TAIL = 4, 3
#: Who does it stands before an Arabic verb, and its article before a noun.
_ARABIC_PREFIX = re.compile("^(?:ال|وال|بال|لل|[ايتن])(?=..)")


def latin(text: str) -> str:
    """The text without what is in other scripts."""
    return text if text.isascii() else _ANY.sub(" ", unicodedata.normalize("NFKC", text))


def unsaid(text: str, sources: Sequence[str], names: Collection[str] = ()) -> list[str]:
    """What a text has in other scripts than the Latin one, and no source has."""
    if text.isascii() or _ANY.search(unicodedata.normalize("NFKC", text)) is None:
        return []
    text, heard = _normal(text), [_normal(source) for source in sources]
    for name in names:
        if _ANY.search(name):
            text = re.sub(rf"{re.escape(name)}(?![{_HANGUL}]{{3}})", "user", text)
    text = _SUBJECT.sub(r"\1 ", text)
    return [*_unsaid_runs(text, heard), *_unsaid_korean(text, heard), *_unsaid_words(text, heard)]


def others(sources: Iterable[str]) -> dict[str, list[str]]:
    """Those of the sources that are in another language of Latin letters than English and Spanish, by language."""
    found: dict[str, list[str]] = {}
    for source in sources:
        tongue = language(source[:_READ])
        if tongue not in ("en", "es"):
            found.setdefault(tongue, []).append(source)
    return found


def said_otherwise(word: str, heard: dict[str, set[str]]) -> bool:
    """Whether a word in Latin letters is grammar, or another form of a word, in one of these languages."""
    bare = folded(word)
    return any(
        is_grammar(bare, tongue) or any(_alike(bare, other, 3, _ENDINGS) for other in known)
        for tongue, known in heard.items()
    )


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _unsaid_runs(text: str, heard: Sequence[str]) -> list[str]:
    """What is written without spaces. Chinese signs need their neighbours, a Japanese word may end otherwise."""
    runs = _RUN.findall(_NEEDLESS.sub("", text))
    if not runs:
        return []
    said = [run for source in heard for run in _RUN.findall(_NEEDLESS.sub("", source))]
    signs, pairs = set("".join(said)), {pair for run in said for pair in pairwise(run)}
    return [run for run in runs if not _is_said(run, signs, pairs)]


def _is_said(run: str, signs: Collection[str], pairs: Collection[tuple[str, str]]) -> bool:
    for place, part in enumerate(_PARTS.findall(run)):
        new = sum(pair not in pairs for pair in pairwise(part))
        if "\u3041" <= part[0] <= "\u309f":
            if new > (_MOST_ENDING if place else 0):
                return False
        elif new or part[0] not in signs:
            return False
    return True


def _unsaid_korean(text: str, heard: Sequence[str]) -> list[str]:
    """Nouns have particles; the verb, which comes last, changes from its first syllable on."""
    words = [word for word in _KOREAN.findall(text) if not is_function_word(word)]
    if not words:
        return []
    said = {word for source in heard for word in _KOREAN.findall(source)}
    last = unicodedata.normalize("NFD", words[-1])
    verb = any(_shared(last, unicodedata.normalize("NFD", other)) >= 2 for other in said)
    return [
        word
        for place, word in enumerate(words, 1)
        if not any(_alike(word, other, 1, _PARTICLES) for other in said) and not (verb and place == len(words))
    ]


def _unsaid_words(text: str, heard: Sequence[str]) -> list[str]:
    words = [word for word in _SPACED.findall(text) if not is_function_word(word)]
    if not words:
        return []
    said = {form for source in heard for word in _SPACED.findall(source) for form in _forms(word)}
    return [word for word in words if not any(_is_form(form, said) for form in _forms(word))]


def _forms(word: str) -> set[str]:
    """A word without points and accents; in Arabic also without what stands before it."""
    bare = "".join(
        sign
        for sign in unicodedata.normalize("NFD", word)
        if unicodedata.category(sign) != "Mn" or sign >= "\u0700"
    )
    return {bare, _ARABIC_PREFIX.sub("", bare)} - {""}


def _is_form(word: str, said: Collection[str]) -> bool:
    if word in said:
        return True
    for first, last, fewest, endings in _FORMS:
        if first <= word[0] <= last:
            return any(_alike(word, other, fewest, endings) for other in said)
    return any(
        word[:_SHARED] == other[:_SHARED] and max(len(word), len(other)) - _shared(word, other) <= _MOST_TAIL
        for other in said
        if len(other) >= _SHARED
    )


def _alike(one: str, other: str, fewest: int, endings: Collection[str]) -> bool:
    """Whether two words are one up to their endings."""
    if one == other:
        return True
    if one[:fewest] != other[:fewest]:
        return False
    shared = _shared(one, other)
    return any(
        _ends(one[length:], endings) and _ends(other[length:], endings) for length in range(shared, fewest - 1, -1)
    )


def _ends(rest: str, endings: Collection[str]) -> bool:
    return not rest or rest in endings


def _shared(one: str, other: str) -> int:
    shared = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared
