"""OpenAI's routes: any of its clients gets memory by changing its base URL."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from litestar import Request, Response, get, post
from litestar.params import FromPath, JSONBody
from litestar.response import Stream

from recollect.access import answers
from recollect.errors import NotFound
from recollect.server.naming import called
from recollect.server.once import append_key
from recollect.server.proxy import offline
from recollect.server.proxy.asking import Asked, CompletionRequest, asked_of
from recollect.server.proxy.gateway import Gateway
from recollect.server.proxy.keyed import Keyed
from recollect.server.proxy.passing import STREAM, Passing, headers_for, listed
from recollect.server.proxy.upstream import Whole
from recollect.server.rules import rule
from recollect.server.who import Asking

JSON = "application/json"


@post("/v1/chat/completions", status_code=200, opt=rule("write") | called(id="conversation"))
async def completions(
    request: Request[Any, Any, Any], data: JSONBody[CompletionRequest], who: Asking
) -> Response[Any]:
    """A chat completion of the upstream that the operator has set, with memory: what is known about the user joins
    the system message, and what is said is stored. All else is passed on as it is, tools and streams too."""
    asked = await asked_of(request, data, who)
    gateway: Gateway = request.app.state.gateway
    if gateway.upstream is None:
        return await _offline(request, asked)
    keyed = Keyed(request, who, asked.chat.user)
    if (said := await keyed.said()) is not None:
        return Response(answers.told(said), headers={**said.headers, "idempotent-replayed": "true"})
    passing = Passing(
        asked,
        gateway.upstream,
        gateway.allowance(who.holder.tenant),
        keyed,
        gateway.finish,
    )
    try:
        answer = await (passing.stream() if data.stream else passing.whole())
    except BaseException:
        await gateway.finish(keyed.drop())
        raise
    if isinstance(answer, Whole):
        return Response(answer.body, media_type=JSON, headers={**answer.headers, **passing.headers})
    return _stream(answer, passing.headers)


async def _offline(request: Request[Any, Any, Any], asked: Asked) -> Response[Any]:
    text, key = offline.question(asked), append_key(request)
    if not asked.data.stream:
        reply = await asked.chat.say(text, key=key)
        tokens = 0 if reply.context is None else reply.context.tokens["total"]
        return Response(offline.completion(reply), headers=headers_for(asked.chat.id, tokens))
    events = asked.chat.stream(text, key=key)
    first = await anext(events)  # what cannot even begin is an answer of its own, and not a stream
    chunks = offline.chunks(first, events, asked.usage_wanted)
    return _stream(offline.as_events(chunks), headers_for(asked.chat.id, 0))


def _stream(events: AsyncGenerator[bytes], headers: dict[str, str]) -> Stream:
    return Stream(events, media_type=STREAM, headers=headers)  # pyright: ignore[reportArgumentType]


@get("/v1/models", opt=rule("read"))
async def models(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """The models that the upstream offers."""
    return {"object": "list", "data": await _models(request)}


@get("/v1/models/{id:path}", opt=rule("read"))
async def model(request: Request[Any, Any, Any], id: FromPath[str]) -> dict[str, Any]:
    """One of them."""
    name = id.removeprefix("/")
    for one in await _models(request):
        if one.get("id") == name:
            return one
    raise NotFound("model", name)


async def _models(request: Request[Any, Any, Any]) -> list[dict[str, Any]]:
    gateway: Gateway = request.app.state.gateway
    return offline.MODELS if gateway.upstream is None else listed(await gateway.upstream.models())


ROUTES = [completions, models, model]
