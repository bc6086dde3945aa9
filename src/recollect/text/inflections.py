"""The other forms of a word: who asks says "trabajo", and what is known says "trabaja". Pure.

The store stems English only. A few forms that do not exist do no harm: nothing has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

import msgspec

from recollect.text.english_verbs import base_of, forms_of, past_of
from recollect.text.languages import folded, is_english_grammar, says_something
from recollect.text.wordlists import listed

#: How verbs end, without accents.
_VERBS = {
    "es": """
    o as a amos an e es emos en aste aron i iste io imos ieron aba aban ia ian ar er ir ando iendo ado ada ados
    adas ido ida idos idas ara era ira
    """,
    "pt": """
    o as a amos am e es emos em ei ou aste aram i iu eu eram iram ava avam ia iam ar er ir ando endo indo ado ido
    """,
    "fr": "e es ent ons ez er ais ait aient ant ee ees i is it ir u re",
    "it": "o i a iamo ate ano e ete ono ite ai o arono ii ava avano eva iva are ere ire ando endo ato ata uto ito",
    "de": "e st t en te ten est et",
}
_ENDINGS = {name: tuple(sorted(listed(ends), key=lambda end: (-len(end), end))) for name, ends in _VERBS.items()}
#: What no noun ends in, or few.
_SURELY_VERB = re.compile(
    r"(?:[aei]r|ando|[iy]?endo|ados?|adas?|idos?|idas?|[éíó]|aste|iste|aron|ieron|aba|aban|ía|ían|amos|emos|imos)$"
)
#: What a noun stands behind: "mi trabajo", but "¿en qué trabajo?".
_BEFORE_NOUN = listed("""
a al con de del el en esa ese esta este la las los mi mis nuestra nuestro otra otro para por sin sobre su sus
tu tus un una unas unos
""")
#: Verbs that change more than their ending, each with its forms.
_IRREGULAR = """
conducir conduzco conduce conducía condujo conduciendo;nacer nazco nace nací nació nacido nacida;
leer leo lee leemos leen leí leyó leyendo leído;jugar juego juega jugamos juegan jugué jugó jugando jugado;
dormir duermo duerme dormí durmió durmiendo dormido;preferir prefiero prefiere prefieren preferí prefirió;
empezar empiezo empieza empiezan empecé empezó empezado;comenzar comienzo comienza comencé comenzó;
pensar pienso piensa pensé pensó pensando;perder pierdo pierde perdí perdió perdido;
volver vuelvo vuelve volví volvió vuelto;mover muevo mueve movió;mudar mudo muda mudé mudó mudado mudando;
encontrar encuentro encuentra encontré encontró;contar cuento cuenta conté contó;costar cuesta cuestan costó;
recordar recuerdo recuerda recordé recordó;soñar sueño sueña soñé soñó;morir muero muere murió muerto muerta;
conocer conozco conoce conocí conoció conocido;salir salgo sale salen salí salió saliendo;
poner pongo pone puse puso puesto;romper rompo rompe rompí rompió roto rota;
escribir escribo escribe escribí escribió escrito escribiendo;ver veo ve vi vio visto viendo;
oír oigo oye oyó oyendo;seguir sigo sigue seguí siguió siguiendo;pedir pido pide pedí pidió pedido;
servir sirvo sirve sirvió;medir mido mide midió;vestir visto viste vistió;almorzar almuerzo almuerza almorcé;
despertar despierto despierta desperté despertó;acostar acuesto acuesta acosté;cerrar cierro cierra cerró;
entender entiendo entiende entendió;venir vengo viene vine vino viniendo;traer traigo trae traje trajo;
caer caigo cae caí cayó;construir construyo construye construyó;elegir elijo elige elegí eligió;
practicar practico practica practiqué practicó;tocar toco toca toqué tocó tocando;buscar busco busca busqué buscó;
pagar pago paga pagué pagó;llegar llego llega llegué llegó;cocer cuezo cuece;apostar apuesto apuesta;
volar vuelo vuela voló;probar pruebo prueba probé probó;sentir siento siente sintió;nevar nieva nevó;
regar riego riega regué;freír frío fríe frito;odiar odio odia odié odió;estudiar estudio estudia estudié estudió;
recomendar recomiendo recomienda recomiendas recomendaste recomendó recomendado;
decir digo dice dices dije dijo dijiste dicho;casar casan casamos casé casó casaron casado casada boda;
cumplir cumplo cumple cumplí cumplió cumpleaños;divorciar divorcié divorció divorciado divorciada;
sugerir sugiero sugiere sugieres sugeriste sugirió sugerido;
proponer propongo propone propuse propuso propusiste propuesto
"""
_FORMS = {
    form: group
    for group in (tuple(map(folded, line.split())) for line in _IRREGULAR.split(";") if line.strip())
    for form in group
}
_WORD = re.compile(r"[^\W_]+")
_ENGLISH_WORD = re.compile("[A-Za-z]+")
_SHORTEST = 3
#: "¿Qué coche conduzco?" is answered by what says "conduce": of what kind the answer is need not be said.
#: "¿Arreglé la lavadora?" is answered by what says anything of it, and not by what else was mended.
_WHICH = listed(
    "que cual cuales cuanto cuanta cuantos cuantas quel quelle quels quelles welche welcher welches welchen"
)
_WHICH_NOUN = listed("cuanta cuantos cuantas")
#: "¿Qué vino me recomendaste?" asks for a wine first of all: who answers need not say that they recommend it.
_SAID = listed(
    "recomendaste sugeriste dijiste mencionaste explicaste aconsejaste propusiste diste recomendo sugirio "
    "aconsejo propuso"
)
_HAVE_SAID = listed("recomendado sugerido dicho mencionado explicado aconsejado propuesto dado")
KIND = 0.5
VERB = 0.8
_DID = re.compile(
    r"\bdid (?:i|we|the user) (?:(?:\w+ly|ever|once|first|last|also|already|even) )?(\w+)", re.IGNORECASE
)
#: How somebody or something that a question is about follows what is asked for, …
_OF = r"(?=(?:(?:do|does|did|am|is|are|was|were|have|has|had) )?(?:i|we|my|our|the user|(?-i:[A-Z])\w+)\b)"
#: … which is told by a noun or by a measure: "which insurance company am I with?", "how old is my aunt?".
_KIND_OF = re.compile(rf"\b(?:(?:what|which) ((?:[\w'’-]+ ){{1,3}}?)|how (\w+) ){_OF}", re.IGNORECASE)
#: What one does with things of all kinds.
_WITH_ANYTHING = listed("""
use like love want need prefer enjoy own play try start change plan visit watch buy eat drink
be become begin bring come do find get give go have hold keep know leave let make mean pay put
say see send set show sit spend stand take tell think understand
""")
#: What people do all the time, of which the past says little.
_ALL_THE_TIME = _WITH_ANYTHING | listed("feel hear read run speak")
#: English nouns whose plural no stemmer brings back.
_PLURALS = """
child children;man men;woman women;person people;foot feet;tooth teeth;goose geese;mouse mice;wife wives;
life lives;knife knives;half halves;leaf leaves;shelf shelves;loaf loaves;wolf wolves;calf calves;thief thieves;
scarf scarves
"""
_NOUNS = {form: pair for pair in (tuple(row.split()) for row in _PLURALS.split(";")) for form in pair}
#: What people say for the same, at ease, in short, or on the other side of the ocean.
_ALIASES = """
mother mum mom mummy mommy mama;father dad daddy papa;grandmother grandma granny nana;grandfather grandpa granddad;
child children kid;bicycle bike;refrigerator fridge;photograph photo picture pic;film movie;apartment flat;
holiday vacation;television tv;veterinarian vet;physiotherapist physio physiotherapy;university uni;laboratory lab;
aeroplane airplane plane;telephone phone;taxi cab;sofa couch;trousers pants;rubbish garbage trash;
advertisement advert ad;examination exam;colour color;favourite favorite;neighbour neighbor;centre center;
roommate flatmate housemate;thesis dissertation;doctor physician gp;lawyer attorney;client customer;
supervisor advisor adviser;theatre theater;tyre tire;grey gray;programme program;jewellery jewelry;pyjamas pajamas;
diary journal;paediatrician pediatrician;headache migraine
"""
_ALIKE = {form: group for group in (tuple(row.split()) for row in _ALIASES.split(";")) for form in group}
#: The same in Spain and in America.
_SPANISH_ALIASES = """
coche carro auto;móvil celular teléfono;
ordenador computadora computador portátil;piso departamento apartamento depa;
madre mamá vieja;padre papá viejo;marido esposo;mujer esposa;trabajo laburo chamba empleo;conduzco manejo;
conduce maneja;conducir manejar;
medicación medicina medicamento pastilla;alquiler renta arriendo;alquilo rento arriendo;
gafas lentes anteojos;nevera refrigerador heladera;patata papa;zumo jugo;camarero mesero mozo;fontanero plomero;
canguro niñera;perro perrito cachorro;perra perrita cachorra;gato gatito;gata gatita;billete boleto pasaje;
vacaciones feria;dinero plata;autobús bus colectivo camión guagua;nieto nietecito;abuela abuelita;abuelo abuelito
"""
_SPANISH_ALIKE = {
    form: group
    for group in (tuple(map(folded, row.split())) for row in _SPANISH_ALIASES.split(";"))
    for form in group
}
_OWN = re.compile("[oéí]$")
_WHO = re.compile(r"\b(?:qui[eé]n(?:es)?|quem|qui|chi|wer|wem|wen)\b", re.IGNORECASE)
_ONESELF = listed("""
yo me mi mis conmigo nos nuestra nuestro soy estoy tengo voy he fui eu meu minha meus minhas sou estou tenho
je j moi mon ma mes suis ai io mio mia miei mie sono ho ich mich mir mein meine meinen meinem meiner bin habe
""")
#: Of so many words the forms are looked for: a question that has more has enough of them.
MOST = 16
#: So much is missing at least where a part is.
PART = 0.01


class Wanted(msgspec.Struct, frozen=True):
    """A word that says what is asked for."""

    forms: tuple[str, ...]
    """As it was said, and its other forms; without accents and case."""
    weight: float
    said: str = ""
    """As it was written: a capital may tell a name."""
    own: bool = False
    """Whether it is a verb of the one who asks: "trabajo"."""

    def occurs(self, there: Set[str]) -> bool:
        """Whether one of its forms is among these words."""
        return not there.isdisjoint(self.forms)


def wanted(question: str, tongue: str) -> list[Wanted]:
    """The words of a question that say what is asked for, once each."""
    words = _WORD.findall(question)
    before = {word: folded(previous) for previous, word in reversed(list(pairwise(["", *words])))}
    said = list(dict.fromkeys(says_something(words, tongue)))
    of_answers = any(_was_said(folded(word), before[word]) for word in said)
    return [
        *(_wanted(word, before[word], tongue, of_answers=of_answers) for word in said[:MOST]),
        *(Wanted((folded(word),), 1.0, word) for word in said[MOST:]),
    ]


def _wanted(word: str, before: str, tongue: str, *, of_answers: bool) -> Wanted:
    which = before in _WHICH
    verb = _is_verb(word, before, tongue) and not (which and of_answers)
    weight = VERB if verb and tongue == "es" else 1.0
    if _was_said(folded(word), before) or (which and not of_answers):
        weight = KIND
    return Wanted(
        _forms(word, tongue, verb=verb), weight, word, own=verb and _OWN.search(word.lower()) is not None
    )


def _was_said(plain: str, before: str) -> bool:
    return plain in _SAID or (before == "has" and plain in _HAVE_SAID)


def of_oneself(question: str, words: Sequence[Wanted]) -> bool:
    """Whether the one who asks speaks of themselves."""
    return any(word.own for word in words) or not _ONESELF.isdisjoint(words_in(question))


def does_alone(question: str, words: Sequence[Wanted]) -> bool:
    """Whether it asks for nothing but what the one who asks does: "¿dónde trabajo?". Who does it with them may be
    the subject of the answer."""
    return bool(words) and all(word.own for word in words) and not _WHO.search(question)


def happened(question: str) -> list[Wanted]:
    """The same for an English question for what somebody did, if the past of that is another word: "which bone did
    I break?" is answered by what says "broke"; and for one that calls something by another name than others do,
    like "mum". Empty for all others, and for what people do all the time."""
    asked = _DID.search(question)
    verb = asked[1].lower() if asked else ""
    if asked is None or verb in _ALL_THE_TIME or not past_of(verb):
        words = [word for word in map(str.lower, _ENGLISH_WORD.findall(question)) if not is_english_grammar(word)]
        if not any(map(_alike, words)):
            return []
        kind = _kind(question)
        return [_called(word, of_kind=word == kind) for word in dict.fromkeys(words)]
    kinds, things = question[: asked.start()], question[asked.end() :]
    return [
        Wanted(past_of(verb), VERB),
        *(Wanted(_numbered(word), KIND) for word in _WORD.findall(kinds) if not is_english_grammar(word)),
        *(Wanted(_numbered(word), 1.0) for word in _WORD.findall(things) if not is_english_grammar(word)),
    ]


def other_forms(question: str) -> dict[str, tuple[str, ...]]:
    """For each word of an English question that is told by another word, these: "did she teach" by "taught",
    "wife" by "wives", "mum" by "mother". What merely ends otherwise the store finds itself."""
    words = dict.fromkeys(word.lower() for word in _ENGLISH_WORD.findall(question))
    found = ((word, _irregular(word)) for word in words if not is_english_grammar(word))
    return dict([(word, forms) for word, forms in found if forms][:MOST])


def _irregular(word: str) -> tuple[str, ...]:
    forms = (*past_of(word), *_NOUNS.get(word, ()), *_alike(word))
    return tuple(form for form in dict.fromkeys(forms) if form != word)


def without_kind(question: str) -> str:
    """What an English question about somebody says besides of what kind the answer is, and besides what one does
    with anything: "which language am I learning?" is answered by what says "learning". Empty if that is nothing,
    or if no kind is told."""
    asked = _KIND_OF.search(question)
    if asked is None:
        return ""
    told = (asked[1] or "").split()[:-1]  # "insurance" of "which insurance company"
    words = [*_WORD.findall(question[: asked.start()]), *told, *_WORD.findall(question[asked.end() :])]
    return " ".join(
        word for word in words if not is_english_grammar(word) and base_of(word.lower()) not in _WITH_ANYTHING
    )


def _kind(question: str) -> str:
    """The word that tells of what kind the answer is."""
    asked = _KIND_OF.search(question)
    return (asked[1] or asked[2]).split()[-1].lower() if asked else ""


def _called(word: str, *, of_kind: bool) -> Wanted:
    """A word in all its forms and names."""
    names = (word, *_alike(word))
    verb = base_of(word)
    forms = [form for name in names for form in _numbered(name)] + list(() if verb is None else forms_of(verb))
    weight = KIND if of_kind else 1.0 if verb is None or len(names) > 1 else VERB
    return Wanted(tuple(dict.fromkeys(forms)), weight)


def _alike(word: str) -> tuple[str, ...]:
    """What else it is called; those of many, if it speaks of many."""
    if word in _ALIKE:
        return _ALIKE[word]
    return tuple(form + "s" for form in _ALIKE.get(word.removesuffix("s"), ()))


def _numbered(word: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((folded(word), *_numbers(folded(word)))))


def words_in(text: str) -> set[str]:
    """The words of a text, as forms are written."""
    return {folded(word) for word in _WORD.findall(text)}


def share(words: Sequence[Wanted], here: Sequence[bool]) -> float:
    """Which part of what is asked for is here; of two words alike one is not half."""
    if all(here):
        return 1.0 if here else 0.0
    found = sum(word.weight for word, one in zip(words, here, strict=True) if one)
    return max(found / sum(word.weight for word in words) - PART, 0.0)


def _is_verb(word: str, before: str, tongue: str) -> bool:
    """Whether it may be one; told in Spanish only."""
    if tongue != "es":
        return True
    return _SURELY_VERB.search(word.lower()) is not None or (
        before not in _BEFORE_NOUN and before not in _WHICH_NOUN and word[-1:].lower() in "oaen"
    )


def _forms(word: str, tongue: str, *, verb: bool) -> tuple[str, ...]:
    plain = folded(word)
    if not plain.isalpha():
        return (plain,)
    known = _FORMS.get(plain, ()) if tongue == "es" and verb else ()
    forms = [plain, *known, *_numbers(plain)]
    if verb and not known:
        forms += [stem + end for stem in _stems(plain, tongue) for end in _ENDINGS[tongue]]
    if tongue == "es":
        forms += [form for name in _called_in_spanish(plain) for form in _numbers(name)]
    return tuple(dict.fromkeys(forms))


def _called_in_spanish(plain: str) -> tuple[str, ...]:
    """What else it is called on the other side of the ocean, or at home: "carro", "perrita"."""
    return _SPANISH_ALIKE.get(plain) or _SPANISH_ALIKE.get(plain.removesuffix("s"), ())


def _stems(plain: str, tongue: str) -> list[str]:
    """What is left of a verb without its ending: "-zco" is how those in "-cer" begin."""
    if tongue == "es" and plain.endswith("zco"):
        return [plain[:-3] + "c"]
    stems = [plain.removesuffix(end) for end in _ENDINGS[tongue] if plain.endswith(end)]
    stems = [stem for stem in stems if len(stem) >= _SHORTEST]
    return stems if tongue == "de" else stems[:1]


def _numbers(plain: str) -> list[str]:
    """One and many, he and she: "maratón" and "maratones", "alérgica" and "alérgico"."""
    one = plain.removesuffix("s") if len(plain) > _SHORTEST + 1 else plain
    forms = [one, one + "s", one + "es", *([one.removesuffix("e")] if plain.endswith("es") else [])]
    if len(one) >= 6 and one[-1] in "oa":
        forms += [one[:-1] + end for end in ("o", "a", "os", "as")]
    return forms
