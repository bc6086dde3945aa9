"""Readers of the public formats, and of a plain one of our own. The files stay where the user has them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from recollect.errors import Invalid
from recollect.evaluate.cases import Case, Dataset, Store, Turn

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def load(path: Path, memories: Path | None = None) -> Dataset:
    """Read a file in whichever of the known formats it is; ``memories`` is the second file of a set of two."""
    try:
        text = path.read_text()
        first = json.loads(text if text.lstrip()[:1] == "[" else text.split("\n", 1)[0])
    except (OSError, UnicodeError, ValueError) as error:
        raise Invalid("file", f"{path.name} cannot be read as JSON ({type(error).__name__})") from None
    sample = cast("Any", first[0] if isinstance(first, list) and first else first)
    for marks, read in _FORMATS:
        if isinstance(sample, dict) and marks <= sample.keys():
            return Dataset(name=path.stem, stores=read(text, memories or _beside(path)))
    raise Invalid(
        "file", f"{path.name} is in none of the known formats: LoCoMo, LongMemEval, MADial-Bench, stores"
    )


def locomo(text: str, _: Path | None) -> list[Store]:
    """LoCoMo: two named people, dated sessions, evidence by turn; the unanswerable category 5 is left out."""
    return [_locomo_store(number, sample) for number, sample in enumerate(json.loads(text))]


def _locomo_store(number: int, sample: dict[str, Any]) -> Store:
    talk = sample["conversation"]
    names = sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    sessions = [
        [
            Turn(
                id=turn["dia_id"],
                role="user" if turn["speaker"] == talk["speaker_a"] else "assistant",
                name=turn["speaker"],
                text=turn["text"] or "…",
                at=datetime.strptime(talk[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC),
            )
            for turn in talk[name]
        ]
        for name in names
        if talk[name]
    ]
    known = {turn.id for session in sessions for turn in session}
    cases = [
        Case(
            question=qa["question"],
            gold=[turn for turn in _cited(qa["evidence"]) if turn in known],
            kind=f"category {qa['category']}",
            answer=str(qa.get("answer", "")),
        )
        for qa in sample["qa"]
        if qa["category"] != 5
    ]
    return Store(user=f"pair-{number}", sessions=sessions, cases=[case for case in cases if case.gold])


def _cited(evidence: list[str]) -> list[str]:
    """Some entries hold several turns, and some write D1:03 for D1:3."""
    found = [re.findall(r"D(\d+):0*(\d+)", entry) for entry in evidence]
    return list(dict.fromkeys(f"D{session}:{turn}" for entry in found for session, turn in entry))


def longmemeval(text: str, _: Path | None) -> list[Store]:
    """LongMemEval: all sessions of the file in one store; questions without an answer in it are left out."""
    sessions: dict[str, list[Turn]] = {}
    cases: list[Case] = []
    for sample in json.loads(text):
        gold: list[Turn] = []
        for date, name, turns in zip(
            sample["haystack_dates"], sample["haystack_session_ids"], sample["haystack_sessions"], strict=True
        ):
            at = _day(date)
            kept = [
                Turn(id=f"{name}:{place}", role=turn["role"], text=turn["content"], at=at)
                for place, turn in enumerate(turns)
            ]
            sessions.setdefault(name, [turn for turn in kept if turn.text.strip()])
            gold += [turn for turn, raw in zip(kept, turns, strict=True) if raw.get("has_answer")]
        if gold and not sample["question_id"].endswith("_abs"):
            changed = sample["question_type"] == "knowledge-update"
            last = max(turn.at for turn in gold)
            cases.append(
                Case(
                    question=sample["question"],
                    gold=[turn.id for turn in gold],
                    kind=sample["question_type"],
                    answer=str(sample["answer"]),
                    asked_at=_day(sample["question_date"]),
                    newest=[turn.id for turn in gold if turn.at == last] if changed else [],
                )
            )
    return [Store(user="pool", sessions=list(sessions.values()), cases=cases)]


def _day(date: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def madial(text: str, memories: Path | None) -> list[Store]:
    """MADial-Bench: memories in one file, dialogues in another; asked is what was said before a reminder."""
    if memories is None:
        raise Invalid("memories", "the file of memories that belongs to these dialogues is needed")
    turns: list[Turn] = []
    for line in memories.read_text().splitlines():
        for number, memory in json.loads(line).items() if line.strip() else ():
            at = datetime.fromisoformat(memory["time"]).replace(tzinfo=UTC)
            turns.append(Turn(id=number, role="user", text=memory["event"], at=at))
    cases: list[Case] = []
    for line in text.splitlines():
        if line.strip():
            sample = json.loads(line)
            before = sample["dialogue"][1 : sample["test-turn"][0]]
            said = "\n".join(re.sub(r"^<([^>]*)>:", r"\1:", turn).replace('"', "").strip() for turn in before)
            cases.append(Case(question=said, gold=[str(number) for number in sample["relevant-id"]]))
    return [Store(user="pool", sessions=[[turn] for turn in turns], cases=cases)]


def stores(text: str, _: Path | None) -> list[Store]:
    """Our own format: a JSON list of stores, with the fields of ``cases.Store``."""
    try:
        return msgspec.json.decode(text, type=list[Store])
    except msgspec.ValidationError as error:
        raise Invalid("file", f"is not a list of stores: {error}") from None


def _beside(path: Path) -> Path | None:
    other = path.with_name(path.name.replace("dialogue", "memory"))
    return other if other != path and other.exists() else None


_FORMATS: list[tuple[set[str], Callable[[str, Path | None], list[Store]]]] = [
    ({"qa", "conversation"}, locomo),
    ({"haystack_sessions", "question"}, longmemeval),
    ({"dialogue", "relevant-id"}, madial),
    ({"user", "sessions", "cases"}, stores),
]
