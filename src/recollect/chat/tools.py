"""The tools that every agent has, those of its workflow, and how a call of any tool is answered."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

import msgspec

from recollect import inputs
from recollect.chat.desk import Desk
from recollect.chat.functions import Tool, parameters_of, read_arguments
from recollect.chat.records import Asking
from recollect.chat.working import Working
from recollect.errors import Invalid, NotFound, RecollectError
from recollect.models.assembly import storable
from recollect.notes import store as notes
from recollect.notes.records import Operation
from recollect.notes.sections import MAX_NOTES
from recollect.recall.candidates import RELATED
from recollect.recall.memories import recall_memories, recalled
from recollect.records import Hit, Message
from recollect.remember import memories, revising
from recollect.remember.gate import forbidden, is_grounded
from recollect.remember.insight import insight, key_point
from recollect.text.fence import fence, one_line
from recollect.workflows.definition import Action, Workflow

MOST_SHOWN = 10
MAX_ERROR = 300
#: Characters of a window that are looked through without a thread.
READ_AT_ONCE = 20_000


class ManageNotes(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be done with the notes."""

    operation: Operation
    content: str | None = None
    section_header: str | None = None


class Recall(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be looked up."""

    query: str
    over: Literal["memories", "messages", "both"] = "both"


class Remember(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be kept."""

    text: str
    category: str | None = None
    importance: float | None = None


class Forget(msgspec.Struct, forbid_unknown_fields=True):
    """Which memory is to go."""

    id: str


class Answered(msgspec.Struct, frozen=True):
    """What a tool answered, and what went wrong, in words without content."""

    text: str
    problem: str | None = None


class Toolbox:
    """The tools of one turn."""

    def __init__(self, desk: Desk, asking: Asking, working: Working, window: Sequence[Message]) -> None:
        self._desk = desk
        self._asking = asking
        self._working = working
        self._window = window
        self._heard_outside = False
        current = working.current
        workflow = None if current is None else current.workflow
        self._own = {tool.name: tool for tool in (*self._memory_tools(), *self._workflow_tools(workflow))}
        self._tools = {**desk.equipment.tools, **self._own}
        self.described = [tool.described() for tool in self._tools.values()]

    async def call(self, name: str, arguments: str) -> Answered:
        """Use a tool. Whatever goes wrong is an answer as well: the model reads it, and can do better."""
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools)
            return Answered(
                f"error: there is no such tool; there are {known}", "called a tool that does not exist"
            )
        if len(arguments) > tool.takes:
            return Answered("error: the arguments are too long", f"{name}: arguments too long")
        self._heard_outside = self._heard_outside or name not in self._own
        limits = self._desk.limits
        timeout = asyncio.timeout(limits.tool_seconds)
        try:
            async with timeout:
                result = await tool.run(self._asking, arguments)
        except TimeoutError as error:
            if not timeout.expired():  # it was the tool's own
                return _failed(name, error)
            return Answered(f"error: it took longer than {limits.tool_seconds:g} s", f"{name}: took too long")
        except (RecollectError, ValueError) as error:
            return Answered(f"error: {storable(str(error))[:MAX_ERROR]}", f"{name}: {type(error).__name__}")
        except Exception as error:
            return _failed(name, error)
        return Answered(_shown(result, tool.gives or limits.tool_output))

    def _memory_tools(self) -> list[Tool]:
        return [
            _whole_notes(
                _tool(
                    "manage_long_term_memory",
                    "Your notes about this user: one markdown document, which you see in every conversation with "
                    "them. `content` is for overwrite, append, prepend and replace_section_by_header; "
                    "`section_header` for the two operations on a section.",
                    ManageNotes,
                    self._manage_notes,
                )
            ),
            _tool(
                "recall",
                "Look up what is remembered about this user, and what was said in earlier conversations.",
                Recall,
                self._recall,
            ),
            _tool(
                "remember",
                "Keep one short fact about this user for all conversations to come, such as `user is vegetarian`.",
                Remember,
                self._remember,
            ),
            _tool("forget", "Delete one memory; `recall` tells its id.", Forget, self._forget),
        ]

    def _workflow_tools(self, workflow: Workflow | None) -> list[Tool]:
        if workflow is None:
            return []
        patch = {
            "type": "object",
            "properties": {
                "workflowStep": {"type": "string", "enum": [step.name for step in workflow.steps]},
                workflow.draft_name: workflow.draft,
                "lastAction": {"type": "string"},
                **{name: {"type": "string"} for name in workflow.ids},
            },
        }
        update = Tool(
            name="update_state",
            description="Change the state of this conversation: the step, and fields of the draft; null deletes "
            "one. Not needed if your answer carries a stateUpdate.",
            parameters=patch,
            run=self._update_state,
        )
        taken = {*inputs.TOOLS, *self._desk.equipment.tools, *(action.name for action in workflow.actions)}
        return [update, *(self._action(action, taken) for action in workflow.actions)]

    def _action(self, action: Action, taken: set[str]) -> Tool:
        name = action.name

        async def run(_: Asking, text: str) -> str:
            given = read_arguments(text, dict[str, Any])
            inputs.json_text("arguments", given)
            refused = self._working.act(name, given)
            if refused:
                raise ValueError(refused[0])
            return "accepted; it is done at the end of your answer"

        where = " or ".join(action.steps)
        about = f"Do {name} when the user has asked for it. It is allowed at {where} only."
        parameters: dict[str, Any] = {"type": "object", "properties": {}}
        return Tool(name=_called(name, taken), description=about, parameters=parameters, run=run)

    async def _manage_notes(self, given: ManageNotes) -> str:
        who = self._asking
        edited = await notes.edit(
            self._desk.database,
            self._desk.caller,
            given.operation,
            given.content,
            who.user,
            who.agent,
            given.section_header,
            None,
        )
        if given.operation == "read":
            return edited.text or "(there are no notes yet)"
        return f"done; the notes are at version {edited.version}"

    async def _recall(self, given: Recall) -> str:
        hits = await self.look_up(given.query, given.over)
        if not hits:
            return "nothing is known about that"
        return fence("\n".join(map(_line, hits)), "memories")

    async def look_up(self, query: str, over: str = "both") -> list[Hit]:
        """What is known that belongs to a question, best first."""
        desk, who = self._desk, self._asking
        hits: list[Hit] = []
        if over != "messages":
            hits += await recall_memories(
                desk.database, desk.caller, desk.models.embedders, query, who.user, who.agent, MOST_SHOWN, RELATED
            )
        if over != "memories":
            from recollect.recall.messages import recall_messages  # loads numpy

            said = await recall_messages(
                desk.database, desk.caller, desk.models.embedders, query, who.user, who.agent, MOST_SHOWN
            )
            recalled(desk.caller, "messages", len(said))
            hits += said
        return sorted(hits, key=lambda hit: -hit.score)[:MOST_SHOWN]

    async def _remember(self, given: Remember) -> str:
        text = key_point(given.text)
        if reason := forbidden(text):
            raise ValueError(f"this may not be remembered ({reason})")
        # What is neither the user's word nor the agent's own may come from a tool: it waits until somebody looks.
        doubtful = self._heard_outside and not await self._was_said(text)
        kept = insight(
            {
                "text": text,
                "category": given.category,
                "importance": given.importance,
                "author": "agent",
                "trust": "untrusted" if doubtful else None,
            }
        )
        desk, who = self._desk, self._asking
        memory = await memories.remember(
            desk.database, desk.caller, desk.models.embedders, kept, who.user, who.agent
        )
        return f"remembered as {memory.id}" + (
            ", waiting to be confirmed" if memory.status == "quarantined" else ""
        )

    async def _was_said(self, text: str) -> bool:
        """Whether users and the agent have said it; a large window is looked through beside the loop."""
        if sum(len(message.content) for message in self._window) <= READ_AT_ONCE:
            return is_grounded(text, self._window)
        return await asyncio.to_thread(is_grounded, text, self._window)

    async def _forget(self, given: Forget) -> str:
        desk, who = self._desk, self._asking
        memory = await memories.by_id(desk.database, desk.caller, given.id)
        async with desk.database.transaction(desk.caller.tenant) as transaction:
            pool = await memories.pool_of(transaction, who.agent)
        if (memory.user, memory.pool) != (who.user, pool):
            raise NotFound("memory", given.id)
        await revising.forget(desk.database, desk.caller, memory.id)
        return "forgotten"

    async def _update_state(self, _: Asking, text: str) -> str:
        given = read_arguments(text, dict[str, Any])
        inner = given.get("stateUpdate")
        refused = self._working.update(cast("object", inner) if isinstance(inner, dict) else given)
        current = self._working.current
        summary = "" if current is None else current.state().summary
        return "\n".join([*(f"refused: {one}" for one in refused), summary])


def _tool(name: str, description: str, taken: type[Any], use: Any) -> Tool:
    async def run(_: Asking, text: str) -> object:
        return await use(read_arguments(text, taken))

    return Tool(name=name, description=description, parameters=parameters_of(taken), run=run)


def _failed(name: str, error: Exception) -> Answered:
    kind = type(error).__name__
    return Answered(storable(f"error: {kind}: {error}"[:MAX_ERROR]), f"{name}: {kind}")


def _called(name: str, taken: set[str]) -> str:
    """The name that a model calls an action by: its own, or one near it where that is no name for a tool."""
    try:
        return inputs.tool_name("action", name)
    except Invalid:
        near = f"do_{re.sub(r'[^A-Za-z0-9_-]+', '_', name)[:50]}"
        names = itertools.chain([near], (f"{near}_{count}" for count in itertools.count(2)))
        called = next(one for one in names if one not in taken)
        taken.add(called)
        return called


def _whole_notes(tool: Tool) -> Tool:
    """Notes go in and out whole: what a model had not read, it would overwrite without knowing."""
    # JSON may write each character as six.
    return msgspec.structs.replace(tool, takes=6 * MAX_NOTES + 1000, gives=MAX_NOTES)


def _line(hit: Hit) -> str:
    which = f"[{hit.memory.id}] " if hit.memory is not None else ""
    who = "" if hit.message is None else f"{hit.message.name or hit.message.role}: "
    return f"{which}{hit.at.date().isoformat()} - {who}{one_line(hit.text, MAX_ERROR)}"


def _shown(result: object, most: int) -> str:
    if isinstance(result, str):
        text = result
    elif result is None:
        text = "done"
    else:
        try:
            text = msgspec.json.encode(result, enc_hook=str).decode()
        except (TypeError, ValueError, OverflowError, RecursionError):
            text = str(result)
    text = storable(text)
    return text if len(text) <= most else f"{text[:most]}… (cut off after {most:,} characters)"
