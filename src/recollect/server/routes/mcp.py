"""``/mcp``: the Model Context Protocol over HTTP, with the credentials of every other route."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

from litestar import Litestar, asgi
from litestar.datastructures import Headers
from litestar.exceptions import MethodNotAllowedException
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from recollect.access.records import Holder
from recollect.errors import to_install
from recollect.opening import Recollect
from recollect.server.naming import header_text
from recollect.server.problems import NotInstalled
from recollect.server.rules import rule
from recollect.settings import Settings
from recollect.who import Who

#: Where a request keeps the user and the agent that its headers name.
NAMED = "recollect.named"


def mounted(memory: Recollect, settings: Settings) -> tuple[ASGIRouteHandler, Any]:
    """The route, and what has to run while it is served. Nothing is kept between two requests, so that any
    process can answer any of them."""
    from mcp.server import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from recollect.adapters.mcp.seat import AGENT, Seat
    from recollect.adapters.mcp.serving import build

    def seat_of(context: ServerRequestContext[Any, Any]) -> Seat:
        request = context.request
        assert request is not None
        holder: Holder = request.scope["recollect.holder"]
        user, agent = request.scope[NAMED]
        return Seat(
            who=Who(holder, memory.for_tenant(holder.tenant, holder.actor)),
            user=user,
            agent=AGENT if agent is None else agent,
        )

    # Hosts and origins have been checked by the front.
    manager = StreamableHTTPSessionManager(
        build(seat_of), stateless=True, json_response=True, max_request_body_size=settings.max_body
    )

    @asgi("/mcp", is_mount=True, opt=rule("read"), copy_scope=False)
    async def mcp(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":  # type: ignore[typeddict-item]
            # No session to listen to or to end: the specification has 405 for servers that offer neither.
            raise MethodNotAllowedException(headers={"allow": "POST"})
        headers = Headers.from_scope(scope)
        named = (header_text(headers, "X-Recollect-User"), header_text(headers, "X-Recollect-Agent"))
        cast("dict[str, Any]", scope)[NAMED] = named
        await manager.handle_request(cast("Any", scope), cast("Any", receive), cast("Any", send))

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    return mcp, running


@asgi("/mcp", is_mount=True, opt=rule("read"), copy_scope=False)
async def missing(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001  (as every ASGI app)
    """What stands there without the extra."""
    raise NotInstalled(f"the extra mcp is not installed on this server; its operator can {to_install('mcp')}")


def is_installed() -> bool:
    """Whether the extra ``mcp`` is there."""
    from importlib.util import find_spec

    return find_spec("mcp") is not None
