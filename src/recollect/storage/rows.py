"""From database rows to records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from recollect.records import Agent, Conversation, Memory, MemoryVersion, Message, Source
from recollect.storage.database import Row

_decode = msgspec.json.decode


def conversation_from(row: Row) -> Conversation:
    """A row of ``recollect.conversations``."""
    return Conversation(
        id=str(row["id"]),
        user=row["user_id"],
        agent=row["agent"],
        title=row["title"],
        status=row["status"],
        message_count=row["message_count"],
        last_seq=row["last_seq"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        archived_at=row["archived_at"],
    )


def message_from(conversation: str, row: Row | tuple[Any, ...]) -> Message:
    """A row that begins with the columns of a message, in the order of the record."""
    return messages_from(conversation, (row[:11],))[0]


def messages_from(conversation: str, rows: Iterable[Row | tuple[Any, ...]]) -> list[Message]:
    """Rows of the columns of a message and no others; these are the hottest lines."""
    return [
        Message(
            conversation,
            seq,
            id,
            role,
            content,
            created_at,
            name,
            {} if metadata is None else _decode(metadata),
            None if tool_calls is None else _decode(tool_calls),
            tool_call_id,
            None if parts is None else _decode(parts),
            answers,
        )
        for seq, id, role, content, created_at, name, metadata, tool_calls, tool_call_id, parts, answers in rows
    ]


def decoded(value: str | None) -> Any:
    """A JSON column, which the driver hands over as text."""
    return None if value is None else _decode(value)


def memory_from(row: Row) -> Memory:
    """A row of ``recollect.memories``."""
    conversation = row["conversation"]
    return Memory(
        id=str(row["id"]),
        text=row["key_point"],
        user=row["user_id"],
        pool=row["pool"],
        agent=row["agent"],
        category=row["category"],
        importance=round(row["importance"], 4),
        pinned=row["pinned"],
        status=row["status"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        expires_at=row["expires_at"],
        superseded_by=None if row["superseded_by"] is None else str(row["superseded_by"]),
        author=row["author"],
        trust=row["trust"],
        version=row["version"],
        update_count=row["update_count"],
        context=decoded(row["context"]) or {},
        source=None if conversation is None else Source(str(conversation), row["first_seq"], row["last_seq"]),
    )


def memory_version_from(row: Row) -> MemoryVersion:
    """A row of ``recollect.memory_versions``."""
    conversation = row["conversation"]
    return MemoryVersion(
        version=row["version"],
        text=row["key_point"],
        category=row["category"],
        importance=round(row["importance"], 4),
        pinned=row["pinned"],
        status=row["status"],
        expires_at=row["expires_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        change=row["change"],
        actor=row["actor"],
        at=row["at"],
        author=row["author"],
        trust=row["trust"],
        source=None if conversation is None else Source(str(conversation), row["first_seq"], row["last_seq"]),
        superseded_by=None if row["superseded_by"] is None else str(row["superseded_by"]),
    )


def agent_from(agent: str, row: Row | None) -> Agent:
    """A row of ``recollect.agents``; an agent that was never set up has the defaults and its own pool."""
    if row is None:
        return Agent(agent=agent, pool=agent)
    return Agent(
        agent=agent,
        instructions=row["instructions"],
        window=row["window_size"],
        budget=row["budget"],
        pool=row["pool"] or agent,
        learn_every=row["learn_every"],
        workflow=row["workflow"],
        model=row["model"],
        version=row["version"],
    )
