"""A conversation as LangChain's chat message history."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from recollect import inputs
from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.adapters.langchain.messages import message_fields, to_langchain
from recollect.adapters.sessions import Session

#: Sessions whose names are no UUIDs get one made of the name.
SESSIONS = UUID("6a2f6f1e-7d0c-5d0a-9f43-1c1f5b9b6a58")


class RecollectChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation, for blocking and asynchronous chains alike.

    A session that is unknown begins a conversation with its first message: of the ``user`` and the ``agent``, by
    default of a user by the name of the session and of the agent ``langchain``. One that belongs to another user
    or agent than those given is Refused. ``limit`` is how many of the newest messages are read; a window memory
    of ``k`` turns needs 2 × k, and then costs the same however long the conversation is.
    """

    def __init__(
        self,
        memory: AnyDoor,
        session_id: str,
        *,
        user: str | None = None,
        agent: str | None = None,
        limit: int | None = None,
    ) -> None:
        self.session_id = session_id
        self._bridge = Bridge(memory)
        self._session = Session(self._bridge.door, session_id, SESSIONS, user, agent, "langchain")
        self._limit = None if limit is None else inputs.amount("limit", limit)

    @property
    def messages(self) -> list[BaseMessage]:
        """The messages, oldest first."""
        return self._bridge.wait(self._read())

    @messages.setter
    def messages(self, value: list[BaseMessage]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._bridge.wait(self._replace(value))

    async def aget_messages(self) -> list[BaseMessage]:
        """The messages, oldest first."""
        return await self._bridge.run(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages: all or none of them, up to a thousand at once."""
        self._bridge.wait(self._add(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages: all or none of them, up to a thousand at once."""
        await self._bridge.run(self._add(messages))

    def clear(self) -> None:
        """Delete the messages of this conversation."""
        self._bridge.wait(self._session.clear())

    async def aclear(self) -> None:
        """Delete the messages of this conversation."""
        await self._bridge.run(self._session.clear())

    async def _read(self) -> list[BaseMessage]:
        return [to_langchain(one) for one in await self._session.messages(self._limit)]

    async def _add(self, messages: Sequence[BaseMessage]) -> None:
        await self._session.add([message_fields(one) for one in messages])

    async def _replace(self, messages: Sequence[BaseMessage]) -> None:
        await self._session.clear()
        await self._add(messages)
