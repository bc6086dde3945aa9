"""A conversation as a document: JSON for programs, markdown and PDF for people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound, Unavailable
from recollect.records import Caller, Conversation, Message
from recollect.storage.database import Database, Lost, Transaction, tries
from recollect.storage.rows import conversation_from, message_from

#: What there is to say of a conversation's state, if there is one.
Outline = Mapping[str, Any] | None
ReadState = Callable[[Transaction], Awaitable[Outline]]
Whole = tuple[Conversation, Sequence[Message], Outline]
Render = Callable[[str, Conversation, Sequence[Message], Outline], str | bytes]
#: Seconds that an export which breaks off is tried again.
PATIENCE = 10.0


async def export(
    database: Database,
    caller: Caller,
    id: str,
    format: str,
    state: ReadState,
) -> str | bytes:
    """The whole conversation, as of one moment; ``state`` reads its state as of the same."""
    render = FORMATS.get(format) if isinstance(format, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if render is None:
        raise Invalid("format", f"must be one of {', '.join(FORMATS)}")
    conversation, messages, outline = await _patiently_read(database, caller.tenant, id, state)
    return await asyncio.to_thread(render, caller.tenant, conversation, messages, outline)


async def _patiently_read(database: Database, tenant: str, id: str, state: ReadState) -> Whole:
    """Read it once more where the server went away meanwhile; each transaction waits for it to come back."""
    async for _ in tries(PATIENCE):
        try:
            return await _read(database, tenant, id, state)
        except Unavailable as error:
            if not isinstance(error.__context__, Lost):
                raise
    return await _read(database, tenant, id, state)


async def _read(database: Database, tenant: str, id: str, state: ReadState) -> Whole:
    messages: list[Message] = []
    async with database.transaction(tenant, snapshot=True) as transaction:
        row = await transaction.row("conversation_by_id", id)
        if row is None:
            raise NotFound("conversation", id)
        while page := await transaction.rows(
            "messages_after", id, messages[-1].seq if messages else 0, inputs.MAX_PAGE
        ):
            messages += [message_from(id, row) for row in page]
        return conversation_from(row), messages, await state(transaction)


def standard_metadata(
    tenant: str, conversation: Conversation, message: Message, asked: Message | None
) -> dict[str, Any]:
    """What every message says of itself beside its own metadata: agent, tenant, time, and for a reply the
    user message that it answers and how long it took (as given, else from one message to the other, if these are
    in order)."""
    standard: dict[str, Any] = {
        "agent_id": conversation.agent,
        "tenant_id": tenant,
        "timestamp": message.created_at,
    }
    if asked is not None:
        standard["user_message_id"] = asked.id
        took = message.metadata.get("execution_time")
        if took is None:
            took = (message.created_at - asked.created_at).total_seconds()
            if took < 0:  # times are the caller's to give, and need not be in order
                return standard
        standard["execution_time"] = took
    return standard


def _json(tenant: str, conversation: Conversation, messages: Sequence[Message], state: Outline) -> str:
    by_seq = {message.seq: message for message in messages}
    document: dict[str, Any] = {
        "format": "recollect.conversation/1",
        "conversation": conversation,
        "messages": [
            msgspec.to_builtins(message)
            | {"standard": standard_metadata(tenant, conversation, message, by_seq.get(message.answers or 0))}
            for message in messages
        ],
    }
    if state is not None:
        document["state"] = state
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def _markdown(tenant: str, conversation: Conversation, messages: Sequence[Message], state: Outline) -> str:
    lines = [
        f"# {_one_line(conversation.title or '') or 'Conversation'}",
        "",
        f"{conversation.user} with {conversation.agent}, begun {_time(conversation.created_at)}, "
        f"{len(messages)} messages, tenant {tenant}",
    ]
    for message in messages:
        speaker = f"{message.role} ({message.name})" if message.name else message.role
        lines += ["", f"## {message.seq}. {speaker}, {_time(message.created_at)}"]
        if message.tool_call_id is not None:
            lines += ["", f"Answers the call {_one_line(message.tool_call_id)}"]
        if message.content:
            lines += ["", *_quoted(message.content)]
        if unseen := [kind for part in message.parts or () if (kind := _unseen(part))]:
            lines += ["", f"Attachments that are not shown: {', '.join(unseen)}"]
        if message.tool_calls:
            lines += ["", "Tool calls:", "", *_fenced(message.tool_calls)]
    if state is not None:
        lines += ["", "## State", "", _one_line(position(state)), "", *_fenced(state["draft"])]
    return "\n".join(lines) + "\n"


def position(state: Mapping[str, Any]) -> str:
    """Where the work stands, in one line."""
    place = [f"{state['workflow']}, step {state['step']}"] if state["workflow"] else []
    missing = [f"missing {', '.join(state['missing'])}"] if state["missing"] else []
    return ", ".join([*place, f"version {state['version']}", *missing])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unseen(part: object) -> str | None:
    """The kind of a part that has no text."""
    match part:
        case str() | {"text": str()}:
            return None
        case {"type": str(kind)} if kind.strip():
            return _one_line(kind)
        case _:
            return "of an unknown kind"


def _quoted(text: str) -> list[str]:
    """Whatever it contains, it cannot pass for a heading of ours."""
    return [f"> {line}".rstrip() for line in text.splitlines()]


def _fenced(value: object) -> list[str]:
    """JSON as a code block that its own content cannot close."""
    code = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    fence = "```"
    while fence in code:
        fence += "`"
    return [f"{fence}json", code, fence]


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _pdf(tenant: str, conversation: Conversation, messages: Sequence[Message], state: Outline) -> bytes:
    from recollect.conversations.pdf.drawing import Paper, paper  # what an extra needs is loaded when it is used

    end = None if state is None else (position(state), msgspec.json.format(msgspec.json.encode(state["draft"])))
    return paper(Paper(tenant=tenant, conversation=conversation, messages=messages, state=end))


FORMATS: dict[str, Render] = {"json": _json, "markdown": _markdown, "pdf": _pdf}
