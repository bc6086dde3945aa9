"""The English verb phrase: its verb is inflected for the third person, the speaker in it is "they". Pure."""

from __future__ import annotations

import re
from itertools import zip_longest

from recollect.remember.extract.english_words import ADVERBS, DETERMINERS
from recollect.remember.extract.statement import Statement, Tense
from recollect.remember.extract.verb_worth import TASTES
from recollect.text.english_verbs import (
    BASES,
    PARTICIPLES,
    base_of,
    is_past,
    maybe_past,
    mostly_past,
    third_person,
)
from recollect.text.wordlists import listed

_TOKEN = re.compile(r"[^\s]+")
_EDGE = re.compile(r"^([\"“(]*)(.*?)([\"”),.!?;:]*)$")

#: Forms of the finite verb after "I", and what they become. "am" and "are" are both forms of be.
_FINITE = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't", "dont": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't",
}  # fmt: skip
AUXILIARIES = {
    "is", "was", "isn't", "wasn't", "has", "hasn't", "had", "hadn't", "does", "doesn't", "did", "didn't",
    "will", "won't",
    "can", "can't", "cannot", "could", "couldn't", "must", "should", "shouldn't", "would", "wouldn't", "may",
    "might",
}  # fmt: skip
_DENIALS = ("not", "never", "no longer")
DOUBTFUL = {"could", "couldn't", "should", "shouldn't", "wouldn't", "may", "might", "must"}
_FILLERS = {
    "also", "actually", "honestly", "definitely", "totally", "absolutely", "just", "really", "especially", "truly",
    "personally", "basically", "simply", "certainly",
}  # fmt: skip
_SLANG = {"wanna": "want to", "gonna": "going to", "gotta": "have to", "kinda": "kind of", "cuz": "because"}
_AFTER_VERB = DETERMINERS | {"as", "at", "in", "for", "with", "on", "to", "him", "it", "them", "its"}
#: After "and" these are verbs, whatever follows: "have gout and take allopurinol".
_NO_NOUNS = listed("""
adore attend bake bring build buy carry celebrate collect cook decorate deliver design despise detest develop
donate drink eat edit embroider enjoy fix foster give grow inject invest keep knit learn lend live maintain make
manage need organise organize own perform practise prefer produce program publish raise read recycle renovate
repair restore sell send serve sew share sing speak spend study suffer take teach translate travel tutor wear
weave work write
""")
#: After a verb of taste so are these: "hate mushrooms and love olives".
_OTHER_TASTES = {"love", "hate", "fear", "dislike"}
#: What somebody is seen or helped to do comes after these as it does after "to".
_WITH_BARE = {"see", "hear", "watch", "feel", "help", "make", "let"}
_INSIDE = {
    "i": "they", "i'm": "they're", "i've": "they've", "i'd": "they'd", "i'll": "they'll", "we": "they",
    "we're": "they're", "we've": "they've", "we'll": "they'll", "we'd": "they'd", "my": "their", "our": "their",
    "mine": "theirs", "ours": "theirs", "myself": "themselves", "ourselves": "themselves",
}  # fmt: skip


def predicate(subject: str, contracted: str, words: list[str], *, plural: bool) -> Statement | None:
    """The subject and its verb phrase."""
    words = [part for word in words for part in _SLANG.get(word.lower(), word).split()]
    words = _no_longer(words)
    done: list[str] = []
    place, negated, doubt = 0, False, False
    tense: Tense = "present"
    helper = {"'m": "is", "'re": "is", "'ve": "has", "'ll": "will"}.get(contracted, "")
    while place < len(words) and _adverb(words[place], words[place + 1 : place + 2]):
        negated = negated or words[place].lower() in _DENIALS
        done.append(words[place].lower())
        place += 1
    if place == len(words):
        return None
    first = words[place].lower().strip(",")
    if contracted == "'d":
        helper = "had" if first in PARTICIPLES or first.endswith("ed") else "would"
    if helper:
        done.insert(0, helper)
    elif first in _FINITE or first in AUXILIARIES:
        helper = first if plural and first != "am" else _FINITE.get(first, first)
        if first == "do" and place + 1 < len(words) and words[place + 1].lower() in BASES:
            helper = ""  # "I do like": only an emphasis
        else:
            done.append(helper)
        place += 1
    while place < len(words) and _adverb(words[place], words[place + 1 : place + 2]):
        negated = negated or words[place].lower() in _DENIALS
        done.append(words[place].lower())
        place += 1
    negated = negated or helper.endswith("n't") or helper == "cannot"
    doubt = helper in DOUBTFUL
    if place == len(words):
        return None
    rest = words[place:]
    main = rest[0].lower().strip(",")
    simple = False
    if helper in ("is", "was", "isn't", "wasn't", "are", "were", "aren't", "weren't"):
        verb = "be"
        tense = "past" if helper.startswith("w") else "present"
        if main == "going" and rest[1:2] and rest[1].lower() == "to":
            tense = "future"
    elif helper in ("has", "hasn't", "had", "hadn't", "have", "haven't"):
        part = base_of(main)
        following = rest[1].lower() if len(rest) > 1 else ""
        owns = main == "got" and following not in PARTICIPLES and following not in ("", "to")
        perfect = main in PARTICIPLES or main == "been" or (part is not None and is_past(main))
        verb = ("be" if main == "been" else part or "have") if perfect and not owns else "have"
        if perfect:
            rest, done = rest[1:], [*done, main]
        tense = "past" if helper.startswith("had") or (perfect and not owns and main != "been") else "present"
    elif helper:
        if main not in BASES and main != "be":
            return None
        verb, rest, done = main, rest[1:], [*done, main]
        tense = "future" if helper in ("will", "won't") else "past" if helper.startswith("did") else "present"
    else:
        base = base_of(main)
        if base is None or (main.endswith("ing") and main not in BASES):
            return None
        if main in BASES and not mostly_past(main) and not (maybe_past(main) and _past_time(rest)):
            shown, simple = (main if plural else third_person(main)), not plural
        elif is_past(main) or maybe_past(main) or mostly_past(main):
            shown, tense = main, "past"
        else:
            return None
        verb, rest, done = base, rest[1:], [*done, shown]
    spoken = " ".join(rest)
    did = tense == "past" and not helper and not plural
    goes_on = simple or did or helper in ("is", "has", "doesn't")
    after = _coordinated(rest, verb, did=did) if goes_on else rest
    if not spoken and tense == "past":
        return None
    done = [word for word in done if word not in _FILLERS]
    text = " ".join([subject, *done, inside(" ".join(after))]).strip()
    return Statement(
        text=text,
        language="en",
        about="self",
        verb=verb,
        rest=spoken.lower(),
        tense=tense,
        negated=negated,
        doubt=doubt,
    )


def _no_longer(words: list[str]) -> list[str]:
    """The two words are one adverb."""
    for place in range(min(2, len(words) - 1)):
        if [word.lower() for word in words[place : place + 2]] == ["no", "longer"]:
            return [*words[:place], "no longer", *words[place + 2 :]]
    return words


def _adverb(word: str, following: list[str]) -> bool:
    plain = word.lower().strip(",")
    if plain in ADVERBS or plain == "no longer":
        # "I like it" and "just like": an adverb has something after it
        return bool(following)
    return (
        plain.endswith("ly")
        and len(plain) > 4
        and plain not in BASES
        and plain not in ("family", "reply", "rely", "only")
    )


def _past_time(words: list[str]) -> bool:
    return (
        re.search(r"\b(?:yesterday|ago|last|in (?:19|20)\d\d|this morning)\b", " ".join(words), re.IGNORECASE)
        is not None
    )


def _coordinated(words: list[str], verb: str, *, did: bool) -> list[str]:
    """live in Porto and work as a nurse: the second verb has the same subject."""
    shown = list(words)
    infinitive = False
    for place, word in enumerate(words):
        plain = word.lower()
        if plain == "to" and place + 1 < len(words) and words[place + 1].lower() in BASES:
            infinitive = True
        if verb in _WITH_BARE and place and plain in BASES:
            infinitive = True
        alone = place == 0 and plain == "and"  # "I garden and cook"
        if plain not in ("and", "but") or place + (1 if alone else 2) >= len(words):
            continue
        spot = place + 1
        while spot + 2 < len(words) and _adverb(words[spot], words[spot + 1 : spot + 2]):
            spot += 1
        following = words[spot].lower()
        if following in ("am", "have", "don't", "haven't") and not infinitive:
            shown[spot] = _FINITE[following]
        elif (
            following in BASES
            and not infinitive
            and not (did and maybe_past(following))
            and (alone or _is_verb(following, words[spot + 1 : spot + 2], verb))
        ):
            shown[spot] = third_person(following)
    return shown


def _is_verb(word: str, after: list[str], first: str) -> bool:
    """Whether what may be a verb is one behind another verb, or else more of what that is said of."""
    if not after:
        return False
    return word in _NO_NOUNS or after[0].lower() in _AFTER_VERB or (word in _OTHER_TASTES and first in TASTES)


def inside(text: str) -> str:
    """Words after the verb: the speaker is "they" there."""
    shown: list[str] = []
    given = _TOKEN.findall(text)
    for token, following in zip_longest(given, given[1:], fillvalue=""):
        before, word, after = _EDGE.match(token).groups()  # type: ignore[union-attr]
        low = word.lower()
        new = _INSIDE.get(low) or {"me": "themselves", "us": "them"}.get(low, word)
        if word == "US" or (word == "I" and shown and _is_first(shown[-1], following)):
            new = word
        if low in ("was", "wasn't") and shown and shown[-1] == "they":
            new = low.replace("was", "were")
        elif low == "am" and "they" in shown[-2:]:  # and not at 7 am
            new = "are"
        shown.append(before + new + after)
    return " ".join(shown)


def _is_first(before: str, following: str) -> bool:
    """Whether "I" is a number, as in "World War I": after a name, and without a verb of its own."""
    word = following.lower().strip(".,;:!?")
    return (
        before[:1].isupper()
        and before[-1:].isalpha()
        and not (word in AUXILIARIES or word in _FINITE or word in ADVERBS or base_of(word))
    )


def named_again(text: str, subject: str) -> str:
    """Words after the verb of another subject: the speaker is named again."""
    shown: list[str] = []
    for token in _TOKEN.findall(text):
        before, word, after = _EDGE.match(token).groups()  # type: ignore[union-attr]
        low = word.lower()
        new = {"me": subject, "us": subject, "my": f"{subject}'s", "our": f"{subject}'s", "mine": f"{subject}'s",
               "myself": subject}.get(low, word)  # fmt: skip
        shown.append(before + new + after)
    return " ".join(shown)
