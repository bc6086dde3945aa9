"""Where a call comes from: whose credential, and whom it is about when it names nobody."""

from __future__ import annotations

import msgspec

from recollect import inputs
from recollect.errors import NotFound, Unauthorized
from recollect.handle import Chat
from recollect.who import Who

#: The agent of calls that name none.
AGENT = "assistant"


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """Whoever calls, with the user and the agent of calls that name none."""

    who: Who
    user: str | None = None
    agent: str = AGENT

    def about(self, user: str | None, agent: str | None) -> tuple[str, str]:
        """The user and the agent that a call is about; somebody else's user is not there. An empty agent is
        not the default one: what was meant for another must not end up there."""
        named = self.agent if agent is None else agent
        return self.who.user(user, self.user), inputs.identifier("agent", named)

    async def chat(self, id: str, user: str, agent: str) -> Chat:
        """The conversation with this id, if it is of this user and agent: the credential may reach others."""
        chat = await self.who.chat(id)
        if (chat.user, chat.agent) != (user, agent):
            raise NotFound("conversation", chat.id)
        return chat

    async def active_chat(self, user: str, agent: str) -> Chat:
        """The active conversation; made if there is none, by whoever may write."""
        chat = await self.who.door.active_conversation(user, agent)
        if chat is None:
            self.may("write")
            chat = await self.who.door.conversation(user, agent)
        return chat

    def may(self, scope: str) -> None:
        """Unauthorized, unless the credential has this scope."""
        if scope not in self.who.holder.scopes:
            raise Unauthorized(f"the credential lacks the scope {scope}")
