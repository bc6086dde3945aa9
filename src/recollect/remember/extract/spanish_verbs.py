"""Spanish verbs in the first person, and what they become in the third. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.remember.extract.statement import Tense
from recollect.text.wordlists import listed

#: first person: third person, infinitive
_IN_THE_PRESENT = {
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
#: Verbs whose stem does not change, by the verb whose worth they have; none where it is their own.
_REGULAR = (
    ("vivir", "alquilar rentar arrendar residir"),
    ("trabajar", "laburar chambear currar camellar administrar emprender"),
    ("conducir", "manejar"),
    ("coleccionar", "tejer bordar coser patinar surfear bucear pedalear meditar cazar pescar cultivar"),
    ("llevar", "entrar madrugar desayunar cenar merendar asistir caminar escuchar"),
    ("llamarse", "pesar"),
    ("odiar", "aguantar tolerar bancar"),
    ("", "aprender ganar pagar cobrar invertir"),
)
_STEM_CHANGES = {
    "mido": ("mide", "llamarse"), "calzo": ("calza", "llamarse"), "almuerzo": ("almuerza", "llevar"),
    "duermo": ("duerme", "llevar"), "acuesto": ("acuesta", "llevar"), "despierto": ("despierta", "llevar"),
    "suelo": ("suele", "llevar"), "sigo": ("sigue", "llevar"), "empiezo": ("empieza", "empezar"),
    "comienzo": ("comienza", "comenzar"), "pienso": ("piensa", "pensar"), "veo": ("ve", "ver"),
    "vuelvo": ("vuelve", "ir"), "vengo": ("viene", "ir"), "aborrezco": ("aborrece", "odiar"),
    "pertenezco": ("pertenece", "practicar"), "invierto": ("invierte", "ahorrar"),
}  # fmt: skip
_PRESENT = (
    _IN_THE_PRESENT
    | _STEM_CHANGES
    | {
        f"{verb[:-2]}o": (f"{verb[:-2]}{'a' if verb.endswith('ar') else 'e'}", worth or verb)
        for worth, verbs in _REGULAR
        for verb in verbs.split()
    }
)
_TOGETHER = {
    "somos": ("es", "be"), "estamos": ("está", "be"), "tenemos": ("tiene", "tener"), "vivimos": ("vive", "vivir"),
    "hemos": ("ha", "haber"), "vamos": ("va", "ir"), "fuimos": ("fue", "visitar"), "adoptamos": ("adoptó",
    "adoptar"),
    "compramos": ("compró", "comprar"), "mudamos": ("mudó", "mudar"), "casamos": ("casó", "casar"),
    "vendimos": ("vendió", "vender"), "trabajamos": ("trabaja", "trabajar"), "queremos": ("quiere", "querer"),
    "usamos": ("usa", "usar"), "comemos": ("come", "comer"), "bebemos": ("bebe", "beber"),
    "alquilamos": ("alquila", "vivir"), "rentamos": ("renta", "vivir"), "separamos": ("separó", "separar"),
    "divorciamos": ("divorció", "divorciar"), "reservamos": ("reservó", "reservar"), "venimos": ("viene", "ir"),
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
_THIRD = {shown for table in (_PRESENT, _TOGETHER, _PAST) for shown, _ in table.values()} - listed(
    "nada casa cocina muda pinta toca entra caza pesca pesa renta"
) | {"cumple", "falleció", "murió", "nació"}
#: What is told of somebody of the speaker's in the third person, besides what one tells of oneself.
_OF_ANOTHER = listed("""
    son están eran viven trabajan tienen llama llaman llamaba estudian nació murió falleció cumple van han pueden
    comen beben toman necesita necesitan usan llega viene empieza termina caduca cuesta atiende ayuda
    acompaña cuida
    trabajó estudió vivió compró vendió dejó empezó perdió ganó rompió cayó jubiló separó divorció graduó
    operó mudó
    casó casa fue
""")
#: What is said of somebody as well that tells nothing of them by itself.
_TALK_OF_ANOTHER = listed("quiere conoce hace acaba da dio vio puso trajo supo quiso nada muda sigue piensa ve")
_NOT_VERBS = listed(
    "qué café así aquí ahí allí mí sí té porqué quizá bebé papá mamá después también ojalá puré chalé comité josé "
    "andré rubí jabalí colibrí esquí kiwi"
)
#: Words that are more often something else than a verb in the first person.
_MORE_OFTEN_NOUNS = listed(
    "trabajo estudio juego como caso uso canto dibujo monto odio amo traje era mudo crío planeo leo ahorro pinto "
    "entreno practico vi di sé he peso entro pienso suelo sigo cobro pago laburo coso cultivo invierto "
    "manejo despierto"
)
#: After these they are verbs all the same.
_AFTER_VERB = listed(
    "en de para con como a al por desde un una unos unas el la los las muy mucho más mi mis que todos todas cada"
)
_BEFORE_VERB = listed("que donde cuando me nos ya no y pero porque yo")
_BEFORE_NOUN = listed("el los un unos del al mi mis tu su este ese cada otro primer buen mal de en con por sin")
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


def of_another() -> list[str]:
    """The verbs in the third person by which something is told of somebody of the speaker's, longest first."""
    shown = {form for table in (_PRESENT, _TOGETHER, _PAST) for form, _ in table.values()}
    return sorted((shown | _OF_ANOTHER) - _TALK_OF_ANOTHER, key=lambda form: (-len(form), form))


def is_past(form: str) -> bool:
    """Whether a verb in the third person tells of what is over."""
    return form.endswith(("ó", "aba", "aban", "ía", "ían")) or form in ("era", "eran", "fue", "tuvo", "estuvo")


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
    if before in _BEFORE_NOUN:
        return None
    if word == "como" or not (before in _BEFORE_VERB or (known and word not in _MORE_OFTEN_NOUNS)):
        return None
    found = third_person(word)
    return found[0] if found else None
