"""From the messages of one conversation, the few things that are worth keeping. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

import msgspec

from recollect.records import Message
from recollect.remember.cutting import MOST_FOUND, cut
from recollect.remember.extract import corrections, english, named, pronouns, spanish
from recollect.remember.extract.answers import completed
from recollect.remember.extract.corrections import Said
from recollect.remember.extract.language import language
from recollect.remember.extract.own_words import MOST_CHARACTERS, asks_for_text, sentences
from recollect.remember.extract.retractions import Heard, contradicts, corrects
from recollect.remember.extract.statement import SPEAKER, Statement
from recollect.remember.extract.topics import gives_name, is_vital
from recollect.remember.extract.when import Dated, dated
from recollect.remember.extract.wishes import beside, wished
from recollect.remember.extract.worth import VAGUE, changes_state, worth
from recollect.remember.learning import MAX_LEARNED, Candidate
from recollect.text.grounding import content_words, stem
from recollect.text.spanish_accents import with_accents

#: What scores less is not worth a place among a person's memories. Set so that precision comes first.
THRESHOLD = 0.61
#: People introduce themselves first: what is told when a conversation opens is more often meant to be known.
OPENING, INTRODUCTION = ((12, 20), 0.25)
#: What each earlier message of the run that mentions the same takes away, and how many are counted.
ECHO, MOST_ECHO = 0.1, 3
#: What each taste that is already chosen from a run takes away from the next.
CROWD = 0.06
#: Two that share this much of their content words say the same.
SAME = 0.6
#: What is no longer as it was told is worth more than what is new, since the old would be believed: so much more.
CHANGED = 0.3
_ANEW = re.compile(r"\b(?:ya no|ahora|actualmente)\b", re.IGNORECASE)
#: How many sentences of a speaker are looked back over for what one of them corrects.
LOOK_BACK = 20
#: How many statements: a sentence may make several. What is corrected later than that is left to reconciling.
LOOK_BACK_STATED = 3 * LOOK_BACK
#: How long a dated plan is kept after its last day, so that one can still ask how it went.
AFTER_PLAN = timedelta(days=8)


#: What an assistant's own facts must score above a person's.
MODESTY = 0.1
_CALLED = {
    ("user", "en"): "user",
    ("user", "es"): "usuario",
    ("assistant", "en"): "agent",
    ("assistant", "es"): "agente",
}
LASTING = ("identity", "family", "work", "home", "possession", "preference", "skill", "health")
_ASSISTANT_TALK = re.compile(
    r"\b(?:language model|modelo de lenguaje|ai|ia|assistant|asistente|chatbot|trained|training|can|can't|cannot|"
    r"could|would|should|might|puede|podría|able|capab\w+|ability|access|acceso|personal|confidence|help\w*|ayud\w+|recommend\w*|suggest\w*|"
    r"provide\w*|offer\w*|apologi[sz]e\w*|sorry|glad|happy|here|is \w+ing|"
    r"the (?:cloud|internet|web|net|ether)|servers?|data cent(?:er|re)s?|cyberspace|digital\w*|"
    r"virtual\w*|(?:chat)?bots?|robots?|machines?|algorithms?|neural|circuits?|silicon|made of code|"
    r"software(?! \w+er\b)|en la nube|en internet|servidor\w*|centros? de datos|ciberespacio|máquinas?|"
    r"algoritmos?|circuitos?)\b|doesn't have|no tiene|:$",
    re.IGNORECASE,
)


class _Scored(msgspec.Struct, frozen=True):
    score: float
    candidate: Candidate
    stems: frozenset[str]
    of_own: frozenset[str]  # what is said of somebody of theirs, without who that is
    lasting: bool
    vital: bool
    heard: Heard


class _Run:
    """What has been said in a run so far."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.names = frozenset(message.name.lower() for message in messages if message.name)
        self.mentioned: list[frozenset[str]] = []
        self.said: dict[tuple[str, str | None], list[Said]] = {}
        self.gone: set[int] = set()
        self.places = 0

    def noted(self, message: Message, sentence: str) -> Said:
        """A sentence, in its place."""
        self.places += 1
        said = Said(self.places, message.seq, sentence)
        self.said.setdefault((message.role, message.name), []).append(said)
        return said


def extract(messages: Sequence[Message], limit: int = 3) -> list[Candidate]:
    """At most ``limit`` insights from a run of messages, in the order they were said; often none."""
    return extracted(messages, limit)[0]


def extracted(messages: Sequence[Message], limit: int) -> tuple[list[Candidate], list[Candidate]]:
    """The same, and those that are worth as much but were too many."""
    people = {message.name for message in messages if message.role == "user" and message.name}
    run = _Run(messages)
    found: list[_Scored] = []
    before: Message | None = None
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        spoken = before if before is not None and before.seq == message.seq - 1 else None
        own = _told(message, spoken, run)
        if message.role == "user" or (message.name and people):
            found += own
        elif spoken is None or not asks_for_text(spoken.content):
            found += [_modest(one) for one in own if _is_news(one)]
        run.mentioned.append(_topics(message.content[:MOST_CHARACTERS]))
        before = message
    standing = _standing([one for one in found if one.heard.place not in run.gone])
    worthy: list[_Scored] = []
    for one in sorted(standing, key=lambda each: (not each.vital, -each.score, each.candidate.last)):
        if one.score < THRESHOLD or len(worthy) == MOST_FOUND:
            break
        if not any(_same(one, other) for other in worthy) and one.score - _crowd(one, worthy) >= THRESHOLD:
            worthy.append(one)
    chosen, left = cut(worthy, limit, lambda one: one.candidate)
    latest = _latest(chosen, standing, limit)
    return _in_order(latest, standing), _in_order([one for one in left if one not in latest], standing)


def _in_order(chosen: Sequence[_Scored], standing: Sequence[_Scored]) -> list[Candidate]:
    """In the order in which they were said, also within a sentence: "I was vegetarian but now I eat fish"."""
    said = [one.candidate for one in standing if any(one is other for other in chosen)]
    return sorted(said, key=lambda each: each.last)


def _standing(found: Sequence[_Scored]) -> list[_Scored]:
    """Without what its speaker has corrected since; what took its place is worth as much as it was."""
    standing: list[_Scored] = []
    for one in found:
        gone = [other for other in standing[-LOOK_BACK_STATED:] if corrects(one.heard, other.heard)]
        if one.heard.bound and not gone:
            continue
        standing = [other for other in standing if other not in gone]
        standing.append(msgspec.structs.replace(one, score=max(each.score for each in (one, *gone))))
    return standing


def _latest(chosen: Sequence[_Scored], standing: Sequence[_Scored], limit: int) -> list[_Scored]:
    """What was chosen, and what contradicts it since: beside it, for reconciling to retire it, or in its place."""
    latest = list(chosen)
    for one in chosen:
        since = [
            other
            for other in standing
            if other.heard.place >= one.heard.place and other is not one and contradicts(other.heard, one.heard)
        ]
        if since and not any(other in latest for other in since):
            if len(latest) == limit:
                latest.remove(one)
            latest.append(since[-1])
    return latest


def _crowd(one: _Scored, chosen: Sequence[_Scored]) -> float:
    """What others of its kind take away: one taste tells who somebody is, a row of them is conversation."""
    if one.candidate.category != "preference":
        return 0.0
    return CROWD * sum(other.candidate.category == "preference" for other in chosen)


def _is_news(one: _Scored) -> bool:
    """An assistant speaks of itself mostly to say what it is, what it can do and what it has just done; only what
    it is like, in a role that it plays, is worth knowing."""
    news = one.lasting and one.score >= THRESHOLD + MODESTY
    return news and not _ASSISTANT_TALK.search(one.candidate.text)


def _modest(one: _Scored) -> _Scored:
    """What the assistant says of itself comes after what it is told."""
    candidate = msgspec.structs.replace(one.candidate, importance=round(one.candidate.importance / 2, 2))
    return msgspec.structs.replace(one, score=one.score - MODESTY, candidate=candidate)


def _told(message: Message, before: Message | None, run: _Run) -> list[_Scored]:
    """What a message says about its speaker: by itself, as an answer, and as a correction of what was said."""
    found: list[_Scored] = []
    spoken = before.content if before is not None and before.role != message.role else None
    asked = spoken if spoken is not None and "?" in spoken else ""
    for sentence in map(_spelled, sentences(message.content)):
        earlier = run.said.get((message.role, message.name), ())[-LOOK_BACK:]
        read = corrections.read(sentence, earlier, asked)
        if read.gone is not None:
            run.gone.add(read.gone)
        if not read.text:
            continue
        lately = [one for one in earlier if one.seq >= message.seq - (1 if spoken is None else 2)]
        told = None
        if read.first is None:
            told = pronouns.meant(read.text, lately, spoken or "") or named.spoken_of(read.text, earlier)
        said = run.noted(message, read.text if told is None else told.text)
        first = read.first if told is None else told.seq
        found += _judged(said, read, message, first or message.seq, run.names, () if first else run.mentioned)
    answer = None if before is None else completed(before.content, message.content)
    if before is not None and answer is not None:
        for sentence in sentences(answer):
            said = run.noted(message, sentence)
            found += _judged(said, corrections.Read(text=sentence), message, before.seq, run.names, ())
    return found


def _spelled(sentence: str) -> str:
    """A sentence as it is read."""
    return with_accents(sentence) if language(sentence) == "es" else pronouns.named_at_once(sentence)


def _judged(
    said: Said,
    read: corrections.Read,
    message: Message,
    first: int,
    names: frozenset[str],
    mentioned: Sequence[frozenset[str]],
) -> list[_Scored]:
    asked, told = beside(said.text)
    order, tongue = wished(asked, SPEAKER), language(said.text)
    stated = [] if order is None else [order]
    if tongue is not None and (order is None or told):
        rules = english if tongue == "en" else spanish
        stated += rules.statements(said.text if order is None else told, SPEAKER, names)
    scored = (_scored(statement, said, read, message, first, mentioned) for statement in stated)
    return [one for one in scored if one is not None]


def _scored(
    statement: Statement,
    said: Said,
    read: corrections.Read,
    message: Message,
    first: int,
    mentioned: Sequence[frozenset[str]],
) -> _Scored | None:
    judged = worth(statement)
    if judged.score <= 0 or (statement.urged and message.role != "user"):  # an assistant reminds others
        return None
    opening = sum(max(0.0, 1 - (message.seq - 1) / length) for length in OPENING)
    score = judged.score * (1 + INTRODUCTION * opening) - _known(_topics(statement.text), mentioned)
    if statement.language == "es" and judged.category in ("home", "work") and _is_changed(statement, said):
        score += CHANGED
    vital = statement.urged or is_vital(statement, judged.category) or gives_name(statement)
    if (
        vital
    ):  # what may hurt somebody is said in passing, too; a name, and what is to be kept in mind, are told once
        score = max(score, THRESHOLD)
    day = message.created_at.date()
    told = dated(statement.text, day, statement.tense, statement.language)
    if told is None:
        return None
    text = told.text.replace(SPEAKER, message.name or _CALLED[message.role, statement.language])
    if len(text) > MAX_LEARNED:
        return None
    candidate = Candidate(
        text=text,
        first=first,
        last=message.seq,
        category=judged.category,
        importance=judged.importance,
        valid_from=_since(statement, told, message.created_at),
        expires_at=_until(statement, told, message.created_at),
    )
    lasting = statement.tense == "present" and judged.category in LASTING
    heard = Heard(
        speaker=(message.role, message.name),
        seq=message.seq,
        place=said.place,
        text=told.text.replace(SPEAKER, "user" if statement.language == "en" else "usuario"),
        sure=read.sure,
        maybe=read.maybe,
        rather_than=read.rather_than,
        bound=read.bound,
    )
    of_own = statement.rest.partition(" | ")[2] if statement.about == "own" else ""
    return _Scored(score, candidate, _stems(statement.text), _stems(of_own), lasting, vital, heard)


def _is_changed(statement: Statement, said: Said) -> bool:
    return statement.verb == "mudarse" or (statement.tense == "present" and _ANEW.search(said.text) is not None)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))


def _topics(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text, VAGUE)))


def _known(said: frozenset[str], mentioned: Sequence[frozenset[str]]) -> float:
    """What the talk has been about already is a detail or an echo rather than news."""
    return ECHO * min(MOST_ECHO, sum(not said.isdisjoint(earlier) for earlier in mentioned))


def _since(statement: Statement, told: Dated, said: datetime) -> datetime:
    """When it began to hold: at the day of a change that has happened, otherwise when it was said."""
    if told.span is not None and changes_state(statement) and told.span.first < said.date().toordinal():
        return datetime.combine(date.fromordinal(told.span.first), time(), said.tzinfo)
    return said


def _until(statement: Statement, told: Dated, said: datetime) -> datetime | None:
    """A plan with a date is no news when the date is over; what changes a life still is."""
    if told.span is None or statement.tense == "past" or changes_state(statement):
        return None
    days_ahead = told.span.last - said.date().toordinal()
    if not 0 <= days_ahead <= 400 or told.span.yearly:
        return None
    return datetime.combine(date.fromordinal(told.span.last) + AFTER_PLAN, time(), said.tzinfo)


def _same(one: _Scored, other: _Scored) -> bool:
    if one.of_own and other.of_own and one.of_own.isdisjoint(other.of_own):
        return False  # two things about one person
    shared = len(one.stems & other.stems)
    alike = shared > 0 and 2 * shared / (len(one.stems) + len(other.stems)) >= SAME
    return alike and not (contradicts(one.heard, other.heard) or contradicts(other.heard, one.heard))
