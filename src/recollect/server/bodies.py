"""What requests carry: bodies of exactly the types that the schema says, no unknown parameter in an address."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from recollect.errors import Invalid
from recollect.server.naming import BODY, parameters
from recollect.server.problems import UNKNOWN, Malformed, explain


def moment_in(field: str, text: str | None) -> datetime | None:
    """A point in time in an address; Litestar would also take a number for one."""
    if text is None:
        return None
    try:
        return msgspec.convert(text, datetime)
    except msgspec.ValidationError:
        raise Invalid(field, "must be a point in time like 2026-01-31T12:00:00Z") from None


async def no_unknown_parameters(request: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A guard of our own routes: a parameter that a route does not have is refused as an unknown field of a body
    is, and so is one that is given twice. What "?categry=work" was to leave out would be answered otherwise, or
    deleted. Who is asked about may be said everywhere, as clients do that say it once for all."""
    if not request.scope["query_string"] or not request.scope["path"].startswith("/api/"):
        return
    known = parameters(handler)
    for name in request.query_params:
        if name not in known and name != "user":
            raise Invalid(name, f"{UNKNOWN}; this address takes {', '.join(sorted(known)) or 'none'}")
        if not known.get(name) and len(request.query_params.getall(name)) > 1:
            raise Invalid(name, "is given more than once")


class StrictRequest(Request[Any, Any, Any]):
    """Litestar would take "5" for a number; this reads a body straight into the type that its route names."""

    __slots__ = ("_read",)

    async def body(self) -> bytes:
        """The body; an empty one stands for no fields, where a route takes fields."""
        wanted = self._wanted
        fields = isinstance(wanted, type) and issubclass(wanted, msgspec.Struct)
        return await super().body() or (b"{}" if fields else b"")

    async def json(self) -> Any:
        """The body, checked."""
        body = await self.body()
        try:
            read = msgspec.json.decode(body, type=self._wanted)
            cast("dict[str, Any]", self.scope)[BODY] = read
            return read
        except msgspec.ValidationError as error:
            raise Invalid(*explain(str(error))) from None
        except RecursionError:
            raise Invalid("body", "is nested too deep") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            if body and (b"\\ud" in body or b"\\uD" in body):
                # Half of a surrogate pair: it is not text, though the rest may be JSON.
                raise Invalid("body", "is not valid JSON; it may contain a lone surrogate") from None
            raise Malformed("the body cannot be read as JSON") from None

    @property
    def _wanted(self) -> Any:
        """What the route takes: a record, or anything of a certain shape."""
        field = self.route_handler.parsed_data_field
        return Any if field is None else field.annotation
