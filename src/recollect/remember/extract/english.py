"""English sentences in the first person, split into clauses and rewritten into the third. Pure.

Inside a clause the speaker becomes "they", after which verbs keep the form they have after "I"; only the verb of
the subject itself has to be inflected.
"""

from __future__ import annotations

import re

import msgspec

from recollect.remember.extract.english_words import (
    ADVERBS,
    DANGLING,
    DETERMINERS,
    HEDGES,
    HYPOTHETICAL,
    LEAD_INS,
    NOT_SUBJECTS,
    OPENERS,
    TRAILERS,
)
from recollect.remember.extract.statement import Statement, Tense
from recollect.text.english_verbs import (
    BASES,
    PARTICIPLES,
    base_of,
    is_past,
    maybe_past,
    mostly_past,
    third_person,
)

_CLAUSE = re.compile(
    r"\s*(?:;|,|\s[-–—]+(?=\s)|…|\.\.\.)?\s+(?:and|but|so|plus|yet)\s+(?=(?:then |now |also |actually |"
    r"currently |sometimes |"
    r"recently |just )?(?:i|we|my|our|he|she|it|they|that|this|you|your|there|his|her|their|what|who|let|if|"
    r"when)\b)"
    r"|\s*;\s*|\s+[-–—]+\s+|\.\.\.\s*|…\s*",
    re.IGNORECASE,
)
_COMMA_SUBJECT = re.compile(r",\s+(?=(?:i|i'm|i've|we|we're|it's|that's|he's|she's)\b)", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:,\s*|\s+)(?:because|cause|cuz|since i|so that|although|though|even though|whereas|even if|"
    r"which means)\b(?! of\b).*$"
    r"|,\s*(?:which|who|where|when|while|since|as|especially|so|but|if|it|that|he|she|they|you|just|like|not|"
    r"hence|thus)\b.*$"
    r"|\s+(?:but|whenever|as soon as|as long as|so much|so that|even when)\b.*$",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\s*\([^()]*\)")
_TOKEN = re.compile(r"[^\s]+")
_EDGE = re.compile(r"^([\"“(]*)(.*?)([\"”),.!?;:]*)$")
_SELF = re.compile(r"^(?:i|we)('m|'ve|'d|'ll|'re)?\s+(.*)$", re.IGNORECASE)
_TOGETHER = (
    re.compile(r"^my ((?:[\w'-]+ ){0,3}?[\w'-]+) & i\s+(.*)$", re.IGNORECASE),
    re.compile(r"^(?:me|i) and my ([\w'-]+)\s+(.*)$", re.IGNORECASE),
)
_PAIR = re.compile(r"((?:^|, |and |but )my (?:[\w'-]+ ){0,2}[\w'-]+) and (?:i|me)\b(?!')", re.IGNORECASE)
_OWN = re.compile(r"^(?:my|our)\s+(.*)$", re.IGNORECASE)
_IS_MINE = re.compile(
    r"^((?:[\w'&-]+,? ){1,6}?)(is|are|was|were|has been|have been)\s+((?:\w+ )?(?:my|our)\s+.*|(?:one|some|"
    r"part) of (?:my|our)\s+.*)$",
    re.IGNORECASE,
)
_DOES_ME = re.compile(
    r"^((?:[\w'&-]+ ){1,5}?)((?:has |have |really |always |has really )?(?:makes?|made|helps?|helped|gives?|"
    r"gave|given|"
    r"relaxes|relax|calms?|inspires?|inspired|scares?|terrif(?:y|ies)|annoys?|bores?|stress(?:es)?|taught|"
    r"keeps?|bit|hired|fired|"
    r"promoted|diagnosed))\s+(me|us)\b(.*)$",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^([^,]{2,60}),\s+(?=(?:i|i'm|i've|i'd|i'll|we|we're|we've|my|our)\b)", re.IGNORECASE)
_MOVABLE = re.compile(
    r"^(?:in|on|at|for|during|after|before|since|as a|as an|from|outside|every|growing up|yesterday|today|"
    r"tomorrow|last|this|"
    r"next|the (?:other|day)|two|three|four|five|six|a (?:few|couple)|(?:\d+|one|a|an) (?:day|week|month|year)|"
    r"right now|"
    r"these days|currently|nowadays|sometimes|usually|back in)\b",
    re.IGNORECASE,
)
_TIME_FIRST = re.compile(
    r"^((?:yesterday|today|tomorrow|tonight|last (?:week|month|year|night|weekend|summer|winter|spring|fall|"
    r"autumn|\w+day)|"
    r"this (?:morning|week|month|year|weekend|summer|winter|spring|fall|autumn)|next (?:week|month|year|"
    r"weekend|summer|\w+day)|"
    r"(?:\w+ ){1,3}(?:days?|weeks?|weekends?|months?|years?) ago|in (?:19|20)\d\d|(?:in|"
    r"on) [A-Z]\w+(?: \d+(?:st|nd|rd|th)?)?|"
    r"these days|right now|nowadays))\s+(?=(?:i|i'm|i've|i'll|we|we're|my)\b)",
    re.IGNORECASE,
)
_ELIDED = re.compile(
    r"^((?:just|finally|recently|already)\s+)?(got|moved|bought|started|finished|adopted|joined|quit|graduated|"
    r"signed|"
    r"landed|became|won|lost|broke|sold|visited|attended|ran|went|took|passed|completed|had|made|met|gonna|"
    r"married|planning|studying|working|thinking|training|trying)\s+(.+)$",
    re.IGNORECASE,
)

#: Forms of the finite verb after "I", and what they become. "am" and "are" are both forms of be.
_FINITE = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't", "dont": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't",
}  # fmt: skip
_AUXILIARIES = {
    "is", "was", "isn't", "wasn't", "has", "hasn't", "had", "hadn't", "does", "doesn't", "did", "didn't",
    "will", "won't",
    "can", "can't", "cannot", "could", "couldn't", "must", "should", "shouldn't", "would", "wouldn't", "may",
    "might",
}  # fmt: skip
_DOUBTFUL = {"could", "couldn't", "should", "shouldn't", "wouldn't", "may", "might", "must"}
_SLANG = {"wanna": "want to", "gonna": "going to", "gotta": "have to", "kinda": "kind of", "cuz": "because"}
_INSIDE = {
    "i": "they", "i'm": "they're", "i've": "they've", "i'd": "they'd", "i'll": "they'll", "we": "they",
    "we're": "they're", "we've": "they've", "we'll": "they'll", "we'd": "they'd", "my": "their", "our": "their",
    "mine": "theirs", "ours": "theirs", "myself": "themselves", "ourselves": "themselves", "am": "are",
}  # fmt: skip


def statements(sentence: str, subject: str, names: frozenset[str] = frozenset()) -> list[Statement]:
    """What an English sentence says about its speaker, who is called ``subject``."""
    if sentence.rstrip("\"')").endswith("?") or HYPOTHETICAL.search(sentence):
        return []
    text = _PARENTHESIS.sub("", sentence).strip().rstrip(".!…\"' ")
    text = _PAIR.sub(r"\1 & I", text)
    found: list[Statement] = []
    for piece in _CLAUSE.split(text):
        for clause in _COMMA_SUBJECT.split(piece):
            statement = _statement(clause, subject, names)
            if statement is not None:
                found.append(statement)
    return found


def _statement(clause: str, subject: str, names: frozenset[str]) -> Statement | None:
    clause = _trimmed(clause, names)
    doubt = HEDGES.search(clause) is not None
    clause, moved = _front(OPENERS.sub("", clause))
    clause = TRAILERS.sub("", _TAIL.sub("", clause)).strip(" ,.!")
    if moved and not re.search(rf"\b{re.escape(moved)}\b", clause, re.IGNORECASE):
        clause = f"{clause} {moved}"
    if DANGLING.search(clause) or len(clause) > 220:
        return None
    for read in (_together, _self, _is_mine, _own, _does_me, _elided):
        statement = read(clause, subject)
        if statement is not None:
            return msgspec.structs.replace(statement, doubt=doubt or statement.doubt)
    return None


def _trimmed(clause: str, names: frozenset[str]) -> str:
    """Without what only keeps the talk going, and without the name of the one who is spoken to."""
    clause = clause.strip(" ,.!-–—")
    while True:
        shorter = LEAD_INS.sub("", clause, count=1).lstrip(" ,.!-–—:")
        first, comma, rest = shorter.partition(",")
        if (
            comma
            and (first.lower() in names or first.istitle())
            and re.match(r"\s*(?:i|we|my)\b", rest, re.IGNORECASE)
        ):
            shorter = rest.strip()
        if shorter == clause:
            break
        clause = shorter
    head, comma, last = clause.rpartition(",")
    return head if comma and last.strip().lower() in names else clause


def _front(clause: str) -> tuple[str, str]:
    """The clause, and a phrase of time or place from before its subject."""
    for pattern in (_PREFIX, _TIME_FIRST):
        match = pattern.match(clause)
        if match:
            phrase = match[1]
            keep = _MOVABLE.match(phrase) and not re.search(
                r"\b(?:you|your|it|that|thing|course|fact)\b", phrase, re.IGNORECASE
            )
            return clause[match.end() :], _lowered(_inside(phrase)) if keep else ""
    return clause, ""


def _lowered(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:]


def _self(clause: str, subject: str) -> Statement | None:
    match = _SELF.match(clause)
    if match is None:
        return None
    return _predicate(subject, (match[1] or "").lower(), match[2].split(), plural=False)


def _together(clause: str, subject: str) -> Statement | None:
    match = next((match for pattern in _TOGETHER if (match := pattern.match(clause))), None)
    if match is None:
        return None
    return _predicate(f"{subject} and their {match[1]}", "", match[2].split(), plural=True)


def _own(clause: str, subject: str) -> Statement | None:
    """My sister lives in Lyon: the verb is in the third person already."""
    match = _OWN.match(clause)
    if match is None:
        return None
    words = match[1].split()
    for place, word in enumerate(words[1:7], 1):
        plain = word.lower().strip(",")
        copula = plain.endswith("'s") and place + 1 < len(words) and words[place + 1].lower() in DETERMINERS
        if plain in _AUXILIARIES or plain in ("are", "were", "have", "aren't", "don't") or copula:
            verb = "be" if plain in ("is", "are", "was", "were", "isn't", "aren't", "wasn't") or copula else plain
        elif is_past(plain) or (base_of(plain) is not None and plain not in BASES and not plain.endswith("ing")):
            verb = base_of(plain) or plain
        elif plain in BASES and words[place - 1].lower().endswith("s"):
            verb = plain
        else:
            continue
        rest = " ".join(words[place + 1 :])
        if re.search(r"\b(?:i|we)(?:'\w+)?\b", rest, re.IGNORECASE) or not rest or plain in _DOUBTFUL:
            return None
        if verb in ("has", "have", "had", "hasn't"):
            verb = "have"
        text = f"{subject}'s {' '.join(words[: place + 1])} {_object(rest, subject)}"
        past = is_past(plain) or plain in ("was", "were", "had", "did", "didn't")
        tense: Tense = "past" if past else "future" if plain in ("will", "won't") else "present"
        head = " ".join(words[:place]).lower()
        return Statement(
            text=text, language="en", about="own", verb=verb, rest=f"{head} | {rest.lower()}", tense=tense,
            negated=plain.endswith("n't"),
        )  # fmt: skip
    return None


def _is_mine(clause: str, subject: str) -> Statement | None:
    """Knitting is my passion."""
    match = _IS_MINE.match(clause)
    if match is None or match[1].split()[0].lower() in NOT_SUBJECTS:
        return None
    head = match[1].strip()
    if _OWN.match(head) or re.search(r"\b(?:i|we|you)\b", clause, re.IGNORECASE):
        return None
    rest = re.sub(r"\b(?:my|our)\b", f"{subject}'s", match[3], flags=re.IGNORECASE)
    tense: Tense = "past" if match[2].lower() in ("was", "were") else "present"
    return Statement(
        text=f"{_kept_case(head)} {match[2]} {_object(rest, subject)}", language="en", about="other", verb="be",
        rest=match[3].lower(), tense=tense,
    )  # fmt: skip


def _does_me(clause: str, subject: str) -> Statement | None:
    """Thunder scares me."""
    match = _DOES_ME.match(clause)
    if match is None or match[1].split()[0].lower() in NOT_SUBJECTS:
        return None
    head, verb, after = match[1].strip(), match[2], match[4].strip()
    if _OWN.match(head) or re.search(r"\b(?:i|we|you)\b", after, re.IGNORECASE):
        return None
    plain = verb.split()[-1].lower()
    text = f"{_kept_case(head)} {verb.lower()} {subject} {_object(after, subject)}".strip()
    tense: Tense = "past" if is_past(plain) else "present"
    return Statement(text=text, language="en", about="other", verb="affect", rest=after.lower(), tense=tense)


def _elided(clause: str, subject: str) -> Statement | None:
    """Just got a puppy: in chat the subject is often left out."""
    match = _ELIDED.match(clause)
    if match is None:
        return None
    verb = match[2].lower()
    words = [verb, *match[3].split()]
    if match[1]:
        words.insert(0, match[1].strip().lower())
    contracted = "'m" if verb.endswith("ing") or verb == "gonna" else ""
    found = _predicate(subject, contracted, words, plural=False)
    return found if found is not None and (match[1] or len(words) > 3) else None


def _kept_case(head: str) -> str:
    """A noun phrase inside a sentence: a capital stays only where the word is a name or short for one."""
    first, _, rest = head.partition(" ")
    common = (
        first.lower() in DETERMINERS or first.lower().endswith("ing") or (first.lower().endswith("s") and not rest)
    )
    return head[:1].lower() + head[1:] if common else head


def _predicate(subject: str, contracted: str, words: list[str], *, plural: bool) -> Statement | None:
    """The subject and its verb phrase."""
    words = [part for word in words for part in _SLANG.get(word.lower(), word).split()]
    done: list[str] = []
    place, negated, doubt = 0, False, False
    tense: Tense = "present"
    helper = {"'m": "is", "'re": "is", "'ve": "has", "'ll": "will"}.get(contracted, "")
    while place < len(words) and _adverb(words[place], words[place + 1 : place + 2]):
        negated = negated or words[place].lower() in ("not", "never")
        done.append(words[place].lower())
        place += 1
    if place == len(words):
        return None
    first = words[place].lower().strip(",")
    if contracted == "'d":
        helper = "had" if first in PARTICIPLES or first.endswith("ed") else "would"
    if helper:
        done.insert(0, helper)
    elif first in _FINITE or first in _AUXILIARIES:
        helper = first if plural and first != "am" else _FINITE.get(first, first)
        if first == "do" and place + 1 < len(words) and words[place + 1].lower() in BASES:
            helper = ""  # "I do like": only an emphasis
        else:
            done.append(helper)
        place += 1
    while place < len(words) and _adverb(words[place], words[place + 1 : place + 2]):
        negated = negated or words[place].lower() in ("not", "never")
        done.append(words[place].lower())
        place += 1
    negated = negated or helper.endswith("n't") or helper == "cannot"
    doubt = helper in _DOUBTFUL
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
        perfect = main in PARTICIPLES or main == "been" or (part is not None and is_past(main))
        verb = ("be" if main == "been" else part or "have") if perfect else "have"
        if perfect:
            rest, done = rest[1:], [*done, main]
        tense = "past" if helper.startswith("had") or (perfect and main != "been") else "present"
    elif helper:
        if main not in BASES and main != "be":
            return None
        verb, rest, done = main, rest[1:], [*done, main]
        tense = "future" if helper in ("will", "won't") else "past" if helper.startswith("did") else "present"
    else:
        base = base_of(main)
        if base is None or main.endswith("ing"):
            return None
        if main in BASES and not mostly_past(main) and not (maybe_past(main) and _past_time(rest)):
            shown, simple = (main if plural else third_person(main)), not plural
        elif is_past(main) or maybe_past(main):
            shown, tense = main, "past"
        else:
            return None
        verb, rest, done = base, rest[1:], [*done, shown]
    spoken = " ".join(rest)
    after = _coordinated(rest) if simple or helper in ("is", "has", "doesn't") else rest
    text = " ".join([subject, *done, _inside(" ".join(after))]).strip()
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


def _adverb(word: str, following: list[str]) -> bool:
    plain = word.lower().strip(",")
    if plain in ADVERBS:
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


def _coordinated(words: list[str]) -> list[str]:
    """live in Porto and work as a nurse: the second verb has the same subject."""
    shown = list(words)
    infinitive = False
    for place, word in enumerate(words):
        plain = word.lower()
        if plain == "to" and place + 1 < len(words) and words[place + 1].lower() in BASES:
            infinitive = True
        if plain not in ("and", "but") or place + 2 >= len(words):
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
            and spot + 1 < len(words)
            and words[spot + 1].lower() in DETERMINERS | {"as", "at", "in", "for", "with", "on", "to"}
        ):
            shown[spot] = third_person(following)
    return shown


def _inside(text: str) -> str:
    """Words after the verb: the speaker is "they" there."""
    shown: list[str] = []
    for token in _TOKEN.findall(text):
        before, word, after = _EDGE.match(token).groups()  # type: ignore[union-attr]
        low = word.lower()
        new = _INSIDE.get(low) or {"me": "themselves", "us": "them"}.get(low, word)
        if low in ("was", "wasn't") and shown and shown[-1] == "they":
            new = low.replace("was", "were")
        shown.append(before + new + after)
    return " ".join(shown)


def _object(text: str, subject: str) -> str:
    """Words after the verb of another subject: the speaker is named again."""
    shown: list[str] = []
    for token in _TOKEN.findall(text):
        before, word, after = _EDGE.match(token).groups()  # type: ignore[union-attr]
        low = word.lower()
        new = {"me": subject, "us": subject, "my": f"{subject}'s", "our": f"{subject}'s", "mine": f"{subject}'s",
               "myself": subject}.get(low, word)  # fmt: skip
        shown.append(before + new + after)
    return " ".join(shown)
