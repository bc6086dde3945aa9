"""Memory of conversations by tenant and id, for services that are written that way; and two ways with LangChain.

A thin class: everything goes through the door of the tenant that is named.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.conversations.export import standard_metadata
from recollect.conversations.incoming import draft
from recollect.errors import Invalid
from recollect.exchange.langchain import Row, fields_of
from recollect.handle import Chat
from recollect.opening import Recollect
from recollect.recall.render import langchain_messages
from recollect.records import Message

#: So many messages are asked of the cache; more are read page by page.
WHOLE = 200
#: Conversations that are held open.
MOST_CHATS = 1000


class ConversationMemoryManager:
    """Memory and messages by ``(tenant_id, conversation_id)``, over an open ``Recollect``."""

    def __init__(self, memory: Recollect) -> None:
        self._memory = memory
        self._chats: OrderedDict[tuple[str, str], Chat] = OrderedDict()

    async def get_memory(self, tenant_id: str, conversation_id: str) -> dict[str, Any]:
        """The document that was saved last; without one, an empty memory."""
        chat = await self._chat(tenant_id, conversation_id)
        saved = await chat.memory_document()
        return saved.value if saved.version else {"messages": [], "metadata": {}}

    async def save_memory(
        self, tenant_id: str, conversation_id: str, memory_dict: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Save a memory; its metadata says whose it is. The database has it when this returns."""
        chat = await self._chat(tenant_id, conversation_id)
        metadata: Any = memory_dict.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise Invalid("metadata", f"must be a mapping, not {type(metadata).__name__}")
        standard = {"tenant_id": tenant_id, "conversation_id": chat.id, "agent_id": chat.agent}
        saved = await chat.save_memory_document({**memory_dict, "metadata": {**metadata, **standard}})
        return saved.value

    async def add_message(
        self,
        tenant_id: str,
        conversation_id: str,
        role: str,
        content: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
    ) -> str:
        """Store one message, durably; returns its id. With a ``key``, once however often it is called."""
        chat = await self._chat(tenant_id, conversation_id)
        return (await chat.append(role, content, metadata=metadata, key=key)).id

    async def get_messages(
        self, tenant_id: str, conversation_id: str, limit: int = 50, skip: int = 0
    ) -> list[dict[str, Any]]:
        """Messages from the oldest on, after the first ``skip``; at most 1,000 at once."""
        limit = inputs.amount("limit", limit)
        skip = inputs.amount("skip", skip, most=1 << 62, least=0)
        chat = await self._chat(tenant_id, conversation_id)
        whole = await chat.window(WHOLE)
        if len(whole) == WHOLE:
            whole = await _all_up_to(chat, skip + limit)
        asked = {message.seq: message for message in whole}
        return [
            _as_dict(tenant_id, chat, message, asked.get(message.answers or 0))
            for message in whole[skip : skip + limit]
        ]

    async def to_langchain(self, tenant_id: str, conversation_id: str, memory: Any = None) -> Any:
        """Bring a LangChain memory or chat history up to what is stored, and return it; without one, the messages
        as a list of LangChain's. Messages that it has already are not added again.
        """
        chat = await self._chat(tenant_id, conversation_id)
        stored = [_openai(message) for message in await _all_up_to(chat, None)]
        if memory is None:
            return langchain_messages(stored)
        history = _history(memory)
        there = [_comparable(one) for one in history.messages]
        lacking = stored[overlap(there, [_spoken(one) for one in stored]) :]
        history.add_messages(langchain_messages(lacking))
        return memory

    async def from_langchain(self, tenant_id: str, conversation_id: str, memory: Any) -> int:
        """Store what a LangChain memory, chat history or list of messages has and the conversation has not;
        returns how many."""
        chat = await self._chat(tenant_id, conversation_id, anew=True)
        given: list[Any] = list(
            cast("list[Any]", memory) if isinstance(memory, list) else _history(memory).messages
        )
        stored = [(message.role, message.content) for message in await _all_up_to(chat, None)]
        new = given[overlap(stored, [_comparable(one) for one in given]) :]
        if new:
            # Two that bring the same at the same time bring it once. The number was read before the messages, and
            # goes up with whatever is brought: what was taken back since may be brought again.
            said = hashlib.blake2b(repr([_comparable(one) for one in new]).encode(), digest_size=16).hexdigest()
            key = f"langchain:{chat.record.last_seq}:{said}"
            await chat.extend([_fields(one, place) for place, one in enumerate(new)], key=key)
        return len(new)

    async def _chat(self, tenant: str, id: str, *, anew: bool = False) -> Chat:
        """Handles are kept: each of their calls asks again whether the conversation is there. With ``anew`` its
        record is read, too."""
        key = (inputs.identifier("tenant_id", tenant), str(inputs.uuid("conversation_id", id)))
        chat = None if anew else self._chats.get(key)
        if chat is None:
            chat = self._chats[key] = await self._memory.for_tenant(tenant).conversation(id=key[1])
            if len(self._chats) > MOST_CHATS:
                self._chats.popitem(last=False)
        self._chats.move_to_end(key)
        return chat


def overlap(there: Sequence[object], given: Sequence[object]) -> int:
    """How many of the first given ones are already there: those need not be added.

    What both have may begin in the middle, as one of the two may keep only the newest. Whatever goes on from the
    end of what is there is new, though all of it was said before; only if nothing does, the given may be behind.
    """
    ending = _matched(given, there)
    if ending and ending[-1]:
        return ending[-1]
    if len(given) in ending:
        return len(given)
    within = _matched(there, given)
    return within.index(len(there)) + 1 if there and len(there) in within else 0


def _matched(pattern: Sequence[object], text: Sequence[object]) -> list[int]:
    """For each place of a text, how many of the first of a pattern end there. However much repeats itself, nothing
    is compared more than a few times (Knuth, Morris and Pratt)."""
    if not pattern:
        return [0] * len(text)
    shorter = [0]

    def longer(length: int, one: object) -> int:
        while length == len(pattern) or (length and pattern[length] != one):
            length = shorter[length - 1]
        return length + (pattern[length] == one)

    for one in pattern[1:]:
        shorter.append(longer(shorter[-1], one))
    return list(accumulate(text, longer, initial=0))[1:]


async def _all_up_to(chat: Chat, most: int | None) -> list[Message]:
    messages: list[Message] = []
    cursor: str | None = None
    while most is None or len(messages) < most:
        page = await chat.messages(limit=inputs.MAX_PAGE, cursor=cursor)
        messages += page.items
        cursor = page.cursor
        if cursor is None:
            break
    return messages


def _as_dict(tenant: str, chat: Chat, message: Message, asked: Message | None) -> dict[str, Any]:
    standard = standard_metadata(tenant, chat.record, message, asked)
    return {
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "created_at": message.created_at.isoformat(),
        "metadata": {**message.metadata, **msgspec.to_builtins(standard)},
    }


def _openai(message: Message) -> dict[str, Any]:
    given: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        given["tool_calls"] = message.tool_calls
    if message.tool_call_id:
        given["tool_call_id"] = message.tool_call_id
    return given


def _spoken(given: Mapping[str, Any]) -> tuple[str, str]:
    return given["role"], given["content"]


def _fields(one: Any, place: int) -> dict[str, Any]:
    """A LangChain message as it is appended."""
    where = f"message {place + 1}"
    fields = fields_of(Row(session_id="", message={"type": one.type, "data": one.model_dump()}), where)
    return {name: value for name, value in fields.items() if value is not None}


def _comparable(one: Any) -> tuple[str, str]:
    fields = _fields(one, 0)
    return fields["role"], draft({"role": fields["role"], "content": fields.get("content", "")}).content


def _history(memory: Any) -> Any:
    """The chat history of a LangChain memory, or the history itself."""
    history = getattr(memory, "chat_memory", memory)
    if not hasattr(history, "messages") or not hasattr(history, "add_messages"):
        raise Invalid("memory", f"must be a LangChain memory or chat history, not {type(memory).__name__}")
    return history
