"""From an address to an open door of a server."""

from __future__ import annotations

from collections.abc import Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import msgspec

from recollect import inputs
from recollect.client.agents import Agents
from recollect.client.calls import reading
from recollect.client.care import Care
from recollect.client.conversations import Conversations
from recollect.client.documents import Documents
from recollect.client.http import IDLE, Http, Patience, not_ours
from recollect.client.live import Live
from recollect.client.memories import Memories
from recollect.client.notes import NotesOfUsers
from recollect.client.tenants import Tenants
from recollect.client.users import Users
from recollect.errors import Invalid, Unauthorized, Unavailable, not_open

#: The number of the API that this client speaks.
API = 1


class Identity(msgspec.Struct, frozen=True):
    """Whom the key stands for."""

    tenant: str
    actor: str
    scopes: list[str]
    user: str | None = None
    api: int | None = None


class Recollect(Conversations, Live, Memories, NotesOfUsers, Documents, Agents, Users, Care, Tenants):
    """The memory of an AI agent, at a server. Open it with ``async with Recollect.open("http://…") as memory``."""

    def __init__(self, client: httpx.AsyncClient, patience: Patience, user: str | None) -> None:
        super().__init__(Http(client, patience), user)
        self._client = client
        self._identity: Identity | None = None

    @classmethod
    def open(
        cls,
        url: str,
        *,
        key: str | None = None,
        user: str | None = None,
        timeout: float = 60.0,
        turn_timeout: float = 150.0,
        retrying: float = 30.0,
        connections: int = 100,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> Opening:
        """The server at this address, with a key or token of it; on its own machine it may need none.

        ``user`` stands where a call has None for it, as those have by default that can do without. An answer may
        take ``timeout`` seconds, that of a language model ``turn_timeout``; what can be repeated without harm is,
        for ``retrying`` seconds, if the server is away.
        """
        patience = Patience(
            timeout=inputs.seconds("timeout", timeout),
            turn_timeout=inputs.seconds("turn_timeout", turn_timeout),
            retrying=retrying if retrying == 0 else inputs.seconds("retrying", retrying),
        )
        connections = inputs.amount("connections", connections, most=100_000)
        client = httpx.AsyncClient(
            base_url=_checked(url),
            headers=_credential(key),
            limits=httpx.Limits(
                max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=IDLE
            ),
            transport=transport,
        )
        return Opening(cls(client, patience, None if user is None else inputs.identifier("user", user)))

    @property
    def tenant(self) -> str:
        """The tenant that the key belongs to; nothing behind this door reaches another."""
        if self._identity is None:
            raise Unauthorized("the key lacks the scope read, so that it cannot be asked whom it stands for")
        return self._identity.tenant

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.aclose()

    async def _greet(self) -> None:
        """See that a Recollect answers, one that this client understands, and that it takes the key."""
        try:
            body = await self._http.bytes(reading("/api/whoami"))
        except Unauthorized as error:
            if "scope" not in str(error):
                raise
            return
        try:
            found = msgspec.json.decode(body, type=Identity)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise not_ours(str(self._client.base_url)) from None
        if found.api != API:
            older = found.api is None or found.api < API
            raise Unavailable(
                "server",
                f"it speaks version {found.api or 0} of the API, and this client version {API}; "
                f"upgrade {'the server' if older else 'this client'}: pull its clone, and install it anew",
            )
        self._identity = found


class Opening:
    """A door about to open: ``async with`` closes it at the end; ``await`` leaves that to you."""

    def __init__(self, door: Recollect) -> None:
        self._door = door

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(not_open(name))

    async def _open(self) -> Recollect:
        try:
            await self._door._greet()  # pyright: ignore[reportPrivateUsage]
        except BaseException:
            await self._door.close()
            raise
        return self._door

    def __await__(self) -> Generator[object, None, Recollect]:
        return self._open().__await__()

    async def __aenter__(self) -> Recollect:
        return await self._open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._door.close()


def _checked(url: str) -> str:
    wrong = Invalid("url", "must be the address of a server, like http://127.0.0.1:8765")
    try:
        parts = urlsplit(inputs.text("url", url))
        port = parts.port
    except ValueError:  # also a port or an IPv6 address that cannot be one
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not url.isprintable():
        raise wrong
    if parts.username is not None or parts.query:
        raise Invalid("url", "must have neither a name nor a query; give the key as key=")
    return url


def _credential(key: str | None) -> dict[str, Any]:
    if key is None:
        return {}
    if not inputs.text("key", key).strip() or not key.isascii() or not key.isprintable():
        raise Invalid("key", "is not the text of a key or token")
    return {"authorization": f"Bearer {key.strip()}"}
