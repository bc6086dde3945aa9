"""``recollect chat``: talk to an agent in the terminal, and look inside."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec
import typer

from recollect.chat.records import Done, Piece, ToolAnswered, ToolCalled
from recollect.cli.keyboard import Keyboard
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import err, harmless, out, progress
from recollect.door import Door
from recollect.errors import RecollectError
from recollect.handle import Chat
from recollect.opening import Recollect
from recollect.settings import Settings
from recollect.text.fence import one_line

HELP = "/memories /notes /state /context /turns /new /quit; a workflow's actions by name, like /send_rfp"
_SHOWN = 100


def chat_command(
    user: Annotated[str, typer.Option(help="Who talks.")],
    agent: Annotated[str, typer.Option(help="To which assistant.")],
    workflow: Annotated[
        str | None, typer.Option(help="Let the agent's new conversations follow this workflow, and begin one.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A language model, as openai:<model> [default: RECOLLECT_MODEL, or none].")
    ] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Talk to an agent. Without a language model it answers from memory, and leads through workflows by rules."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant, model=model)
    asyncio.run(_talk(settings, user, agent, workflow))


async def _talk(settings: Settings, user: str, agent: str, workflow: str | None) -> None:
    async with Recollect.open(settings=settings, actor="cli", progress=progress) as memory:
        chat = await _begin(memory, user, agent, workflow)
        err.print(f"{agent} is listening to {user}. {HELP}", style="dim", markup=False)
        keyboard = Keyboard()
        while (line := await _line(keyboard, user)) is not None:
            if line == "/quit":
                return
            try:
                chat = await _one(memory, chat, line)
            except RecollectError as error:
                err.print(f"error: {error}", style="red", markup=False)


async def _begin(memory: Door, user: str, agent: str, workflow: str | None) -> Chat:
    """Go on with the active conversation, unless it follows another workflow than the one that is asked for."""
    if workflow is None:
        return await memory.conversation(user=user, agent=agent)
    if (await memory.agent(agent)).workflow != workflow:
        await memory.configure_agent(agent, workflow=workflow)
    chat = await memory.conversation(user=user, agent=agent)
    if (await chat.state()).workflow == workflow:
        return chat
    return await memory.new_conversation(user=user, agent=agent)


async def _line(keyboard: Keyboard, user: str) -> str | None:
    """The next line that says something; None at the end. A pipe gets no prompt."""
    while True:
        if keyboard.is_terminal:
            out.print(f"{user}> ", end="", markup=False, highlight=False)
        line = await keyboard.line()
        if line is None or line.strip():
            return line and line.strip()


async def _one(memory: Door, chat: Chat, line: str) -> Chat:
    if not line.startswith("/"):
        await _answer(chat, line)
        return chat
    name = line[1:].split()[0] if line[1:].split() else ""
    if name == "new":
        chat = await memory.new_conversation(user=chat.user, agent=chat.agent)
        out.print("a new conversation", markup=False)
        return chat
    look = _LOOKS.get(name)
    if look is not None:
        out.print(harmless(await look(memory, chat)), markup=False, highlight=False)
    elif name in (await chat.state()).actions:
        state = await chat.act(name)
        out.print(harmless(state.summary), markup=False, highlight=False)
    else:
        err.print(f"there is no {line.split()[0]}: {HELP}", style="red", markup=False)
    return chat


async def _answer(chat: Chat, line: str) -> None:
    async for event in chat.stream(line):
        match event:
            case Piece(text):
                out.print(harmless(text), end="", markup=False, highlight=False, soft_wrap=True)
            case ToolCalled(name=name):
                err.print(f"({name} …)", style="dim", markup=False)
            case ToolAnswered(name=name, text=text):
                err.print(f"({name}: {harmless(one_line(text, _SHOWN))})", style="dim", markup=False)
            case Done(reply):
                out.print()
                for problem in reply.problems:
                    err.print(f"({problem})", style="yellow", markup=False)
            case _:
                pass


async def _memories(memory: Door, chat: Chat) -> str:
    page = await memory.memories(user=chat.user, agent=chat.agent, limit=50)
    return (
        "\n".join(f"{one.created_at:%Y-%m-%d} - {one.text}" for one in page.items) or "nothing is remembered yet"
    )


async def _notes(memory: Door, chat: Chat) -> str:
    return (await memory.notes(user=chat.user, agent=chat.agent)).text or "there are no notes yet"


async def _state(_: Door, chat: Chat) -> str:
    return (await chat.state()).summary or "there is no state yet"


async def _context(_: Door, chat: Chat) -> str:
    said = [one for one in await chat.window(12) if one.role == "user"]
    context = await chat.context(said[-1].content if said else "hello")
    messages = "\n".join(f"[{one['role']}] {one['content']}" for one in context.messages)
    return f"{messages}\n{msgspec.json.encode(context.tokens).decode()}"


async def _turns(_: Door, chat: Chat) -> str:
    lines = [
        f"{one.asked}: {one.status}, {one.model}, {one.seconds} s, {one.tokens.get('total', 0)} tokens"
        + "".join(f"; {problem}" for problem in one.problems)
        for one in await chat.turns()
    ]
    return "\n".join(lines) or "there are no turns yet"


_LOOKS: dict[str, Callable[[Door, Chat], Awaitable[str]]] = {
    "memories": _memories,
    "notes": _notes,
    "state": _state,
    "context": _context,
    "turns": _turns,
}
