"""Nothing that each request goes through is sent to a thread, which costs more than most requests do."""

from __future__ import annotations

from inspect import iscoroutinefunction
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from recollect.server.app import create_app
from recollect.settings import Settings


def _handlers(app: Litestar) -> list[HTTPRouteHandler]:
    return [one for route in app.routes if isinstance(route, HTTPRoute) for one in route.route_handlers]


def test_guards_hooks_and_dependencies_of_every_route_run_on_the_loop() -> None:
    app = create_app(msgspec.UNSET, Settings())  # type: ignore[arg-type]  # pyright: ignore
    handlers = _handlers(app)
    assert len(handlers) > 80
    in_threads: list[Any] = []
    for handler in handlers:
        for layer in handler.ownership_layers:
            given = [*(layer.guards or ()), *(getattr(layer, "middleware", None) or ())]
            hooks = [getattr(layer, name, None) for name in ("before_request", "after_request", "after_response")]
            in_threads += [one for one in (*given, *filter(None, hooks)) if not iscoroutinefunction(one)]
        provided = handler.resolve_dependencies().values()
        in_threads += [one for one in provided if one.has_sync_callable and one.sync_to_thread]
        if handler.has_sync_callable and handler.sync_to_thread:
            in_threads.append(handler.handler_name)
    assert in_threads == []
