"""Spanish sentences in the first person, rewritten: "vivo en Oporto" → "usuario vive en Oporto". Pure."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec

from recollect.remember.extract import spanish_verbs
from recollect.remember.extract.elided import elided
from recollect.remember.extract.requests import told_in_spanish
from recollect.remember.extract.spanish_verbs import third_person
from recollect.remember.extract.statement import Statement, Tense
from recollect.text.wordlists import listed

_DAYS = "lunes|martes|miércoles|jueves|viernes|sábados?|domingos?"
_CLAUSE = re.compile(
    r"\s*(?:,|;)?\s+(?:y|e|pero|así que|aunque)\s+(?=(?:yo|me|mi|mis|no|nos|soy|estoy|tengo|vivo|trabajo|"
    r"estudio|también|ahora|"
    r"\w{2,}(?:é|í)\b|él|ella|es|fue|eso|tú|tu)\b)|\s*;\s*|\s+[-–—]+\s+|\.\.\.\s*|…\s*"
    r"|\s*,\s+y\s+(?=(?:con|por|para|a|en|así|cuando|como)\b)|\s+pero\s+(?=(?:todos|todo el mundo|la gente|"
    r"dec[ií]me|dime|d[ií]game|ll[aá]m[ae]me|puedes|podés|puede)\b)",
    re.IGNORECASE,
)
#: "…, porque soy celíaca": what a wish follows from holds, whatever becomes of the wish.
_REASON = re.compile(
    r",?\s+(?:porque|ya que|puesto que|es que|pues)\s+(?=(?:yo\s+)?(?:soy|tengo|padezco|sufro|no (?:como|"
    r"puedo|tomo|"
    r"bebo)|estoy (?:embarazada|a dieta)|vivo|(?:a )?(?:mi|nuestr[oa]) \w+)\b)",
    re.IGNORECASE,
)
#: "Como soy celíaca, nada de pan": the same before it.
_REASON_FIRST = re.compile(
    r"^(?:como|ya que|puesto que|dado que) (?=(?:yo )?(?:soy|padezco|sufro|no (?:como|puedo|tomo|bebo)|"
    r"tengo (?!hambre|sed|sueño|prisa|frío|calor|ganas|tiempo|que|una? )|"
    r"estoy (?:embarazada|a dieta))\b)(?P<fact>[^,]{4,80}), ",
    re.IGNORECASE,
)
#: "Le debo 200 euros a mi hermano"; what one must do is another matter.
_OWES = re.compile(
    r"^(?P<whom>les?) debo (?P<what>(?!\w+[aei]r(?:[lmst]\w+)?\b|un favor|una\b).+)$", re.IGNORECASE
)
#: What is put in between and says nothing by itself.
_ASIDE = re.compile(
    r",\s*(?:(?:que en paz descanse|q\.?e\.?p\.?d\.?|que en gloria esté),?|(?:gracias a dios|por desgracia|"
    r"por suerte|"
    r"lamentablemente|eso sí|la verdad|por cierto|ni modo|jaja\w*|como (?:sabes|sabe|ya sabes|te dije|le dije)))"
    r"(?=\s*[,.!;]|\s*$|(?<=,)|(?<=descanse)|(?<=esté))",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:importante|nota|ojo|recordatorio|aviso|sí|no|bueno|pues|hola|oye|ah|oh|vale|ok|claro|gracias|"
    r"además|también|por cierto|la verdad(?: es que)?|en realidad|"
    r"de hecho|mira|y|pero|entonces|así que|jaja\w*|buenas|buenos días|buenas tardes|a ver|por supuesto|"
    r"sinceramente|listo|dale|che|noticias?|novedad(?:es)?|[lt]e cuento|mire|mirá|oiga|oíme|fíjese|fíjate|"
    r"perfecto|genial|buenísimo|órale|otra cosa|por otro lado|cambiando de tema|pues mira|"
    r"actualmente|ahora|hoy en día)\b\s*[,.!:;]+\s*|^(?:y|pero|además|también|pues|bueno|actualmente|"
    r"encima|ahora|luego|por eso|después(?! de\b)) (?=\w)"
    r"|^(?:fíjese|fíjate|[lt]e cuento|[lt]e comento|sabes|sabés|resulta|la cosa es|la verdad es|es|lo que "
    r"pasa es) "
    r"que (?=\w)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",?\s+(?:porque|ya que|puesto que|aunque|así que)\b.*$|,\s*(?:que|lo que|donde|cuando|como|pero|"
    r"sobre todo|el cual|la cual|por eso|eso|esto|ya (?:ves?|sabes?)|es lo que|para que (?:lo|la|te|le|sepas?)|"
    r"(?:acu[eé]rd|recu[eé]rd|imag[ií]n|f[ií]j)\w+)\b.*$|,\s*(?:y )?no (?:al?|en|el|la|los|las|una?|de|del|"
    r"con)\b.*$",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"(?:,?\s+(?:también|jaja\w*|la verdad|ahora mismo|por cierto|además|gracias|creo|de verdad|ya|mucho))+\s*$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:si|quizás?|tal vez|ojalá|a lo mejor|creo que|supongo|puede que|imagina|supongamos|como si|podría|"
    r"debería|quisiera|"
    r"soñé|he soñado|gustaría que|por favor|puedes|podrías|me gustaría saber|no sé|no estoy segur[oa])\b",
    re.IGNORECASE,
)
#: "En mi novela vivo en Marte"
_FICTION = re.compile(
    r"^(?:y |pero )?en (?:mi|nuestr[oa]|el|la|este|esta|una?) (?:novela|libro que escribo|cuento|historia|juego|"
    r"videojuego|sueño|película|obra|guion)\b",
    re.IGNORECASE,
)
#: "Hace tres años que vivo en Lugo"
_SINCE = re.compile(
    r"(?P<before>^|[,;]\s+)hace (?P<time>(?:ya )?(?:más de |unos |unas |casi )?\w+ "
    r"(?:años?|mes(?:es)?|semanas?|días?)) que (?P<said>[^,;]+)",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"\b(?:eso|esto|ello|aquello|ése|éste|tú|te|ti|usted|ustedes|vosotros|tu|tus|contigo|él|ella|ellos|ellas|"
    r"aquí|allí|ahí|algo|nada|"
    r"lo mismo)\b|\b(?:de|que|con|a|en|y|o|la|el|los|las|un|una|por|para)\s*$",
    re.IGNORECASE,
)
_TIME_FIRST = re.compile(
    rf"^((?:ayer|anteayer|anoche|hoy|mañana|pasado mañana|(?:el|la) \w+ (?:pasad[oa]|que viene)|el próximo \w+|"
    rf"(?:todos )?los (?:{_DAYS})(?:,? (?:y |e )?(?:los )?(?:{_DAYS}))*|(?:todos )?los (?:fines de semana|veranos|"
    r"inviernos|días|años)|el fin de semana|entre semana|(?:por|en) las? (?:mañanas?|tardes?|noches?)|cada \w+|"
    r"la próxima \w+|"
    r"hace \w+(?: \w+)? (?:días?|semanas?|mes(?:es)?|años?)|en (?:19|20)\d\d|en \w+ de (?:19|20)\d\d|"
    rf"el (?:(?:{_DAYS}) )?\d+ de \w+|"
    r"este \w+|esta \w+|"
    r"en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|"
    r"de niñ[oa]|de joven|con (?:mi \w+|(?-i:[A-ZÁÉÍÓÚÑ])\w+)(?= (?:nos|ya no|hemos)\b)|"
    rf"desde (?:hace (?:\w+ ){{1,3}}?(?:años?|mes(?:es)?|semanas?|días?)|(?:19|20)\d\d|ayer|siempre|entonces|"
    rf"(?:de )?niñ[oa]|"
    rf"pequeñ[oa]|el (?:{_DAYS}|\w+ pasado|\d+ de \w+)|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    rf"septiembre|"
    r"octubre|noviembre|diciembre)))\s*,?\s+(?=\w)",
    re.IGNORECASE,
)
_LIKING = re.compile(
    r"^(?:a m[ií] )?((?:ya )?no )?(?:nos|me) (gusta|gustan|encanta|encantan|interesa|interesan|fascina|fascinan|"
    r"apasiona|apasionan|gustaba|"
    r"gustaban|gustaría|duele|duelen|asusta|asustan|flipan?|molan?|chiflan?|copan?|laten?|agradan?|disgustan?|"
    r"aburren?|molestan?|caen? (?:bien|mal|fatal|pesad[oa]s?)|sientan? (?:bien|mal|fatal)|hacen? (?:daño|mal)|"
    r"dan? (?:miedo|asco|alergia|pánico|vértigo|fobia))\s+(.+)$",
    re.IGNORECASE,
)
#: "Los mariscos me dan alergia": what comes first is not liked. What is liked so is mostly what was offered.
_THE_OTHER_WAY = re.compile(
    r"^(?P<what>(?:el|la|los|las) [\w ]{2,40}?) (?P<how>(?:(?:ya )?no )(?:me|nos) (?:gustan?|encantan?|"
    r"interesan?)|"
    r"(?:me|nos) (?:disgustan?|molestan?|asustan?|aburren?|caen? (?:mal|fatal|pesad[oa]s?)|sientan? (?:mal|fatal)|"
    r"hacen? (?:daño|mal)|dan? (?:miedo|asco|alergia|pánico|vértigo|fobia)))$",
    re.IGNORECASE,
)
_HURTS = re.compile(r"(?:cae|sienta)n? |hacen? |dan? alergia|duele", re.IGNORECASE)
_OWN = re.compile(
    r"^(mi|mis|nuestr[oa]s?) ((?:mejor )?[\w-]+(?: (?:mayor|menor|pequeñ[oa]|favorit[oa]s?|preferid[oa]s?|"
    r"negr[oa]|"
    r"de [\w]+|(?:a|para|con) [A-ZÁÉÍÓÚÑ]\w+))?)"
    r"(?:,? ((?:(?:el|la|don|doña) (?:\w+ )?)?[A-ZÁÉÍÓÚÑ]\w+),?)? ((?:ya )?no )?"
    rf"((?:(?:se|me|nos|le|les) )?(?:{'|'.join(spanish_verbs.of_another())}|le)) (.+)$"
)
#: "A mi hija le gusta bailar", "a mi padre le operaron": what somebody of theirs likes, or what was done to them.
_TO_OWN = re.compile(
    r"^a (?P<whose>mi|mis|nuestr[oa]s?) (?P<head>(?:mejor )?[\w-]+(?: (?:mayor|menor|pequeñ[oa]))?)"
    r"(?:,? (?P<name>[A-ZÁÉÍÓÚÑ]\w+),?)? (?P<no>(?:ya )?no )?(?P<them>les?|l[oa]s?) (?P<verb>(?:han |van a |"
    r"va a )?"
    r"(?:(?:gust|encant|interes|fascin|apasion|molest)an?|duelen?|dan? (?:miedo|asco|alergia|pánico)|"
    r"sientan? (?:bien|mal|fatal)|hacen? daño|"
    r"\w+(?:aron|ieron)|(?:oper|diagnostic|recet|detect|cambi|contrat|despid|ascend|jubil)\w*)) (?P<rest>.+)$"
)
#: "Todos me dicen Lupita"
_CALLED = re.compile(
    r"^(?:(?:todos|todo el mundo|la gente|en casa|mis amigos|mi familia) )?me (?:dicen|llaman) "
    r"(?P<name>[A-ZÁÉÍÓÚÑ]\w+)$"
)
#: "Mi hermano Iker, que vive en Londres, es cocinero": two things that are told of him.
_WHO_IS = re.compile(
    r"\b(?P<who>(?:mi|nuestr[oa]) [\w-]+(?: (?:mayor|menor|pequeñ[oa]))?(?: (?-i:[A-ZÁÉÍÓÚÑ])\w+)?), que "
    r"(?P<rest>(?:no )?(?:es|está|tiene|vive|trabaja|estudia|va|usa|padece|sufre|toma|habla|juega) [^,;.]{3,60})"
    r"(?:,(?= (?!y\b|pero\b))|(?=[,.;!]|$))",
    re.IGNORECASE,
)
#: "Me operaron de la rodilla": what others did to somebody.
_DONE_TO = re.compile(
    r"^(?:me|nos) (?P<verb>(?:operaron|operan|diagnosticaron|despidieron|echaron|contrataron|ascendieron|"
    r"trasladaron|"
    r"recetaron|recetó|detectaron|han operado|"
    r"han diagnosticado|han despedido|han echado|han contratado|han ascendido|han trasladado|han recetado|"
    r"han detectado|van a operar)) (?P<rest>.+)$",
    re.IGNORECASE,
)
_US = re.compile(r"\b(con|a|para|de|sin|por) nosotr[oa]s\b", re.IGNORECASE)
#: "La clase de yoga es los jueves": who says so takes part in it.
_REGULAR = re.compile(
    r"^(el|la|los|las) ((?:clase|curso|entrenamiento|ensayo|reunión|terapia|cita|turno|partido|lección|taller|"
    r"coro)s?(?: de [\w]+| con [\w]+){0,2}) (es|son|empieza|toca|cae) "
    r"((?:(?:todos )?los|el|cada) (?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)\b.*)$",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"^((?:el|la|los|las) [\w ]{2,40}?|[A-ZÁÉÍÓÚÑ]\w+(?: \w+){0,2}) (es|son|era|eran) mi(s?) (.+)$"
)
_FEMININE = re.compile(
    r"^\w+(?:a|as|ción|sión|ciones|siones|dad|dades|tad|tades|tud|triz|umbre|ez|ie|ies)$", re.IGNORECASE
)
#: Nouns whose ending does not tell.
_FEMININE_TOO = listed(
    "madre madres mujer mujeres mamá clase clases noche tarde calle llave llaves torre frase base fase sangre "
    "parte suerte muerte fiebre leche carne gente nube nave fuente mente mano manos moto motos foto fotos radio "
    "bici luz voz paz cruz raíz nariz red pared sed salud ley flor flores sal piel imagen orden cárcel miel "
    "crisis tesis dosis alergia reunión opinión región unión comunión razón"
)
_MASCULINE_A = listed(
    "papá problema problemas idioma idiomas sistema sistemas tema temas programa programas día días mapa mapas "
    "poeta sofá pijama planeta clima drama poema poemas dilema diploma trauma síntoma síntomas tranvía esquema "
    "lema enigma aroma carisma pez juez ajedrez"
)
_JOINT = re.compile(r"(?:,?\s+(?:y|e|pero)|,)\s+", re.IGNORECASE)
#: "De joven era bailarina": a time that is over.
_ONCE = re.compile(r"\b(?:antes|de joven|de niñ[oa]|de pequeñ[oa]|cuando)\b", re.IGNORECASE)
_ADVERBS = listed("ya sí también siempre nunca casi solo sólo aún todavía actualmente ahora normalmente apenas")
_BEFORE_VERB = _ADVERBS | {"yo", "no", "me", "nos", "pero", "y", "hoy", "luego", "después", "encima"}
_OBJECT = {
    "mi": "su", "mis": "sus", "nuestro": "su", "nuestra": "su", "nuestros": "sus", "nuestras": "sus",
    "conmigo": "consigo",
    "mí": "sí", "mío": "suyo", "mía": "suya", "míos": "suyos", "mías": "suyas",
}  # fmt: skip
#: "Nos casamos el 8 de octubre": they did, or they will.
_SOME_DAY = re.compile(
    r"\b(?:\d{1,2} de \w+|el \d{1,2}(?! de)|(?:en|de) (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"septiembre|octubre|noviembre|diciembre)|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo))\b"
    r"(?! (?:de|del) (?:19|20)\d\d| pasado)",
    re.IGNORECASE,
)
#: "Vivo en Lima hace tres años": since then, for what is so now.
_SINCE_THEN = re.compile(
    r"^((?:(?:yo|ya|no|también) ){0,2}(?:vivo|vivimos|trabajo|trabajamos|estudio|soy|somos|estoy|estamos|"
    r"tengo|tenemos|juego|toco|tomo|"
    r"uso|corro|nado|salgo)\b(?:(?! que ).)*?)(?<!desde )(hace (?:más de |unos |unas |casi )?\w+ (?:años?|"
    r"mes(?:es)?|"
    r"semanas?|días?)\b)",
    re.IGNORECASE,
)
#: "Me caso el 3 de mayo" is said of the next.
_PLANS = listed("querer ir viajar casarse mudarse empezar comenzar")
_APPOINTED = re.compile(
    r"(?:una? |otra? )?(?:cita|turno|reunión|entrevista|examen|vuelo|operación|cirugía|viaje)\b"
)
_REFLEXIVE = {
    "separar": "separarse",
    "llamar": "llamarse", "mudar": "mudarse", "casar": "casarse", "jubilar": "jubilarse", "graduar": "graduarse",
    "divorciar": "divorciarse",
}  # fmt: skip


def statements(sentence: str, subject: str, names: frozenset[str] = frozenset()) -> list[Statement]:
    """What a Spanish sentence says about its speaker, who is called ``subject``."""
    sentence, urged = told_in_spanish(sentence, _UNSURE)
    if "?" in sentence or "¿" in sentence:
        return []
    text = re.sub(r"\s*\([^()]*\)", "", sentence).strip(" .!¡…\"'")
    text = _SINCE.sub(r"\g<before>\g<said> desde hace \g<time>", text)
    text = _ASIDE.sub("", text)
    found: list[Statement] = []
    if (first := _REASON_FIRST.match(text)) is not None:
        told = (one for part in (first["fact"], text[first.end() :]) for one in statements(part, subject, names))
        return [msgspec.structs.replace(one, urged=urged) for one in told]
    if len(reasons := _REASON.split(text)) > 1:
        told = (one for part in reasons for one in statements(part, subject, names))
        return [msgspec.structs.replace(one, urged=urged) for one in told]
    if _UNSURE.search(text) or _FICTION.match(text):
        return found
    if beside := list(_WHO_IS.finditer(text)):
        told = [_WHO_IS.sub(r"\g<who>", text), *(f"{one['who']} {one['rest']}" for one in beside)]
        return [
            msgspec.structs.replace(one, urged=urged) for each in told for one in statements(each, subject, names)
        ]
    for whole in (clause for part in _of_each(text) for clause in _CLAUSE.split(part)):
        for clause in _clauses(whole):
            statement = _statement(clause, subject, names)
            if statement is not None:
                found.append(msgspec.structs.replace(statement, urged=urged))
    return found


def _of_each(text: str) -> list[str]:
    """Mi madre es diabética y vive en Sevilla: two things that are known of her, and each may change."""
    parts: list[str] = []
    ends = [(joint.start(), joint.end()) for joint in _JOINT.finditer(text)]
    for (begin, start), (end, _) in pairwise([(0, 0), *ends, (len(text), len(text))]):
        said = text[start:end]
        if not parts:
            parts.append(said)
        elif (told := elided(said, parts[-1])) is not None:
            parts.append(told)
        else:
            parts[-1] += text[begin:end]
    return parts


def _clauses(text: str) -> list[str]:
    """Odio volar, prefiero el tren: each verb in the first person begins a clause of its own."""
    parts: list[str] = []
    start = 0
    for joint in _JOINT.finditer(text):
        words = _TIME_FIRST.sub("", text[joint.end() :]).split()
        ours = False
        while words and words[0].lower().strip(",") in _BEFORE_VERB:
            ours = words[0].lower() == "nos"
            words = words[1:]
        before = text[start : joint.start()]
        # "Los martes y los jueves nado": when, and not what; "tejo y bordo manteles": both at once.
        if _TIME_FIRST.sub("", f"{before} x") == "x" or " " not in before:
            continue
        if not words or words[0].istitle():  # "dos hijos, Leo y Vega": a name, and not that somebody reads
            continue
        first, following = (words[0].lower().strip(",."), "".join(words[1:2]).lower())
        done_to = _DONE_TO.match(_TIME_FIRST.sub("", text[joint.end() :]))
        if done_to or spanish_verbs.begins(first, following) or (ours and first.endswith("mos")):
            parts.append(text[start : joint.start()])
            start = joint.end()
    return [*parts, text[start:]]


def _statement(clause: str, subject: str, names: frozenset[str]) -> Statement | None:
    clause = clause.strip(" ,.!¡")
    while (shorter := _LEAD_IN.sub("", clause).strip()) != clause:
        clause = shorter
    first, comma, rest = clause.partition(",")
    if comma and first.lower() in names:
        clause = rest.strip()
    time = _TIME_FIRST.match(clause)
    moved = ""
    if time is not None:
        moved, clause = time[1][:1].lower() + time[1][1:], clause[time.end() :]
    clause = _TRAILER.sub("", _TAIL.sub("", clause)).strip(" ,.!")
    if moved:
        clause = f"{clause} {moved}"
    if _DANGLING.search(clause) or len(clause) > 220:
        return None
    clause = _SINCE_THEN.sub(r"\1desde \2", clause)
    for read in (_liking, _done_to, _owes, _called, _own, _to_own, _regular, _favourite, _self):
        statement = read(clause, subject)
        if statement is not None:
            return statement
    return None


def _owes(clause: str, subject: str) -> Statement | None:
    match = _OWES.match(clause)
    if match is None:
        return None
    what = match["what"]
    return Statement(
        text=f"{subject} {match['whom'].lower()} debe {_inside(what)}",
        language="es",
        about="self",
        verb="tener",
        rest=what.lower(),
    )


def _liking(clause: str, subject: str) -> Statement | None:
    turned = _THE_OTHER_WAY.match(clause)
    match = _LIKING.match(
        clause if turned is None else f"{turned['how']} {turned['what'][:1].lower()}{turned['what'][1:]}"
    )
    if match is None:
        return None
    no, verb, rest = match[1] or "", match[2].lower(), match[3]
    base = {"gust": "gustar", "enca": "encantar", "inte": "interesar"}.get(verb[:4], "gustar")
    if _HURTS.match(verb):
        base = "padecer"
    return Statement(
        text=f"a {subject} {no.lower()}le {verb} {_inside(rest)}",
        language="es",
        about="self",
        verb=base,
        rest=rest.lower(),
        tense="past" if verb.startswith("gustaba") else "present",
        negated=bool(no),
    )


def _own(clause: str, subject: str) -> Statement | None:
    """Mi hermana Ana vive en Lyon."""
    match = _OWN.match(clause[:1].lower() + clause[1:])
    if match is None:
        return None
    head, name, no, verb, rest = match[2], match[3], match[4] or "", match[5], match[6]
    said = _US.sub(rf"\1 {subject}", _inside(rest))
    done = re.sub(r"^(?:me|nos) ", "le ", verb)
    return Statement(
        text=f"{_whose(match[1], head, name, subject)} {no}{done} {said}",
        language="es",
        about="own",
        verb="be",
        rest=f"{head.lower()} | {rest.lower()}",
        tense=_when(verb.split()[-1], rest),
        negated=bool(no),
    )


def _whose(mine: str, head: str, name: str | None, subject: str) -> str:
    """La hermana de usuario, Ana,"""
    feminine = _is_feminine(re.sub(r"^mejor ", "", head).split()[0].lower())
    article = ("las" if feminine else "los") if mine.endswith("s") else ("la" if feminine else "el")
    return f"{article} {head} de {subject}" + (f", {name}," if name else "")


def _when(verb: str, rest: str) -> Tense:
    if spanish_verbs.is_past(verb):
        return "past"
    return "future" if verb in ("llega", "viene") and _SOME_DAY.search(rest) else "present"


def _to_own(clause: str, subject: str) -> Statement | None:
    match = _TO_OWN.match(clause[:1].lower() + clause[1:])
    if match is None:
        return None
    who = _whose(match["whose"], match["head"], match["name"], subject)
    who = f"al {who.removeprefix('el ')}" if who.startswith("el ") else f"a {who}"
    return Statement(
        text=f"{who} {match['no'] or ''}{match['them']} {match['verb']} {_inside(match['rest'])}",
        language="es",
        about="own",
        verb="be",
        rest=f"{match['head'].lower()} | {match['rest'].lower()}",
        tense="past" if match["verb"].endswith("ron") else "present",
        negated=bool(match["no"]),
    )


def _called(clause: str, subject: str) -> Statement | None:
    match = _CALLED.match(clause[:1].lower() + clause[1:])
    if match is None:
        return None
    return Statement(
        text=f"a {subject} le dicen {match['name']}",
        language="es",
        about="self",
        verb="llamarse",
        rest=match["name"].lower(),
    )


def _done_to(clause: str, subject: str) -> Statement | None:
    match = _DONE_TO.match(clause)
    if match is None:
        return None
    verb = match["verb"].lower()
    return Statement(
        text=f"a {subject} le {verb} {_inside(match['rest'])}",
        language="es",
        about="self",
        verb="trabajar" if re.search("desp|echa|contrat|ascen|traslad", verb) else "padecer",
        rest=match["rest"].lower(),
        tense="future" if verb in ("operan", "van a operar") else "past",
    )


def _regular(clause: str, subject: str) -> Statement | None:
    match = _REGULAR.match(clause)
    if match is None:
        return None
    return Statement(
        text=f"{match[1].lower()} {match[2]} de {subject} {match[3]} {_inside(match[4])}",
        language="es",
        about="own",
        verb="be",
        rest=f"{match[2].lower()} | {match[4].lower()}",
    )


def _is_feminine(noun: str) -> bool:
    return noun in _FEMININE_TOO or (_FEMININE.match(noun) is not None and noun not in _MASCULINE_A)


def _favourite(clause: str, subject: str) -> Statement | None:
    match = _FAVOURITE.match(clause)
    if match is None:
        return None
    head = (
        match[1][:1].lower() + match[1][1:]
        if match[1].split()[0].lower() in ("el", "la", "los", "las")
        else match[1]
    )
    article = "los" if match[3] else "el"
    noun = match[4].split()[0]
    if _is_feminine(noun.lower()):
        article = "las" if match[3] else "la"
    return Statement(
        text=f"{head} {match[2]} {article} {match[4]} de {subject}",
        language="es",
        about="other",
        verb="be",
        rest=match[4].lower(),
    )


def _self(clause: str, subject: str) -> Statement | None:
    words = clause.split()
    if words and words[0].lower() in ("yo", "nosotros"):
        words = words[1:]
    done: list[str] = []
    negated, reflexive = False, False
    while words and words[0].lower() in _ADVERBS | {"no", "me", "nos"}:
        word = words.pop(0).lower()
        negated = negated or word in ("no", "nunca")
        reflexive = reflexive or word in ("me", "nos")
        if word != "sí":
            done.append("se" if word in ("me", "nos") else word)
    if not words:
        return None
    found = third_person(words[0].lower().strip(","))
    rest = words[1:]
    if found is None or (words[0].istitle() and spanish_verbs.follows_a_name([word.lower() for word in rest])):
        return None
    shown, verb, tense = found
    low = [word.lower() for word in rest]
    if shown == "era" and clause.split()[0].lower() != "yo" and not _ONCE.search(clause):
        return None  # who says "era broma" speaks of what was said
    if words[0].lower() == "somos":
        if not rest or not (low[0] == "de" or re.fullmatch(r"[a-zñáéíóú]{4,}[oa]s", low[0])):
            return None
        rest = [rest[0].removesuffix("s"), *rest[1:]] if low[0] != "de" else rest
    if tense == "past" and words[0].lower().endswith(("amos", "dimos")) and _SOME_DAY.search(" ".join(rest)):
        return None
    if verb == "acabar":
        if len(rest) < 3 or rest[0].lower() != "de" or not rest[1].lower().endswith(("r", "rme", "rnos")):
            return None
        verb, tense = re.sub(r"r(?:me|nos)$", "rse", rest[1].lower()), "past"
        rest = ["de", verb, *rest[2:]]
    if verb == "haber":
        if not rest or not re.search(r"(?:ado|ido|to|cho|sto)$", rest[0]):
            return None
        participle = rest[0]
        verb = re.sub(r"ado$", "ar", re.sub(r"ido$", "ir", participle))
        shown, rest, tense = f"{shown} {participle}", rest[1:], "past"
    if verb == "cambiar" and low[:1] == ["de"]:
        verb = "empezar"
    if verb == "poder" and rest:
        verb, tense = rest[0].lower(), "present"
    future: Tense = "future" if (verb, tense, rest[:1]) == ("ir", "present", ["a"]) else tense
    verb = _REFLEXIVE.get(verb, verb) if reflexive else verb
    if tense == "present" and _SOME_DAY.search(" ".join(rest)):
        appointed = verb == "tener" and _APPOINTED.match(" ".join(low))
        future = "future" if verb in _PLANS or appointed else future
    if words[0].lower() == "soy" and re.match(
        r"[A-ZÁÉÍÓÚÑ][a-zà-ÿ]+(?: [A-ZÁÉÍÓÚÑ][a-zà-ÿ]+){0,2}$", " ".join(rest)
    ):
        verb = "llamarse"
    if reflexive and verb in ("ir", "visitar") and [word.lower() for word in rest[:2]] == ["a", "vivir"]:
        verb = "mudarse"
    if not rest or (done[-1:] == ["se"] and verb not in _REFLEXIVE.values() and not reflexive):
        return None
    text = " ".join([subject, *done, shown, _inside(" ".join(rest))])
    return Statement(
        text=text,
        language="es",
        about="self",
        verb=verb,
        rest=" ".join(rest).lower(),
        tense=future,
        negated=negated,
    )


def _inside(text: str) -> str:
    """Words after the verb: what is mine is theirs, and what I do they do."""
    words = re.sub(r"\byo(?: mism[oa])?(?!\w)", "", text, flags=re.IGNORECASE).split()
    shown: list[str] = []
    for place, word in enumerate(words):
        before, low = words[place - 1].lower() if place else "", word.lower()
        following = words[place + 1].lower().strip(",") if place + 1 < len(words) else ""
        verb = spanish_verbs.inside(low.strip(","), before) if word == low else None
        if low in ("me", "nos"):
            shown.append("se" if spanish_verbs.inside(following, low) else "le")
        elif verb is not None:
            shown.append(verb + ("," if low.endswith(",") else ""))
        else:
            shown.append(re.sub(r"(?<=[aeiá-ú]r)me$", "se", _OBJECT.get(low, word)))
    return " ".join(shown)
