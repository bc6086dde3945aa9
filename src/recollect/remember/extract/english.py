"""English sentences in the first person, split into clauses, which are rewritten into the third. Pure.

Inside a clause the speaker becomes "they", after which verbs keep the form they have after "I"; only the verb of
the subject itself has to be inflected.
"""

from __future__ import annotations

import re

import msgspec

from recollect.remember.extract.english_clause import LEFT_OUT, OWN, TAIL, kept_case, own, statement
from recollect.remember.extract.english_lists import apart
from recollect.remember.extract.english_predicate import AUXILIARIES
from recollect.remember.extract.english_words import (
    DANGLING,
    FICTION,
    HYPOTHETICAL,
    LEAD_INS,
    UNREAL,
)
from recollect.remember.extract.requests import asks_to_keep, told_in_english
from recollect.remember.extract.statement import Statement
from recollect.remember.extract.topics import FAMILY, category_of
from recollect.text.english_verbs import BASES, base_of, is_past

_CLAUSE = re.compile(
    r"\s*(?:;|,|\s[-–—]+(?=\s)|…|\.\.\.)?\s+(?:and|but|so|plus|yet)\s+(?=(?:then |now |also |actually |"
    r"currently |sometimes |"
    r"recently |just )?(?:i|we|my|our|he|she|it|they|that|this|you|your|there|his|her|their|what|who|let|if|"
    r"when|me(?= &))\b)"
    r"|\s*;\s*|\s+[-–—]+\s+|\.\.\.\s*|…\s*",
    re.IGNORECASE,
)
#: "I'm a baker, what about you?": the question goes, what was told stays.
_ASKED_BACK = re.compile(
    r"(?:,|\s+[-–—]+|;|\.\.\.|\s+and|\s+but|,\s*(?:and|but|so))\s+(?:what(?:'s| is| are| do| did| about|\b)|"
    r"how(?:'s| is| about|\b)|do|does|did|are|is|have|has|where|who|which|when|you)\b[^,;?]*\?$"
    r"|,?\s+(?:you|and you|right|huh|no|isn't it|don't you)\?$",
    re.IGNORECASE,
)
_COMMA_SUBJECT = re.compile(
    r",\s+(?=(?:(?:now|instead|currently) )?(?:i|i'm|i've|we|we're)\b|"
    r"(?:it's|that's|he's|she's|just (?:got|had|moved|bought|started|finished))\b)",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\s*\([^()]*\)")
#: "Me and my wife": one subject, and not two clauses.
_ME_AND = re.compile(r"((?:^|, |\band |\bbut |\bso )(?:me|i)) and (?=my\b)", re.IGNORECASE)
#: Why something is asked for or done tells who does it: "skip the cheese, since I'm vegan", "as a diabetic I …".
_REASON = re.compile(
    r"(?:\b(?:because|since|cause|cuz|given that|considering|seeing (?:that|as)|"
    r"(?:reason|why) (?:i ask|i'm asking|for asking|for this) is(?: that)?)|(?:^|,\s*)as)\s+"
    r"(?P<fact>(?:i'm|im|i am|i have|i've (?:got|been)|we have|my (?:[\w-]+ ){1,3}(?:is|are|has|have)) "
    r"[^,;.!?]{3,80})",
    re.IGNORECASE,
)
_AS_ONE = re.compile(
    r"(?:^|,\s*)(?:as|being) (?P<what>an? (?:[\w-]+ )?(?:diabetic|vegan|vegetarian|pescatarian|co?eliac|asthmatic|"
    r"epileptic|wheelchair user|muslim|jew|hindu|buddhist|christian|catholic|single (?:mum|mom|dad|mother|father|"
    r"parent)|(?:mum|mom|dad|mother|father) of \w+))(?=,| i\b| my\b| we\b)",
    re.IGNORECASE,
)
#: "My brother and his wife": the same.
_AND_THEIRS = re.compile(
    r"(?P<who>(?:^|, |\band |\bbut |\bso )(?:my|our) (?:[\w-]+ ){1,2}?)and (?=(?:his|her|their) [\w-]+ \w)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"((?:^|, |and |but )my (?:[\w'-]+ ){0,2}[\w'-]+) and (?:i|me)\b(?!')", re.IGNORECASE)
#: "My daughter, who is 9, has …".
_ASIDE = re.compile(
    r",\s+(?:who|which|whose)\b[^,;]{1,60},\s+(?!(?:and|but|so|i|i'm|we|my|it|he|she)\b)", re.IGNORECASE
)
#: "My wife's a nurse", "my name's Tom", "my mum's been ill"; but "my wife's birthday" is hers.
_SHORT = re.compile(
    r"\b(?P<who>(?:my|our) (?:[\w-]+ ){0,2}?[\w-]+)['’]s (?:(?P<has>(?=been |got (?:an?|no|two|three|the)\b))|"
    r"(?=(?:also |not |very |really |severely |only |just |now )*(?:an? |"
    r"\d+(?=$|[ ,.!]+(?:years|and|but|so)|[,.!])|from |called |named |allergic|vegan\b|vegetarian\b|co?eliac|"
    r"diabetic|lactose|pregnant|asthmatic|autistic|dyslexic|left-handed|retired|blind\b|deaf\b|(?:on|at|in) |"
    r"afraid of|scared of)))",
    re.IGNORECASE,
)
_NAME_IS = re.compile(r"\b(my (?:first |full |last |real )?name)['’]s (?=(?-i:[A-Z]))", re.IGNORECASE)
#: "My mum, who uses a wheelchair": what is told of them beside the rest.
_WHO_IS = re.compile(
    r"\b(?P<who>(?:my|our) (?:(?:older|younger|little|big|eldest|youngest|best) )?[\w-]+(?: (?-i:[A-Z])\w+)?), who"
    r"(?P<is>['’]s)? (?P<rest>(?!i\b|we\b|you\b)[^,;.]{4,60})(?:,(?= (?!and\b|but\b|so\b))|(?=[,.;!]|$))",
    re.IGNORECASE,
)
#: "We're a team of five": each of them is one of it.
_ONE_OF = re.compile(
    r"^(?:we're|we are) (?P<what>an? (?:[\w-]+ ){0,3}?(?:team|couple|family|company|startup|start-up|group|band|"
    r"duo|household|non-?profit|agency|studio)\b)",
    re.IGNORECASE,
)
#: "My pronouns are they/them", who are nobody else here.
_PRONOUNS = re.compile(
    r"^my (?:preferred )?pronouns are (?P<said>(?:she|he|they)/(?:her|him|them|they|she|he))(?=\W|$)",
    re.IGNORECASE,
)
#: As it is typed in a hurry.
_TYPED = re.compile(
    r"\b(?:im|ive|(?:do|does|did|ca|is|was|are|have|has|could|would)nt)\b|(?<!\ban )(?-i:\brn\b)", re.IGNORECASE
)
#: "I'm Ben, 29, from Leeds", and "I'm from Egypt but living in Toronto", in which the speaker is not named again.
_WHO_AND_AGE = re.compile(
    r"^((?:(?:hi|hello|hey)(?: there)?[,!]? )?i(?:'m| am) (?-i:[A-Z])[\w'-]+), "
    r"(?:i'm )?(\d\d)(?: years old)?,? (?:and )?(?=(?:from|an?|living|based|working)\b)",
    re.IGNORECASE,
)
_WHO_ELSE = re.compile(
    r"\b(i(?:'m| am) (?:originally )?from [^,.;]{2,30}?),? (but|and) "
    r"(?=(?:(?:currently|now) )?(?:living|based|working|studying) )",
    re.IGNORECASE,
)
#: "My husband, God rest him, passed away"
_BLESSING = re.compile(
    r",\s+(?:god (?:rest|bless)|bless|rest in peace|rip|poor|sadly|unfortunately|"
    r"thankfully|luckily)(?: [\w']+){0,3},\s+",
    re.IGNORECASE,
)
#: "Did I mention that I'm allergic to bees?" is no question.
_DID_I_SAY = re.compile(
    r"^(?:(?:wait|oh|so|and|btw|by the way|hey|also)[, ]+)*(?:did i (?:mention|tell (?:you|u))|"
    r"have i (?:mentioned|told (?:you|u))|"
    r"i(?:'ve| have)?(?: already)? (?:told (?:you|u)|mentioned))(?: already| yet| before)?(?: that)? "
    r"(?=(?:i'm|im|i am|i have|i've|my)\b)",
    re.IGNORECASE,
)
#: "The booking reference is HX-4432": whoever says so has booked.
_THE_NUMBER = re.compile(
    r"(?:(?<=^)|(?<=, )|(?<=\band ))the (?=(?:[\w-]+ )?(?:booking|reservation|confirmation|policy|membership|"
    r"customer|order|flight|registration|tracking|invoice) (?:number|reference|ref|code|id|no)\.? is \S*\d)",
    re.IGNORECASE,
)
#: "Luis, my colleague, is vegan".
_APPOSED = re.compile(
    r"^(?P<name>(?-i:[A-Z])[\w-]+), (?P<who>(?:my|our) (?:[\w-]+ ){0,2}[\w-]+), (?=[a-z])", re.IGNORECASE
)
#: Without one of these a sentence says nothing of its speaker, and need not be looked at closely.
_OF_SPEAKER = re.compile(rf"\b(?:i|im|ive|my|me|we|our|us|{LEFT_OUT})\b", re.IGNORECASE)
_MAY_BE_OF_SPEAKER = re.compile(
    rf"{_OF_SPEAKER.pattern}|\b(?:can't|cannot|cant|can not|don't|dont|do not|never|turned|allergic|not|"
    r"intolerant)\b",
    re.IGNORECASE,
)


#: Something, and what it is, has or does; not what somebody must do, how to answer, or who may do what.
_SAYS = re.compile(
    r"(?!(?:this|that|these|those|there|when|how|what|where|who|why)\b)"
    r"(?!.*\b(?:must|should|shall|ha(?:s|ve) to|needs? to|allowed|answers?|repl(?:y|ies)|responses?|users?|"
    r"admins?|administrators?|assistants?|agents?|system|prompts?|instructions?|rules?)\b)(?:[\w'&-]+,? ){1,6}?"
    r"(?:is|are|isn't|aren't|was|were|has|have|hasn't|will|won't|can|can't|cannot|doesn't|don't|"
    r"lives?|works?|likes?|loves?|hates?|needs?|prefers?|eats?|drinks?|speaks?|opens?|closes?|starts?|ends?|"
    r"begins?|costs?|takes?)\b .",
    re.IGNORECASE,
)

#: "Call me Jim", "my friends call me Bea".
_CALL_ME = re.compile(
    r"(?:^|[,;]\s+|\s+but\s+)(?:(?:please|just|so|but|and|hi|hello|hey|you can|you may|everyone|everybody|"
    r"i(?:'d| would) (?:like|prefer|love) you to|i want you to|feel free to|"
    r"(?:most )?people|(?:all )?my (?:friends|family))[,!]?\s+)*calls? me "
    r"(?P<name>(?-i:(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|If|When|Back|Later|Crazy|Old)[A-Z])[\w'-]+)"
    r"(?=\s*(?:[,.!;]|$)| (?:for short|please|by the way|and|but|instead)\b)",
    re.IGNORECASE,
)


#: "Tom and I broke up".
_WITH_ME = re.compile(
    r"^(?P<name>(?-i:[A-Z])[\w'-]+) and (?:i|me) (?P<did>(?:have |just |recently |finally )*(?:(?P<apart>broke up|"
    r"broken up|split up|are dating)|(?P<from>separated|got divorced|are divorced|are separated)|got engaged|"
    r"got married|are engaged|are married|are getting married))(?P<rest>.*)$",
    re.IGNORECASE,
)


def _of_both(sentence: str) -> str:
    """What somebody did with another, as what the speaker did: "I broke up with Tom"."""
    both = _WITH_ME.match(sentence)
    if both is None:
        return sentence
    did = re.sub(r"\bare\b", "am", both["did"], flags=re.IGNORECASE)
    link = "with" if both["apart"] else "from" if both["from"] else "to"
    return f"I {did} {link} {both['name']}{both['rest']}"


def statements(sentence: str, subject: str, names: frozenset[str] = frozenset()) -> list[Statement]:
    """What an English sentence says about its speaker, who is called ``subject``; also in telling why."""
    facts = [f"I'm {one['what']}" for one in _AS_ONE.finditer(sentence)]
    if not UNREAL.search(sentence):
        facts += [one["fact"] for one in _REASON.finditer(sentence)]
    found = _statements(sentence, subject, names)
    known = {one.text for one in found}
    told = [one for fact in facts for one in _statements(fact, subject, names)]
    return [*found, *(one for one in told if one.text not in known and _says_who(one))]


def _says_who(reason: Statement) -> bool:
    """Whether why somebody does something tells who they are: not that they have a meeting."""
    return (
        (reason.about == "self" and reason.verb == "be")
        or FAMILY.search(reason.text) is not None
        or category_of(reason, "event") == "health"
    )


def _statements(sentence: str, subject: str, names: frozenset[str]) -> list[Statement]:
    sentence = _THE_NUMBER.sub("my ", sentence)
    if not _MAY_BE_OF_SPEAKER.search(sentence) and not asks_to_keep(sentence):
        return []
    if (reminded := _DID_I_SAY.match(sentence)) is not None:
        sentence = re.sub(r",? (?:right|remember|yes|no)?\?$|\?$", ".", sentence[reminded.end() :])
    sentence, urged = told_in_english(_of_both(_BLESSING.sub(" ", sentence)), HYPOTHETICAL)
    if sentence.endswith("?"):
        sentence = _ASKED_BACK.sub("", sentence)
    named = _CALL_ME.search(sentence)
    if named is not None and not sentence.endswith("?"):
        return [_called(named["name"], subject), *_statements(sentence[: named.start()], subject, names)]
    if sentence.rstrip("\"')").endswith("?") or HYPOTHETICAL.search(sentence) or FICTION.match(sentence):
        return []
    if (known := _PRONOUNS.match(sentence)) is not None:
        return [_of_pronouns(known["said"].lower(), subject)]
    sentence = _NAME_IS.sub(r"\1 is ", _SHORT.sub(_in_full, sentence))
    told = [f"{one['who']} {'is ' if one['is'] else ''}{one['rest']}" for one in _WHO_IS.finditer(sentence)]
    if told:
        rest = _statements(_WHO_IS.sub(r"\g<who>", sentence), subject, names)
        return [*rest, *(one for text in told for one in _statements(text, subject, names))]
    text = _PARENTHESIS.sub("", sentence).strip().rstrip(".!…\"' ")
    text += '"' * (text.count('"') % 2)
    text = _ONE_OF.sub(r"I'm in \g<what>", _ASIDE.sub(" ", _TYPED.sub(_spelled, text)))
    text = _APPOSED.sub(r"\g<who> \g<name> ", text)
    text = _AND_THEIRS.sub(r"\g<who> & ", _ME_AND.sub(r"\1 & ", text))
    text = _WHO_ELSE.sub(r"\1, \2 I'm ", _WHO_AND_AGE.sub(r"\1, I'm \2, I'm ", _PAIR.sub(_joined, text)))
    found: list[Statement] = []
    for piece in _clauses(text):
        for clause in _COMMA_SUBJECT.split(piece):
            told = (statement(part, subject) for part in apart(_trimmed(clause, names)))
            found += [one for one in told if one is not None]
    if urged and not found and (fact := _fact(TAIL.sub("", text), subject)):
        found.append(fact)
    return [msgspec.structs.replace(one, urged=True) for one in found] if urged else found


def _clauses(text: str) -> list[str]:
    """The clauses of a sentence; "my girlfriend and our two cats in a flat in Leeds" is one, and not two."""
    clauses: list[str] = []
    begin = start = 0
    for joint in _CLAUSE.finditer(text):
        clauses, begin, start = _another(clauses, text[begin:start], text[start : joint.start()]), *joint.span()
    return _another(clauses, text[begin:start], text[start:])


def _another(clauses: list[str], joint: str, clause: str) -> list[str]:
    joined = clauses and joint.strip() == "and" and OWN.match(clause)
    if joined and (own(clause, "") is None or _is_bare(clauses[-1])):
        return [*clauses[:-1], clauses[-1] + joint + clause]
    return [*clauses, clause]


def _is_bare(clause: str) -> bool:
    """My brother: nothing is said of him yet."""
    words = _trimmed(clause, frozenset()).lower().split()
    return 1 < len(words) <= 4 and words[0] in ("my", "our") and not any(map(_is_verb, words[2:]))


def _is_verb(word: str) -> bool:
    """Whether a word can be what somebody of theirs does, is or has."""
    return (
        word in AUXILIARIES
        or word in ("are", "were", "have", "aren't", "don't")
        or is_past(word)
        or (base_of(word) is not None and word not in BASES and not word.endswith("ing"))
    )


def _in_full(short: re.Match[str]) -> str:
    if short["has"] is None:
        return f"{short['who']} is "
    return f"{short['who']} has " if FAMILY.search(short["who"]) else short[0]  # how a week has been is no news


def _of_pronouns(said: str, subject: str) -> Statement:
    return Statement(
        text=f"{subject}'s pronouns are {said}", language="en", about="own", verb="be", rest=f"pronouns | {said}"
    )


def _fact(text: str, subject: str) -> Statement | None:
    """What is to be kept in mind, though it is about nobody who speaks: "the meeting room is 4B". Who says so
    comes last, since what begins with a person is taken to be told of them."""
    if DANGLING.search(text) or _OF_SPEAKER.search(text) or not _SAYS.match(text):
        return None
    return Statement(
        text=f"{kept_case(text)}, as {subject} says", language="en", about="other", verb="say", rest=text.lower()
    )


def _spelled(word: re.Match[str]) -> str:
    short = word[0].lower()
    return {"im": "I'm", "ive": "I've", "rn": "right now"}.get(short) or f"{short[:-1]}'t"


def _joined(pair: re.Match[str]) -> str:
    """My wife and I; but of "my dog barks and I" the first is a clause of its own."""
    words = pair[1].lower().rpartition("my ")[2].split()
    clause = not AUXILIARIES.isdisjoint(words) or any(base_of(one) and one not in BASES for one in words[1:-1])
    return pair[0] if clause else f"{pair[1]} & I"


def _called(name: str, subject: str) -> Statement:
    return Statement(
        text=f"{subject} is called {name}", language="en", about="self", verb="call", rest=name.lower()
    )


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
