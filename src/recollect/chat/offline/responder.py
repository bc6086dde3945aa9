"""Answers where no language model is set: leads through the workflow, or tells what is remembered."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect.chat.offline import fields as reading
from recollect.chat.offline import phrases, steps, values
from recollect.chat.offline.labels import Field, Language, fields
from recollect.chat.records import OFFLINE, Piece
from recollect.chat.working import Working
from recollect.recall.context import Fetched
from recollect.records import Hit, Message
from recollect.remember.extract.language import language as language_of
from recollect.workflows import machine
from recollect.workflows.current import Current
from recollect.workflows.definition import Workflow

MOST_HITS = 4
MOST_NOTES = 2
MAX_QUERY = 2000
#: Rules are for sentences; nobody fills in a form with a book.
MAX_READ = 8000
#: Small words of both languages.
_SHARED = re.compile(r"\b(?:a|me|no)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")


class Answer(msgspec.Struct, frozen=True):
    """What is said, and what the next answer has to know."""

    text: str
    metadata: dict[str, Any]

    def pieces(self) -> Iterator[Piece]:
        """Line by line, for those who listen."""
        for line in self.text.splitlines(keepends=True):
            yield Piece(line)


class Responder:
    """One turn without a language model."""

    def __init__(
        self,
        conversation: str,
        fetched: Fetched,
        working: Working,
        look_up: Callable[[str], Awaitable[list[Hit]]],
    ) -> None:
        self._conversation = conversation
        self._fetched = fetched
        self._working = working
        self._look_up = look_up

    async def answer(self, message: str, asked: int) -> Answer:
        """What to say; what it wants of the state is in ``working`` then."""
        message = message[:MAX_READ]
        before = self._last_reply()
        language = language_of(_SHARED.sub(" ", message)) or before.get("language") or "en"
        current = self._working.current
        workflow = None if current is None else current.workflow
        lines = [] if workflow is not None and before else [phrases.say("who", language)]
        asks = None
        if current is not None and workflow is not None:
            told, asks = await self._lead(current, workflow, message, asked, before.get("asks"), language)
            lines += told
        else:
            lines.append(await self._remembered(message, asked, language))
        # It says nothing new: what it repeats from memory must not be learned again.
        metadata = {"language": language, "recalled": True} | ({"asks": asks} if asks else {})
        return Answer("\n".join(lines), metadata)

    def _last_reply(self) -> dict[str, Any]:
        """What our last reply noted for this one."""
        replies = [one for one in self._fetched.window if one.role == "assistant"]
        metadata = replies[-1].metadata if replies else {}
        return metadata if metadata.get("model") == OFFLINE else {}

    async def _lead(
        self, current: Current, workflow: Workflow, message: str, asked: int, asks: str | None, language: Language
    ) -> tuple[list[str], str | None]:
        known = list(fields(workflow.draft))
        action = steps.wanted_action(workflow, current.snapshot, message)
        if action is not None:
            self._working.act(action, {})
            return [phrases.say("did", language, what=action), *self._where(workflow, language)], None
        lines: list[str] = []
        patch = reading.read(workflow.draft, current.snapshot.draft, message, asks, datetime.now(UTC).date())
        if patch and not self._working.update({workflow.draft_name: patch}):
            lines.append(phrases.say("noted", language, what=phrases.values_of(patch, known, language)))
        step = steps.wanted_step(workflow, message)
        if step is not None:
            if self._working.update({"workflowStep": step}):
                lines.append(phrases.say("refused", language))
        else:
            self._go_on(workflow)
        if not lines and reading.is_question(message):
            lines.append(await self._remembered(message, asked, language))
        elif not lines and step is None and asks is not None:
            field = next((one for one in known if one.path == asks), None)
            if field is not None:
                lines.append(phrases.say("not_understood", language, what=field.label(language)))
        return self._next(workflow, known, lines, language)

    def _go_on(self, workflow: Workflow) -> None:
        """As far as the draft allows."""
        for _ in workflow.steps:
            current = self._working.current
            assert current is not None
            step = steps.onward(workflow, current.snapshot, "message")
            if step is None or self._working.update({"workflowStep": step}):
                return

    def _next(
        self, workflow: Workflow, known: Sequence[Field], lines: list[str], language: Language
    ) -> tuple[list[str], str | None]:
        """Ask for what is missing, or say what can be done."""
        current = self._working.current
        assert current is not None
        snapshot = current.snapshot
        lacking = machine.missing(workflow, snapshot)
        field = next((one for path in lacking for one in known if _lacks(snapshot.draft, one, path)), None)
        if field is not None:
            if snapshot.step not in (workflow.start, None) and len(lacking) == 1 and snapshot.draft:
                lines.append(
                    phrases.say("so_far", language, what=phrases.values_of(snapshot.draft, known, language))
                )
            lines.append(phrases.question(field, language, values.holds_things(field.schema)))
            return lines, field.path
        actions = machine.open_actions(workflow, snapshot)
        if actions:
            lines.append(phrases.say("so_far", language, what=phrases.values_of(snapshot.draft, known, language)))
            label = known[0].label(language) if known else ""
            said = actions[0].name.replace("_", " ")
            lines.append(phrases.say("ready", language, action=said, field=label))
        else:
            lines += self._where(workflow, language)
        return lines, None

    def _where(self, workflow: Workflow, language: Language) -> list[str]:
        current = self._working.current
        step = None if current is None else workflow.step(current.snapshot.step)
        if step is None:
            return []
        return [phrases.say("step", language, what=step.label.replace("_", " "))]

    async def _remembered(self, message: str, asked: int, language: Language) -> str:
        """What memories, notes and earlier messages say about it."""
        hits = [hit for hit in await self._look_up(message[:MAX_QUERY]) if self._worth_telling(hit, asked)]
        notes = self._notes_about(message)
        if hits or notes:
            return phrases.told(hits[:MOST_HITS], notes, language)
        return phrases.say("nothing" if reading.is_question(message) else "kept", language)

    def _worth_telling(self, hit: Hit, asked: int) -> bool:
        """Not the question itself or another one, and nothing that we said only because we found it somewhere."""
        said: Message | None = hit.message
        if said is None:
            return True
        if said.conversation == self._conversation and said.seq >= asked:
            return False
        if said.role == "user" and reading.only_asks(said.content[:MAX_READ]):
            return False
        return said.role in ("user", "assistant") and said.metadata.get("model") != OFFLINE

    def _notes_about(self, message: str) -> list[str]:
        """Lines of the notes that share a longer word with the question."""
        wanted = {word.lower()[:6] for word in _WORD.findall(message)}
        lines = [line.strip(" #*-") for line in self._fetched.notes.splitlines()]
        return [line for line in lines if line and wanted & {word.lower()[:6] for word in _WORD.findall(line)}][
            :MOST_NOTES
        ]


def _lacks(draft: Mapping[str, Any], field: Field, path: str) -> bool:
    """Whether what is missing is this field, or an object that this field is part of."""
    return field.path == path or (field.path.startswith(f"{path}.") and not machine.filled(draft, field.path))
