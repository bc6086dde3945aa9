"""Whom a question is about, and whether a statement can be about them: "is Wout vegetarian?" is not answered by
"user is vegetarian", nor "where do I live?" by where the user's mother does. Told in English only; where in doubt,
a statement may be about anybody. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from functools import cache, lru_cache

import msgspec

from recollect.text.dates import undated
from recollect.text.kin import kin
from recollect.text.languages import folded
from recollect.text.wordlists import listed

#: Family and friends, each with what may be said in its place: who is "married to Tomas" has a husband.
_RELATIONS = """
mother mum mom mummy mommy mama parent;father dad daddy papa parent;brother sibling twin;sister sibling twin;
son child children kid boy baby twin;daughter child children kid girl baby twin;
wife partner spouse married marriage engaged fiancee girlfriend;
husband partner spouse married marriage engaged fiance boyfriend;
girlfriend partner wife dating engaged fiancee;boyfriend partner husband dating engaged fiance;
uncle;aunt auntie;cousin;nephew;niece;grandmother grandma granny nana grandparent;
grandfather grandpa granddad grandparent;grandson grandchild grandchildren;granddaughter grandchild grandchildren;
friend mate buddy;neighbour neighbor;roommate flatmate housemate;colleague coworker
"""
#: The same under other names, where these mean nobody else.
_SAME = """
mum mom mummy mommy mama:mother;dad daddy papa:father;auntie:aunt;grandma granny nana:grandmother;
grandpa granddad:grandfather;neighbor:neighbour;flatmate housemate:roommate;coworker:colleague
"""
_RELATED = {
    row[0]: frozenset(form for word in row for form in (word, word + "s"))
    for row in map(str.split, _RELATIONS.split(";"))
}
_CALLED = _RELATED | {
    name: _RELATED[whose.strip()]
    for names, whose in (row.split(":") for row in _SAME.split(";"))
    for name in names.split()
}
_PEOPLE = frozenset(_CALLED) | listed("""
parents kids kid children child siblings twins baby partner spouse fiancé fiancée fiance fiancee boss manager
friends neighbours neighbors colleagues supervisor stepmother stepfather stepson stepdaughter ex-wife ex-husband
mother-in-law father-in-law sister-in-law brother-in-law
""")
#: How a question that asks for how things are or were names its subject, but for a code such as "FL-231". What
#: somebody should do may hang on what is known of anybody.
_SUBJECT = re.compile(
    r"(?:\b(?:am|is|are|was|were|does|did|do|has|have|had)(?:n['’]t)?|['’]s) "
    r"(?:(i|we|the user)\b|my ((?:[\w-]+ ){0,2}[\w-]+)|((?-i:[A-Z])[^\W\d_]+)(?![^\W_]|-\d))",
    re.IGNORECASE,
)
#: The same inside of another: "(do you remember) where I live?".
_INSIDE = re.compile(r"\W*(?:where|when|why|how|(?:what|which)(?: \w+)?) (?:i|we|the user)\b", re.IGNORECASE)
#: Nothing but what the user does or is: "(do I) live?", "(am I) allergic to?".
_ALONE = re.compile(
    r" (?:(?:am|are|was|were|been|have|had|still|ever|use to|\w+ly) )*\w+"
    r"(?: (?:about|as|at|by|for|from|in|of|on|to|up|with))?"
    r"(?: (?:before|earlier|again|now|right now|exactly|anymore|\w+ly))*\W*$",
    re.IGNORECASE,
)
#: "Do I have a sister?", "how many brothers do I have?" ask for somebody of theirs, and for nobody else.
_HAS = re.compile(
    r"\W*(?:(?:do|does) (?:i|we|the user) (?:\w+ )?have (?:an?|any) (?:\w+ )?([\w-]+)"
    r"|how many ([\w-]+) (?:do|does) (?:i|we|the user) have)\W*$",
    re.IGNORECASE,
)
#: "What pets do I have?" asks for whatever is one of them, by whatever name.
_HAVING = re.compile(r"\b(?:i|we|the user) (?:\w+ )?(?:have|own|keep|got)\b", re.IGNORECASE)
#: So long a question says more than whom it is about.
_LONGEST = 150
_SELF = listed("i me mine myself we us our ours")
#: "Is Monday free?" asks for nobody.
_NOBODY = listed("monday tuesday wednesday thursday friday saturday sunday christmas easter")
#: "Is May free?" asks for nobody, but "does May like tea?" asks for somebody.
_MONTHS = listed("""
january february march april may june july august september october november december
""")
_DOES = ("do", "did", "ha")
_WORD = re.compile(r"[^\W_]+")
_USER = re.compile(r"(?:the )?user\b", re.IGNORECASE)
#: The same, or somebody by name: "Ines plays …", "Ines's kite is …".
_BY_NAME = re.compile(
    r"(?:[Tt]he )?[Uu]ser\b|(?!(?:The|An?|This|That|These|Those|There|Its?|Their|Her|His|My|Our|All|Both|Some|No|"
    r"In|On|At|For|After|Before|When|If)\b)([A-Z][a-zß-ÿ]+)(?:['’]s)? [a-z]"
)
#: "User's older sister Ines …", "user's cat Biscuit …", "user's boss is …".
_HOLDER = re.compile(
    r"(?:[Tt]he )?[Uu]ser['’]s (?:(?:older|elder|younger|oldest|eldest|youngest|middle|little|big|best|late) )?"
    r"([a-zé-]+)(?= ([A-Z])|\b)"
)
#: Somebody of the user's, in a question: "my older sister", "my sister's".
_THEIRS = re.compile(
    r"\b(?:my|the user['’]s) (?:(?:older|elder|younger|oldest|eldest|youngest|middle|little|big|best|late) )?"
    rf"(?:{'|'.join(sorted(_CALLED, key=len, reverse=True))})\b(['’]s)?",
    re.IGNORECASE,
)
#: Names that are words of grammar as well, if they are written small.
ALSO_WORDS = listed("will may al us it")
#: Where one of these begins a question it is no name: "Will you come?"; and "Will the train be late?" is one, too,
#: where people talk.
_ASKED = "I|you|he|she|it|we|they|there"
_ASKED_OF = "the|this|that|these|those|my|your|our|a|an|be"
_BEFORE_MONTH = "in|on|since|during|until|last|this|next|early|late|mid|of"
_CAPITAL = re.compile(rf"\b[A-Z]\w*\b(?! (?:{_ASKED})\b)")
_NAME = re.compile(r"(?<= )(?![a-zß-ÿ])[^\W\d_]+")
_CALLED_SO = re.compile(r"\b(?:called|named) ([^\W\d_]+)")
_USERS_NAME = re.compile(
    r"(?:the )?user(?:['’]s (?:\w+ )?name is| is (?:called|named)| goes by) (.+)", re.IGNORECASE
)
#: What asks for the user's own name, …
_OWN_NAME = re.compile(
    r"(?:(?:^\W*|\bmy |\buser(?:['’]s)? )(?:(?:full|first|last|own|real) )?name"
    r"|\b(?:am i|is the user) (?:called|named))\W*$",
    re.IGNORECASE,
)
#: … for that of something, …
_NAMING = re.compile(
    r"\bname of (?:my|our|the) (?:\w+ )?(\w+)|"
    r"\b(?:my|our) (?:\w+ )?(\w+)(?:['’]s name|(?: is)? (?:called|named))\b",
    re.IGNORECASE,
)
#: … and what gives one to it.
_GIVES = re.compile(r"(?<![\w-])-*(\w[\w-]*)(?:['’]s name)?(?: is| are)?(?: called| named)?[,:]? (?=[^\W\d_a-z])")

_TELLS_AGE = re.compile(
    r"\b(?:is|are|am|was|turn(?:s|ed|ing)|aged?)(?: (?:now|already|almost|nearly|about))? \d{1,3}"
    r"(?=[\s.,;)!?]*(?:$|and\b|years?\b|months?\b|weeks?\b|now\b|in\b|on\b)|[,;.)])|"
    r"\(\d{1,3}\)|\b\d{1,3}[- ](?:year|month|week)s?[- ]old\b|\bborn\b|\bbirthday\b",
    re.IGNORECASE,
)


class Whom(msgspec.Struct, frozen=True):
    """Whom a question is about: the one who asks, somebody of theirs, or somebody who is named."""

    question: str
    relation: str = ""
    name: str = ""

    def of_user(self) -> str:
        """The same question, put about the user, if it is about somebody of theirs: "what does the user do?" for
        "what does my wife do?"."""
        return _THEIRS.sub(lambda one: "my" if one[1] else "the user", self.question) if self.relation else ""

    def called(self, texts: Sequence[str]) -> str:
        """The names of somebody of theirs, as these statements give them: "Omri" of "user's boyfriend Omri"."""
        if not self.relation:
            return ""
        given = [found[1] for text in texts for found in _names_given(self.relation).finditer(text)]
        return " ".join(dict.fromkeys(given))

    def among(self, texts: Sequence[str], names: Collection[str], user: str, stems: Sequence[str]) -> list[bool]:
        """Which of these statements may be about them; ``names`` are all those in the question, and ``stems`` what
        its words have in common with any statement there is."""
        if self.relation:
            return _of_relation(_speaking_of(self.relation), texts)
        if self.name:
            return _of_named(self.name, {folded(name) for name in names}, texts, user, stems)
        holders = [_holder(text) for text in texts]
        if not any(holders):
            return [True] * len(texts)
        said = _words(self.question)
        if _HAVING.search(self.question):
            said |= {word[:-1] for word in said if word.endswith("s")} | set(kin(self.question).split())
        return [not one or _mentions(said, one, text) for one, text in zip(holders, texts, strict=True)]


def whom(question: str) -> Whom | None:
    """Whom a question is about, if it says so plainly."""
    if len(question) > _LONGEST:
        return None
    if had := _HAS.match(question):
        relation = (had[1] or had[2]).lower()
        if (relation := relation if relation in _CALLED else relation.removesuffix("s")) in _CALLED:
            return Whom(question, relation=relation)
    found = _SUBJECT.search(question)
    own = found if found and found[1] else None if found else _INSIDE.match(question)
    if own:
        # Who is asked for may be the subject of the answer.
        return Whom(question) if _ALONE.match(question, own.end()) and "who" not in question.lower() else None
    if found is None:
        return None
    # "Is Thai food fine with me?" and "where did my wife and I meet?" ask for the user as well; "the US" does not.
    words = {folded(word) for word in _WORD.findall(question) if word != "US"}
    if not _SELF.isdisjoint(words):
        return None
    if found[2]:
        relation = next((word for word in found[2].lower().split() if word in _CALLED), "")
        return Whom(question, relation=relation) if relation else None
    name = folded(found[3])
    if name in _NOBODY or "my" in words or (name in _MONTHS and not found[0].lower().startswith(_DOES)):
        return None
    return Whom(question, name=name)


def also_called(relation: str) -> frozenset[str]:
    """All that somebody of the user's is called, one or many: "mum" and "mother"."""
    one = relation.removesuffix("s")
    return frozenset((one, one + "s", relation)) | _CALLED.get(one, frozenset())


def naming(question: str) -> str:
    """What a question asks the name of."""
    if "name" not in question and "called" not in question:
        return ""
    if _OWN_NAME.search(question):
        return "user"
    found = _NAMING.search(question)
    return (found[1] or found[2]).lower() if found else ""


def gives_name(text: str, what: str) -> bool:
    """Whether a statement gives a name to it: "user's band Lark plays …", "a band called Lark"; and to the kids,
    "two sons, Rui and Ivo"."""
    if what == "user":
        return _USERS_NAME.match(text) is not None
    given = {found[1].lower() for found in _GIVES.finditer(text)}
    return what in given or not given.isdisjoint(_of_its_kind(what))


def tells_age(text: str) -> bool:
    """Whether a statement tells how old somebody or something is: "who is 6", "Ella (7)", "born in May"."""
    return _TELLS_AGE.search(text) is not None


@lru_cache(maxsize=64)
def _of_its_kind(what: str) -> frozenset[str]:
    """What else may bear a name that is asked for: a cat, where it is the pet's; one of what is asked for."""
    return frozenset(kin(what).split()) | {what.removesuffix("s")}


@cache
def _speaking_of(relation: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(_CALLED[relation]))})\b", re.IGNORECASE)


@cache
def _names_given(relation: str) -> re.Pattern[str]:
    called = "|".join(sorted(_CALLED[relation]))
    return re.compile(
        rf"\b(?:{called})(?:['’]s name)?(?: is)?(?: called| named)?,? ((?-i:[A-ZÁÉÍÓÚÑÅÄÖØÆ])[^\W\d_]+)",
        re.IGNORECASE,
    )


def _of_relation(speaking: re.Pattern[str], texts: Sequence[str]) -> list[bool]:
    """What speaks of such a person, or of somebody who is named where one is spoken of."""
    said = [speaking.search(text) is not None for text in texts]
    if all(said):
        return said
    known = {name for text, one in zip(texts, said, strict=True) if one for name in _capitals(text)}
    return [
        one or _USER.match(text) is None or not known.isdisjoint(_capitals(text))
        for text, one in zip(texts, said, strict=True)
    ]


def _of_named(name: str, names: Set[str], texts: Sequence[str], user: str, stems: Sequence[str]) -> list[bool]:
    """What has the name, or is about one of the user's who has it. Of a name that nobody is known by, any other
    name in the question may be what was meant ("is Ghent nearer than Bruges?"), and nothing that is said of
    somebody else; who is known may be meant there too ("what did Ines get?", "Rui gave his sister a kite")."""
    bearing = [text for text in texts if _has(text, name)]
    if name in _words(user) or any(map(_USERS_NAME.match, bearing)):
        return [True] * len(texts)
    holders = {one for text in bearing if (one := _holder(text))}
    called = (found[1] for text in bearing for found in _CALLED_SO.finditer(text))
    wanted = {name} if holders or name in map(folded, called) else names
    cut = name[: max(3, len(name) - 2)]  # as stems are; or they end otherwise
    known = any(stem.startswith(cut) for stem in stems)
    return [
        any(_has(text, one) for one in wanted)
        or not (_USER.match(text) if known else _of_another(text, name))
        or _holder(text) in holders
        for text in texts
    ]


def _of_another(text: str, name: str) -> bool:
    """Whether it is about the user, or about somebody by a name of which this one is no short form."""
    found = _BY_NAME.match(text)
    if found is None or not found[1]:
        return found is not None
    called = folded(found[1])
    return not (called.startswith(name) or name.startswith(called))


def _has(text: str, word: str) -> bool:
    """Looking for letters first is far cheaper than for words."""
    return (
        word in folded(text)
        and word in _words(text)
        and (word not in ALSO_WORDS or has_name(text, word.capitalize()) or has_name(text, word.upper()))
    )


def has_name(text: str, name: str) -> bool:
    """Whether a text has this name as it is written: "user's son Will", and neither "user will move" nor "Will you
    come?"; nor is it a month."""
    return name in text and name in _CAPITAL.findall(undated(text) if name == "May" else text)


def written(names: Collection[str]) -> str:
    """A pattern, for the store, of what has one of these names: "our Will", and not "will he?" or "in May"."""
    month = rf"(?<!\m(?:{_BEFORE_MONTH}|\d\d?) )" if "May" in names else ""
    return rf"{month}\m(?:{'|'.join(names)})\M(?! (?:{_ASKED}|{_ASKED_OF}|\d+)\M)"


def speaks_otherwise(text: str, names: Collection[str]) -> bool:
    """Whether of these names, all of which are words too, a text has no more than the words."""
    return not any(has_name(text, name) for name in names) and not _words(text).isdisjoint(map(folded, names))


def _holder(text: str) -> str:
    """The one of the user's whom a statement is about: a relation, or whatever has a name."""
    found = _HOLDER.match(text)
    return found[1] if found and (found[2] or found[1] in _PEOPLE) else ""


def _mentions(said: Set[str], holder: str, text: str) -> bool:
    return (
        holder in said
        or not said.isdisjoint(_CALLED.get(holder, ()))
        or any(folded(name) in said for name in _capitals(text))
    )


def _capitals(text: str) -> list[str]:
    return _NAME.findall(text)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(folded(text)))
