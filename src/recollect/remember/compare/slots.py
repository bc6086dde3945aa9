"""Slots: what one has one of at a time (a home, a job, a name, a favourite colour), and what is in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from recollect.remember.compare.figures import figures
from recollect.remember.compare.lexicon import (
    ACQUAINTANCES,
    KINDS,
    LIGHT,
    MANY,
    NOT_OCCUPATIONS,
    OCCUPATIONS,
    PEOPLE,
    TRADES,
)
from recollect.remember.compare.words import SOMEBODY, folded, words_in
from recollect.text.changes import NO_PLACE, PLACE, SMALL_PLACE

_I = re.IGNORECASE
_DETERMINED = re.compile(r"(?:an?|the|this|that|his|her|their|user's|una?|el|la|los|las)\b", _I)
#: "The Netherlands".
_NAMED = re.compile(r"(?:the|el|la|los|las) (?-i:[A-Z])", _I)


#: What is only announced fills no slot yet: who moves next year still lives where they live.
_AHEAD = re.compile(
    r"\b(?:(?-i:will)|plans?|planning|intends?|(?:is|are) going to|moves|relocates|starts|gets|"
    r"(?:is|are) (?:soon )?(?:moving|relocating|starting|joining|getting))\b",
    _I,
)


class Slot(msgspec.Struct, frozen=True):
    """Whose it is, what it is, and what is in it."""

    who: tuple[str, ...]
    kind: str
    value: tuple[str, ...]

    @property
    def key(self) -> str:
        """The same for all that cannot be true together unless their values agree."""
        return ":".join(filter(None, (" ".join(self.who), self.kind)))


def slots(plain: str) -> list[Slot]:
    """The slots that a text fills, in English turns of phrase; most fill none or one."""
    found: list[Slot] = []
    for clause, who in _clauses(plain):
        for pattern, make in _PATTERNS:
            match = pattern.match(clause)
            if match:
                before = tuple(word for word in words_in(match["who"]) if word not in LIGHT)
                given = match["who"].strip()
                before = before or ((given.lower(),) if given.lower() in SOMEBODY else () if given else who)
                if len(before) <= 4 and not (len(before) == 1 and before[0] in ACQUAINTED):
                    ahead = "coming " if _AHEAD.search(clause) else ""
                    filled = [(kind, value) for kind, value in make(match, before) if kind and value]
                    found += [Slot(before, ahead + kind, value) for kind, value in filled]
    return list(dict.fromkeys(found))


def _clauses(plain: str) -> list[tuple[str, tuple[str, ...]]]:
    """The parts of a sentence, each with the subject of the first, in case it has none of its own."""
    parts = [part for part in re.split(r"[.;!]\s|,\s|\s(?:and|but|y|pero)\s", plain.rstrip(".!")) if part]
    first = re.match(r"(user's \w+|user|\w+)", parts[0]) if parts else None
    subject = words_in(first[0]) if first else ()
    return [(part, subject) for part in parts]


#: Slots and what is in them; made from a match and the words before it.
Filled = list[tuple[str, tuple[str, ...]]]
Maker = Callable[[re.Match[str], tuple[str, ...]], Filled]


def _place(text: str, kind: str) -> Filled:
    """A town and a sort of dwelling are two things: "a flat in Leeds" is in Leeds."""
    inner = re.search(r"\b(?:in|of|near|en|de) (?P<name>[A-Z][^,]*)", text)
    if _DETERMINED.match(text) and inner is not None:
        return [(kind, words_in(inner["name"]))]
    if _DETERMINED.match(text) and not _NAMED.match(text):
        return [(f"kind of {kind}", words_in(text))]
    return [(kind, words_in(re.split(r"\b(?:with|for|because|since|con|por|near)\b", text)[0]))]


def _home(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return _place(match["value"], "home")


def _born(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    dated = tuple(f"{kind} {value}" for kind, value in figures(match["value"])[0] if kind in ("day", "month"))
    return [("birthday", dated)] if dated else [("birthplace", words_in(match["value"]))]


def _birthday(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [("birthday", tuple(f"{kind} {value}" for kind, value in figures(match["value"])[0]))]


def _employer(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    value = re.split(r"\b(?:as|como|since|desde|on|in)\b", match["value"])[0].strip() or match["value"]
    if re.fullmatch(r"(?:the |his |her |their )?(?:office|home)", value, _I):
        return [("work place", words_in(value))]
    return [("employer", words_in(value))]


def _workplace(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return _place(match["value"], "work place")


def _role(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [("job", words_in(_head(match["value"])))]


def _maybe_role(match: re.Match[str], who: tuple[str, ...]) -> Filled:
    """ "is a nurse" is a job, "is a vegetarian" is not."""
    head = _head(match["value"]).lower().split()
    last = head[-1] if head else ""
    known = last in OCCUPATIONS or (last.endswith(TRADES) and len(last) > 4 and last not in NOT_OCCUPATIONS)
    person = not who or who[-1] in PERSONS
    return [("job", words_in(" ".join(head)))] if known and person and len(head) <= 3 else []


def _no_job(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [("job", (match["value"].lower(),)), ("employer", (match["value"].lower(),))]


def _marriage(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [("marriage", (match["value"].lower(), *words_in(match["partner"] or "")[:2]))]


def _name(match: re.Match[str], who: tuple[str, ...]) -> Filled:
    return [] if who and who[-1] in _MANY else [("name", words_in(match["value"]))]


def _is_somebody(match: re.Match[str], who: tuple[str, ...]) -> Filled:
    """ "user's boss is Helen": somebody of whom there is one, and a name."""
    one = who and who[-1] in PERSONS and (who[-1] not in _MANY or "best" in who)
    return [("name", words_in(match["value"]))] if one else []


def _favourite(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    thing = " ".join(words_in(match["thing"]))
    return [(f"favourite {thing}", words_in(match["value"]) or _counted(match["value"]))] if thing else []


def _attribute(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    thing = match["thing"].lower()
    kind = "job" if thing in ("job", "profession", "occupation") else thing
    return [(kind, (*words_in(match["value"]), *_counted(match["value"])))]


def _age(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [("age", _counted(match["value"]))]


def _kept(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [(f"place of {' '.join(words_in(match['thing']))}", words_in(match["value"]))]


def _found_in(match: re.Match[str], who: tuple[str, ...]) -> Filled:
    return _place(match["value"], "place") if who and who[-1] not in PERSONS else []


def _count(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    number = match["number"].lower()
    thing = words_in(re.split(r"\b(?:called|named|with|in|on|at|for|who|that|from)\b", match["thing"])[0])
    if not thing or len(thing) > 2:
        return []
    return [(f"number of {' '.join(thing)}", ("1",) if number in ("a", "an", "un", "una") else _counted(number))]


def _preferred(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    value = words_in(
        re.split(
            r"\b(?:to|over|rather than|instead of|a|al|antes que|que|en vez de)\b(?! \w+ar\b)", match["value"]
        )[0]
    )
    return [(f"preferred {_sort(value)}", value)] if value else []


def _sort(value: tuple[str, ...]) -> str:
    """What something is preferred among: its kind if it is known, or the word that stays when one changes."""
    if len(value) == 1 and value[0] in _KINDS:
        return f"kind {_KINDS[value[0]]}"
    return ""


def _car(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    return [("car", words_in(match["value"] or match["model"]))]


def _company(match: re.Match[str], _: tuple[str, ...]) -> Filled:
    """With whom does not matter: one may live with several."""
    return [("company", ("with",) if match["value"].lower() in ("with", "con") else ("alone",))]


def _plainly(kind: str) -> Maker:
    def make(match: re.Match[str], _: tuple[str, ...]) -> Filled:
        return [(kind, words_in(match["value"]))]

    return make


def _counted(text: str) -> tuple[str, ...]:
    return tuple(value for _, value in figures(text)[0])


def _head(text: str) -> str:
    """A noun without what is said about it."""
    return re.split(r"\b(?:at|in|on|for|with|of|who|and|by|from|since|en|de|con|por)\b", text)[0].strip()


ACQUAINTED = frozenset(folded(word) for word in ACQUAINTANCES)
_MANY = frozenset(folded(word) for word in MANY)
PERSONS = frozenset(folded(word) for word in PEOPLE)
_KINDS = {folded(word): number for word, number in KINDS.items()}

_THINGS = (
    r"home ?town|(?:tele)?phone number|number|phone|address|e-?mail(?: address)?|nickname|surname|"
    r"last name|age|height|weight|budget|(?:shoe )?size|nationality|star sign|blood type|password|"
    r"job|profession|occupation|major|native language|mother tongue|"
    r"time ?zone|currency|postcode|zip code|username|salary|rent|team|"
    r"telefono|direccion|correo|profesion|presupuesto|apellido|edad"
)
_HEADS = r"(?:head|director|chair|captain|president|manager|leader|jef[ea]|directora)"
_BEGAN = r"(?:start(?:s|ed|ing)|got|gets|took|takes|has|accepted|landed|found)"
_POST = r"(?:an? |the |their )?(?:new )?(?:job|position|role|post|internship)"
_SCHOOL = r"(?:studies|study|studying|goes to (?:school|university|college))"
_ALONE = r"alone|by (?:him|her|them)sel(?:f|ves)|solo|sola|with|con"
_THERE = r"(?:in|under|on|at|behind|en|debajo de|bajo)"
_SPEAKING = r"(?:answer|reply|respond|(?:speak|talk) to them)"
_LENGTHS = r"(?:very |more |as )?(?:short|brief|concise|long|detailed|to the point)"
_MEASURES = r"(?:the )?(?:metric|imperial)\b.*|celsius|fahrenheit|kilomet(?:er|re)s|miles"
_STATUS = r"single|married|divorced|widowed|engaged|dating|seeing|in a relationship|separated"
_MOVES = r"(?:mov(?:ed|es|ing)|relocat(?:ed|es|ing))"
_ANY_PLACE = f"{PLACE}|{SMALL_PLACE}"
_IS = r"(?:is|are|was|got|gets|has been|is now|became)"

_PATTERNS = tuple(
    (re.compile(rf"(?P<who>.*?)\b{pattern}$", _I), make)
    for pattern, make in (
        (r"(?:lives?|living|resides?|residing|is based|are based|settled|stays) (?:in|at) (?P<value>.+)", _home),
        (rf"{_MOVES}(?: back)?(?: from {NO_PLACE}\w+)? (?:in)?to (?=(?:{_ANY_PLACE}))(?P<value>.+)", _home),
        (rf"(?:lives?|living|vive) (?P<value>{_ALONE})\b.*", _company),
        (r"(?:was|were) born (?:in|on) (?P<value>.+)", _born),
        (r"birthday (?:is|falls)(?: on| in)? (?P<value>.+)", _birthday),
        (r"(?:works?|working|is employed|employed) (?:at|for|by) (?P<value>.+)", _employer),
        (r"works? as .+? (?:at|for) (?P<value>.+)", _employer),
        (r"(?:joined|has joined) (?P<value>[A-Z].+)", _employer),
        (rf"{_BEGAN} {_POST}(?: as .+?)? (?:at|with|for) (?P<value>(?-i:[A-Z]).+)", _employer),
        (r"works? (?:in|from) (?P<value>.+)", _workplace),
        (r"(?:works?|working|employed|job|hired|started) as (?:an? |un |una )?(?P<value>.+)", _role),
        (r"(?:promoted|ascendid[oa]) (?:to|a) (?:an? |the )?(?P<value>.+)", _role),
        (rf"is (?:the |el |la )?(?P<value>{_HEADS} (?:of|de) .+)", _plainly("job")),
        (r"(?:became|becomes) (?:an? |un |una )(?P<value>.+)", _maybe_role),
        (r"is (?:now |ahora )?(?:an? |un |una |the )?(?P<value>[\w -]+)", _maybe_role),
        (r"is (?:now )?(?P<value>unemployed|self-employed|retired|looking for a job|out of work)", _no_job),
        (rf"{_IS} (?:now )?(?:getting )?(?P<value>{_STATUS})(?: to| with| from)?(?P<partner> .+)?", _marriage),
        (r"(?:is|are) (?:called|named) (?P<value>.+)", _name),
        (r"(?:wants|likes|prefers) to be (?:called|named|addressed as) (?P<value>.+)", _name),
        (r"goes by (?P<value>.+)", _name),
        (r"(?:'s )?name is (?P<value>.+)", _name),
        (r"is (?P<value>(?-i:(?:[A-Z][\w.'-]*)(?: [A-Z][\w'-]*)*))", _is_somebody),
        (r"(?:favou?rite|preferred) (?P<thing>[\w -]+?)(?: is| are|:) (?P<value>.+)", _favourite),
        (rf"(?P<thing>{_THINGS})(?: is| are|:) (?P<value>.+)", _attribute),
        (r"is (?P<value>[\w-]+) years? old", _age),
        (r"is (?P<value>\d{1,3}|[a-z]+ty(?:-[a-z]+)?)", _age),
        (r"(?:turned|turns) (?P<value>[\w-]+)(?: years? old)?(?: (?:on|in|today|yesterday)\b.*)?", _age),
        (rf"{_SCHOOL} (?:in|at) (?P<value>.+)", _plainly("place of study")),
        (r"(?:supports?|is a fan of) (?P<value>(?-i:[A-Z]).+)", _plainly("team")),
        (r"drives? (?:(?:an?|the|una?) (?P<value>.+)|(?P<model>(?-i:[A-Z]).+))", _car),
        (rf"(?:keeps?|stores?|parks?|hides?) (?P<thing>.+?) {_THERE} (?P<value>.+)", _kept),
        (r"(?:is|are) (?:located )?(?:in|on|under|near|next to|behind|at|en) (?P<value>.+)", _found_in),
        (r"(?:has|have|owns) (?P<number>an?|un|una|\d+|[a-z]+) (?P<thing>[\w -]+)", _count),
        (rf"says to {_SPEAKING}(?: only)? in (?P<value>.+)", _plainly("language of answers")),
        (r"lo quiere en (?P<value>.+)", _plainly("language of answers")),
        (r"says to speak (?P<value>[\w ]+) with them", _plainly("language of answers")),
        (rf"says (?:to keep )?\w+ (?:should be )?(?P<value>{_LENGTHS})\b.*", _plainly("length of answers")),
        (rf"says to use (?P<value>{_MEASURES})", _plainly("units")),
        (r"prefers? (?P<value>.+)", _preferred),
    )
)  # fmt: skip
