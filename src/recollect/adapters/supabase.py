"""Chat memory over supabase-py's asynchronous client: the messages of sessions, through PostgREST.

``supabase.sql`` beside this module lets PostgREST reach the view ``conversation_messages``. What is
written here is a conversation in Recollect, and the other way round.
"""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from weakref import WeakKeyDictionary

from recollect import inputs
from recollect.errors import Invalid, RecollectError, Refused, Unavailable, to_install
from recollect.observe.logs import say

try:
    from httpx import AsyncClient as HttpClient
    from httpx import HTTPError
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
    from postgrest.exceptions import APIError
    from postgrest.types import CountMethod, ReturnMethod
    from supabase import AsyncClient, AsyncClientOptions, create_async_client
except ImportError:
    raise Unavailable("supabase", f"supabase-py is not installed; {to_install('supabase')}") from None

TABLE = "conversation_messages"
SCHEMA = "api"
#: Supabase gives at most this many rows at once, unless it is told otherwise.
PAGE = 1000
COLUMNS = ("seq", "role", "content", "metadata", "created_at")
#: Codes of PostgreSQL and PostgREST for a request that is not allowed.
NOT_ALLOWED = ("42501", "PGRST301", "PGRST302", "PGRST303")
REPEATED = "23505"

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], AsyncClient]] = WeakKeyDictionary()


class ChatMemory(ABC):
    """Where a supervisor keeps what was said; routes and workers know nothing else of storage."""

    @abstractmethod
    async def get_messages(self, session_id: str) -> list[BaseMessage]:
        """All messages of a session, oldest first."""

    @abstractmethod
    async def add_user_message(self, session_id: str, content: str) -> None:
        """Store what a user said."""

    @abstractmethod
    async def add_ai_message(self, session_id: str, content: str) -> None:
        """Store what the assistant answered."""


async def shared_client(url: str, key: str) -> AsyncClient:
    """The client of this process for a project and a key; made once on an event loop, and shared."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if (url, key) not in clients:
        # Whoever sends a request says how long it may take; this is for those who do not.
        web = HttpClient(timeout=120, follow_redirects=True)
        made = await create_async_client(url, key, AsyncClientOptions(schema=SCHEMA, httpx_client=web))
        if clients.setdefault((url, key), made) is not made:
            await web.aclose()  # somebody else has made one meanwhile, and that one is everybody's
    return clients[url, key]


class SupabaseChatMemory(ChatMemory):
    """``SupabaseChatMemory(url, key)``, or with a client of your own, whose schema is ``api``.

    Messages are in the order in which they were stored. ``timeout`` is how many seconds one request may take.
    ``retention_minutes`` is by default what RETENTION_MINUTES says, or 60.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        table: str = TABLE,
        *,
        client: AsyncClient | None = None,
        timeout: float = 30,
        retention_minutes: int | None = None,
    ) -> None:
        if client is None and (url is None or key is None):
            raise Invalid("client", "give a client, or the url and the key of a project")
        self._url, self._key, self._client = url or "", key or "", client
        self._table, self._timeout = table, timeout
        given = os.environ.get("RETENTION_MINUTES", "60") if retention_minutes is None else retention_minutes
        self._retention = _minutes(given)

    async def get_messages(self, session_id: str, since: datetime | None = None) -> list[BaseMessage]:
        """All messages of a session, oldest first; or those since a moment."""
        session = _session(session_id)
        rows: list[Mapping[str, Any]] = []
        total = 1
        while len(rows) < total:
            query = (await self._rows()).select(*COLUMNS, count=None if rows else CountMethod.exact)
            query = query.eq("session_id", session)
            if since is not None:
                query = query.gte("created_at", inputs.moment("since", since).isoformat())
            if rows:
                query = query.gt("seq", rows[-1]["seq"])
            answer = await self._run("get_messages", session, query.order("seq").limit(PAGE))
            if not rows:
                total = answer.count or len(answer.data)
            if not answer.data:
                break
            rows += answer.data
        return [_message(row) for row in rows]

    async def load_context(
        self, session_id: str, max_messages: int = 12, since: datetime | None = None
    ) -> list[BaseMessage]:
        """The newest messages, oldest first; with ``since``, none from before that moment."""
        session = _session(session_id)
        most = inputs.amount("max_messages", max_messages)
        query = (await self._rows()).select(*COLUMNS).eq("session_id", session)
        if since is not None:
            query = query.gte("created_at", inputs.moment("since", since).isoformat())
        answer = await self._run("load_context", session, query.order("seq", desc=True).limit(most))
        return [_message(row) for row in reversed(answer.data)]

    async def add_user_message(
        self, session_id: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Store what a user said."""
        await self._insert(session_id, "user", content, metadata)

    async def add_ai_message(
        self, session_id: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Store what the assistant answered."""
        await self._insert(session_id, "assistant", content, metadata)

    async def add_streamed_message(
        self, session_id: str, chunks: AsyncIterable[str], metadata: Mapping[str, Any] | None = None
    ) -> AsyncIterator[str]:
        """Hand on the parts of a reply as they come, and store it once, whole, at its end.

        A reply that breaks off, or that nobody listens to any more, is not stored.
        """
        session = _session(session_id)
        parts: list[str] = []
        async for chunk in chunks:
            parts.append(chunk)
            yield chunk
        await self._insert(session, "assistant", "".join(parts), metadata)

    async def reset(self, session_id: str) -> None:
        """Delete the messages of a session."""
        session = _session(session_id)
        rows = await self._rows()
        await self._run("reset", session, rows.delete(returning=ReturnMethod.minimal).eq("session_id", session))

    async def delete_expired_sessions(self, retention_minutes: int | None = None) -> None:
        """Delete messages that are older than this, of every session that the key reaches."""
        minutes = self._retention if retention_minutes is None else _minutes(retention_minutes)
        cutoff = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat()
        rows = await self._rows()
        query = rows.delete(returning=ReturnMethod.minimal).lt("created_at", cutoff)
        await self._run("delete_expired_sessions", None, query)

    async def keep_tidy(self, every: float = 60) -> None:
        """Delete what has expired, again and again: for ``asyncio.create_task``, until it is cancelled."""
        while True:
            with suppress(RecollectError):  # it has been logged; the next round may go better
                await self.delete_expired_sessions()
            await asyncio.sleep(every)

    async def _insert(self, session_id: str, role: str, content: str, metadata: Mapping[str, Any] | None) -> None:
        session = _session(session_id)
        # With an id of ours, a request that was sent twice is stored once.
        row: dict[str, Any] = {
            "id": str(uuid.uuid4()),
            "session_id": session,
            "role": role,
            "content": inputs.text("content", content),
        }
        if metadata is not None:
            row["metadata"] = inputs.metadata("metadata", dict(metadata))
        query = (await self._rows()).insert(row, returning=ReturnMethod.minimal)
        await self._run("insert", session, query, repeated=True)

    async def _rows(self) -> Any:
        if self._client is None:
            self._client = await shared_client(self._url, self._key)
        return self._client.table(self._table)

    async def _run(self, action: str, session: str | None, query: Any, *, repeated: bool = False) -> Any:
        """Send a request. Errors of a database may quote the row, so only their codes are told."""
        code: str | None = None
        try:
            async with asyncio.timeout(self._timeout):
                return await query.execute()
        except APIError as error:
            code = str(error.code)
            if repeated and code == REPEATED:
                return None
            failure = (
                Refused(f"{action}: the key of this client is not allowed to ({code})")
                if code in NOT_ALLOWED
                else Unavailable("supabase", f"{action} was refused with code {code}")
            )
            kind = "APIError"
        except TimeoutError:
            failure = Unavailable("supabase", f"{action} did not end within {self._timeout:g} seconds")
            kind = "TimeoutError"
        except HTTPError as error:
            kind = type(error).__name__
            failure = Unavailable("supabase", f"{action} failed on the way ({kind})")
        say(
            logging.ERROR,
            "supabase.failed",
            action=action,
            session=session,
            table=self._table,
            error=kind,
            code=code,
        )
        raise failure from None


def _session(given: str) -> str:
    return str(inputs.uuid("session_id", given))


def _minutes(given: object) -> int:
    try:
        minutes = int(cast("Any", given))
    except (TypeError, ValueError):
        minutes = 0
    if minutes <= 0:
        raise Invalid("retention_minutes", "must be a whole number of minutes, at least 1")
    return minutes


def _message(row: Mapping[str, Any]) -> BaseMessage:
    content = row["content"]
    match row["role"]:
        case "user":
            return HumanMessage(content)
        case "assistant":
            return AIMessage(content)
        case "tool":
            return ToolMessage(content, tool_call_id="")
        case _:
            return SystemMessage(content)
