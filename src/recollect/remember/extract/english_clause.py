"""One English clause in the first person, or about somebody of the speaker's, read as a statement. Pure."""

from __future__ import annotations

import re

import msgspec

from recollect.remember.extract.english_predicate import AUXILIARIES, DOUBTFUL, inside, named_again, predicate
from recollect.remember.extract.english_words import (
    DANGLING,
    DETERMINERS,
    HEDGES,
    NOT_SUBJECTS,
    OPENERS,
    TRAILERS,
)
from recollect.remember.extract.pronouns import PERSON
from recollect.remember.extract.statement import Statement, Tense
from recollect.text.english_verbs import BASES, base_of, is_past, maybe_past

TAIL = re.compile(
    r"(?:,\s*|\s+)(?:because|cause|cuz|since i|so that|although|though|even though|whereas|even if|"
    r"which means)\b(?! of\b).*$"
    r"|,\s*(?:which|who|where|when|while|since|as|especially|so|but|if|it|that|he|she|they|you|just|like|not|"
    r"hence|thus|been)\b.*$"
    r"|\s+(?:but|whenever|as soon as|as long as|so much|so that|even when|so (?:don't|do not|never|no))\b.*$"
    r"|,?\s+so (?:(?:please|pls|just) )?(?:keep|use|check|avoid|make|give|write|show|tell|skip|leave|"
    r"remember|remind|speak|talk|explain|stick|bear|be|go easy|mind|watch) (?!\w+ed\b).*$"
    r"|\s+so (?=(?:[\w-]+ ){1,3}(?:is|are|was|were|can't|don't|doesn't)\b).*$"
    r"|,\s*(?:probably|maybe|perhaps) (?:about |around |for )?(?:an?|\d+|two|three|four|five|six|seven|ten)\b.*$",
    re.IGNORECASE,
)
#: "…, probably two weeks": what it is about is sure.
_GUESSED = re.compile(
    r",\s*(?:probably|maybe|perhaps) (?:about |around |for )?(?:an?|\d+|two|three|four|five|six|seven|ten)\b.*$",
    re.IGNORECASE,
)
_SELF = re.compile(r"^(?:i|we)('m|'ve|'d|'ll|'re)?\s+(.*)$", re.IGNORECASE)
_TOGETHER = (
    re.compile(r"^my ((?:[\w'-]+ ){0,3}?[\w'-]+) & i\s+(.*)$", re.IGNORECASE),
    re.compile(
        r"^(?:me|i) & my ((?:(?:best|older|younger|little|big|twin|eldest|youngest|good|close|new|old) )?[\w'-]+"
        r"(?: (?-i:[A-Z])[\w'-]+)?)\s+(.*)$",
        re.IGNORECASE,
    ),
)
#: "I have a dog and walk him every morning": who "him" is has just been said.
_POINTING_BACK = re.compile(
    r"^(?P<named>(?:i|we) (?:[\w-]+ )?(?:have|own|keep|run|rent|got|am) an? [\w' -]{2,40}? and "
    r"(?!am\b|was\b)[a-z]+) (?:him|her|it|them|its|his)\b",
    re.IGNORECASE,
)
_WHOM = {"me", "us", "my", "our", "his", "her", "its", "their"}
#: "Met her in Rome": nothing is hers there.
_NO_NOUN_AFTER = (
    r"(?:in|at|on|for|to|from|with|and|or|when|while|who|that|a|an|the|again|there|then|once|last|yesterday)\b"
)
#: "It's my birthday on 3 June".
_ITS_MY = re.compile(
    r"^(?:it's|it is|its) (?P<what>(?:my|our) (?:[\w-]+ ){0,2}(?:birthday|anniversary|name day))"
    r" (?P<when>on|in|today|tomorrow|this|next)\b",
    re.IGNORECASE,
)
_YOUNG = re.compile(r"\b(when |while |since )(?:i|we) (?:was|were)\b", re.IGNORECASE)
#: "My knee hurts when I run".
_WHEN_I = re.compile(r"\b(when|while|after) (?:i|we) (?!(?:am|was|were)\b)(?=[a-z]+\b)", re.IGNORECASE)
OWN = re.compile(
    r"^(?:(?P<many>both|all|one|two|three|some|most|half|none)(?: of)? )?(?:my|our)\s+(?P<said>.*)$", re.IGNORECASE
)
_OF_SEVERAL = re.compile(r"(?:s|children|family|team|staff|class|crew|band|village|town)$", re.IGNORECASE)
#: "Diabetes runs in my family", "there's a history of cancer in my family".
_IN_FAMILY = re.compile(
    r"^(?:(?P<what>(?:[\w'-]+ ){1,4}?)runs in (?:my|our) family|"
    r"(?:there's|there is|we have) (?P<history>(?:a (?:\w+ )?history of )?(?:[\w'-]+ ){0,4}?[\w'-]+) "
    r"in (?:my|our) family)$",
    re.IGNORECASE,
)
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
    r"^(?:in|on|at|for|during|after|before|since|as a|as an|from|outside|every|each|once|twice|\w+ times|"
    r"growing up|yesterday|today|tomorrow|last|this|"
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
    r"(?:every|each) (?:other )?(?!time\b)\w+|"
    r"(?:once|twice|(?:three|four|five) times) an? (?:day|week|month|year)|"
    r"these days|right now|nowadays))\s+(?=(?:i|i'm|i've|i'll|we|we're|my)\b)",
    re.IGNORECASE,
)
LEFT_OUT = (
    r"got|moved|bought|started|finished|adopted|joined|quit|graduated|signed|landed|became|won|lost|broke|sold|"
    r"visited|attended|ran|went|took|passed|completed|had|made|met|gonna|married|planning|studying|working|"
    r"thinking|training|trying"
)
_ELIDED = re.compile(rf"^((?:just|finally|recently|already)\s+)?({LEFT_OUT})\s+(.+)$", re.IGNORECASE)
#: "Can't do dairy", "allergic to nuts", "turned 40 yesterday"; an order begins with other words.
_ELIDED_OF_ONESELF = re.compile(
    r"^(?P<said>(?:can't|cannot|can not|cant) (?:eat|do|have|drink|stand|drive|swim|tolerate) .+|"
    r"(?:don't|dont|do not) (?:like|own|have) .+|"
    r"turned (?:1[3-9]|[2-9]\d)\b.*)$"
    r"|^(?P<have>never (?:been|had|eaten|tried|seen|learned) .+)$"
    r"|^(?P<being>(?:severely |highly |also )?allergic to .+|not (?:a |much of a )(?:big |huge )?fan of .+|"
    r"(?:lactose|gluten) intolerant.*)$",
    re.IGNORECASE,
)


def statement(clause: str, subject: str) -> Statement | None:
    """What a clause says, with its speaker called ``subject``; None if it tells nothing of them by itself."""
    clause = _ITS_MY.sub(r"\g<what> is \g<when>", _GUESSED.sub("", clause))
    doubt = HEDGES.search(clause) is not None
    clause, moved = _front(OPENERS.sub("", clause))
    clause = TRAILERS.sub("", TAIL.sub("", clause)).strip(" ,.!")
    if moved and not re.search(rf"\b{re.escape(moved)}\b", clause, re.IGNORECASE):
        clause = f"{clause} {moved}"
    in_family = _in_family(clause, subject)
    if in_family is None and (DANGLING.search(_without_what_is_told(clause)) or len(clause) > 220):
        return None
    for read in (_together, _self, _is_mine, own, _does_me, _elided):
        found = in_family or read(clause, subject)
        if found is not None:
            return msgspec.structs.replace(found, doubt=doubt or found.doubt)
    return None


def _without_what_is_told(clause: str) -> str:
    """Without the pronouns of which the clause itself says whom they mean."""
    clause = _POINTING_BACK.sub(r"\g<named>", clause)
    person = PERSON.match(clause)
    if person is None:
        return clause
    whose = "his|their" if person["he"] else "her|their" if person["she"] else "his|her|its|their"
    return re.sub(rf"\b(?:{whose}) (?!{_NO_NOUN_AFTER})(?=\w)", "", clause, flags=re.IGNORECASE)


def _front(clause: str) -> tuple[str, str]:
    """The clause, and a phrase of time or place from before its subject."""
    for pattern in (_PREFIX, _TIME_FIRST):
        match = pattern.match(clause)
        if match:
            phrase = match[1]
            keep = _MOVABLE.match(phrase) and not re.search(
                r"\b(?:you|your|it|that|thing|course|fact)\b", phrase, re.IGNORECASE
            )
            return clause[match.end() :], _lowered(inside(phrase)) if keep else ""
    return clause, ""


def _lowered(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:]


def _self(clause: str, subject: str) -> Statement | None:
    match = _SELF.match(clause)
    if match is None:
        return None
    return predicate(subject, (match[1] or "").lower(), match[2].split(), plural=False)


def _together(clause: str, subject: str) -> Statement | None:
    match = next((match for pattern in _TOGETHER if (match := pattern.match(clause))), None)
    if match is None:
        return None
    return predicate(f"{subject} and their {match[1]}", "", match[2].split(), plural=True)


def own(clause: str, subject: str) -> Statement | None:
    """My sister lives in Lyon: the verb is in the third person already."""
    match = OWN.match(clause)
    if match is None:
        return None
    words = match["said"].replace(" & ", " and ").split()
    for place, word in enumerate(words[1:7], 1):
        if word.istitle():  # Rose, Mark and Will are names here
            continue
        plain = word.lower().strip(",")
        copula = plain.endswith("'s") and place + 1 < len(words) and words[place + 1].lower() in DETERMINERS
        if plain in AUXILIARIES or plain in ("are", "were", "have", "aren't", "don't") or copula:
            verb = "be" if plain in ("is", "are", "was", "were", "isn't", "aren't", "wasn't") or copula else plain
        elif is_past(plain) or (base_of(plain) is not None and plain not in BASES and not plain.endswith("ing")):
            verb = base_of(plain) or plain
        elif maybe_past(plain) and words[place + 1 : place + 2] and words[place + 1].lower() in _WHOM:
            verb = plain  # "my doctor put me on metformin"
        elif plain in BASES and (words[place - 1].lower().endswith("s") or "and" in words[:place]):
            verb = plain
        else:
            continue
        rest = " ".join(words[place + 1 :])
        said = _WHEN_I.sub(r"\1 they ", _YOUNG.sub(r"\1they were", rest))
        says_nothing = rest in ("", "been") and verb != "die"
        if re.search(r"\b(?:i|we)(?:'\w+)?\b", said, re.IGNORECASE) or says_nothing or plain in DOUBTFUL:
            return None
        if verb in ("has", "have", "had", "hasn't"):
            verb = "have"
        text = f"{subject}'s {_head(words[: place + 1], subject)} {named_again(said, subject)}".rstrip()
        if match["many"]:
            if not _OF_SEVERAL.search(" ".join(words[:place])):
                return None  # "all my hard work paid off"
            text = f"{match['many'].lower()} of {text}"
        past = is_past(plain) or maybe_past(verb) or plain in ("was", "were", "had", "did", "didn't")
        tense: Tense = "past" if past else "future" if plain in ("will", "won't") else "present"
        head = " ".join(words[:place]).lower()
        return Statement(
            text=text,
            language="en",
            about="own",
            verb=verb,
            rest=f"{head} | {rest.lower()}",
            tense=tense,
            negated=plain.endswith("n't"),
        )
    return None


def _head(words: list[str], subject: str) -> str:
    """favourite thing about my pets is: the speaker is not named twice in it, but is no stranger to it."""
    shown = re.sub(r"\b(?:my|our)\b", "their", " ".join(words), flags=re.IGNORECASE)
    return re.sub(r"\bme\b", subject, re.sub(r"\bmyself\b", "themselves", shown))


def _is_mine(clause: str, subject: str) -> Statement | None:
    """Knitting is my passion."""
    match = _IS_MINE.match(clause)
    if match is None or match[1].split()[0].lower() in NOT_SUBJECTS:
        return None
    head = match[1].strip()
    if OWN.match(head) or re.search(r"\b(?:i|we|you)\b", clause, re.IGNORECASE):
        return None
    rest = re.sub(r"\b(?:my|our)\b", f"{subject}'s", match[3], flags=re.IGNORECASE)
    tense: Tense = "past" if match[2].lower() in ("was", "were") else "present"
    return Statement(
        text=f"{kept_case(head)} {match[2]} {named_again(rest, subject)}",
        language="en",
        about="other",
        verb="be",
        rest=match[3].lower(),
        tense=tense,
    )


def _does_me(clause: str, subject: str) -> Statement | None:
    """Thunder scares me."""
    match = _DOES_ME.match(clause)
    if match is None or match[1].split()[0].lower() in NOT_SUBJECTS:
        return None
    head, verb, after = match[1].strip(), match[2], match[4].strip()
    if OWN.match(head) or re.search(r"\b(?:i|we|you)\b", after, re.IGNORECASE):
        return None
    plain = verb.split()[-1].lower()
    text = f"{kept_case(head)} {verb.lower()} {subject} {named_again(after, subject)}".strip()
    tense: Tense = "past" if is_past(plain) else "present"
    return Statement(text=text, language="en", about="other", verb="affect", rest=after.lower(), tense=tense)


def _in_family(clause: str, subject: str) -> Statement | None:
    """Diabetes runs in my family."""
    match = _IN_FAMILY.match(clause)
    if match is None:
        return None
    what, history = match.group("what", "history")
    said = f"{kept_case(what.strip())} runs" if what else f"there is {history}"
    return Statement(
        text=f"{said} in {subject}'s family",
        language="en",
        about="other",
        verb="be",
        rest=(what or history).lower(),
    )


def _elided(clause: str, subject: str) -> Statement | None:
    """Just got a puppy: in chat the subject is often left out."""
    of_oneself = _ELIDED_OF_ONESELF.match(clause)
    if of_oneself is not None:
        said, have, being = of_oneself.group("said", "have", "being")
        return _self(f"I {said}" if said else f"I've {have}" if have else f"I'm {being}", subject)
    match = _ELIDED.match(clause)
    if match is None:
        return None
    verb = match[2].lower()
    words = [verb, *match[3].split()]
    if match[1]:
        words.insert(0, match[1].strip().lower())
    if verb == "gonna" and words[-len(match[3].split())].lower() in ("be", "have", "miss", "need"):
        return None
    contracted = "'m" if verb.endswith("ing") or verb == "gonna" else ""
    found = predicate(subject, contracted, words, plural=False)
    return found if found is not None and (match[1] or len(words) > 3) else None


def kept_case(head: str) -> str:
    """A noun phrase inside a sentence: a capital stays only where the word is a name or short for one."""
    first, _, rest = head.partition(" ")
    common = (
        first.lower() in DETERMINERS or first.lower().endswith("ing") or (first.lower().endswith("s") and not rest)
    )
    return head[:1].lower() + head[1:] if common else head
