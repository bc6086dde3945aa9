"""From an open door to an ASGI app."""

from __future__ import annotations

from typing import Any

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler

import recollect
from recollect.errors import Invalid
from recollect.opening import Recollect
from recollect.server import schema
from recollect.server.auth import Gate, is_loopback
from recollect.server.bodies import StrictRequest, no_unknown_parameters
from recollect.server.front import Front
from recollect.server.limits import Turnstile
from recollect.server.measures import Measures
from recollect.server.problems import on_error
from recollect.server.proxy.gateway import Gateway
from recollect.server.routes import (
    admin,
    agents,
    conversations,
    documents,
    health,
    keeping,
    live,
    mcp,
    memories,
    memory,
    messages,
    notes,
    openai,
    page,
    search,
    sessions,
    signing_in,
    states,
    templates,
    tenants,
    turns,
    users,
)
from recollect.server.streams import Streams
from recollect.server.who import provide_who
from recollect.settings import Settings

RESOURCES = (
    conversations,
    messages,
    keeping,
    states,
    turns,
    sessions,
    agents,
    memories,
    memory,
    notes,
    documents,
    search,
    templates,
    users,
    openai,
    admin,
    tenants,
    live,
    health,
    signing_in,
    page,
)


def create_app(memory: Recollect, settings: Settings) -> Litestar:
    """The routes over an open door, which stays the caller's to close. ``app.asgi_handler`` is the whole of it."""
    turnstile = Turnstile(settings.max_in_flight, settings.max_waiting)
    turns_at_once = Turnstile(settings.max_turns, settings.max_waiting)
    streams = Streams(settings.max_streams, settings.max_streams_of_key, settings.stream_seconds)
    measures = Measures(turnstile, streams)
    gate = Gate(memory, settings)
    gateway = Gateway(memory, settings)
    cors = _cors(settings)
    routes: list[Any] = [route for resource in RESOURCES for route in routes_of(resource)]
    lifespan: list[Any] = []
    if not mcp.is_installed():
        routes.append(mcp.missing)
    else:
        mounted, running = mcp.mounted(memory, settings)
        routes.append(mounted)
        lifespan.append(running)
    app = Litestar(
        route_handlers=routes,
        lifespan=lifespan,
        guards=[gate.guard, no_unknown_parameters],
        dependencies={"who": Provide(provide_who, sync_to_thread=False)},
        exception_handlers={Exception: on_error},
        request_class=StrictRequest,
        request_max_body_size=settings.max_body,
        cors_config=cors,
        openapi_config=schema.config(recollect.__version__),
        on_shutdown=[gateway.close],
        logging_config=None,
        debug=False,
    )
    app.state.memory = memory
    app.state.due = health.Due(memory)
    app.state.measures = measures
    app.state.gateway = gateway
    app.state.streams = streams
    app.state.gate = gate
    app.state.schema = schema.rendered(app)
    schema.table(app)  # every route says whom it is for, or there is no app
    front = Front(app.asgi_handler, settings, turnstile, turns_at_once, measures, cors)
    app.state.no_place = front.no_place
    app.asgi_handler = front  # pyright: ignore[reportAttributeAccessIssue]
    return app


def _cors(settings: Settings) -> CORSConfig | None:
    """Which pages of other origins may call us, and what they may send and read."""
    origins = [origin.strip() for origin in settings.cors_origins.split(",") if origin.strip()]
    if not origins:
        return None
    if "*" in origins and is_loopback(settings.host):
        # Without keys, every page that is open in a browser here could read everything.
        raise Invalid(
            "cors_origins",
            f"must name the origins, like https://app.example, not *: on {settings.host} the server may need no "
            "key; check RECOLLECT_CORS_ORIGINS",
        )
    return CORSConfig(
        allow_origins=origins,
        allow_headers=[
            "authorization",
            "content-type",
            "idempotency-key",
            "if-match",
            "if-none-match",
            "last-event-id",
            "x-recollect-agent",
            "x-recollect-conversation",
            "x-recollect-memory",
            "x-recollect-user",
        ],
        expose_headers=[
            "etag",
            "retry-after",
            "x-request-id",
            "idempotent-replayed",
            "x-recollect-context-tokens",
            "x-recollect-conversation",
        ],
        max_age=600,
    )


def routes_of(resource: Any) -> list[HTTPRouteHandler]:
    """The routes of a module."""
    return resource.ROUTES
