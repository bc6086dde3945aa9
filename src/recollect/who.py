"""Whoever comes from outside, at the door of their tenant: what they name is theirs, or it is not there."""

from __future__ import annotations

from recollect import inputs
from recollect.access.records import Holder
from recollect.door import Door
from recollect.errors import Invalid, NotFound, Refused
from recollect.handle import Chat
from recollect.records import Caller, Memory

#: Who asks where no credential is needed, unless the request names somebody.
LOCAL = "local"


class Who:
    """The holder of a credential, at the door of its tenant."""

    def __init__(self, holder: Holder, door: Door, usual: str | None = None) -> None:
        self.holder = holder
        self.door = door
        self._usual = usual
        """Whom the address of a request names: its body may say otherwise."""

    @property
    def caller(self) -> Caller:
        """For what goes beside the door."""
        return Caller(self.holder.tenant, self.holder.actor)

    @property
    def bound(self) -> str | None:
        """The only user that this credential reaches, if it is bound to one."""
        return self.holder.user

    def user(self, *named: str | None) -> str:
        """The user that a request is about: the credential's, else the one that it names, else, without any
        credential, ``local``. Somebody else's is not there."""
        given = next((name for name in (*named, self._usual) if name is not None), None)
        if self.holder.user is not None:
            if given is not None and given != self.holder.user:
                raise NotFound("user", given)
            return self.holder.user
        if given is None:
            if self.holder.actor == LOCAL:
                return LOCAL
            raise Invalid("user", "is needed: this credential is not bound to a user")
        return inputs.identifier("user", given)

    def user_if_any(self, named: str | None) -> str | None:
        """The same where all users of the tenant may be meant."""
        return self.user(named) if named is not None or self.holder.user is not None else None

    async def chat(self, id: str) -> Chat:
        """The conversation with this id, if it is theirs."""
        chat = await self.door.conversation(id=id)
        if self.holder.user is not None and chat.user != self.holder.user:
            raise NotFound("conversation", id)
        return chat

    async def begin(self, user: str, agent: str, title: str | None = None, id: str | None = None) -> Chat:
        """A new conversation; an id that is somebody else's is as little there as anywhere."""
        try:
            return await self.door.new_conversation(user, agent, title, id)
        except Refused:
            if id is not None:
                await self.chat(id)
            raise

    async def talk(self, id: str) -> Chat:
        """The same where only what is in it matters: whoever may reach every user needs no look at whose it is."""
        return self.door.unseen(id) if self.holder.user is None else await self.chat(id)

    async def memory(self, id: str, user: str | None = None) -> Memory:
        """The memory with this id, if it is theirs, and of the user that the request names."""
        memory = await self.door.memory(id)
        whose = self.user_if_any(user)
        if whose is not None and memory.user != whose:
            raise NotFound("memory", id)
        return memory

    async def memory_of(self, agent: str, id: str, user: str | None) -> Memory:
        """The same, if it is in the agent's pool too."""
        memory = await self.memory(id, user)
        if memory.pool != (await self.door.agent(agent)).pool:
            raise NotFound("memory", id)
        return memory
