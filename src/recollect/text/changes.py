"""What says that something is no longer as it was, and a few matters in which what is older misleads. Pure."""

from __future__ import annotations

import re

import msgspec

from recollect.text.wordlists import listed

_CHANGE = re.compile(
    r"\b(?:moved|changed|switched|postponed|rescheduled|delayed|brought forward|replaced|sold|swapped|upgraded|"
    r"no longer|any ?more|instead|from now on|now|these days|"
    r"ahora|ya no|en vez de|cambi(?:é|ó|ado|aron|amos)|mud(?:é|ó|ado|amos)|vend(?:í|ió|ido|imos)|"
    r"aplaz(?:ó|ado|aron|amos)|retras(?:ó|ado|aron)|adelant(?:ó|ado|aron))\b",
    re.IGNORECASE,
)
#: How a statement about the user begins, and not one about the user's mother.
_USER = r"^(?:the |el |la )?(?:user|usuari[oa])(?: (?:has|have|just|recently|finally|now|already|also|ya|se|ha))*"
_OF_USER = re.compile(_USER + r"\b(?!'s)", re.IGNORECASE)


#: How the user speaks of themselves, and of a place to live in: nobody lives in the next question.
_SELF = r"\b(?:i|we)(?:['’]ve| have| just| recently| finally| now| already| also)*"
_PLACE = (
    r"(?:(?-i:[A-ZÁÉÍÓÚÑ])|(?:\w+ ){1,3}(?:flat|apartment|house|home|place|city|town|village|country)\b|"
    r"(?:otr[oa]|un[oa]?|la|el) (?:\w+ )?(?:piso|casa|ciudad|pueblo|país)\b)"
)


class Matter(msgspec.Struct, frozen=True):
    """Something of which a user has one at a time, and which changes in words of its own."""

    asked: re.Pattern[str]
    words: str
    """What a change is looked for by."""
    told: re.Pattern[str]
    said: re.Pattern[str]
    """How the user says it."""


def _matter(asked: str, words: str, told: str, said: str) -> Matter:
    return Matter(
        re.compile(asked, re.IGNORECASE),
        words,
        re.compile(rf"{_USER} (?:{told})", re.IGNORECASE),
        re.compile(said, re.IGNORECASE),
    )


_MATTERS = (
    _matter(
        r"\bwhere (?:do|does|am|is|are) (?:i|we|the user) (?:\w+ )?(?:live|living|based|reside)\b|"
        r"\b(?:what|which) (?:city|town|country|place) (?:do|does|am|is) (?:i|we|the user) (?:\w+ )?"
        r"(?:live|living|based)\b|"
        r"\b(?:what is|what's) my (?:current |home )?(?:address|city|town)\b|"
        r"\bd[oó]nde (?:vivo|vivimos|resido|vive (?:el|la) usuari[oa])\b|"
        r"\ben qu[eé] (?:ciudad|pueblo|pa[ií]s|barrio) (?:vivo|resido)\b",
        "moved relocated settled mudó mudado trasladó trasladado",
        r"(?:moved|relocated|settled)(?: back| out| over| house)* (?:to|in|into)\b|"
        r"(?:mudó|mudado|trasladó|trasladado) a\b",
        rf"{_SELF} (?:moved|relocated|settled)(?: back| out| over| house)* (?:to|in|into) {_PLACE}|"
        rf"\b(?:me|nos) (?:(?:he|hemos) )?(?:mud|traslad)(?:é|amos|ado) (?:\w+ )?a {_PLACE}",
    ),
    _matter(
        r"\bwhere (?:do|does|am|is|are) (?:i|the user) (?:\w+ )?(?:work|working|employed)\b|"
        r"\b(?:who is|who's|what is|what's) my (?:current )?(?:employer|company|job)\b|"
        r"\b(?:what|which) company (?:do|does) (?:i|the user) work\b|"
        r"\bd[oó]nde trabaj(?:o|a (?:el|la) usuari[oa])\b|\b(?:en|para) qu[eé](?: empresa)? trabajo\b|"
        r"\bcu[aá]l es mi (?:empleo|trabajo|empresa)\b",
        "joined started job jobs hired retired empezó empezado trabajo empleo contratado jubiló jubilado",
        r"(?:started|got|found|accepted|took|began|lost|left|quit) (?:\w+ ){0,2}(?:job|position|working)\b|"
        r"(?:changed|switched) jobs\b|joined \w+ as\b|(?:been |was |got )?hired\b|retired\b|"
        r"(?:empezó|empezado|comenzó) (?:a trabajar|en|un trabajo)\b|(?:cambió|cambiado) de (?:trabajo|empleo)\b|"
        r"(?:encontró|encontrado|perdió|perdido|dejó|dejado) (?:\w+ ){0,2}(?:trabajo|empleo)\b|"
        r"(?:sido )?contratad[oa]\b|(?:jubiló|jubilado)\b",
        rf"{_SELF} (?:(?:started|got|found|accepted|took|began) (?:\w+ ){{0,2}}(?:job|position|working)\b|"
        r"(?:changed|switched) jobs\b|joined (?-i:[A-Z])\w+ as\b|(?:been |was |got )hired\b|retired\b)|"
        r"\b(?:he )?(?:empezado|empecé|comenzado|comencé) a trabajar\b|"
        r"\b(?:cambié|he cambiado) de (?:trabajo|empleo)\b|\bme (?:he jubilado|jubilé|han contratado)\b",
    ),
)
#: One of these every such question has; looking for letters is far cheaper than the patterns.
_CUES = listed("liv based resid address city town work employ company job viv trabaj empleo empresa")


def tells_change(text: str) -> bool:
    """Whether it speaks of a change, or of how things are by now."""
    return _CHANGE.search(text) is not None


def changing(question: str) -> Matter | None:
    """The matter that a question asks for, if it is one of these."""
    if not any(map(question.lower().__contains__, _CUES)):
        return None
    return next((matter for matter in _MATTERS if matter.asked.search(question)), None)


def of_user(text: str) -> bool:
    """Whether a statement is about the user, and not about somebody or something of theirs."""
    return _OF_USER.search(text) is not None
