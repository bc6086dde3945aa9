"""Whether a sentence is English or Spanish, by its small words; anything else is left alone. Pure."""

from __future__ import annotations

import re
from typing import Literal

from recollect.text.wordlists import listed

_ENGLISH = listed(
    "i i'm i've i'd i'll my our me we we're the a an and is am are was were have has had do don't to of in on at "
    "for with "
    "it that this but not been"
)
_SPANISH = listed(
    "yo mi mis me el la los las un una unos unas y es soy estoy está fue fui tengo tiene de del al en con para "
    "por que "
    "han somos tenemos vivimos estamos hemos pero porque cuando desde hasta le les ella todos todas ahora "
    "no se lo llamo nos nuestro nuestra su muy también hace vivo trabajo he ha ayer voy"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def language(sentence: str) -> Literal["en", "es"] | None:
    """The language whose small words it has more of, if it has any."""
    words = _WORD.findall(sentence.lower())
    spanish = sum(word in _SPANISH for word in words) + (1 if re.search(r"[¿¡ñ]", sentence) else 0)
    # "me mudé a Cádiz": two words that are of both languages
    both = {"me", "a"} if re.search(r"\w[áéíóú]\b|ñ|[¿¡]", sentence) else set[str]()
    english = sum(word in _ENGLISH and word not in both for word in words)
    shared = _ENGLISH & {*words}
    if shared <= {"a", "me"} and not _SPANISH.isdisjoint({*words} - _ENGLISH - {"no"}):  # "tengo miedo a volar"
        return "es"
    if english == spanish:
        return None if not english else "es" if re.search(r"[áéíóúñ]", sentence) else "en"
    return "en" if english > spanish else "es"
