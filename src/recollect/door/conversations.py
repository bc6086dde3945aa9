"""Conversations: go on, begin, list, search."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from recollect.conversations import caching, lifecycle, search
from recollect.door.part import Part
from recollect.errors import Invalid
from recollect.handle import Chat
from recollect.records import Conversation, Hit, Message, Page


class Conversations(Part):
    """The threads of messages of users and agents."""

    async def conversation(
        self, user: str | None = None, agent: str | None = None, *, id: str | UUID | None = None
    ) -> Chat:
        """The active conversation of a user and an agent, made if there is none; or the one with this id."""
        if id is not None:
            if user is not None or agent is not None:
                raise Invalid("id", "give either an id, or a user and an agent")
            return self._chat(await lifecycle.by_id(self._database, self._caller, id))
        if user is None or agent is None:
            raise Invalid("user" if user is None else "agent", "is needed when there is no id")
        return self._chat(await lifecycle.go_on(self._database, self._caller, user, agent))

    def unseen(self, id: str | UUID) -> Chat:
        """The conversation with this id, of which nothing else is known yet: for the server, most of whose routes
        need no more. What is done with it is NotFound if there is none."""
        return self._chat(lifecycle.unseen(id))

    async def active_conversation(self, user: str, agent: str) -> Chat | None:
        """The active conversation of a user and an agent; None if there is none. It makes nothing."""
        record = await lifecycle.active(self._database, self._caller, user, agent)
        return None if record is None else self._chat(record)

    async def new_conversation(
        self, user: str, agent: str, title: str | None = None, id: str | UUID | None = None
    ) -> Chat:
        """A new conversation, which becomes the active one. Refused if the id is taken."""
        return self._chat(await lifecycle.begin(self._database, self._caller, user, agent, title, id))

    async def conversations(
        self,
        user: str,
        agent: str | None = None,
        *,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """A user's conversations, newest activity first."""
        return await lifecycle.listed(self._database, self._caller, user, agent, archived, limit, cursor)

    async def search(self, query: str, user: str, agent: str | None = None, *, limit: int = 20) -> list[Hit]:
        """Full-text search over a user's messages, best first.

        Every word must occur, in any order and form; ``"a phrase"``, ``-without`` and ``this or that`` work.
        """
        return await search.search(self._database, self._caller, query, user, agent, limit)

    async def windows(self, conversations: Sequence[str], limit: int = 12) -> dict[str, list[Message]]:
        """The newest messages of several conversations by their ids; those that are cached are read together."""
        return await caching.windows(self._database, self._caller, conversations, limit)

    def _chat(self, record: Conversation) -> Chat:
        return Chat(self._database, self._caller, self._models, record, self._equipment)
