"""Templates: named patterns for common kinds of memories."""

from __future__ import annotations

import msgspec
from litestar import get, put
from litestar.params import FromPath, JSONBody

from recollect.records import Template
from recollect.server.rules import rule
from recollect.server.who import Asking
from recollect.server.wire.templates import TemplateView
from recollect.server.wire.view import shown


class Pattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pattern with fields in braces, like ``user collects {what}``."""

    pattern: str
    category: str | None = None
    importance: float = 0.5


def _view(template: Template) -> TemplateView:
    return shown(TemplateView, template)


@get("/api/templates", opt=rule("read"))
async def listed(who: Asking) -> list[TemplateView]:
    """The templates there are: those that come along, and the tenant's own."""
    return [_view(template) for template in await who.door.templates()]


@put("/api/templates/{name:str}", opt=rule("admin"))
async def define(name: FromPath[str], data: JSONBody[Pattern], who: Asking) -> TemplateView:
    """Add or change a template."""
    return _view(
        await who.door.define_template(name, data.pattern, category=data.category, importance=data.importance)
    )


ROUTES = [listed, define]
