"""How good learning is: what is extracted from public dialogues, against what is known about their speakers.

A dialogue is fed in runs of ten messages, as the product does it: extract, then the gate. A memory matches a known
line when their vectors are near or when they share most content words. Known lines may be in the first person ("I
keep bees."), memories never are; so three comparisons are made, of the same memories:

| comparison | what is compared |
|---|---|
| as stored | the text as it is in the store; speakers whom a file only numbers are not named: "user keeps bees" |
| named | the text as it is in the store when every speaker has a name: "User 1 keeps bees" |
| as told | the text with the speaker put back into the first person, where known lines are: "I keeps bees" |

The first is the figure that is quoted. The others show what is lost by the name, and by the person.
"""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from recollect.evaluate.files import Source
from recollect.evaluate.loaders import locomo_session
from recollect.evaluate.support import supported
from recollect.records import Message
from recollect.remember.extract import extract
from recollect.remember.gate import refusal
from recollect.remember.learning import Candidate
from recollect.text.grounding import content_words, stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN = 10
#: So many dialogues of a file are measured.
MOST = 300
NEAR = 0.6
SHARED = 0.6
SAID = datetime(2024, 1, 1, tzinfo=UTC)
PERSONAS = ("user 1 personas", "user 2 personas")
TALK = "Best Generated Conversation"
_TURN = re.compile(r"User ([12]): (.*)")
_FIRST_PERSON = re.compile(r"\b(?:i|my)\b", re.IGNORECASE)

#: Told what is done, how much of it, and how much there is.
Progress = Callable[[str, int, int], None]


class Dialogue(msgspec.Struct, frozen=True):
    """Messages of two named people, and what is known about them."""

    messages: list[Message]
    gold: list[str]
    numbered: bool = False
    """Whether the names only number the speakers; by default a user has no name."""


class Matched(msgspec.Struct, frozen=True):
    """The figures of one comparison."""

    precision: float
    """The share of memories that match something known."""
    recall: float
    """The share of what is known that some memory matches."""


class ExtractionReport(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one file."""

    dataset: str
    dialogues: int
    in_file: int
    """Dialogues of the file, of which only the first are measured."""
    memories: int
    per_dialogue: float
    precision: float
    """The share of memories that match something known, as they are stored."""
    recall: float
    """The share of what is known that some memory matches, as they are stored."""
    named: Matched
    """The same with every speaker named."""
    told: Matched
    """The same with the speaker in the first person, where known lines are."""
    support: float
    """The share of memories whose words all occur in the messages that they cite, by ``support.supported``."""
    refused: dict[str, int]
    """What the gate refused, by reason."""


def evaluate_extraction(
    path: Path, progress: Progress | None = None, limit_rows: int | None = MOST, *, baseline: bool = False
) -> ExtractionReport:
    """Feed a file of dialogues and count; the baseline keeps every sentence in the first person as it stands."""
    every = load_dialogues(path)
    name, dialogues = Source("extraction", path).name, every[:limit_rows]
    stored, named, told = _Tally(), _Tally(), _Tally()
    backed: list[bool] = []
    refused: dict[str, int] = {}
    for number, dialogue in enumerate(dialogues, 1):
        nameless = _nameless(dialogue) if dialogue.numbered else dialogue
        memories, with_names = (
            every_first_person_sentence(each.messages) if baseline else _learned(each, counted)
            for each, counted in ((nameless, refused), (dialogue, {}))
        )
        stored.add([one.text for one in memories], dialogue.gold)
        named.add([one.text for one in with_names], dialogue.gold)
        told.add([_told(one, dialogue) for one in with_names], dialogue.gold)
        backed += [_supported(one, nameless) for one in memories]
        if progress is not None:
            progress(f"{name}: extract", number, len(dialogues))
    figures = stored.matched()
    return ExtractionReport(
        dataset=name,
        dialogues=len(dialogues),
        in_file=len(every),
        memories=len(backed),
        per_dialogue=round(len(backed) / len(dialogues), 2) if dialogues else 0.0,
        precision=figures.precision,
        recall=figures.recall,
        named=named.matched(),
        told=told.matched(),
        support=_share(backed),
        refused=refused,
    )


class _Tally:
    """Which memories matched, and which known lines were matched."""

    def __init__(self) -> None:
        self.memories: list[bool] = []
        self.known: list[bool] = []

    def add(self, texts: Sequence[str], gold: Sequence[str]) -> None:
        """Count one dialogue."""
        by_memory, by_line = matches(texts, gold)
        self.memories += by_memory
        self.known += by_line

    def matched(self) -> Matched:
        """The figures so far."""
        return Matched(_share(self.memories), _share(self.known))


def load_dialogues(path: Path) -> list[Dialogue]:
    """Read a file of Synthetic-Persona-Chat (CSV) or of LoCoMo (JSON, with its observations)."""
    file = Source("extraction", path)
    if path.suffix.lower() == ".csv":
        found = _persona_chats(file)
    else:
        samples = file.shaped(file.json(file.text()), list[_Observed])
        found = [one for number, sample in enumerate(samples) for one in _locomo(file, sample, f"$[{number}]")]
    if not found:
        raise file.wrong("there are no dialogues in it")
    return found


def every_first_person_sentence(messages: Sequence[Message]) -> list[Candidate]:
    """The baseline: whatever is said with "I" or "my" is kept as it stands."""
    return [
        Candidate(text=sentence, first=message.seq, last=message.seq)
        for message in messages
        for sentence in re.split(r"(?<=[.!?])\s+", message.content)
        if _FIRST_PERSON.search(sentence) and not sentence.endswith("?") and len(sentence.split()) > 3
    ]


def matches(memories: Sequence[str], gold: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Which memories match a known line, and which known lines are matched."""
    if not memories or not gold:
        return [False] * len(memories), [False] * len(gold)
    near = _cosines(memories, gold) >= NEAR
    stems = [{stem(word) for word in content_words(text)} for text in (*memories, *gold)]
    ours, theirs = stems[: len(memories)], stems[len(memories) :]
    hit = [
        [bool(near[i, j]) or _f1(one, other) >= SHARED for j, other in enumerate(theirs)]
        for i, one in enumerate(ours)
    ]
    return [any(row) for row in hit], [any(column) for column in zip(*hit, strict=True)]


def _cosines(memories: Sequence[str], gold: Sequence[str]) -> NDArray[np.float32]:
    from recollect.models.wordllama import WordLlama

    rows = asyncio.run(WordLlama().embed([*memories, *gold]))
    return rows[: len(memories)] @ rows[len(memories) :].T


def _f1(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _learned(dialogue: Dialogue, refused: dict[str, int]) -> list[Candidate]:
    kept: list[Candidate] = []
    for start in range(0, len(dialogue.messages), RUN):
        for candidate in extract(dialogue.messages[start : start + RUN]):
            reason = refusal(candidate, _cited(candidate, dialogue))
            if reason is None:
                kept.append(candidate)
            else:
                refused[reason] = refused.get(reason, 0) + 1
    return kept


def _cited(candidate: Candidate, dialogue: Dialogue) -> list[Message]:
    return [message for message in dialogue.messages if candidate.first <= message.seq <= candidate.last]


def _nameless(dialogue: Dialogue) -> Dialogue:
    messages = [msgspec.structs.replace(message, name=None) for message in dialogue.messages]
    return msgspec.structs.replace(dialogue, messages=messages)


def _supported(candidate: Candidate, dialogue: Dialogue) -> bool:
    cited = _cited(candidate, dialogue)
    return supported(candidate.text, [one.content for one in cited], {one.name for one in cited if one.name})


def _told(candidate: Candidate, dialogue: Dialogue) -> str:
    """As the speaker would say it, who is the one of the last message cited: the one before may be a question."""
    name = next((message.name for message in dialogue.messages if message.seq == candidate.last), None)
    if name is None or _named(dialogue.gold, name):
        return candidate.text
    text = re.sub(rf"\b{re.escape(name)}'s\b", "my", candidate.text)
    return re.sub(r"\btheir\b", "my", re.sub(rf"\b{re.escape(name)}\b", "I", text))


def _named(gold: Sequence[str], name: str) -> bool:
    return any(name in line for line in gold)


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _persona_chats(file: Source) -> list[Dialogue]:
    reader = csv.DictReader(io.StringIO(file.text(), newline=""))
    found: list[Dialogue] = []
    try:
        for column in (*PERSONAS, TALK):
            if column not in (reader.fieldnames or ()):
                raise file.wrong(f"there is no column {column!r}")
        for number, row in enumerate(reader, 1):
            if any(row[column] is None for column in (*PERSONAS, TALK)):  # pyright: ignore[reportUnnecessaryComparison]
                raise file.wrong(f"row {number} is too short")
            found.append(_persona_chat(row))
    except csv.Error:
        raise file.wrong("the file is not CSV") from None
    return found


def _persona_chat(row: dict[str, str]) -> Dialogue:
    turns = [match for line in row[TALK].split("\n") if (match := _TURN.match(line))]
    gold = [line.strip() for column in PERSONAS for line in row[column].split("\n") if line.strip()]
    messages = [_message(place, f"User {turn[1]}", turn[2], SAID) for place, turn in enumerate(turns, 1)]
    return Dialogue(messages, gold, numbered=True)


class _Observed(msgspec.Struct, frozen=True):
    conversation: dict[str, Any]
    observation: dict[str, dict[str, list[Annotated[list[Any], msgspec.Meta(min_length=1)]]]]


def _locomo(file: Source, sample: _Observed, place: str) -> list[Dialogue]:
    """Every session is a dialogue; what is known about it are its observations."""
    found: list[Dialogue] = []
    for name, observed in sample.observation.items():
        session = name.removesuffix("_observation")
        if session not in sample.conversation:
            raise file.wrong(f"there is no session for one of the observations at {place}.observation")
        at, turns = locomo_session(file, sample.conversation, session, f"{place}.conversation")
        facts = [fact[0] for facts in observed.values() for fact in facts]
        gold = file.shaped(facts, list[str], f"{place}.observation[...]")
        messages = [_message(seq, turn.speaker, turn.text or "", at) for seq, turn in enumerate(turns, 1)]
        found.append(Dialogue(messages, gold))
    return found


def _message(seq: int, name: str, text: str, at: datetime) -> Message:
    return Message(
        conversation="evaluate", seq=seq, id=str(seq), role="user", content=text, created_at=at, name=name
    )
