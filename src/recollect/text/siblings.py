"""Whether two statements that are alike speak of the same, or of two of a kind: invoice 7 and invoice 8, the
user's doctor and that of the user's mother. What is newer comes before what is older only if both speak of the
same. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise

import msgspec

from recollect.text.changes import tells_change
from recollect.text.dates import undated
from recollect.text.languages import GRAMMAR, folded
from recollect.text.whom import also_called
from recollect.text.wordlists import listed

_RELATIVE = (
    r"(?:(?:step|grand|god|half-|great-)?(?:mother|mum|mom|mummy|mommy|mama|father|dad|daddy|papa|parent|brother|"
    r"sister|son|daughter|child|children)|sibling|twin|kid|baby|wife|husband|partner|spouse|fianc[eé]e?|girlfriend|"
    r"boyfriend|ex|uncle|aunt|auntie|cousin|nephew|niece|granny|nana|grandma|grandpa|friend|mate|buddy|neighbou?r|"
    r"roommate|flatmate|housemate|colleague|co-?worker|boss|manager|supervisor|landlord|landlady|"
    r"dog|puppy|cat|kitten|pet|horse|rabbit|hamster|parrot|"
    r"madre|mam[aá]|padre|pap[aá]|herman[oa]|hij[oa]|espos[oa]|marido|mujer|pareja|novi[oa]|t[ií][oa]|abuel[oa]|"
    r"prim[oa]|sobrin[oa]|amig[oa]|vecin[oa]|jef[ea]|perr[oa]|gat[oa])s?(?:-in-law)?"
)
_WHOSE = r"(?:the )?user['’]s|my|our|mis?"
#: What may come before a statement in a talk: "oh, by the way, my mother …".
_LEAD = r"\W*(?:(?:and|but|so|oh|ah|well|also|btw|by the way|yes|no|ok|okay|now|actually|y|pero)\b\W*)*"
#: "User's older sister Ines …", "my mother's doctor …", "la madre del usuario …", "Tom's doctor …".
_OF_SOMEBODY = re.compile(
    rf"{_LEAD}(?:(?:{_WHOSE}) (?:[\w-]+ )?({_RELATIVE})\b|"
    rf"(?:el|la|los|las) (?:({_RELATIVE}) (?:del|de la|de) usuari[oa]\b|"
    rf"[^\W\d_]+ (?:de [^\W\d_]+ )?de (?:mis? ({_RELATIVE})\b|((?-i:[A-ZÁÉÍÓÚÑ])[^\W\d_]+)))|"
    r"((?-i:[A-Z])[^\W\d_]+)['’]s \w)",
    re.IGNORECASE,
)
#: The same inside of a statement, where it must own something: "I have my mother's doctor in the phone".
_OWNED = re.compile(rf"\b(?:{_WHOSE}) (?:[\w-]+ )?({_RELATIVE})['’]s?(?!\w)", re.IGNORECASE)
#: Somebody by name, who is or does something: "Tom is 70", "Ines rides a bicycle".
_BY_NAME = re.compile(rf"{_LEAD}([A-Z][^\W\d_]+) (is|was|has|had|[a-zß-ÿ]+(?:s|ed))\b")
_USER = re.compile(
    rf"{_LEAD}(?:(?:the )?user\b|i\b|my\b|our\b|we\b|yo\b|mis?\b|"
    r"(?:(?:el|la|al|a la) |(?:el|la|los|las) [^\W\d_]+ (?:de [^\W\d_]+ )?(?:del |de la |de ))?usuari[oa]\b)",
    re.IGNORECASE,
)
#: The user as the one who does something, and as the one to whom it is done.
_DOES = re.compile(rf"{_LEAD}(?:(?:the )?user|i|we) ", re.IGNORECASE)
_DONE_TO = re.compile(r" (?:user|me|us)(?![\w'’])")
_SELF = listed("user i me we us")
#: "What's", "it's", "user's" are nobody's.
_NOBODY = listed("user what who where when why how which that this it there here he she let one today tomorrow")
#: One of these is in all that is about somebody.
_CUES = ("'", "’", "my ", "My ", "our ", "Our ", "mi", "Mi", "usuari", " de ")
_POSSESSIVE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)['’]s\b")  # from its first letter, or a long word takes long
_OTHERS = listed("he she they him his her hers them their theirs whose everyone somebody someone")
_ANY_RELATIVE = re.compile(_RELATIVE)
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
#: So many digits are no small number.
_LONG = 3
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def matter_of(text: str) -> set[str]:
    """What a statement is about: its words without grammar, numbers and that it is about the user."""
    return set(_LETTERS.findall(text.casefold())) - GRAMMAR


def somebody(text: str) -> str:
    """Who else than the user a statement is about, in a word, as far as it says so at once: "mother", "tom"."""
    if not any(map(text.__contains__, _CUES)):  # which many can be told by
        return ""
    found = _OF_SOMEBODY.match(text) or _OWNED.search(text)
    who = folded(next(filter(None, found.groups()), "")) if found else ""
    return "" if who in _NOBODY else who


def of_another(one: str, other: str) -> bool:
    """Whether the two are about two people: one is about somebody who is not in the other."""
    if (who := somebody(one)) != (whom := somebody(other)):
        return not (_speaks_of(other, who, whom) or _speaks_of(one, whom, who))
    if who:
        return False
    return _by_another_name(one, other) or _by_another_name(other, one)


class Asked(msgspec.Struct, frozen=True):
    """Of whom a question speaks, if of nobody but the one who asks, who of theirs, and one who is named."""

    whose: frozenset[str] = frozenset()
    """All that those are called: who asks for their cat does not ask for that of their sister."""
    name: str = ""
    """Who is named beside the one who asks: who owes them something does not owe it to them."""
    first: bool = False
    """Whether the one who asks comes before the name."""

    def speaks_of(self, text: str) -> bool:
        """Whether a statement is about these, or about the user if there are none."""
        if self.name:
            return _user_first(text, self.name) is self.first
        if who := somebody(text):
            return who in self.whose
        return _USER.match(text) is not None and (not self.whose or any(_has(text, one) for one in self.whose))

    def speaks_of_others(self, text: str, user: str) -> bool:
        """Whether a statement is about somebody else than this user, who may be named in it."""
        if self.name:
            return _user_first(text, self.name) is (not self.first)
        if who := somebody(text):
            return who not in self.whose
        return bool(name := _name(text)) and not in_question(name, user)


#: Who asks, and nobody else.
ONESELF = Asked()


def asked_of(question: str, names: Sequence[str]) -> Asked | None:
    """Of whom a question with these names speaks; None if of several, or of somebody of whom it does not say who
    it is."""
    if names:
        name = folded(names[0])
        first = _user_first(question, name) if len(names) == 1 else None
        return None if first is None else Asked(name=name, first=first)
    words = set(_TOKEN.findall(folded(question)))
    spoken = {word for word in words if _is_relative(word)}
    owners = {folded(owner) for owner in _POSSESSIVE.findall(question)}
    if not words.isdisjoint(_OTHERS) or owners - spoken - _NOBODY:
        return None
    return Asked(frozenset(name for one in spoken for name in also_called(one)))


@lru_cache(maxsize=1024)  # the words of questions are few, and the pattern is long
def _is_relative(word: str) -> bool:
    return _ANY_RELATIVE.fullmatch(word) is not None


def _user_first(text: str, name: str) -> bool | None:
    """Whether the user is said before somebody of this name; None if not both are."""
    words = [folded(word) for word in _WORD.findall(text)]
    selves = [place for place, word in enumerate(words) if word in _SELF]
    return selves[0] < words.index(name) if selves and name in words else None


def sets_apart(stems: Sequence[str], said: str, other: str) -> bool:
    """Whether words of the question that are said here and not there make of the two statements two of a kind:
    one is a number, a name, or a word in whose place the other has one of its own."""
    if any(sign.isdigit() for stem in stems for sign in stem):
        return True
    roots = tuple(map(_root, stems))
    words = _WORD.findall(said)
    here, there = [folded(word) for word in words], [folded(word) for word in _WORD.findall(other)]
    places = [place for place, word in enumerate(here) if word.startswith(roots)]
    if any(place and words[place][0].isupper() for place in places):
        return True
    return bool(places) and (
        _replaced(here, places, there)
        or _replaced(here[::-1], [len(here) - 1 - place for place in places], there[::-1])
    )


def in_question(stem: str, question: str) -> bool:
    """Whether a stem is that of a word of the question, and not of one that was looked for in its place."""
    root, words = folded(_root(stem)), _sorted_words(question)
    place = bisect_left(words, root)
    return place < len(words) and words[place].startswith(root)


def _root(stem: str) -> str:
    return stem[: max(3, len(stem) - 1)]


@lru_cache(maxsize=64)  # a question, which may be long, is asked for each stem and each statement
def _sorted_words(text: str) -> list[str]:
    return sorted(set(_WORD.findall(folded(text))))


class Numbered(msgspec.Struct, frozen=True):
    """The codes and numbers by which a question tells one of a kind from the others."""

    codes: Sequence[str]
    """What has digits and is no mere amount, without signs between: "e1043", "88125"."""
    counted: Sequence[tuple[str, str]]
    """What has a small number behind it: "invoice", "7"."""

    def is_of(self, stems: Sequence[str]) -> bool:
        """Whether these words are nothing but pieces of its codes: the "fl" of "FL-231"."""
        return bool(stems) and all(any(folded(stem) in code for code in self.codes) for stem in stems)

    def is_other(self, text: str) -> bool:
        """Whether a statement lacks one of these codes, or has what is counted with other numbers only."""
        plain = folded(text)
        squeezed = "".join(filter(str.isalnum, plain))
        if any(code not in squeezed for code in self.codes):
            return True
        if not self.counted:
            return False
        words = _WORD.findall(plain)
        there, behind = set(words), _numbers_behind({word for word, _ in self.counted}, words)
        return any(behind[word] - {number} and number not in there for word, number in self.counted)


def numbered(question: str) -> Numbered | None:
    """The codes and numbers in a question, its dates left out; None if there are none, as in most."""
    if _DIGIT.search(question) is None:
        return None
    tokens = _TOKEN.findall(undated(question))
    codes = [folded(token).replace("-", "") for token in tokens if _is_code(token)]
    counted = [
        (folded(word), number)
        for word, number in pairwise(tokens)
        if number.isdigit() and len(number) < _LONG and word.isalpha() and folded(word) not in GRAMMAR
    ]
    return Numbered(list(dict.fromkeys(codes)), list(dict.fromkeys(counted))) if codes or counted else None


def _is_code(token: str) -> bool:
    digits = sum(map(str.isdigit, token))
    if not digits or ("-" in token and token.islower()):  # "top-10"
        return False
    return token[0].isalpha() or (digits >= _LONG and not any(map(str.islower, token)))


def _numbers_behind(counted: Set[str], words: Sequence[str]) -> dict[str, set[str]]:
    """The numbers behind each of these, found in one pass: a text may be long, and have many of them."""
    behind: dict[str, set[str]] = {word: set() for word in counted}
    for word, number in pairwise(words):
        if number.isdigit() and word in behind:
            behind[word].add(number)
    return behind


def _has(text: str, who: str) -> bool:
    return bool(who) and who in _TOKEN.findall(folded(undated(text)))  # June is not in "5 June"


def _speaks_of(text: str, who: str, owner: str) -> bool:
    """Whether somebody is in a statement, and not as what its owner has: a sister's cat is not the user's."""
    return _has(text, who) and f"{owner}'s {who}" not in folded(text).replace("’", "'")


def _by_another_name(text: str, users: str) -> bool:
    """Whether one is about somebody by name, where the other is about the user; or the two have changed places, as
    who owes something and who is owed it."""
    name = _name(text)
    if not name or _USER.match(users) is None:
        return False
    return not _has(users, name) or (_DOES.match(users) is not None and _DONE_TO.search(text) is not None)


def _name(text: str) -> str:
    """Who a statement is about, if it begins with a name: "Tom is 70"."""
    found = _BY_NAME.match(text)
    name = folded(found[1]) if found else ""
    if found is None or name in GRAMMAR or found[2] in ("as", "this", "its") or tells_change(name):
        return ""
    return name


def _replaced(words: Sequence[str], places: Sequence[int], others: Sequence[str]) -> bool:
    """Whether behind what stands before one of these places there stands another word there, which is not said
    here."""
    own = {word for word in set(others) - set(words) - GRAMMAR if not tells_change(word)}
    before = {
        tuple(others[max(0, place - many) : place])
        for place, word in enumerate(others)
        if word in own
        for many in (1, 2)
    }
    return any(_lead(words, place) in before for place in places if place)


def _lead(words: Sequence[str], place: int) -> tuple[str, ...] | None:
    """What stands before a word, as far as it says something; None if that is grammar alone."""
    *_, last = lead = tuple(words[max(0, place - 2) : place])
    if last not in GRAMMAR:
        return (last,)
    return None if all(word in GRAMMAR for word in lead) else lead
