"""Sessions: the conversations that other frameworks name, each begun with its first message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import UUID, uuid5

from recollect import inputs
from recollect.conversations.incoming import MOST_AT_ONCE
from recollect.door import Door
from recollect.errors import NotFound, Refused
from recollect.handle import Chat
from recollect.records import Message

T = TypeVar("T")

PAGE = 1000


def conversation_id(session_id: str, names: UUID) -> UUID:
    """The id of the conversation of a session: itself, or one made of it in the framework's own space of names."""
    given = inputs.identifier("session_id", session_id)
    try:
        return UUID(given)
    except ValueError:
        return uuid5(names, given)


class Session:
    """A conversation by the name that a framework has for it, looked for when it is first needed.

    One that is unknown begins for the user and the agent; where none is given, for a user by the name of the
    session and the ``usual`` agent. Applications name their sessions without a thought of users, so one that
    belongs to somebody else than was given is refused.
    """

    def __init__(
        self, door: Door, session_id: str, names: UUID, user: str | None, agent: str | None, usual: str = ""
    ) -> None:
        self._door = door
        self._id = conversation_id(session_id, names)
        self._user = inputs.identifier("user", session_id if user is None else user)
        self._agent = inputs.identifier("agent", usual if agent is None else agent)
        self._given = (user, agent)
        self._chat: Chat | None = None

    async def known(self) -> Chat | None:
        """The conversation; None if there is none yet."""
        if self._chat is None:
            try:
                self._chat = await self._opened()
            except NotFound:
                return None
        return self._chat

    async def begun(self) -> Chat:
        """The conversation, made if there is none."""
        chat = await self.known()
        if chat is None:
            try:
                chat = await self._door.new_conversation(self._user, self._agent, id=self._id)
            except Refused:  # somebody else has begun it at this moment
                chat = await self._opened()
            self._chat = chat
        return chat

    async def add(self, messages: Sequence[dict[str, Any]]) -> None:
        """Store messages by their fields: all or none of them, up to a thousand at once."""
        for start in range(0, len(messages), MOST_AT_ONCE):
            several = messages[start : start + MOST_AT_ONCE]
            try:
                await (await self.begun()).extend(several)
            except NotFound:  # deleted since it was first seen: it begins anew
                self._chat = None
                await (await self.begun()).extend(several)

    async def ask(self, what: Callable[[Chat], Awaitable[T]]) -> T | None:
        """What the conversation answers; None if there is none, or none any more."""
        chat = await self.known()
        try:
            return None if chat is None else await what(chat)
        except NotFound:
            self._chat = None
            return None

    async def messages(self, limit: int | None) -> list[Message]:
        """The newest messages, oldest first; all of them where more than a page is wanted."""
        if limit is None or limit > PAGE:
            return await self.ask(every_message) or []
        return await self.ask(lambda chat: chat.window(limit)) or []

    async def clear(self) -> None:
        """Delete the messages."""
        await self.ask(lambda chat: chat.clear())

    async def _opened(self) -> Chat:
        chat = await self._door.conversation(id=self._id)
        user, agent = self._given
        if chat.user != (user or chat.user) or chat.agent != (agent or chat.agent):
            raise Refused(
                "this session belongs to another user or agent; the ids of sessions and threads are shared by all "
                "users, so choose another one"
            )
        return chat


async def every_message(chat: Chat) -> list[Message]:
    """All messages of a conversation, oldest first."""
    page = await chat.messages(PAGE)
    found = list(page.items)
    while page.cursor is not None:
        page = await chat.messages(PAGE, page.cursor)
        found += page.items
    return found
