"""The kinds of things that are learned, how much they matter, and the words they are told by. Pure."""

from __future__ import annotations

import re

from recollect.remember.extract.statement import Statement

#: The kinds of things that are learned.
CATEGORIES = (
    "identity", "family", "health", "work", "home", "preference", "skill", "possession", "plan", "event",
)  # fmt: skip
IMPORTANCE = {
    "identity": 0.8, "family": 0.75, "health": 0.9, "work": 0.7, "home": 0.7, "preference": 0.6, "skill": 0.55,
    "possession": 0.55, "plan": 0.5, "event": 0.4,
}  # fmt: skip


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(text.split())})\b", re.IGNORECASE)


_PLANNING = re.compile(r"(?:\w+ )?(?:planning|thinking (?:of|about)|considering|going to|saving|hoping)\b")
FAMILY = _words(
    "wife husband spouse partner girlfriend boyfriend fianc[eé]e? sons? daughters? child(?:ren)? kids? bab(?:y|"
    "ies) twins? "
    "mom mum mother dad father parents? brothers? sisters? siblings? grand(?:mother|father|ma|pa|parents?|"
    "sons?|kids?|children) "
    "uncles? aunts? cousins? nieces? nephews? famil(?:y|ies) married divorced engaged widow(?:ed|er)? in-laws? "
    "step\\w+ "
    "espos[oa] marido mujer novi[oa] pareja hij[oa]s? beb[eé] madre padre mamá papá padres herman[oa]s? "
    "abuel[oa]s? t[ií][oa]s? "
    "prim[oa]s? sobrin[oa]s? niet[oa]s? ahijad[oa]s? cuñad[oa]s? yerno nuera prometid[oa] familia casad[oa] "
    "casé casó "
    "separad[oa] separó divorciad[oa] suegr[oa]s? gemelos?"
)
_HEALTH = _words(
    "allerg\\w+ intoleran\\w+ diabet\\w+ asthma\\w* cancer surgery operation transplant disease illness "
    "diagnos\\w+ depress\\w+ "
    "anxiety anxious medication pills? insulin pregnant blind deaf wheelchair disab\\w+ "
    "migraines? arthritis "
    "epileps\\w+ celiac coeliac injur\\w+ blood heart adhd autis\\w+ dyslexi\\w+ insomnia "
    "sober rehab gluten seizures? hypertension thyroid pacemaker lupus parkinson\\w* hiv sclerosis "
    "\\d+\\s?(?:mg|mcg|µg) gout crohn\\w* chemo\\w* hernia\\w* an[a]?emi[ac] bipolar ptsd eczema psoriasis "
    "concussion epi-?pens? inhalers? dialysis crutches prosthe(?:tic|sis)\\w* "
    "alérgic[oa]s? alergia diabétic[oa] asma cáncer operaron operación enferm(?:o|a|edad\\w*) "
    "embarazad[oa] cel[ií]ac[oa] migrañas? ansiedad "
    "medica(?:ción|mentos?) pastillas? insulina hipertens\\w+ hipotiroid\\w+ marcapasos alergias anemia "
    "depresión intolerante sord[oa] cieg[oa] epilep\\w+ lesion\\w+ rompí rompió"
)
#: "I have a bad knee": a part of the body, and what is wrong with it.
_ILL = re.compile(
    r"\b(?:bad|broken|injured|sore|weak|torn|sprained|fractured|herniated|dislocated|twisted|stiff|slipped)"
    r"(?: (?:left|right|lower|upper))? (?:knee|back|hip|shoulder|ankle|wrist|foot|leg|arm|neck|elbow|heart|"
    r"disc|tendon|rib|hand|finger|toe|spine|eyesight|hearing|lung)s?\b|"
    r"\b(?:knee|hip|shoulder|heart|back|eye|kidney|liver|ankle|wrist|spinal)(?: \w+)? "
    r"(?:replacement|surgery|operation|transplant|problems?|pain|injury)\b|"
    r"\b(?:can't|cannot|can not) (?:have|eat|drink|tolerate|do) (?:any )?(?:dairy|gluten|milk|lactose|nuts|"
    r"peanuts|shellfish|seafood|eggs|alcohol|caffeine|coffee|sugar|wheat|soy|meat|pork|fish)\b|"
    r"\b(?:rodilla|espalda|cadera|hombro|tobillo|muñeca|pierna|brazo|cuello|codo|corazón)s? "
    r"(?:mal|mala|malo|rot[oa]|lesionad[oa]|delicad[oa])\b",
    re.IGNORECASE,
)
#: What could hurt somebody if it were forgotten: allergies, lasting illnesses, medication, pregnancy.
_VITAL = _words(
    "allerg\\w+ intoleran\\w+ anaphyla\\w+ diabet\\w+ asthma\\w* epilep\\w+ seizures? c(?:o)?eliac gluten insulin "
    "pacemaker pregnant medications? (?:blood )thinners? antidepressants? chemo\\w* cancer transplant "
    "epi-?pens? inhalers? dialysis hypertension h(?:a)?emophili\\w+ lupus parkinson\\w* hiv sclerosis crohn\\w* "
    "alérgic[oa]s? alergias? diabétic[oa]s? asma asmátic[oa] epilép\\w+ cel[ií]ac[oa]s? insulina marcapasos "
    "embarazad[oa] medica(?:ción|mentos?) cáncer hipertens\\w+ hemofíli\\w+ quimioterapia"
)
#: Medicines are named by what they are: these are the common stems of the WHO's list.
_MEDICINE = re.compile(
    r"\b(?:[a-z]{2,}(?:olol|pril|sart[aá]n|statin|xab[aá]n|formin|gliptin|glutide?|gliflozin|dipin[eo]?|oxetin|tralin|"
    r"oxamin|azep[aá]m|azol[aá]m|tript[aá]n|profen|prazol|tidin|tiroxin|thyroxin|farin|purinol|mycin|micin|"
    r"cillin|cilin|cycline?|ciclin|floxacin[o]?|oxacin|gabalin|lukast|thiazid|tiazid|semid|dronat|setron|"
    r"oxaparin|azepin|peridon|piprazol|conazol|ciclovir|cyclovir)[aeo]?|"
    r"(?:es)?citalopram|lithium|litio|zolpidem|gabapentina?|(?:olanza|cloza|mirtaza|quetia|loxa|asena)pin[ae]?|"
    r"prednison[ae]|(?:methyl|metil)?prednisolon[ae]|cortison[ae]|insulin[ae]?|heparin[ae]?|aspirin[ae]?|"
    r"paracetamol|sintrom|methadone|metadona)\b",
    re.IGNORECASE,
)
_TAKES = re.compile(r"\b(?:takes?|taking|took|toma|tomar|tomando|tomó)\b", re.IGNORECASE)
_VITAL_PHRASE = re.compile(
    r"\b(?:(?:heart|kidney|liver|lung) (?:disease|condition|failure|problems?)|(?:high|"
    r"low) blood (?:pressure|sugar)|chronic \w+|(?:can't|cannot|must not|can not|no puede) (?:eat|drink|"
    r"have|take|comer|beber|tomar)|enfermedad (?:crónica|\w+ crónica|celíaca|de \w+))\b",
    re.IGNORECASE,
)
#: Places and people of care: some go there for help, others to work.
_CARE = _words(
    "hospital\\w* doctors? therap\\w+ medicine nurses? clinic médic[oa]s? clínica enfermer[oa]s? medicina"
)
_AT_WORK = re.compile(
    r"(?:.* \| )?(?:\w+(?: \w+)?, )?(?:(?:also|currently|now|still|just|retired|muy) )*(?:an?|the|one|una?|"
    r"working|training|studying|employed|trabajando|estudiando|médic[oa]|enfermer[oa]|doctora?)\b"
)
_WORK = _words(
    "job work(?:s|ed|ing)? career company boss manager engineer teacher nurse doctor lawyer student stud(?:y|"
    "ies|ied|ying) "
    "university college school degree major(?:ing)? graduat\\w+ retired? employ\\w+ business office hired "
    "fired promoted startup "
    "freelanc\\w+ intern\\w* phd masters? thesis developer programmer designer accountant chef cook farmer "
    "artist writer "
    "trabaj\\w+ empleo empresa jef[ea] ingenier[oa] profesor[a]? maestr[oa] enfermer[oa] abogad[oa] estudi\\w+ "
    "universidad "
    "carrera oficina jubilad[oa] negocio médic[oa] programador[a]? cociner[oa] diseñador[a]?"
)
_HOME = _words(
    "live[sd]? living moved? moving grew born raised hometown home house apartment flat rent relocat\\w+ "
    "immigrat\\w+ settled "
    "viv[oeí]\\w* mud[éóa]\\w* nac[íi]\\w* crec[íi]\\w* casa piso apartamento barrio"
)


_AT_A_TIME = re.compile(
    r"(?:^|.* )(?:lessons?|class(?:es)?|appointments?|meetings?|exams?|interviews?|flights?|trips?|"
    r"sessions?|training|rehearsals?|practice|course|wedding|party|deadline|concert|clases?|reuni(?:ón|"
    r"ones)|citas?|exámen(?:es)?|examen|vuelo|viaje|entrevista|boda|fiesta|ensayo|entrenamiento|curso|"
    r"turno|concierto)(?: (?:with|de|con|for|at|in|to)\b.*)?$"
)
_AT_WORK_WITH = re.compile(
    r"\b(?:lead|boss|manager|supervisor|mentor|co-?workers?|colleagues?|teammates?|clients?|assistant|"
    r"intern|employer|jef[ea]|compañer[oa] de trabajo|colegas?|client[ea]s?)\b"
)
#: What is told of these is not who somebody is: tastes, aims, what hurts, and what is worked on.
_OF_OWN = (
    (re.compile(r"(?:\w+ )?(?:favou?rites?|favorit[oa]s?)\b|.*\b(?:favorit[oa]s?|preferid[oa]s?)$"), "preference"),
    (
        re.compile(r"(?:[\w-]+ )*(?:goals?|dreams?|resolutions?|aim|target|objetivos?|metas?|sueño|propósitos?)$"),
        "plan",
    ),
    (
        re.compile(
            r"(?:[\w-]+ )*(?:knees?|back|hips?|shoulders?|ankles?|wrists?|foot|feet|legs?|arms?|neck|elbows?|"
            r"heart|spine|lungs?|stomach|joints?|tooth|teeth|eyesight|hearing|rodillas?|espalda|cadera|hombros?|"
            r"tobillos?|muñecas?|piernas?|brazos?|cuello|codos?|corazón|estómago|vista)$"
        ),
        "health",
    ),
    (
        re.compile(
            r"(?:[\w-]+ )*(?:ci|repo|repository|monorepo|codebase|stack|tech stack|sprints?|stand-?up|team|"
            r"backend|frontend|front-end|database|servers?|api|pipelines?|project|app|product|service|start-?up|equipo|"
            r"proyecto|empresa)$"
        ),
        "work",
    ),
)
_OWN_NAME = re.compile(r"(?:(?:first|full|last|real) )?name \||nombre \|")
_DIET = re.compile(r"on an? (?:[\w-]+ )*diet\b")
_PARTED = re.compile(r"\b(?:broken?|split) up\b")
_HAS_A_DATE = re.compile(
    r"(?:an?|the|another|my|una?|el|la|otra) (?:[\w-]+ ){0,2}?(?:lesson|class|appointment|meeting|exam|interview|"
    r"flight|rehearsal|deadline|concert|cita|reunión|entrevista|examen|vuelo)s?\b"
)
_PEOPLE = re.compile(r"\b(?:friends?|neighbou?rs?|room-?mates?|flat-?mates?|buddy|amig[oa]s?|vecin[oa]s?)\b")
_DRIVEN_FOR_PAY = re.compile(
    r"\b(?:bus|truck|lorry|taxi|cab|tram|train|ambulance|forklift|autobús|camión|tren|tranvía|ambulancia)\b"
)
_HABIT_LEFT = re.compile(
    r"de (?:fumar|beber|tomar|comer|consumir)\b|(?:el |la |los |las )?(?:tabaco|cigarr\w+|alcohol|bebida|drogas?|"
    r"marihuana|azúcar|café|gluten|carne|lácteos|lactosa|pastillas?|medicación|antidepresivos)\b"
)
_JOB_LEFT = re.compile(
    r"\b(?:quit|left|leaves|quits|dejó|deja) (?:[A-Z]|(?:their|a|the|su|el) (?:\w+ )?(?:job|trabajo|empleo)\b)"
)


def is_vital(statement: Statement, category: str) -> bool:
    """Whether it could hurt somebody if it were forgotten, and holds."""
    if category != "health" or statement.tense == "past":
        return False
    return any(hurts.search(statement.text) for hurts in (_VITAL, _VITAL_PHRASE, _MEDICINE))


def gives_name(statement: Statement) -> bool:
    """Whether it tells what the speaker is called: told once, and asked for as long as one talks."""
    if statement.about == "self":
        return statement.verb in ("call", "llamarse")
    return statement.about == "own" and _OWN_NAME.match(statement.rest) is not None


def category_of(statement: Statement, given: str) -> str:
    """The kind of a statement; ``given`` is what its verb says."""
    text = statement.text
    if _PARTED.search(text):
        return "family"
    if statement.verb == "dejar" and not _HABIT_LEFT.match(statement.rest):
        given = "event"  # a job or a course, and not tobacco
    if statement.verb == "be" and _DIET.match(statement.rest):
        return "health"
    if given != "work" and (
        _HEALTH.search(text)
        or _ILL.search(text)
        or _takes_medicine(statement)
        or (_CARE.search(text) and not _works_there(statement))
    ):
        return "health"
    if (
        statement.tense == "future"
        or given == "plan"
        or (statement.verb == "be" and _PLANNING.match(statement.rest))
    ):
        return "plan"
    if statement.about == "other" and statement.verb == "be":
        return _of_whom(statement)
    if given == "preference":
        return given
    if statement.about == "own" and _AT_A_TIME.match(statement.rest.partition(" | ")[0]):
        return "event" if statement.tense == "past" else "plan"
    if statement.verb in ("have", "tener") and _HAS_A_DATE.match(statement.rest):
        return "event" if statement.tense == "past" else "plan"
    if statement.verb in ("drive", "conducir") and re.match(r"an? |my |una? |mi ", statement.rest):
        return "work" if _DRIVEN_FOR_PAY.search(statement.rest) else "possession"
    if statement.about == "own" and given == "identity" and (kind := _of_own(statement)):
        return kind
    if _JOB_LEFT.search(text):
        return "work"
    if FAMILY.search(text):
        return "family"
    if given in ("identity", "possession", "event", "skill") and (_WORK.search(text) or _CARE.search(text)):
        return "work"
    if given in ("identity", "possession", "event") and _HOME.search(text):
        return "home"
    return given


def _takes_medicine(statement: Statement) -> bool:
    """Who takes it, or is on it, and not who sells it."""
    taken = statement.verb in ("be", "stop", "quit", "start", "use", "need", "dejar", "usar", "empezar")
    return (taken or statement.about == "own" or _TAKES.search(statement.text) is not None) and _MEDICINE.search(
        statement.text
    ) is not None


def _of_own(statement: Statement) -> str:
    """My goal, my left knee, our CI, my teammate Dario: what is told by what it is told of."""
    head = statement.rest.partition(" | ")[0]
    if FAMILY.search(head):
        return "family"
    return "work" if _AT_WORK_WITH.search(head) else next((kind for what, kind in _OF_OWN if what.match(head)), "")


def _of_whom(statement: Statement) -> str:
    """Marek is my boss: not a taste but somebody; opera is my passion: a taste."""
    if FAMILY.search(statement.rest):
        return "family"
    if _AT_WORK_WITH.search(statement.rest):
        return "work"
    return "identity" if _PEOPLE.search(statement.rest) else "preference"


def _works_there(statement: Statement) -> bool:
    """I'm a nurse at a hospital, I volunteer at a clinic: not who is ill but who helps."""
    if statement.verb in ("be", "ser"):
        return _AT_WORK.match(statement.rest) is not None
    return statement.verb in ("want", "volunteer", "become", "train", "intern", "querer", "coach", "use")
