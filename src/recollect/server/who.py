"""Whoever makes a request, for the routes that need to know."""

from __future__ import annotations

from typing import Any, cast

from litestar import Request
from litestar.di import NamedDependency

from recollect.access.records import Holder
from recollect.who import Who


def provide_who(request: Request[Any, Any, Any]) -> Who:
    """For routes that need to know."""
    holder: Holder = cast("dict[str, Any]", request.scope)["recollect.holder"]
    door = request.app.state.memory.for_tenant(holder.tenant, holder.actor, operator=holder.operator)
    return Who(holder, door, request.query_params.get("user"))


#: What a route asks for.
Asking = NamedDependency[Who]
