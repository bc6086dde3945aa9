"""Readers of the public formats, and of a plain one of our own. The files stay where the user has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec

from recollect import inputs
from recollect.conversations.incoming import ROLES, draft
from recollect.errors import Invalid
from recollect.evaluate.cases import Case, Dataset, Fact, Store, Turn
from recollect.evaluate.files import Source
from recollect.recall.messages import MAX_QUERY

#: What can be read, for people.
KNOWN = "LoCoMo, LongMemEval, MADial-Bench, or stores: a JSON list of objects with user, sessions and cases"


def load(path: Path, memories: Path | None = None) -> Dataset:
    """Read a file in whichever of the known formats it is; ``memories`` is the second file of a set of two.

    Questions without evidence are left out. What could not be stored or asked is refused here, before anything is.
    """
    file = Source("file", path)
    text = file.text()
    start = text.lstrip()
    if path.suffix.lower() == ".csv" and start[0] not in "[{":
        raise file.wrong("is CSV: dialogues to learn from are for --extraction, pairs of sentences for --merging")
    first = file.json(start) if start[:1] == "[" else file.json(start.split("\n", 1)[0], "the first line")
    sample = cast("Any", first[0] if isinstance(first, list) and first else first)
    for marks, read in _FORMATS:
        if isinstance(sample, dict) and marks <= sample.keys():
            found = [_answerable(store) for store in read(file, text, memories or beside(path))]
            for number, store in enumerate(found, 1):
                _check(file, store, f"store {number}")
            return Dataset(name=file.name, stores=found)
    raise file.wrong(f"is in none of the known formats: {KNOWN}")


class _Pair(msgspec.Struct, frozen=True):
    conversation: dict[str, Any]
    qa: list[dict[str, Any]]
    observation: dict[str, dict[str, list[tuple[str, str | list[str]]]]] = {}
    """By session and speaker: what they said, and the turn or turns."""


class _Asked(msgspec.Struct, frozen=True):
    question: str
    evidence: list[str]
    category: int | str
    answer: Any = ""


class Said(msgspec.Struct, frozen=True):
    """A turn of LoCoMo."""

    speaker: str
    dia_id: str
    text: str | None


def locomo(file: Source, text: str, _: Path | None) -> list[Store]:
    """LoCoMo: two named people, dated sessions, evidence by turn; the unanswerable category 5 is left out."""
    pairs = file.shaped(file.json(text), list[_Pair])
    return [_locomo_store(file, number, pair) for number, pair in enumerate(pairs)]


def _locomo_store(file: Source, number: int, pair: _Pair) -> Store:
    talk, place = pair.conversation, f"$[{number}]"
    user = file.shaped(talk.get("speaker_a"), str, f"{place}.conversation.speaker_a")
    names = sorted((key for key in talk if re.fullmatch(r"session_[0-9]{1,9}", key)), key=lambda key: int(key[8:]))
    sessions: list[list[Turn]] = []
    facts: list[Fact] = []
    for name in names:
        if talk[name]:
            at, turns = locomo_session(file, talk, name, f"{place}.conversation")
            facts += [
                Fact(text=fact, at=at, evidence=_cited([cited] if isinstance(cited, str) else cited))
                for observed in pair.observation.get(f"{name}_observation", {}).values()
                for fact, cited in observed
            ]
            sessions.append(
                [
                    Turn(
                        id=turn.dia_id,
                        role="user" if turn.speaker == user else "assistant",
                        name=turn.speaker,
                        text=turn.text or "…",
                        at=at,
                    )
                    for turn in turns
                ]
            )
    known = {turn.id for session in sessions for turn in session}
    asked = [
        file.shaped(qa, _Asked, f"{place}.qa[{index}]")
        for index, qa in enumerate(pair.qa)
        if qa.get("category") != 5
    ]
    cases = [
        Case(
            question=qa.question,
            gold=[turn for turn in _cited(qa.evidence) if turn in known],
            kind=f"category {qa.category}",
            answer=str(qa.answer),
        )
        for qa in asked
    ]
    return Store(user=f"pair-{number}", sessions=sessions, cases=cases, facts=facts)


def locomo_session(file: Source, talk: dict[str, Any], name: str, place: str) -> tuple[datetime, list[Said]]:
    """When a session of LoCoMo was, and what was said."""
    turns = file.shaped(talk.get(name), list[Said], f"{place}.{name}")
    dated = f"{name}_date_time"
    date = file.shaped(talk.get(dated), str, f"{place}.{dated}")
    return file.date(date, f"{place}.{dated}", "%I:%M %p on %d %B, %Y"), turns


def _cited(evidence: list[str]) -> list[str]:
    """Some entries hold several turns, and some write D1:03 for D1:3."""
    found = [re.findall(r"D(\d+):0*(\d+)", entry) for entry in evidence]
    return list(dict.fromkeys(f"D{session}:{turn}" for entry in found for session, turn in entry))


class _Line(msgspec.Struct, frozen=True):
    role: str
    content: str
    has_answer: Any = False


class _Sample(msgspec.Struct, frozen=True):
    question_id: str
    question_type: str
    question: str
    answer: Any
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[_Line]]


def longmemeval(file: Source, text: str, _: Path | None) -> list[Store]:
    """LongMemEval: all sessions of the file in one store; questions without an answer in it are left out."""
    sessions: dict[str, list[Turn]] = {}
    cases: list[Case] = []
    for number, sample in enumerate(file.shaped(file.json(text), list[_Sample])):
        place = f"$[{number}]"
        columns = (sample.haystack_dates, sample.haystack_session_ids, sample.haystack_sessions)
        if len({len(column) for column in columns}) > 1:
            raise file.wrong(f"the haystack's dates, session_ids and sessions differ in number at {place}")
        gold: list[Turn] = []
        for index, (date, name, turns) in enumerate(zip(*columns, strict=True)):
            at = _day(file, date, f"{place}.haystack_dates[{index}]")
            kept = [
                Turn(id=f"{name}:{spot}", role=turn.role, text=turn.content, at=at)
                for spot, turn in enumerate(turns)
            ]
            sessions.setdefault(name, [turn for turn in kept if turn.text.strip()])
            gold += [turn for turn, raw in zip(kept, turns, strict=True) if raw.has_answer]
        if gold and not sample.question_id.endswith("_abs"):
            changed = sample.question_type == "knowledge-update"
            last = max(turn.at for turn in gold)
            cases.append(
                Case(
                    question=sample.question,
                    gold=[turn.id for turn in gold],
                    kind=sample.question_type,
                    answer=str(sample.answer),
                    asked_at=_day(file, sample.question_date, f"{place}.question_date"),
                    newest=[turn.id for turn in gold if turn.at == last] if changed else [],
                )
            )
    return [Store(user="pool", sessions=list(sessions.values()), cases=cases)]


def _day(file: Source, date: str, place: str) -> datetime:
    return file.date(re.sub(r" \(\w+\)", "", date), place, "%Y/%m/%d %H:%M")


class _Event(msgspec.Struct, frozen=True):
    time: str
    event: str


class _Reminder(msgspec.Struct, frozen=True, rename="kebab"):
    dialogue: list[str]
    test_turn: Annotated[list[int], msgspec.Meta(min_length=1)]
    relevant_id: list[int | str]


def madial(file: Source, text: str, memories: Path | None) -> list[Store]:
    """MADial-Bench: memories in one file, dialogues in another; asked is what was said before a reminder."""
    if memories is None:
        raise Invalid("memories", f"the file of memories that belongs to {file.path.name} is needed")
    other = Source("memories", memories)
    turns: list[Turn] = []
    for place, line in _lines(other, other.text()):
        for number, memory in other.shaped(line, dict[str, _Event], f"{place}: $").items():
            at = other.date(memory.time, f"{place}: $[...].time")
            turns.append(Turn(id=number, role="user", text=memory.event, at=at))
    cases: list[Case] = []
    for place, line in _lines(file, text):
        sample = file.shaped(line, _Reminder, f"{place}: $")
        before = sample.dialogue[1 : sample.test_turn[0]]
        said = "\n".join(re.sub(r"^<([^>]*)>:", r"\1:", turn).replace('"', "").strip() for turn in before)
        cases.append(Case(question=said, gold=[str(number) for number in sample.relevant_id]))
    facts = [Fact(text=turn.text, at=turn.at, evidence=[turn.id]) for turn in turns]
    return [Store(user="pool", sessions=[[turn] for turn in turns], cases=cases, facts=facts)]


def _lines(file: Source, text: str) -> Iterator[tuple[str, Any]]:
    """Each line of JSON, and where it stands."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number}", file.json(line, f"line {number}")


def stores(file: Source, text: str, _: Path | None) -> list[Store]:
    """Our own format: a JSON list of stores, with the fields of ``cases.Store``."""
    return file.shaped(file.json(text), list[Store])


def _answerable(store: Store) -> Store:
    return msgspec.structs.replace(store, cases=[case for case in store.cases if case.gold])


def _check(file: Source, store: Store, place: str) -> None:
    try:
        for number, session in enumerate(store.sessions, 1):
            for spot, turn in enumerate(session, 1):
                where = f"{place}, session {number}, message {spot}"
                if turn.role not in ROLES:
                    raise Invalid(where, f"its role is none of {', '.join(ROLES)}")
                draft(turn.message, where)
        for number, fact in enumerate(store.facts, 1):
            where = f"{place}, fact {number}"
            inputs.moment(f"{where}.at", fact.at)
            if not inputs.text(where, fact.text).strip():
                raise Invalid(where, "must not be empty")
        for number, case in enumerate(store.cases, 1):
            where = f"{place}, question {number}"
            if not inputs.text(where, case.question, MAX_QUERY).strip():
                raise Invalid(where, "must not be empty")
            inputs.text(f"{where}.kind", case.kind)
            if case.asked_at is not None:
                inputs.moment(f"{where}.asked_at", case.asked_at)
    except Invalid as error:
        raise file.wrong(str(error)) from None


def beside(path: Path) -> Path | None:
    """The file of memories that belongs to one of dialogues by its name, if it is there."""
    other = path.with_name(path.name.replace("dialogue", "memory"))
    return other if other != path and other.exists() else None


_FORMATS: list[tuple[set[str], Callable[[Source, str, Path | None], list[Store]]]] = [
    ({"qa", "conversation"}, locomo),
    ({"haystack_sessions", "question"}, longmemeval),
    ({"dialogue", "relevant-id"}, madial),
    ({"user", "sessions", "cases"}, stores),
]
