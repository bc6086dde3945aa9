"""Spanish verbs in the first person, and what they become in the third. Pure."""

from __future__ import annotations

import re

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
    "ahorro": ("ahorra", "ahorrar"), "vendo": ("vende", "vender"), "doy": ("da", "enseñar"),
}  # fmt: skip
_TOGETHER = {
    "somos": ("es", "be"), "estamos": ("está", "be"), "tenemos": ("tiene", "tener"), "vivimos": ("vive", "vivir"),
    "hemos": ("ha", "haber"), "vamos": ("va", "ir"), "fuimos": ("fue", "visitar"), "adoptamos": ("adoptó",
    "adoptar"),
    "compramos": ("compró", "comprar"), "mudamos": ("mudó", "mudar"), "casamos": ("casó", "casar"),
    "vendimos": ("vendió", "vender"), "trabajamos": ("trabaja", "trabajar"), "queremos": ("quiere", "querer"),
}  # fmt: skip
_PAST = {
    "fui": ("fue", "visitar"), "tuve": ("tuvo", "tener"), "estuve": ("estuvo", "visitar"), "hice": ("hizo",
    "terminar"),
    "puse": ("puso", "poner"), "vine": ("vino", "mudar"), "traje": ("trajo", "traer"), "supe": ("supo", "saber"),
    "quise": ("quiso", "querer"), "conduje": ("condujo", "conducir"), "vi": ("vio", "ver"), "di": ("dio", "dar"),
    "era": ("era", "be"), "estaba": ("estaba", "be"), "tenía": ("tenía", "tener"), "vivía": ("vivía", "vivir"),
    "trabajaba": ("trabajaba", "trabajar"), "estudiaba": ("estudiaba", "estudiar"), "jugaba": ("jugaba", "jugar"),
}  # fmt: skip
_NOT_VERBS = listed("qué café así aquí ahí allí mí sí té porqué quizá bebé papá mamá después también ojalá")
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
