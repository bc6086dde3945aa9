"""Where a call comes from: whose credential, and whom it is about when it names nobody."""

from __future__ import annotations

import msgspec

from recollect.errors import Unauthorized
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
        """The user and the agent that a call is about; somebody else's user is not there."""
        return self.who.user(user, self.user), agent or self.agent

    async def chat(self, user: str, agent: str) -> Chat:
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
