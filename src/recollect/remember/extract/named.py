"""Whom a name is about: "My son Leo is 8. Leo is allergic to eggs." Pure.

Only where it is plain: the speaker has said who of theirs is called so, and of nobody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.remember.extract import elided, pronouns
from recollect.remember.extract.corrections import Said
from recollect.remember.extract.english_predicate import AUXILIARIES
from recollect.remember.extract.english_words import ADVERBS
from recollect.remember.extract.pronouns import Meant
from recollect.remember.extract.spanish_verbs import follows_a_name
from recollect.text.english_verbs import BASES, base_of

_NAME = r"(?-i:[A-ZÁÉÍÓÚÑ])[\w-]+"
#: "Leo", "Leo (8)", "Leo, 8", "Leo de 8", and several of them.
_ONE = rf"{_NAME}(?:,? (?:\(\d+\)|\d+|de \d+(?: años)?|who is \d+)| \(\d+\))?"
_SEVERAL = rf"(?P<names>{_ONE}(?:(?:, and |, | and | & | y | e ){_ONE})+)"
_BEFORE = r"(?:,|:| [–—-]| called| named| are| are called| are named| se llaman| son| \()? "
#: What each of several is.
_EACH = {
    "kids": "kid", "children": "child", "sons": "son", "boys": "boy", "daughters": "daughter", "girls": "girl",
    "brothers": "brother", "sisters": "sister", "cats": "cat", "dogs": "dog", "cousins": "cousin",
    "nephews": "nephew", "nieces": "niece", "roommates": "roommate", "flatmates": "flatmate",
}  # fmt: skip
_MANY = re.compile(
    r"\b(?:my|our|(?:have|got|raising|with)(?: got)?)"
    r"(?: (?:two|three|four|five|\d|lovely|little|young|grown-up|twin))* "
    rf"(?P<kind>{'|'.join(_EACH)}){_BEFORE}{_SEVERAL}",
    re.IGNORECASE,
)
#: "My son is called Leo", "my daughter's name is Mia".
_CALLED = re.compile(
    r"\b(?:my|our) (?P<kind>(?:(?:younger|older|eldest|oldest|youngest|little|big|best) )?[\w-]+?)"
    rf"(?:(?: is|'s|’s) (?:called|named)|(?:'s|’s) name is) (?P<name>{_NAME})",
    re.IGNORECASE,
)
#: In Spanish several sons may be sons and daughters: how what is said of one ends tells which.
_EACH_IN_SPANISH = {
    "hijos": ("hijo", "hija"), "hijas": ("hija", "hija"), "hermanos": ("hermano", "hermana"),
    "hermanas": ("hermana", "hermana"), "gatos": ("gato", "gata"), "gatas": ("gata", "gata"),
    "perros": ("perro", "perra"), "perras": ("perra", "perra"), "nietos": ("nieto", "nieta"),
    "nietas": ("nieta", "nieta"), "sobrinos": ("sobrino", "sobrina"), "sobrinas": ("sobrina", "sobrina"),
}  # fmt: skip
_MANY_IN_SPANISH = re.compile(
    r"\b(?:mis|nuestr[oa]s|tengo|tenemos)(?: (?:dos|tres|cuatro|cinco|\d))? "
    rf"(?P<kind>{'|'.join(_EACH_IN_SPANISH)}){_BEFORE}{_SEVERAL}",
    re.IGNORECASE,
)
_ENDS = re.compile(r"^(?:no )?(?:es|está) (?:muy )?\w+?(?P<end>[oa])\b", re.IGNORECASE)
_EACH_NAME = re.compile(_NAME)
#: "Leo is", "and Leo's allergic to …"; but "Leo's teacher" is somebody else.
_BEGINS = re.compile(
    rf"^(?:(?:and|but|also|so|oh|sadly|luckily|unfortunately|now|y|pero|además)[,]?\s+)*(?P<name>{_NAME})"
    r"(?P<is>(?:'s|’s)(?=\s+(?:also |now |very |really |not |only |severely )*(?:allergic|vegan|vegetarian|"
    r"co?eliac|diabetic|lactose|intolerant|autistic|asthmatic|dyslexic|pregnant|left-handed|afraid|scared|\d|"
    r"an?\b|\w+ing\b)))?"
    r"(?=\s)(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)


def spoken_of(sentence: str, earlier: Sequence[Said]) -> Meant | None:
    """What a sentence about somebody by name says, if the speaker has told who of theirs that is."""
    begins = _BEGINS.match(sentence) if earlier else None
    if begins is None or not (begins["is"] or _says_of_it(begins["rest"])):
        return None
    name, rest = begins["name"], begins["rest"]
    told = [(who, said.seq) for said in earlier if name in said.text for who in _called(name, said.text, rest)]
    if len({who for who, _ in told}) != 1:
        return None
    who, seq = told[0]
    return Meant(f"{who} {name}{' is' if begins['is'] else ''}{rest}", seq)


def _says_of_it(rest: str) -> bool:
    """Whether a verb follows the name: "Leo has asthma", but not "Leo Tolstoy", nor "Rose wine"."""
    words = [word.strip(",.!").lower() for word in rest.split()]
    while words and words[0] in ADVERBS:
        words = words[1:]
    if not words:
        return False
    english = words[0] in AUXILIARIES or (base_of(words[0]) is not None and words[0] not in BASES)
    return english or follows_a_name(words)


def _called(name: str, text: str, rest: str) -> Iterator[str]:
    """Who of the speaker's is called so in a sentence."""
    for one in (*pronouns.PERSON.finditer(text), *_CALLED.finditer(text)):
        if one["name"] == name:
            yield f"My {one['kind'].lower()}"
    for one in elided.PERSON.finditer(text):
        if one["name"] == name:
            yield f"Mi {one['kind'].lower()}"
    for one in _MANY.finditer(text):
        if name in _EACH_NAME.findall(one["names"]):
            yield f"My {_EACH[one['kind'].lower()]}"
    for one in _MANY_IN_SPANISH.finditer(text):
        he, she = _EACH_IN_SPANISH[one["kind"].lower()]
        ends = _ENDS.match(rest.strip())
        if name in _EACH_NAME.findall(one["names"]) and (he == she or ends is not None):
            yield f"Mi {she if ends is not None and ends['end'].lower() == 'a' else he}"
