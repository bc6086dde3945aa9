"""The schema of the API (OpenAPI 3.1), made from the routes and their records, and a page that shows it."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import msgspec
from litestar import Litestar, Request, Router, get
from litestar.enums import MediaType, OpenAPIMediaType
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin

from recollect.server.examples import ANSWERS, BODIES
from recollect.server.openai_shape import is_openai, openai_error
from recollect.server.problems import EXAMPLE, KINDS, PROBLEM_JSON, TITLES
from recollect.server.rules import Rule, rule

#: What any route may answer besides its own.
ALWAYS = (429, 503)
WITH_CREDENTIAL = (401, 403)
#: How an app of somebody else's that is mounted here is asked.
MOUNTED = ("POST",)
#: Public, but the credential is in the body.
SIGNING_IN = ("/api/sign-in", "/api/sign-out")
WITH_INPUT = (400, 422)
WITH_BODY = (408, 413)
ONLY_SOMETIMES = (404, 409, 412)
#: The drop-in proxy, which speaks as OpenAI does.
COMPLETIONS = "/v1/chat/completions"
#: Changes that a key makes exactly-once, though they answer 200.
ALSO_ONCE = (
    COMPLETIONS,
    "/api/notes",
    "/api/notes/undo",
    "/api/memories/{id}/undo",
    "/api/agents/{agent}/memories/{id}/undo",
    "/api/bots/{agent}/memories/{id}/undo",
    "/api/chat",
    "/api/conversations/{id}/message",
    "/api/conversations/{id}/stream",
    "/api/conversations/{id}/state/act",
    "/api/conversations/{id}/state/undo",
    "/api/ai/send-rfp",
)
HEADER = {
    "X-Recollect-User": "Who talks, if the credential does not say; also `metadata.user` or `user`.",
    "X-Recollect-Agent": "To which agent; also `metadata.agent`; `assistant` if nobody says.",
    "X-Recollect-Conversation": "The conversation, a UUID; also `metadata.conversation`; the active one if nobody "
    "says. One that is not known yet begins.",
    "X-Recollect-Memory": "`off`: nothing is recalled; what is said is stored all the same.",
    "Idempotency-Key": "Makes the request exactly-once: the same key and body again get the same answer.",
    "If-Match": "The ETag of what was read, or its version; 412 if it has changed since.",
    "If-None-Match": "`*`: only if there is nothing yet; else 412.",
}


def table(app: Litestar) -> list[tuple[str, str, Rule]]:
    """Every route by method and path, with its rule; TypeError if one has none. What Litestar answers to OPTIONS
    by itself only names methods."""
    found: list[tuple[str, str, Rule]] = []
    for route in app.routes:
        mounted = [] if (one := getattr(route, "route_handler", None)) is None else [one]
        for handler in [*getattr(route, "route_handlers", []), *mounted]:
            for method in getattr(handler, "http_methods", MOUNTED):
                rule = handler.opt.get("rule")
                if method != "OPTIONS" and not isinstance(rule, Rule):
                    raise TypeError(f"the route {method} {route.path} has no rule")
                if method != "OPTIONS":
                    found.append((method, route.path_format, rule))
    return found


def described(app: Litestar) -> dict[str, Any]:
    """The schema, with the problems that each operation can answer, and what a credential needs."""
    schema = app.openapi_schema.to_schema()
    rules = {(method.lower(), path): rule for method, path, rule in table(app)}
    schema["components"].setdefault("schemas", {}).update({"Problem": PROBLEM, "OpenAIError": OPENAI_ERROR})
    schema["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            if isinstance(operation, dict) and (method, path) in rules:
                _complete(cast("dict[str, Any]", operation), method, path, rules[method, path])
    _strict(schema["components"]["schemas"], _bodies(schema))
    _optional(schema)
    return schema


#: What is not JSON of one of our records.
CONTENT: dict[str, Any] = {
    "/api/conversations/{id}/export": {
        "application/json": {"schema": {"type": "object"}},
        "text/markdown": {"schema": {"type": "string"}},
        "application/pdf": {"schema": {"type": "string", "format": "binary"}},
    },
    "/api/conversations/{id}/stream": {"text/event-stream": {"schema": {}}},
    "/api/live": {"text/event-stream": {"schema": {}}},
    "/api/conversations/{id}/live": {"text/event-stream": {"schema": {}}},
    "/api/users/{user}/export": {"application/json": {"schema": {"type": "object"}}},
    COMPLETIONS: {
        "application/json": {
            "schema": {"type": "object", "required": ["choices"], "properties": {"choices": {"type": "array"}}},
            "example": {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1767225600,
                "model": "gpt-4o-mini",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": "You live in Porto."},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": 52, "completion_tokens": 6, "total_tokens": 58},
            },
        },
        "text/event-stream": {"schema": {}},
    },
    "/v1/models": {
        "application/json": {
            "schema": {"type": "object", "required": ["data"], "properties": {"data": {"type": "array"}}},
            "example": {"object": "list", "data": [{"id": "recollect-offline", "object": "model"}]},
        }
    },
    "/v1/models/{id}": {
        "application/json": {
            "schema": {"type": "object"},
            "example": {"id": "recollect-offline", "object": "model"},
        }
    },
}
#: Bodies whose other fields are passed on.
OPEN = {"CompletionRequest", "ChatMessage", "StreamOptions"}


def _complete(operation: dict[str, Any], method: str, path: str, rule: Rule) -> None:
    responses = operation["responses"]
    if path in CONTENT:
        responses["200"]["content"] = CONTENT[path]
    responses.pop("400", None)
    statuses = [*ALWAYS, *WITH_INPUT, *ONLY_SOMETIMES]
    if rule.scope != "public" or path in SIGNING_IN:
        statuses += WITH_CREDENTIAL
    if rule.scope != "public":
        operation["security"] = [{"key": []}]
        operation["x-scope"] = rule.scope
    if "requestBody" in operation:
        statuses += WITH_BODY
    told = _openai_error if is_openai(path) else _problem
    for status in sorted(statuses):
        responses.setdefault(str(status), told(status))
    if is_openai(path):
        responses.setdefault("default", _openai_error(502))  # what an upstream answers, it answers
    example, answer = BODIES.get(f"{method} {path}"), ANSWERS.get(f"{method} {path}")
    if example is not None:
        operation["requestBody"]["content"]["application/json"]["example"] = example
    if answer is not None:
        done = responses["201" if "201" in responses else "200"]
        done["content"]["application/json"]["example"] = answer
    if method == "get" and "etag" not in path:
        responses.setdefault("304", {"description": "The client has this version already."})
    made_once = ("201" in responses and not path.endswith("/keys")) or path in ALSO_ONCE
    headers = ["Idempotency-Key"] if made_once else []
    headers += [name for name in HEADER if name.startswith("X-")] if path == COMPLETIONS else []
    headers += ["If-Match", "If-None-Match"] if rule.versioned else []
    operation.setdefault("parameters", []).extend(
        {
            "name": name,
            "in": "header",
            "required": False,
            "description": HEADER[name],
            "schema": {"type": "string"},
        }
        for name in headers
        if method != "get"
    )


def _problem(status: int) -> dict[str, Any]:
    shown = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": EXAMPLE.value}
    return _answer(status, PROBLEM_JSON, shown)


def _openai_error(status: int) -> dict[str, Any]:
    example = {"error": openai_error(status, "messages: is missing", "invalid", "messages")}
    shown = {"schema": {"$ref": "#/components/schemas/OpenAIError"}, "example": example}
    return _answer(status, "application/json", shown)


def _answer(status: int, kind: str, shown: dict[str, Any]) -> dict[str, Any]:
    titles = [title for _, code, _, title in KINDS if code == status]
    titles = titles or [TITLES.get(status, ("", "The upstream did not answer as it should"))[1]]
    answer: dict[str, Any] = {"description": "; ".join(titles) + ".", "content": {kind: shown}}
    if status in ALWAYS:
        answer["headers"] = {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds."}}
    return answer


def _bodies(schema: dict[str, Any]) -> set[str]:
    """The names of the schemas of bodies."""
    return {
        content["schema"]["$ref"].rsplit("/", 1)[-1]
        for operations in schema["paths"].values()
        for operation in operations.values()
        if isinstance(operation, dict)
        for content in cast("dict[str, Any]", operation).get("requestBody", {}).get("content", {}).values()
        if "$ref" in content.get("schema", {})
    }


def _strict(schemas: dict[str, Any], bodies: set[str]) -> None:
    """A field that is not known is refused, so the schema says so."""
    for name in bodies - OPEN:
        schemas[name]["additionalProperties"] = False


def _optional(schema: dict[str, Any]) -> None:
    """A body in which nothing is needed may be left out."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            given = cast("dict[str, Any]", operation) if isinstance(operation, dict) else {}
            body: dict[str, Any] = given.get("requestBody", {})
            shape: dict[str, Any] = body.get("content", {}).get("application/json", {}).get("schema", {})
            if "$ref" in shape:
                name: str = shape["$ref"].rsplit("/", 1)[-1]
                body["required"] = bool(schema["components"]["schemas"][name].get("required"))


PROBLEM: dict[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "An error (RFC 9457): type is stable, detail is for people.",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string", "examples": ["urn:recollect:problem:not-found"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string", "description": "What to put right in the request."},
        "request": {"type": "string", "description": "The id of the request, as in the log."},
        "what": {"type": "string", "description": "The kind of thing that is not there."},
        "key": {"type": "string", "description": "Its id, or the idempotency key that was used before."},
        "part": {"type": "string", "description": "What does not answer."},
        "retry_after": {"type": "number", "description": "Seconds after which to come back."},
    },
}


OPENAI_ERROR: dict[str, Any] = {
    "type": "object",
    "title": "OpenAIError",
    "description": "An error as OpenAI's clients know it.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "integer", "null"]},
            },
        }
    },
}


class AsJson(OpenAPIRenderPlugin):
    """The schema."""

    def __init__(self) -> None:
        super().__init__(path="/openapi.json", media_type=OpenAPIMediaType.OPENAPI_JSON)

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        """As JSON."""
        return request.app.state.schema()[0]


class AsPage(OpenAPIRenderPlugin):
    """The routes, for people; it needs nothing from elsewhere."""

    def __init__(self) -> None:
        super().__init__(path="/", media_type=MediaType.HTML)

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        """As a page."""
        return request.app.state.schema()[1]


def rendered(app: Litestar) -> Callable[[], tuple[bytes, bytes]]:
    """The schema as JSON and as a page, made when first asked for: it takes a moment."""

    @cache
    def make() -> tuple[bytes, bytes]:
        schema = described(app)
        return msgspec.json.encode(schema), reference(schema).encode()

    return make


def reference(schema: dict[str, Any]) -> str:
    """The schema as a page."""
    rows: list[str] = []
    for path, operations in sorted(schema["paths"].items()):
        for method, operation in operations.items():
            parameters = ", ".join(
                f"{one['name']}{'' if one.get('required') else '?'}" for one in operation.get("parameters", [])
            )
            cells = (
                f"<code>{method.upper()} {html.escape(path)}</code>",
                html.escape(operation.get("description") or operation.get("summary") or ""),
                html.escape(parameters),
                html.escape(_body_fields(schema, operation)),
                html.escape(operation.get("x-scope", "")),
            )
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("route", "what it does", "parameters", "body", "scope"))
    return _page(
        "API reference",
        '<p>The same as <a href="/schema/openapi.json">OpenAPI 3.1</a>. Send a key as '
        "<code>Authorization: Bearer rk_…</code>; on this machine, while there are no keys, none is needed. "
        "Errors are <code>application/problem+json</code>.</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
    )


def _body_fields(schema: dict[str, Any], operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    found = schema["components"]["schemas"].get(content.get("$ref", "").rsplit("/", 1)[-1], {})
    needed = found.get("required", [])
    return ", ".join(f"{name}{'' if name in needed else '?'}" for name in found.get("properties", {}))


@get("/style.css", media_type="text/css")
async def style() -> str:
    """How the pages look."""
    return (
        "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem;color:#1a1a1a;"
        "background:#fff}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;"
        "padding:.4rem;text-align:left;vertical-align:top}code{font-size:.9em}"
        "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}td,th{border-color:#444}a{color:#8cf}}"
    )


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<link rel="stylesheet" href="/schema/style.css"></head><body><h1>{title}</h1>{body}</body></html>'
    )


def config(version: str) -> OpenAPIConfig:
    """What Litestar needs to know."""
    return OpenAPIConfig(
        title="Recollect",
        version=version,
        description="The memory of an AI agent.",
        use_handler_docstrings=True,
        render_plugins=[AsPage(), AsJson()],
        openapi_router=Router("/schema", route_handlers=[style], opt=rule("public"), include_in_schema=False),
    )
