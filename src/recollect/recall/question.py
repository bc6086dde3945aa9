"""What a question asks for: its words, whom it is about, whether it asks when. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from recollect.text.dates import undated
from recollect.text.english_verbs import base_of
from recollect.text.function_words import without_function_words
from recollect.text.kin import literally
from recollect.text.languages import is_english_grammar, is_grammar, language
from recollect.text.whom import ALSO_WORDS
from recollect.text.wordlists import listed

_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "im", "ive"})
#: "When did …", but not "what did she say when …".
_WHEN = re.compile(
    r"^\W*when\b|\bwhen (?:did|do|does|was|were|is|are|will|has|have|had|would)\b|"
    r"\b(?:what|which) (?:day|date|month|year|time)\b|\bhow long\b",
    re.IGNORECASE,
)

#: "What did you suggest …", "the restaurant you told me about", but not "did I tell you …".
_SAID = (
    r"(?:recommended|suggested|mentioned|advised|proposed|explained|described|said|told|listed|gave|given|made|wrote|"
    r"written|came up with|provided|shared|showed|shown|were (?:referring to|talking about))"
)
_OFTEN = r"(?:(?:just|also|already|once|previously|last|ever) )*"
_OF_ANSWERS = re.compile(
    rf"\bdid you {_OFTEN}(?:recommend|suggest|mention|advise|propose|explain|describe|say|tell|list|give|write|"
    rf"make|come up with|provide|share|show)\b|\b(?:have|had) you {_OFTEN}{_SAID}\b|"
    rf"\byou(?:['’]ve|['’]d| have| had)? {_OFTEN}{_SAID}\b|"
    r"\b(?:recomendaste|sugeriste|dijiste|mencionaste|explicaste|aconsejaste|propusiste|diste|has (?:recomendado|"
    r"sugerido|dicho|mencionado|explicado|aconsejado|propuesto|dado))\b"
    r"|\bme (?:recomendó|sugirió|aconsejó|propuso)(?=\s*(?:[?.!]|$|usted\b|para\b|como\b|cuando\b|entonces\b))",
    re.IGNORECASE,
)

#: That something was said at all: "did I ever mention …", "what did we talk about …".
_OF_TALK = re.compile(
    rf"\b(?:did|have|had) (?:i|we) {_OFTEN}(?:ever )?(?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?|speak|spoke|"
    r"spoken|discuss(?:ed)?|chat(?:ted)?)(?: (?:to|with))?(?: you)?(?: (?:about|on|of))?\b",
    re.IGNORECASE,
)
#: "It costs 40" answers how much it is, and does not say "much".
_HOW_MUCH = re.compile(
    r"\bhow (?:much|high|big|large|tall|wide|deep|heavy|expensive|fast|small|late|early|soon)\b", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\bhow (?:much|many|often|long|far|old|high|big|large|tall|wide|deep|heavy|expensive|fast)\b|"
    r"\b(?:number|code|price|costs?|rate|salary|rent|budget|score|age|size|weight|height|length|amount|dose|"
    r"extension)\b",
    re.IGNORECASE,
)

_PAST = re.compile(r"\b(?:did|was|were|had|used to|ago|fue|fui|fueron|era|eran|hab[ií]a)\b|\wó\b", re.IGNORECASE)
#: The same where it is not English, which has "café" and "taste".
_PAST_ENDING = re.compile(r"\w(?:é|aron|ieron|aste|iste)\b", re.IGNORECASE)

#: Words for talking, which say nothing about what, …
_TALK = listed("""
talk talked talking discuss discussed say said saying tell told telling mention mentioned speak spoke chat chatted
conversation conversations message messages write wrote ask asked cover covered
hablamos hable hablo hablar dije dijo dijiste decir dicho conte conto contar mencione menciono
""")
#: … and for happening, with words of grammar.
_HAPPEN = listed("""
happen happened happening happens paso pasado ocurrio
de que en el la los las lo me te se nos yo tu sobre cuando y a
""")
#: That it is asked for now, for before, or exactly says nothing about what is asked for.
_NOW = re.compile(
    r"\b(?:(?:right )?now|current(?:ly)?|nowadays|these days|at (?:the moment|present)|presently|still|any ?more|"
    r"exactly|precisely|previously|formerly|(?:before|earlier|again|in the past|back then)(?=\W*$)|"
    r"antes(?=\W*$)|exactamente|anteriormente|"
    r"ahora(?: mismo)?|actual(?:es|mente)?|hoy en d[ií]a|en este momento|todav[ií]a|a[uú]n)\b",
    re.IGNORECASE,
)
_NOW_CUES = (
    "now",
    "current",
    "these",
    " at ",
    "present",
    "still",
    "any",
    "exact",
    "precis",
    "previous",
    "former",
    "before",
    "earlier",
    "again",
    "past",
    "then",
    "ante",
    "ahora",
    "actual",
    "hoy",
    "este",
    "toda",
    "aún",
    "aun",
)
#: What a question for nothing but a time is made of, besides grammar.
_ANY_EVENT = listed("""
agenda anything appointments around available busy calendar coming deadline deadlines diary doing due during else
event events free going
happen happened happening happens important lined ongoing plan planned planning plans schedule scheduled something
special there these thing things upcoming what's whats
algo eventos evento hay pasa paso pasó ocurre ocurrio ocurrió planes previsto tengo tenia tenía hice hago
""")
#: Of what kind the answer is: "in which city do I live" is answered by "user lives in Oslo".
_KIND = re.compile(
    r"\b(what|which|qu[eé]|cu[aá]l) (?:city|town|country|place|street|state|day|date|month|year|time|kind|type|"
    r"sort|ciudad|pueblo|pa[ií]s|lugar|calle|d[ií]a|fecha|mes|a[ñn]o|hora|tipo|clase)s?\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"\bhow old\b", re.IGNORECASE)
#: How much of it is asked for, how often and for how long a time: "monthly income" is told as "earns 900 a month",
#: "how often do I ever swim" as "swims on Mondays". Some say it too, so it is left out only where nothing does.
_MEASURE = re.compile(
    r"(?<=\bhow )(?:much|many|often|long|far)\b|\b(?:hourly|weekly|monthly|yearly|annual) (?=[^\W\d_])|"
    r"\b(?:ever|already|yet|always|usually|normally|typically|generally|regularly|recently|lately|actually|really|"
    r"most)\b",
    re.IGNORECASE,
)

#: What the store would take for words of one letter or two: "Ana's", "what's", "we're", "don't".
_CONTRACTED = re.compile(r"\b\w+n['’]t\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)


#: Who is asked for by name is found by who they are; that they are called something need not be said.
_NAME = re.compile(r"(?<=['’]s) names?\b|\bnames? of\b|(?<=\bmy )(\w+) (?:called|named)\b", re.IGNORECASE)


#: How a question is put: "do you remember …", "can you tell me …", "I forgot …", "what do you know about my …".
_FRAME = re.compile(
    r"\W*(?:(?:hey|hi|hello|so|ok|okay|well|sorry|please|btw|by the way|quick question)\W+)*(?:"
    r"(?:do|can|could|would|will) you (?:(?:please|still|also|just) )*(?:remember|recall|know|tell me|remind me)|"
    r"(?:remind|tell) me|i(?: just| have|['’]ve)? (?:forgot|forget|forgotten)|"
    r"i (?:can|do)(?:n?['’]t|not| not) (?:remember|recall|know)|i(?:['’]m| am| was)? wonder(?:ing)?|any idea|"
    r"what (?:else |all )?(?:do you (?:still )?(?:know|remember)|(?:have|did) you (?:learn(?:ed|t)?|note(?:d)?)|"
    r"(?:did|have) i (?:tell|told) you) about(?= (?:my|our|the user)\b)"
    r")(?: again| once more| please)?[\s,:]+(?=\w)"
    r"|\W*(?:the )?user(?:['’]s)? (?=\w)",
    re.IGNORECASE,
)

#: … and what is said behind it.
_BEHIND = (
    " again", " please", " though", " btw", " by the way", " remind me", " do you know", " do you remember",
    " can you tell me", " if you know", " if you remember",
)  # fmt: skip
_FARTHEST_BEHIND = max(map(len, _BEHIND))
_ENDS_WITH = " \t\n?!.,…"
#: The order of words in a question that is part of another.
_ASKS = r"\W*(what|which \w+|where|when|who|why|how(?: \w+)?) "
_LAST_IS = re.compile(
    _ASKS + r"((?:my|our|the user['’]s) (?:[\w'’-]+ ){0,3}?[\w'’-]+) (is|are|was|were)\W*$", re.IGNORECASE
)
_THEN_DOES = re.compile(_ASKS + r"(i|we) (\w+)\b", re.IGNORECASE)
_AUXILIARY = listed("am are was were have had can could should would will must")

#: A sentence, or what stands between two ends of one. No sign of it fits twice: a pattern that could begin its
#: word anywhere would try all ways to do so in a text without an end.
_SENTENCE = re.compile(r"[^.!?…\n]*[.!?…\n]|[^.!?…\n]+")

#: A longer message tells something besides.
LONGEST_REQUEST = 300
_REQUEST = re.compile(
    r"\?\s*$|(?:^|[.!?:;,\n]|\b(?:and|so|ok|but|please|question|idea|also|actually|btw|hey|hi)\b)\s*(?:how|what|which|"
    r"where|when|who|why|(?:can|could|should|do|would) (?:you|i|we)|does|is there|are there|write|give me|show me|"
    r"tell me|help|suggest|recommend|explain|draft|list)\b",
    re.IGNORECASE,
)

#: "Ana: where is my bag?", a turn of a talk.
_TURN = re.compile(r"\s*[<\[*]{0,2}[^\W\d_][\w .'’-]{0,40}[>\]*]{0,2}:[>\]*]{0,2}\s+\S")


#: What a word of an earlier turn is worth against one of the last.
ASIDE = 0.5


class Word(msgspec.Struct, frozen=True):
    """A word of a question, with the stems that it is looked for by."""

    text: str
    stems: tuple[str, ...]
    stop: bool
    forms: tuple[str, ...] = ()
    """The stems of its other forms, any of which is as good."""
    weight: float = 1.0
    """What it is worth where it is missing or not, beside the others."""


class Question(msgspec.Struct, frozen=True):
    """A question taken apart."""

    text: str
    words: tuple[Word, ...]
    own: bool | None = None
    """Whether the one who asks speaks of themselves, where that is told in another language."""

    @property
    def terms(self) -> list[str]:
        """The stems to look for; stop words count only if there is nothing else."""
        return _stems([word for word in self.words if not word.stop] or self.words)

    @property
    def forms(self) -> dict[str, str]:
        """For each stem of another form the stem that it stands for; one that is asked for stands for itself."""
        asked = set(self.terms)
        pairs = {form: word.stems[0] for word in self.words if word.stems for form in word.forms}
        return {form: stem for form, stem in pairs.items() if form not in asked and stem in asked}

    @property
    def weights(self) -> dict[str, float]:
        """What each stem is worth, of those that are not worth 1."""
        return {stem: word.weight for word in self.words if word.weight != 1.0 for stem in word.stems}

    @property
    def first_person(self) -> bool:
        """Whether the one who asks speaks of themselves."""
        if self.own is not None:
            return self.own
        return any(word.text.lower() in _FIRST_PERSON and word.text != "US" for word in self.words)

    @property
    def asks_of_answers(self) -> bool:
        """Whether it asks for what whoever is asked has said: "which book did you recommend?"."""
        return _OF_ANSWERS.search(self.text) is not None

    @property
    def asks_when(self) -> bool:
        """Whether a time is asked for."""
        return _WHEN.search(self.text) is not None

    @property
    def asks_number(self) -> bool:
        """Whether a number is asked for."""
        return _NUMBER.search(self.text) is not None

    @property
    def of_past(self) -> bool:
        """Whether it asks for what happened, and not for how things are."""
        return _PAST.search(self.text) is not None or (
            _PAST_ENDING.search(self.text) is not None and language(self.text) != "en"
        )

    def stressing(self, text: str) -> Question:
        """The same with half the weight for words that this text does not have."""
        there = {plain(word) for word in re.findall(r"\w+", text)}
        words = (
            word if plain(word.text) in there else msgspec.structs.replace(word, weight=word.weight * ASIDE)
            for word in self.words
        )
        return Question(self.text, tuple(words), self.own) if text else self

    def part(self, text: str) -> Question:
        """The same for another text, which has some of its words."""
        return Question(text, self.words, self.own)

    def only(self, text: str) -> Question:
        """The same with only those words that this text has, unless none would be left."""
        there = {plain(word) for word in re.findall(r"\w+", text)}
        words = tuple(word for word in self.words if plain(word.text) in there)
        return self if all(word.stop for word in words) else Question(self.text, words, self.own)

    @property
    def matter(self) -> str:
        """What it asks about: not that it was said, nor how much of it is asked for."""
        return _HOW_MUCH.sub("how", _OF_TALK.sub(" ", _OF_ANSWERS.sub(" ", self.text)))

    def only_talk(self, text: str) -> bool:
        """Whether of the words that this text has none says what is asked about: "what did we talk about"."""
        there = {plain(word) for word in re.findall(r"\w+", text)}
        return all(
            word.stop or (bare := plain(word.text)) in _TALK or bare in _HAPPEN or bare not in there
            for word in self.words
        )

    @property
    def of_talk(self) -> bool:
        """Whether it asks for what was said, and not for what happened."""
        return any(plain(word.text) in _TALK for word in self.words)

    def named(self, names: Sequence[str]) -> list[str]:
        """Which of these people it names, by any part of their names that is not written small."""
        no_case = self.text == self.text.lower()
        said = {plain(word.text) for word in self.words if no_case or not word.text[0].islower()}
        return [name for name in names if said & _parts(name)]

    def without(self, names: Sequence[str]) -> Question:
        """The same without these names. What people say names the *other* one, so a name in the question would
        drag the search to the wrong person. A question that is nothing but names stays as it is."""
        parts = {part for name in names for part in _parts(name)}
        words = tuple(word for word in self.words if plain(word.text) not in parts)
        if all(word.stop for word in words):
            return self
        kept = [
            token for token in self.text.split() if plain(re.split(r"\W", token.lstrip("\"'(¿¡"))[0]) not in parts
        ]
        return Question(" ".join(kept), words, self.own)


def last_turn(text: str) -> str:
    """The last turn, if this is a talk written down, "Ana: …" line by line; otherwise nothing."""
    lines = [line for line in text.split("\n") if line.strip()] if "\n" in text else []
    return lines[-1] if len(lines) > 1 and all(map(_TURN.match, lines)) else ""


@lru_cache(maxsize=64)  # several ask for that of one question
def unframed(query: str) -> str:
    """A question without how it is put: who asks "do you remember where I live?" asks where they live, "user
    location" asks for a location, and "what's my name again?" for a name."""
    frame = _FRAME.match(query)
    if frame is not None:
        query = _in_order(query[frame.end() :])
    rest = query.rstrip(_ENDS_WITH)
    last = rest[-_FARTHEST_BEHIND:].lower()
    if not last.endswith(_BEHIND):
        return query
    behind = next(one for one in _BEHIND if last.endswith(one))
    if not (asked := rest[: -len(behind)].rstrip(_ENDS_WITH)):
        return query
    return f"{asked}?" if "?" in query[len(rest) :] else asked


def _in_order(question: str) -> str:
    """The words of a question as one puts it that is not part of another: "what my name is", "where I live"."""
    found = _LAST_IS.match(question)
    if found:
        return f"{found[1]} {found[3]} {found[2]}"
    found = _THEN_DOES.match(question)
    if found is None:
        return question
    asked, who, verb = found.groups()
    if verb.lower() in _AUXILIARY:
        return f"{asked} {verb} {who}{question[found.end() :]}"
    if base_of(verb.lower()) != verb.lower():
        return question
    return f"{asked} do {who} {verb}{question[found.end() :]}"


def asked_in(message: str) -> str:
    """The last question of a message of several sentences; nothing if it is one sentence, or asks nothing."""
    if "?" not in message:
        return ""
    sentences = [one for one in _SENTENCE.findall(message) if _SAYS.search(one)]
    questions = [one for one in sentences if one.endswith("?")]
    return questions[-1].strip() if questions and len(sentences) > 1 else ""


def asks(text: str) -> bool:
    """Whether somebody asks or bids with it, with or without a question mark, and says little else."""
    return len(text) <= LONGEST_REQUEST and _REQUEST.search(text) is not None


def sought(query: str) -> str:
    """A question without what a memory that answers it need not say: when it holds, what kind of thing is asked
    for, and mere grammar. A question that is nothing else stays as it is."""
    return without_function_words(ageless(timeless(query)))


def asks_age(query: str) -> bool:
    """Whether it asks how old somebody or something is."""
    return "old" in query and _AGE.search(query) is not None


def ageless(query: str) -> str:
    """The same without "old" where an age is asked for: what is old is something else."""
    return _AGE.sub("how", query) if "old" in query else query


def timeless(query: str) -> str:
    """The same, with its grammar."""
    rest = undated(_NOW.sub(" ", query) if any(map(query.lower().__contains__, _NOW_CUES)) else query)
    return uncontracted(essential(rest) if _SAYS.search(rest) else query)


def unmeasured(query: str) -> str:
    """The same without how much of it is asked for, and how often: what is known need not say that. A question
    that is nothing else stays as it is."""
    rest = _MEASURE.sub("", timeless(query))
    return rest if _LETTERS.search(rest) else query


def only_dated(query: str) -> bool:
    """Whether it asks for whatever is, was or will be at a time: "what do I have on 3 March?"."""
    rest = undated(query)
    if rest == query:
        return False
    tongue, words = language(query), _LETTERS.findall(uncontracted(rest).lower())
    return bool(words) and all(
        word in _ANY_EVENT or (is_english_grammar(word) if tongue == "en" else is_grammar(plain(word), tongue))
        for word in words
    )


def essential(query: str) -> str:
    """A question without what kind of thing is asked for, that somebody is called something, or does it for a
    living: the answer need not say so. A question that is nothing else stays as it is."""
    rest = _KIND.sub(r"\1", literally(query) if "living" in query or "get" in query else query)
    if "name" in rest or "called" in rest:
        rest = _NAME.sub(r" \1 ", rest)
    return rest if _SAYS.search(rest) else query


def uncontracted(text: str) -> str:
    """Without the letters behind an apostrophe, which say nothing about what is asked for, unless nothing else
    is left."""
    if "'" not in text and "’" not in text:
        return text
    rest = _CONTRACTED.sub(" ", text)
    return rest if _SAYS.search(rest) else text


@lru_cache(maxsize=64)  # several ask for those of one question
def marked_words(query: str) -> tuple[str, ...]:
    """Words that look like names or codes, once each: a capital that does not begin a sentence, or does as
    "Clara's", or a digit in a word."""
    text = uncontracted(query)
    words = _WORDS.findall(text)
    odd = [] if "".join(words).isalpha() else [word for word in words if not (word.isalpha() or word.isdigit())]
    marked = [word for word in odd if any(sign.isdigit() for sign in word)]
    if (owner := _OWNER.match(query)) and owner[1].casefold() not in _NO_OWNER:
        marked.append(owner[1])
    if any(map(text.__contains__, _ENDINGS)):
        first = {begins.start(1) for begins in _FIRST.finditer(text)}
        inside = [word[0] for word in _WORDS.finditer(text) if word.start() not in first]
    else:
        inside = words[1:]
    marked += [word for word in inside if word[:1].isupper() and word != "I"]
    return tuple(dict.fromkeys(marked))


def named_as_words(query: str) -> list[str]:
    """Those of the marked words that are names, and are words of grammar too if they are written small."""
    marked = [word for word in marked_words(query) if word.lower() in ALSO_WORDS]
    if not marked:
        return marked
    there = set(_WORDS.findall(undated(query)))  # not the month
    return [word for word in marked if word in there]


_SAYS = re.compile(r"\w")
_WORDS = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
#: What begins a text, a line or a sentence.
_FIRST = re.compile(r"(?:^|[.!?:;…\n])(?:[\"'“”‘’*([<¿¡-]|[^\S\n])*([^\W_]+(?:[-'][^\W_]+)*)")
_ENDINGS = ".!?:;…\n"


def unnamed(query: str, names: Sequence[str], said: str) -> str | None:
    """An English question without these names, if it asks for something else by what is ``sought`` of it: to a
    model, a short text about somebody says little more than who it is about."""
    if not names or language(query) != "en":
        return None

    named = {*names, *[name + "'s" for name in names], *[name + "’s" for name in names]}
    tokens = _TOKEN.findall(query)
    rest = (token for token in (tokens if said == query else _TOKEN.findall(said)) if token not in named)
    if all(is_english_grammar(word) for token in rest for word in _LETTERS.findall(token)):
        return None
    # A pattern made of the names would have to be made anew for nearly every question.
    kept: list[str] = []
    end = behind = 0
    for token in tokens:
        start = query.index(token, behind)
        behind = start + len(token)
        if token in named:
            kept.append(query[end:start])
            end = behind
    kept.append(query[end:])
    return " ".join(kept)


_LETTERS = re.compile(r"[^\W\d_]{2,}")
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_OWNER = re.compile(r"\W*([^\W\d_]+)['’]s\b")
_NO_OWNER = listed("what who where when why how which that this it there here he she let one everyone someone")


def plain(text: str) -> str:
    """Without accents and case, as the store folds text."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).casefold()


def _parts(name: str) -> set[str]:
    return {part for part in re.split(r"\W+", plain(name)) if len(part) > 1}


def _stems(words: Sequence[Word]) -> list[str]:
    return list(dict.fromkeys(stem for word in words for stem in word.stems))
