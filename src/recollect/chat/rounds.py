"""The model and its tools, round after round, until it has an answer. Nothing is saved here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from recollect import inputs
from recollect.chat.answers import HOW, Read, answer_schema, read_answer
from recollect.chat.desk import Limits
from recollect.chat.listening import Listening
from recollect.chat.records import Event, Piece, ToolAnswered, ToolCalled
from recollect.chat.tools import Toolbox
from recollect.chat.working import Working
from recollect.errors import BadAnswer, Invalid
from recollect.models.instructions import with_instruction
from recollect.ports import Answer, LanguageModel, Prompt
from recollect.recall.render import callable_name
from recollect.workflows.definition import Workflow

Emit = Callable[[Event], None]

#: Characters of a reply. Nobody reads more, and a message holds a megabyte.
MOST_REPLY = 100_000
#: Bytes of the calls of a message.
MOST_STORED = 48_000


class Said(msgspec.Struct, kw_only=True):
    """What has come of the rounds so far; what is here is saved or reported, whatever happens next."""

    messages: list[dict[str, Any]] = []
    text: str = ""
    problems: list[str] = []
    rounds: int = 0
    sent: int = 0
    received: int = 0


class Rounds:
    """One turn's talk with a model."""

    def __init__(
        self,
        model: LanguageModel,
        toolbox: Toolbox,
        working: Working,
        limits: Limits,
        emit: Emit | None,
        said: Said,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._working = working
        self._limits = limits
        self._emit = emit
        self._said = said
        current = working.current
        self._workflow: Workflow | None = None if current is None else current.workflow

    async def run(self, messages: Sequence[dict[str, Any]]) -> None:
        """Ask, use the tools that are asked for, ask again. What comes of it is put into ``said``."""
        said, asked_again = self._said, False
        prompt = _with_form(messages, self._workflow)
        while said.rounds < self._limits.rounds:
            answer = await self._ask(prompt)
            last = said.rounds == self._limits.rounds
            if answer.tool_calls and not last:
                prompt = [*prompt, *await self._use_tools(answer)]
                continue
            read = self._read(answer)
            if answer.tool_calls:
                said.problems.append(f"the model still calls tools after {said.rounds} rounds")
            elif read.problem is not None:
                said.problems.append(read.problem)
            if read.text:
                if read.update:
                    self._working.update(read.update)
                said.text = self._cut(read.text)
                said.messages.append({"role": "assistant", "content": said.text})
                return
            if asked_again or last:
                break
            asked_again = True
            prompt = with_instruction(prompt, "Your last answer was empty or could not be read. Answer again.")
            prompt = [dict(one) for one in prompt]
        raise BadAnswer(self._model.name, said.problems[-1] if said.problems else "there is no answer")

    async def _ask(self, messages: Sequence[dict[str, Any]]) -> Answer:
        schema = None if self._workflow is None else answer_schema(self._workflow)
        prompt = Prompt(messages=messages, tools=self._toolbox.described, schema=schema, schema_name="turn")
        self._said.rounds += 1
        answer = await self._model.complete(prompt) if self._emit is None else await self._streamed(prompt)
        self._said.sent += answer.tokens.sent
        self._said.received += answer.tokens.received
        return answer

    async def _streamed(self, prompt: Prompt) -> Answer:
        assert self._emit is not None
        listening = None if self._workflow is None else Listening()
        answer: Answer | None = None
        async with aclosing(self._model.stream(prompt)) as items:
            async for item in items:
                if isinstance(item, Answer):
                    answer = item
                elif text := item if listening is None else listening.hear(item):
                    self._emit(Piece(text))
        if answer is None:
            raise BadAnswer(self._model.name, "the stream has no end")
        return answer

    def _read(self, answer: Answer) -> Read:
        if self._workflow is not None:
            return read_answer(answer.text, self._workflow.draft_name)
        text = answer.text.strip()
        return Read(text, problem=None if text else "the model said nothing")

    def _cut(self, text: str) -> str:
        if len(text) <= MOST_REPLY:
            return text
        self._said.problems.append(f"the reply was cut off after {MOST_REPLY:,} of {len(text):,} characters")
        return text[:MOST_REPLY]

    async def _use_tools(self, answer: Answer) -> list[dict[str, Any]]:
        said = self._said
        calls = _calls(answer.tool_calls, said.rounds)
        if len(calls) > self._limits.calls:
            said.problems.append(f"the model called {len(calls)} tools at once; {self._limits.calls} were used")
            calls = calls[: self._limits.calls]
        text = answer.text if self._workflow is None else read_answer(answer.text).text
        exchange: list[dict[str, Any]] = [
            {"role": "assistant", "content": self._cut(text), "tool_calls": _storable(calls)}
        ]
        for call in calls:
            id, name = call["id"], call["function"]["name"]
            arguments = call["function"]["arguments"]
            if self._emit is not None:
                self._emit(ToolCalled(id, name, arguments))
            answered = await self._toolbox.call(name, arguments)
            if answered.problem is not None:
                said.problems.append(f"tool {answered.problem}")
            if self._emit is not None:
                self._emit(ToolAnswered(id, name, answered.text))
            exchange.append({"role": "tool", "content": answered.text, "tool_call_id": id, "name": name})
        said.messages += exchange
        return [{key: value for key, value in one.items() if key != "name"} for one in exchange]


def _with_form(messages: Sequence[dict[str, Any]], workflow: Workflow | None) -> list[dict[str, Any]]:
    """The prompt; where a workflow leads, with how to answer at the end of the instructions."""
    if workflow is None:
        return list(messages)
    if messages and messages[0]["role"] == "system":
        return [{"role": "system", "content": f"{messages[0]['content']}\n\n{HOW}"}, *messages[1:]]
    return [{"role": "system", "content": HOW}, *messages]


def _calls(given: Sequence[dict[str, Any]], round: int) -> list[dict[str, Any]]:
    """Tool calls whose ids and names can be stored, told apart and sent back; a model may make up anything."""
    calls: list[dict[str, Any]] = []
    taken: set[str] = set()
    for place, one in enumerate(given):
        function = one["function"]
        id = _identifier(one["id"], f"call_{round}_{place}")
        id = f"call_{round}_{place}" if id in taken else id
        taken.add(id)
        name = callable_name(function["name"])
        calls.append({"id": id, "type": "function", "function": {**function, "name": name}})
    return calls


def _storable(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What would be too long for a message is left out of it; the results say what became of the calls."""
    if sum(len(call["function"]["arguments"].encode()) + 500 for call in calls) <= MOST_STORED:
        return calls
    return [call | {"function": call["function"] | {"arguments": "{}"}} for call in calls]


def _identifier(value: str, instead: str) -> str:
    try:
        return inputs.identifier("id", value)
    except Invalid:
        return instead
