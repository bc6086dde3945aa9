"""A conversation as LangChain's chat message history."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid5

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from recollect import inputs
from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.adapters.langchain.messages import message_fields, to_langchain
from recollect.conversations.incoming import MOST_AT_ONCE
from recollect.errors import NotFound, Refused
from recollect.handle import Chat

PAGE = 1000
#: Sessions whose names are no UUIDs get one made of the name.
_SESSIONS = UUID("6a2f6f1e-7d0c-5d0a-9f43-1c1f5b9b6a58")


def conversation_id(session_id: str) -> UUID:
    """The id of the conversation of a session: itself, or one made of it."""
    try:
        return UUID(inputs.identifier("session_id", session_id))
    except ValueError:
        return uuid5(_SESSIONS, inputs.identifier("session_id", session_id))


class RecollectChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation, for blocking and asynchronous chains alike.

    A session that is unknown begins a conversation with its first message: of the ``user`` and the ``agent``, by
    default of a user by the name of the session and of the agent ``langchain``. ``limit`` is how many of the
    newest messages are read; a window memory of ``k`` turns needs 2 × k, and then costs the same however long the
    conversation is.
    """

    def __init__(
        self,
        memory: AnyDoor,
        session_id: str,
        *,
        user: str | None = None,
        agent: str = "langchain",
        limit: int | None = None,
    ) -> None:
        self.session_id = session_id
        self._bridge = Bridge(memory)
        self._id = conversation_id(session_id)
        self._user = inputs.identifier("user", session_id if user is None else user)
        self._agent = inputs.identifier("agent", agent)
        self._limit = None if limit is None else inputs.amount("limit", limit)
        self._chat: Chat | None = None

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
        self._bridge.wait(self._clear())

    async def aclear(self) -> None:
        """Delete the messages of this conversation."""
        await self._bridge.run(self._clear())

    async def _read(self) -> list[BaseMessage]:
        chat = await self._known()
        if chat is None:
            return []
        if self._limit is not None:
            return [to_langchain(one) for one in await chat.window(self._limit)]
        page = await chat.messages(PAGE)
        found = [to_langchain(one) for one in page.items]
        while page.cursor is not None:
            page = await chat.messages(PAGE, page.cursor)
            found += [to_langchain(one) for one in page.items]
        return found

    async def _add(self, messages: Sequence[BaseMessage]) -> None:
        if messages:
            chat = await self._begun()
            fields = [message_fields(one) for one in messages]
            for start in range(0, len(fields), MOST_AT_ONCE):
                await chat.extend(fields[start : start + MOST_AT_ONCE])

    async def _replace(self, messages: Sequence[BaseMessage]) -> None:
        await self._clear()
        await self._add(messages)

    async def _clear(self) -> None:
        chat = await self._known()
        if chat is not None:
            await chat.clear()

    async def _known(self) -> Chat | None:
        if self._chat is None:
            try:
                self._chat = await self._bridge.door.conversation(id=self._id)
            except NotFound:
                return None
        return self._chat

    async def _begun(self) -> Chat:
        chat = await self._known()
        if chat is None:
            try:
                chat = await self._bridge.door.new_conversation(self._user, self._agent, id=self._id)
            except Refused:  # somebody else has begun it at this moment
                chat = await self._bridge.door.conversation(id=self._id)
            self._chat = chat
        return chat
