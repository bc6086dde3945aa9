"""Whether what is said asks for nothing in particular: all that is known of the user, what was said lately, or
nothing at all. Pure.

"What do you know about me?" shares no word with anything that is known, and is near to nothing in particular:
whatever is remembered answers it, as whatever was said last answers "what did we talk about last time?".
"""

from __future__ import annotations

import re

from recollect.text.languages import is_english_grammar
from recollect.text.wordlists import listed

#: What such a question is made of, besides whom it is about.
_SAID = listed("""
a about all already am an and any anything background bio can could d describe details did do does else ever
everything fact facts far get give has have hello hey hi i in info information is kept know known knows learn
learned learnt list ll me memories memory more much my myself noted now of ok okay on overview personal please
profile re recall remember remembered s saved say should show so some something stored sum summarise summarize
summary tell that the things this told up user users ve what whatever who would you your
""")
#: In a longer one there is something else to be answered.
LONGEST = 120

_USER = r"(?:me|myself|(?:the|this) user|user)"
#: All else that it says is one of the words above.
_IN_ENGLISH = re.compile(
    rf"\b(?:(?:about|of|on|know|describe|up) {_USER}|who am i|who is (?:the|this) user"
    r"|(?:user['’]?s?|my) (?:personal )?(?:background|bio|details|facts|info|information|overview|profile|summary)"
    r"|(?:all|my)(?: the| my| your)? memories|(?:everything|all|what)(?: that)?(?: do)? you (?:know|remember))\b"
)
#: What such a question ends with.
_LAST = listed("""
already background bio details facts far i info information know me memories myself now overview please profile
remember summary user eu ich io je me mí mi mich mim mir moi soy sou sono yo suis-je
""")
_IN_OTHERS = re.compile(
    r"(?:\b(?:sabes|recuerdas|has aprendido)\b.* (?:de|sobre) m[ií]"
    r"|\b(?:háblame|hablame|cuéntame|cuentame) (?:de|sobre) m[ií]|\bqui[eé]n soy(?: yo)?"
    r"|\b(?:sabe|sabes|lembra|lembras)\b.* (?:de|sobre) mim|\bquem (?:eu )?sou(?: eu)?"
    r"|\b(?:sais|savez|souviens|souvenez|rappelles)\b.* (?:de|sur) moi|\bqui suis[- ]je"
    r"|\b(?:sai|sapete|ricordi)\b.* (?:di|su) me|\bchi sono(?: io)?"
    r"|\b(?:weißt|weisst|wissen)\b.* (?:über|von) m(?:ich|ir)|\bwer bin ich)\W*$"
)
_WORD = re.compile(r"[^\W\d_]+")
#: What tells who somebody is, by words with which it is looked for: their name, their home, their work.
OF_ONESELF = (
    "name called named lives live based moved works work employed started hired retired "
    "nombre llama vive mudó trabaja contratado"
)
_NAMES = re.compile(
    r"(?:the )?user(?:['’]s (?:full |first |real )?name is| is (?:called|named)| goes by)\b|"
    r"(?:el|la) usuari[oa] se llama\b|(?:el )?nombre (?:del|de la) usuari[oa] es\b",
    re.IGNORECASE,
)
#: What is said in passing.
_IN_PASSING = listed("""
again ah ahead alright amazing awesome bye cheers continue cool day enough evening exactly fine funny glad go
going gonna good goodbye goodnight got gotcha great ha haha happy hello hey hi hm hmm interesting know later let
like lol look looks lot lots love lovely makes mean mind morning much never next nice night no noted oh ok okay
perfect please pretty really right see sense similar sorry sounds stop sure talk thank thanks that thing think
true try understand understood very wait welcome well what wonderful wow yeah yep yes yet yup
""")


def is_small_talk(text: str) -> bool:
    """Whether it is said in passing, and is about nothing: "thanks so much!", "ok, go on"."""
    return all(word in _IN_PASSING or is_english_grammar(word) for word in _WORD.findall(text.lower()))


def names_user(text: str) -> bool:
    """Whether a statement gives the user's name."""
    return _NAMES.match(text) is not None


def about_user(question: str) -> bool:
    """Whether it asks what is known of the user, and for nothing in particular."""
    if len(question) > LONGEST:
        return False
    text = question.lower()
    if text.rstrip(" .!?…").rpartition(" ")[2] not in _LAST:  # which nearly all can be told by
        return False
    if _IN_ENGLISH.search(text) is not None:
        return _SAID.issuperset(_WORD.findall(text))
    return _IN_OTHERS.search(text) is not None


#: What a question is made of that asks for what was said lately.
_TALKED = listed("""
a about again all already and anything ask asked before can chat chats chatted conversation conversations cover
covered did discuss discussed discussion discussions earlier else everything far had has have hello hey hi i in
is it last latest me mention mentioned most my of ok okay on our please previous previously recap recent
recently s said say session sessions so speak spoke spoken sum summarise summarize summary talk talked talking
tell that the thing things time times to told topic topics up us ve was we were what when which with you your
""")
_TALK = "ask|chat|cover|discuss|mention|say|speak|talk|tell"
_SAID_LATELY = re.compile(
    rf"\b(?:did|have|had) (?:we|i|you)(?: (?:all|already|last|previously|just))? (?:{_TALK}|said|spoken|told)"
    r"|\bwe(?:['’]ve)?(?: (?:all|already|last|previously|just))? (?:chatted|covered|discussed|said|spoke|talked)\b"
    r"|\b(?:last|latest|previous|recent|earlier|our) (?:chat|conversation|discussion|session|talk|time)s?\b"
)
_BEFORE = re.compile(r"\b(?:last|latest|previous|previously|recent|earlier|before|[uú]ltima|antes)\b")
_HABLAMOS = re.compile(
    r"\b(?:de qu[eé] (?:hablamos|hemos hablado)|qu[eé] (?:te )?(?:dije|dijimos|conté))"
    r"(?: la [uú]ltima vez| antes)?\W*$"
)


def said_lately(question: str) -> bool | None:
    """Whether it asks for what was said the time before, and not just now; None if for something in particular."""
    text = question.lower()
    if len(text) > LONGEST:
        return None
    if _SAID_LATELY.search(text) is not None:
        asks = _TALKED.issuperset(_WORD.findall(text))
    else:
        asks = _HABLAMOS.search(text) is not None
    return _BEFORE.search(text) is not None if asks else None
