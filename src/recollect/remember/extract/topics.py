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
    "prim[oa]s? sobrin[oa]s? nietos? familia casad[oa] casé casó divorciad[oa] suegr[oa]s? gemelos?"
)
_HEALTH = _words(
    "allerg\\w+ intoleran\\w+ diabet\\w+ asthma\\w* cancer surgery operation transplant disease illness "
    "diagnos\\w+ depress\\w+ "
    "anxiety anxious medication pills? insulin pregnant blind deaf wheelchair disab\\w+ "
    "migraines? arthritis "
    "epileps\\w+ celiac coeliac injur\\w+ blood heart adhd autis\\w+ dyslexi\\w+ insomnia "
    "sober rehab "
    "alérgic[oa]s? alergia diabétic[oa] asma cáncer operaron operación enferm(?:o|a|edad\\w*) "
    "embarazad[oa] celíac[oa] migrañas? ansiedad "
    "depresión intolerante sord[oa] cieg[oa] epilep\\w+ lesion\\w+ rompí rompió"
)
#: Places and people of care: some go there for help, others to work.
_CARE = _words(
    "hospital\\w* doctors? therap\\w+ medicine nurses? clinic médic[oa]s? clínica enfermer[oa]s? medicina"
)
_AT_WORK = re.compile(
    r"(?:.* \| )?(?:(?:also|currently|now|still|just|retired|muy) )*(?:an?|the|one|una?|working|training|studying|"
    r"employed|trabajando|estudiando|médic[oa]|enfermer[oa]|doctora?)\b"
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


def category_of(statement: Statement, given: str) -> str:
    """The kind of a statement; ``given`` is what its verb says."""
    text = statement.text
    if given != "work" and (_HEALTH.search(text) or (_CARE.search(text) and not _works_there(statement))):
        return "health"
    if (
        statement.tense == "future"
        or given == "plan"
        or (statement.verb == "be" and _PLANNING.match(statement.rest))
    ):
        return "plan"
    if given == "preference":
        return given
    if FAMILY.search(text):
        return "family"
    if given in ("identity", "possession", "event", "skill") and (_WORK.search(text) or _CARE.search(text)):
        return "work"
    if given in ("identity", "possession", "event") and _HOME.search(text):
        return "home"
    return given


def _works_there(statement: Statement) -> bool:
    """I'm a nurse at a hospital, I volunteer at a clinic: not who is ill but who helps."""
    if statement.verb in ("be", "ser"):
        return _AT_WORK.match(statement.rest) is not None
    return statement.verb in ("want", "volunteer", "become", "train", "intern", "querer", "coach", "use")
