"""Asking the user before something is deleted: in whichever way their host can be asked."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp_types.version import is_version_at_least

from recollect.errors import Refused

#: From this version on a server asks by answering that it needs input; before, by a request of its own.
ASKS_BY_ANSWER = "2026-07-28"
KEY = "confirm"
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"sure": {"type": "boolean", "title": "Delete them", "description": "This cannot be undone."}},
    "required": ["sure"],
}


async def confirmed(
    context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams, message: str, said: bool
) -> types.InputRequiredResult | None:
    """None once the user has agreed; what to answer if they must be asked first; Refused if they said no, or if
    nobody can be asked and the call does not say that the user wants it (``said``)."""
    able = context.session.client_capabilities
    if able is None or able.elicitation is None:
        if not said:
            raise Refused("ask the user first, then call again with confirm: true")
        return None
    question = types.ElicitRequestFormParams(message=message, requested_schema=FORM)
    if is_version_at_least(context.protocol_version, ASKS_BY_ANSWER):
        given = (params.input_responses or {}).get(KEY)
        if given is None:
            return types.InputRequiredResult(input_requests={KEY: types.ElicitRequest(params=question)})
        answer = given if isinstance(given, types.ElicitResult) else None
    elif context.session.can_send_request:
        answer = await context.session.elicit_form(message, FORM, related_request_id=context.request_id)
    elif said:
        return None
    else:
        raise Refused("ask the user first, then call again with confirm: true")
    if answer is None or answer.action != "accept" or not (answer.content or {}).get("sure"):
        raise Refused("the user did not agree; nothing was deleted")
    return None
