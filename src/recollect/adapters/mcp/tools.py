"""The tools: what each takes, needs and does. One table; listing and calling read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from recollect.adapters.mcp import answers, arguments
from recollect.adapters.mcp.answers import Answer, of_hit, of_memory
from recollect.adapters.mcp.seat import Seat
from recollect.errors import Refused
from recollect.recall.pack import Context
from recollect.recall.render import texts
from recollect.remember.gate import forbidden
from recollect.remember.insight import key_point


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool: its words for the model, what it takes and answers, what it needs, and what it does."""

    name: str
    title: str
    description: str
    takes: type[Any]
    answers: type[Answer]
    scope: Literal["read", "write"]
    run: Callable[[Seat, Any], Awaitable[Answer]]
    destructive: bool = False
    idempotent: bool = False
    asks: bool = False
    """Whether the user is asked before it is done."""


async def add_memory(seat: Seat, given: arguments.AddMemory) -> Answer:
    """Keep a fact, as the agent's word."""
    text = _allowed(given.text)
    user, agent = seat.about(given.user, given.agent)
    memory = await seat.who.door.remember(
        text, user, agent, category=given.category, importance=given.importance, author="agent"
    )
    return of_memory(memory)


async def search_memories(seat: Seat, given: arguments.SearchMemories) -> Answer:
    """Memories by meaning."""
    user, agent = seat.about(given.user, given.agent)
    hits = await seat.who.door.recall(given.query, user, agent, limit=given.limit, threshold=given.threshold)
    return answers.Findings(found=[of_hit(hit) for hit in hits])


async def get_memories(seat: Seat, given: arguments.GetMemories) -> Answer:
    """A page of memories."""
    user, agent = seat.about(given.user, given.agent)
    page = await seat.who.door.memories(
        user, agent, category=given.category, text=given.text, limit=given.limit, cursor=given.cursor
    )
    return answers.Memories(memories=[of_memory(one) for one in page.items], cursor=page.cursor)


async def get_memory(seat: Seat, given: arguments.OneMemory) -> Answer:
    """One memory."""
    user, agent = seat.about(given.user, given.agent)
    return of_memory(await seat.who.memory_of(agent, given.id, user))


async def update_memory(seat: Seat, given: arguments.UpdateMemory) -> Answer:
    """A memory says something else from now on; its history is kept."""
    user, agent = seat.about(given.user, given.agent)
    memory = await seat.who.memory_of(agent, given.id, user)
    return of_memory(await seat.who.door.revise(memory.id, _allowed(given.text), version=given.version))


async def delete_memory(seat: Seat, given: arguments.OneMemory) -> Answer:
    """Forget one."""
    user, agent = seat.about(given.user, given.agent)
    await seat.who.door.forget((await seat.who.memory_of(agent, given.id, user)).id)
    return answers.Deleted(deleted=1)


async def delete_all_memories(seat: Seat, given: arguments.DeleteAll) -> Answer:
    """Forget all, also what waits to be confirmed, was replaced or has expired: it could be brought back."""
    user, agent = seat.about(given.user, given.agent)
    return answers.Deleted(deleted=await seat.who.door.forget_all(user, agent))


async def get_context(seat: Seat, given: arguments.GetContext) -> Answer:
    """What the next prompt needs."""
    user, agent = seat.about(given.user, given.agent)
    if given.conversation is not None:
        chat = await seat.chat(given.conversation, user, agent)
    else:
        chat = await seat.active_chat(user, agent)
    context = await chat.context(given.message, budget=given.budget)
    return answers.ContextAnswer(conversation=chat.id, messages=_sections(context), tokens=dict(context.tokens))


async def manage_long_term_memory(seat: Seat, given: arguments.ManageNotes) -> Answer:
    """Read or edit the notes."""
    if given.operation != "read":
        seat.may("write")
    user, agent = seat.about(given.user, given.agent)
    notes = await seat.who.door.edit_notes(
        given.operation, given.content, user=user, agent=agent, section_header=given.section_header
    )
    return answers.NotesAnswer(text=notes.text, version=notes.version)


async def search_messages(seat: Seat, given: arguments.SearchMessages) -> Answer:
    """What was said, by meaning or by words."""
    user, agent = seat.about(given.user, given.agent)
    door = seat.who.door
    if given.exact:
        hits = await door.search(given.query, user, agent, limit=given.limit)
    else:
        hits = await door.recall(given.query, user, agent, limit=given.limit, over="messages")
    return answers.Findings(found=[of_hit(hit) for hit in hits])


def _allowed(text: str) -> str:
    """What an agent may keep, in one line."""
    text = key_point(text)
    if reason := forbidden(text):
        raise Refused(f"this may not be remembered ({reason})")
    return text


def _sections(context: Context) -> list[answers.Section]:
    return [answers.Section(role=one["role"], content=_in_text(one)) for one in context.messages]


def _in_text(message: dict[str, Any]) -> str:
    """A message as a tool can answer it: its parts in words, and its calls by name with what they were given."""
    content = message.get("content") or ""
    said = [content if isinstance(content, str) else texts(content)]
    said += [f"{one['function']['name']}({one['function']['arguments']})" for one in message.get("tool_calls", ())]
    text = "\n".join(filter(None, said))
    # There is no field for who speaks, and in a conversation of several people that must not be lost.
    return f"{message['name']}: {text}" if message["role"] == "user" and "name" in message else text


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="add_memory",
            title="Remember",
            description="Keep one short fact about the user for all conversations to come. The same fact said "
            "again refreshes what is there.",
            takes=arguments.AddMemory,
            answers=answers.MemoryAnswer,
            scope="write",
            run=add_memory,
            idempotent=True,
        ),
        Tool(
            name="search_memories",
            title="Recall",
            description="Look up what is remembered about the user, by meaning. Nothing is returned when nothing "
            "is related.",
            takes=arguments.SearchMemories,
            answers=answers.Findings,
            scope="read",
            run=search_memories,
        ),
        Tool(
            name="get_memories",
            title="List memories",
            description="List the memories about the user, newest first, page by page.",
            takes=arguments.GetMemories,
            answers=answers.Memories,
            scope="read",
            run=get_memories,
        ),
        Tool(
            name="get_memory",
            title="Read a memory",
            description="Read one memory by its id.",
            takes=arguments.OneMemory,
            answers=answers.MemoryAnswer,
            scope="read",
            run=get_memory,
        ),
        Tool(
            name="update_memory",
            title="Correct a memory",
            description="Change what a memory says, when the user corrects it. Earlier versions are kept.",
            takes=arguments.UpdateMemory,
            answers=answers.MemoryAnswer,
            scope="write",
            run=update_memory,
            idempotent=True,
        ),
        Tool(
            name="delete_memory",
            title="Forget a memory",
            description="Delete one memory for good. It is not learned again, unless the user has it remembered.",
            takes=arguments.OneMemory,
            answers=answers.Deleted,
            scope="write",
            run=delete_memory,
            destructive=True,
        ),
        Tool(
            name="delete_all_memories",
            title="Forget everything",
            description="Delete all memories about the user, for good, after the user has confirmed it.",
            takes=arguments.DeleteAll,
            answers=answers.Deleted,
            scope="write",
            run=delete_all_memories,
            destructive=True,
            asks=True,
        ),
        Tool(
            name="get_context",
            title="Context of the next prompt",
            description="What is known that belongs to the user's message, within a token budget: notes, "
            "memories, state, and the last messages of the conversation. Call it before you answer.",
            takes=arguments.GetContext,
            answers=answers.ContextAnswer,
            scope="read",
            run=get_context,
        ),
        Tool(
            name="manage_long_term_memory",
            title="Notes",
            description="Your notes about the user: one markdown document. `content` is for overwrite, append, "
            "prepend and replace_section_by_header; `section_header` for the two operations on a section.",
            takes=arguments.ManageNotes,
            answers=answers.NotesAnswer,
            scope="read",
            run=manage_long_term_memory,
            destructive=True,
        ),
        Tool(
            name="search_messages",
            title="Search what was said",
            description="Look up what was said in earlier conversations with the user.",
            takes=arguments.SearchMessages,
            answers=answers.Findings,
            scope="read",
            run=search_messages,
        ),
    )
}
