"""Which words carry what a text says, and whether a text says nothing that its sources do not. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

from recollect.text.english_verbs import base_of
from recollect.text.languages import folded
from recollect.text.other_languages import latin, others, said_otherwise, unsaid
from recollect.text.wordlists import listed

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: Words that say how a thing is told, not what: articles, pronouns, prepositions, auxiliaries; who it is about.
FUNCTION_WORDS = listed("""
a an the and or but nor so as at by for from in into of off on onto out over to up with without about than then
that this these those there here it its itself he him his she her hers they them their theirs themselves i me my
mine myself we us our ours ourselves you your yours who whom whose which what when where why how while because if
am is are was were be been being do does did doing done have has had having will would shall should can could may
might must not no nor never n't s t ve re ll d m also too very really just only even still both all some any each
much many more most user user's users agent agent's assistant said says told someone person cannot don doesn didn
isn aren wasn weren won wouldn hasn haven hadn couldn shouldn usuario usuaria agente asistente dijo el la los las
lo un una unos unas y e o u ni pero de del al a ante con contra desde en entre hacia hasta para por según sin
sobre tras que quien cual cuyo como cuando donde porque si no nunca también muy más menos ya aún todavía mi mis
su sus nuestro nuestra nuestros nuestras me se le les nos te ti mí sí consigo conmigo yo él ella ellos ellas
nosotros esto eso este esta estos estas ese esa esos esas soy es eres somos era eras eran fue fui fueron ser
sido estoy está están estamos estaba estar estado hay haber ha he has han hemos había voy va vamos van iba ir
tengo tiene tienen tenemos tenía tener hago hace hacía hizo hice hacer puedo puede quiero quiere sé sabe doy da
digo dice
""")
#: Words that resolving "last week" may bring in.
DATE_WORDS = listed(
    "week weekend month year day spring summer autumn fall winter between since until before after around "
    "semana mes año día fin primavera verano otoño invierno entre desde hasta antes después"
)
_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "uno": "1", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5",
    "seis": "6", "siete": "7", "ocho": "8", "nueve": "9", "diez": "10", "once": "11", "doce": "12",
}  # fmt: skip
#: Forms that no ending tells of: short Spanish verbs in the first person, and plurals.
_SAME = {
    "leo": "lee", "uso": "usa", "usamos": "usa", "amo": "ama", "veo": "ve", "vi": "vio", "children": "child",
    "wives": "wife",
}  # fmt: skip
_ENDINGS = (
    "aciones", "amiento", "imiento", "ándome", "iéndome", "ación", "mente", "iendo", "amos",
    "emos", "imos", "ando", "aron", "ieron",
    "ings", "ies", "ers", "ors",
    "ing", "ied", "edly", "ed", "es", "ly", "er", "or", "ió", "ío", "ía", "ar", "ir", "as", "os", "an", "en",
    "s", "e", "o", "ié",
    "a", "é", "í", "ó", "á", "y",
)  # fmt: skip
#: "Llámame", "tutéame": to whom it is done is written in one with the verb.
_TO_WHOM = re.compile(r"(?<=[áéíóú]\w\w)(?:me|nos|lo|la|le|se)$|(?<=[áéíóú]\w)(?:me|nos|lo|la|le|se)$")
#: The same by their length, the longest first: a word is looked up a few times instead of compared with all.
_ENDINGS_BY_LENGTH = tuple(
    (length, frozenset(ending for ending in _ENDINGS if len(ending) == length)) for length in range(7, 0, -1)
)


def words(text: str) -> list[str]:
    """The words of a text as they are compared: without case and forms of characters."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    if "nna" in folded:
        folded = re.sub(r"\bgonna\b", "going to", re.sub(r"\bwanna\b", "want to", folded))
    return [word.removesuffix("'s") for word in _WORD.findall(folded)]


def stem(word: str) -> str:
    """A light stem: likes, liked and liking are like; vivo and vive are viv."""
    if word in _NUMBERS:
        return _NUMBERS[word]
    base = base_of(word) or _SAME.get(word, word)
    if not base.isascii():
        base = _TO_WHOM.sub("", base)
    for length, endings in _ENDINGS_BY_LENGTH:
        if len(base) - length >= 3 and base[-length:] in endings:
            base = base[:-length]
            break
    plain = base
    if not base.isascii():
        plain = "".join(char for char in unicodedata.normalize("NFD", base) if not unicodedata.combining(char))
    # empecé and empezó, llegué and llegó, saqué and sacó, conduzco and conduce
    for written, sounds in (("qu", "c"), ("gu", "g"), ("zc", "c"), ("z", "c")):
        if plain.endswith(written):
            return plain[: -len(written)] + sounds
    return plain[:-1] if len(plain) > 3 and plain[-1] == plain[-2] else plain


def content_words(text: str, without: Collection[str] = ()) -> list[str]:
    """The words that carry what a text says."""
    return [word for word in words(text) if word not in FUNCTION_WORDS and word not in without and "'" not in word]


def stems(texts: Iterable[str]) -> set[str]:
    """The stems of all words of some texts."""
    return {stem(part) for text in texts for word in words(text) for part in (word, *word.split("'"))}


def unsupported(text: str, sources: Iterable[str], without: Collection[str] = ()) -> list[str]:
    """The content words of a text that no source has."""
    sources = list(sources)
    plain = [latin(source) for source in sources]
    known = stems(plain)
    missing = [
        word
        for word in content_words(latin(text), without)
        if stem(word) not in known and not _near(stem(word), known)
    ]
    return [*_unsaid_otherwise(text, missing, plain, without), *unsaid(text, sources, without)]


def _unsaid_otherwise(text: str, missing: list[str], sources: list[str], without: Collection[str]) -> list[str]:
    """Those of the missing words that are no other form of a word of German, French, Italian or Portuguese."""
    spoken = others(sources)
    if not spoken:
        return missing
    elided = [part for word in words(latin(text)) if "'" in word for part in word.split("'") if len(part) > 2]
    heard = {
        tongue: {folded(part) for one in said for word in words(one) for part in word.split("'")}
        for tongue, said in spoken.items()
    }
    return [word for word in (*missing, *elided) if word not in without and not said_otherwise(word, heard)]


def _near(one: str, known: Collection[str]) -> bool:
    """Spanish stems change their vowels: prefer- and prefier-, jug- and jueg-."""
    if one.isascii() and len(one) >= 3:
        flat = one.replace("ie", "e").replace("ue", "o")
        return any(flat == other or flat == other.replace("u", "o") for other in known)
    return False
