"""Spanish verbs in the first person, and what they become in the third. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.remember.extract.statement import Tense
from recollect.text.wordlists import listed

#: first person: third person, infinitive
_PRESENT = {
    "soy": ("es", "be"), "estoy": ("está", "be"), "tengo": ("tiene", "tener"), "vivo": ("vive", "vivir"),
    "trabajo": ("trabaja", "trabajar"), "estudio": ("estudia", "estudiar"), "odio": ("odia", "odiar"),
    "prefiero": ("prefiere", "preferir"), "detesto": ("detesta", "detestar"), "adoro": ("adora", "adorar"),
    "amo": ("ama", "amar"), "juego": ("juega", "jugar"), "hablo": ("habla", "hablar"), "toco": ("toca", "tocar"),
    "como": ("come", "comer"), "bebo": ("bebe", "beber"), "fumo": ("fuma", "fumar"), "quiero": ("quiere",
    "querer"),
    "voy": ("va", "ir"), "puedo": ("puede", "poder"), "sé": ("sabe", "poder"), "hago": ("hace", "practicar"),
    "colecciono": ("colecciona", "coleccionar"), "conduzco": ("conduce", "conducir"), "enseño": ("enseña",
    "enseñar"),
    "cocino": ("cocina", "cocinar"), "escribo": ("escribe", "escribir"), "leo": ("lee", "leer"),
    "corro": ("corre", "correr"),
    "nado": ("nada", "nadar"), "pinto": ("pinta", "pintar"), "canto": ("canta", "cantar"), "bailo": ("baila",
    "bailar"),
    "viajo": ("viaja", "viajar"), "monto": ("monta", "montar"), "practico": ("practica", "practicar"),
    "entreno": ("entrena", "entrenar"), "uso": ("usa", "usar"), "llevo": ("lleva", "llevar"),
    "sufro": ("sufre", "sufrir"),
    "padezco": ("padece", "padecer"), "crío": ("cría", "criar"), "planeo": ("planea", "planear"),
    "dirijo": ("dirige", "trabajar"),
    "disfruto": ("disfruta", "disfrutar"), "salgo": ("sale", "practicar"), "dibujo": ("dibuja", "dibujar"),
    "llamo": ("llama", "llamar"), "dedico": ("dedica", "trabajar"), "mudo": ("muda", "mudar"), "caso": ("casa",
    "casar"),
    "jubilo": ("jubila", "jubilar"), "levanto": ("levanta", "llevar"), "he": ("ha", "haber"),
    "cuido": ("cuida", "criar"),
    "participo": ("participa", "practicar"), "soporto": ("soporta", "odiar"), "conozco": ("conoce", "conocer"),
    "tomo": ("toma", "tomar"),
    "ahorro": ("ahorra", "ahorrar"), "vendo": ("vende", "vender"), "doy": ("da", "enseñar"),
    "acabo": ("acaba", "acabar"),
}  # fmt: skip
_TOGETHER = {
    "somos": ("es", "be"), "estamos": ("está", "be"), "tenemos": ("tiene", "tener"), "vivimos": ("vive", "vivir"),
    "hemos": ("ha", "haber"), "vamos": ("va", "ir"), "fuimos": ("fue", "visitar"), "adoptamos": ("adoptó",
    "adoptar"),
    "compramos": ("compró", "comprar"), "mudamos": ("mudó", "mudar"), "casamos": ("casó", "casar"),
    "vendimos": ("vendió", "vender"), "trabajamos": ("trabaja", "trabajar"), "queremos": ("quiere", "querer"),
    "usamos": ("usa", "usar"), "comemos": ("come", "comer"), "bebemos": ("bebe", "beber"),
    "hacemos": ("hace", "practicar"), "jugamos": ("juega", "jugar"), "preferimos": ("prefiere", "preferir"),
}  # fmt: skip
_PAST = {
    "fui": ("fue", "visitar"), "tuve": ("tuvo", "tener"), "estuve": ("estuvo", "visitar"), "hice": ("hizo",
    "terminar"),
    "puse": ("puso", "poner"), "vine": ("vino", "mudar"), "traje": ("trajo", "traer"), "supe": ("supo", "saber"),
    "quise": ("quiso", "querer"), "conduje": ("condujo", "conducir"), "vi": ("vio", "ver"), "di": ("dio", "dar"),
    "era": ("era", "be"), "estaba": ("estaba", "be"), "tenía": ("tenía", "tener"), "vivía": ("vivía", "vivir"),
    "trabajaba": ("trabajaba", "trabajar"), "estudiaba": ("estudiaba", "estudiar"), "jugaba": ("jugaba", "jugar"),
}  # fmt: skip
#: Those of the third person that are nothing else: "nada" and "casa" mostly are.
_THIRD = {shown for table in (_PRESENT, _TOGETHER, _PAST) for shown, _ in table.values()} - {
    "nada",
    "casa",
    "cocina",
    "muda",
    "pinta",
    "toca",
}
_NOT_VERBS = listed(
    "qué café así aquí ahí allí mí sí té porqué quizá bebé papá mamá después también ojalá puré chalé comité josé "
    "andré rubí jabalí colibrí esquí kiwi"
)
#: Words that are more often something else than a verb in the first person.
_MORE_OFTEN_NOUNS = listed(
    "trabajo estudio juego como caso uso canto dibujo monto odio amo traje era mudo crío planeo leo ahorro pinto "
    "entreno practico vi di sé he"
)
#: After these they are verbs all the same.
_AFTER_VERB = listed("en de para con como a al por desde un una unos unas el la los las muy mucho más mi mis que")
_BEFORE_VERB = listed("que donde cuando me nos ya no y pero porque yo")
_FUTURE = re.compile(r"(?:[aei]r|[nl]dr|podr|habr|querr|sabr)é$")
_PAST_IN_RE = listed("miré esperé tiré preparé separé comparé paré giré retiré superé admiré operé reparé")
_STEMS = {
    "empec": "empezar",
    "comenc": "comenzar",
    "nac": "nacer",
    "crec": "crecer",
    "conoc": "conocer",
    "viv": "vivir",
}
_IR = listed("viv escrib recib abr sufr decid sub cumpl part asist compart")


def third_person(word: str) -> tuple[str, str, Tense] | None:
    """The form after "usuario", the infinitive, and the tense; None for what is not in the first person."""
    if word in _PRESENT:
        return *_PRESENT[word], "present"
    if word in _TOGETHER:
        shown, verb = _TOGETHER[word]
        return shown, verb, "past" if shown.endswith(("ó", "fue")) else "present"
    if word in _PAST:
        return *_PAST[word], "past"
    if len(word) < 4 or word in _NOT_VERBS:
        return None
    if _FUTURE.search(word) and word not in _PAST_IN_RE:
        return word[:-1] + "á", word[:-1], "future"
    if word.endswith("é"):
        root = word[:-1]
        for written, sounds in (("qu", "c"), ("gu", "g"), ("c", "z")):
            if root.endswith(written):
                root = root[: -len(written)] + sounds
                break
        return root + "ó", root + "ar", "past"
    if word.endswith("í"):
        root = word[:-1]
        verb = _STEMS.get(root) or root + ("ir" if root in _IR else "er")
        return root + ("yó" if re.search(r"[aeou]$", root) else "ió"), verb, "past"
    return None


def follows_a_name(words: Sequence[str]) -> bool:
    """Whether these words begin with a verb in the third person: what stands before it is no verb but a name, as
    in "Leo es celíaco"."""
    return bool(words) and (words[0] in ("se", "le") or "".join(words[words[0] == "no" :][:1]) in _THIRD)


def begins(word: str, following: str = "") -> bool:
    """Whether a word is a verb in the first person that a clause may begin with."""
    return third_person(word) is not None and (word not in _MORE_OFTEN_NOUNS or following in _AFTER_VERB)


def inside(word: str, before: str) -> str | None:
    """The third person of a verb in the midst of a clause; None for what is no verb in the first person."""
    known = word in _PRESENT or word in _TOGETHER or word in _PAST
    if word == "como" or not (before in _BEFORE_VERB or (known and word not in _MORE_OFTEN_NOUNS)):
        return None
    found = third_person(word)
    return found[0] if found else None
