"""Conversations over HTTP: find, begin, list, search."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.client.calls import Call, body, numbered, once, query, reading
from recollect.client.door import Part
from recollect.client.handle import Chat
from recollect.errors import Invalid, NotFound, Refused
from recollect.ids import new_id
from recollect.records import Conversation, Hit, Message, Page

#: Only the conversation, without messages and memories beside it.
ALONE = query(messages=0)


class _Window(msgspec.Struct, frozen=True):
    conversation: str
    messages: list[Message]


class Conversations(Part):
    """What a user and an agent have talked about."""

    async def conversation(
        self, user: str | None = None, agent: str | None = None, *, id: str | UUID | None = None
    ) -> Chat:
        """The active conversation of a user and an agent, made if there is none; or the one with this id."""
        if id is not None:
            if user is not None or agent is not None:
                raise Invalid("id", "give either an id, or a user and an agent")
            return await self._ask(reading(f"/api/conversations/{numbered('id', id)}", messages=0))
        if (user is None and self._usual is None) or agent is None:
            field = "user" if user is None and self._usual is None else "agent"
            raise Invalid(field, "is needed when there is no id")
        asked = body(user=self._whose(user), agent=inputs.identifier("agent", agent))
        # Asked twice, it finds what it has made.
        return await self._ask(
            Call(method="POST", path="/api/conversations", params=ALONE, content=asked, again=True)
        )

    async def active_conversation(self, user: str, agent: str) -> Chat | None:
        """The active conversation of a user and an agent; None if there is none. It makes nothing."""
        params = {"user_id": self._whose(user), "agent_id": inputs.identifier("agent", agent)}
        try:
            found = await self._http.ask(
                dict[str, str], Call(method="GET", path="/api/sessions/active", params=params, again=True)
            )
            return await self.conversation(id=found["active_session_id"])
        except NotFound as error:
            if error.what == "user":
                raise
            return None

    async def windows(self, conversations: Sequence[str], limit: int = 12) -> dict[str, list[Message]]:
        """The newest messages of several conversations by their ids; those that are cached are read together."""
        asked = body(conversations=[numbered("conversations", one) for one in conversations], limit=limit)
        call = Call(method="POST", path="/api/windows", content=asked, again=True)
        found = await self._http.ask(list[_Window], call)
        return {one.conversation: one.messages for one in found}

    async def new_conversation(
        self, user: str, agent: str, title: str | None = None, id: str | UUID | None = None
    ) -> Chat:
        """A new conversation, which becomes the active one. Refused if the id is taken."""
        wanted = str(new_id()) if id is None else numbered("id", id)
        asked = body(user=self._whose(user), agent=inputs.identifier("agent", agent), title=title, id=wanted)
        headers = once(str(new_id()))
        path = "/api/conversations/new"
        try:
            return await self._ask(
                Call(method="POST", path=path, params=ALONE, content=asked, headers=headers, again=True)
            )
        except Refused as refused:
            if id is not None:
                raise
            # Nobody else can have an id that was made here: an earlier try got through, and its answer did not.
            try:
                return await self.conversation(id=wanted)
            except NotFound:
                raise refused from None

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
        asked = {"agent": agent, "archived": archived, "limit": limit, "cursor": cursor}
        return await self._http.ask(
            Page[Conversation], reading("/api/conversations", user=self._whose(user), **asked)
        )

    async def search(self, query: str, user: str, agent: str | None = None, *, limit: int = 20) -> list[Hit]:
        """Full-text search over a user's messages, best first.

        Every word must occur, in any order and form; ``"a phrase"``, ``-without`` and ``this or that`` work.
        """
        asked = {"query": query, "user": self._whose(user), "agent": agent, "limit": limit}
        return await self._http.ask(list[Hit], reading("/api/search", **asked))

    async def _ask(self, call: Call) -> Chat:
        return Chat(self._http, await self._http.ask(Conversation, call))
