"""A conversation as a ``Session`` of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.adapters.openai_items import item_fields, items_of
from recollect.adapters.sessions import Session
from recollect.errors import Unavailable, to_install

try:
    from agents.items import TResponseInputItem
    from agents.memory import SessionABC, SessionSettings
    from agents.memory.session_settings import coerce_session_settings, resolve_session_limit
except ImportError:
    raise Unavailable("agents", f"the OpenAI Agents SDK is not installed; {to_install('agents')}") from None

#: Sessions whose names are no UUIDs get one made of the name.
_SESSIONS = UUID("5b0e8d55-94bb-5f0a-a8d4-9a2f9d5f3c11")


class RecollectSession(SessionABC):
    """The items of one session, kept as the messages of a conversation: searched and learned from like any other.

    A session that is unknown begins a conversation with its first item: of the ``user`` and the ``agent``, by
    default of a user by the name of the session and of the agent ``openai-agents``. One that belongs to another
    user or agent than those given is Refused.
    """

    def __init__(
        self,
        memory: AnyDoor,
        session_id: str,
        *,
        user: str | None = None,
        agent: str | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = (
            SessionSettings() if session_settings is None else coerce_session_settings(session_settings)
        )
        self._bridge = Bridge(memory)
        self._session = Session(self._bridge.door, session_id, _SESSIONS, user, agent, "openai-agents")

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items, oldest first; with a limit, the newest ones."""
        most = resolve_session_limit(limit, self.session_settings)
        found = await self._bridge.run(self._read(most))
        return cast("list[TResponseInputItem]", found)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items: all or none of them, up to a thousand at once."""
        await self._bridge.run(self._add([dict(cast("Any", item)) for item in items]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take back the newest item and return it; None if there is none."""
        return cast("TResponseInputItem | None", await self._bridge.run(self._pop()))

    async def clear_session(self) -> None:
        """Delete all items of this session."""
        await self._bridge.run(self._session.clear())

    async def _read(self, limit: int | None) -> list[dict[str, Any]]:
        if limit is not None and limit <= 0:
            return []
        items = [item for message in await self._session.messages(limit) for item in items_of(message)]
        return items if limit is None else items[-limit:]

    async def _add(self, items: list[dict[str, Any]]) -> None:
        await self._session.add([item_fields(item) for item in items])

    async def _pop(self) -> dict[str, Any] | None:
        message = await self._session.ask(lambda chat: chat.pop())
        return None if message is None else items_of(message)[-1]
