"""The chat models of any OpenAI-compatible endpoint, through the ``openai`` client."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import msgspec

from recollect.errors import Invalid, Unavailable, to_install
from recollect.models.assembly import MOST_TEXT, Assembly, Misshapen
from recollect.models.dialect import Dialect
from recollect.models.failures import KEY, failed, status_of
from recollect.models.quiet import quiet
from recollect.models.sizes import client_reading
from recollect.ports import Answer, Prompt

#: JSON of the longest text; a stream wraps every token in some 300 bytes.
MOST_BYTES = MOST_TEXT + 100_000
MOST_STREAMED = 10 * MOST_BYTES

#: How an endpoint says that it does not understand the question.
_REFUSALS = (400, 422)


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Said(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Part(msgspec.Struct):
    """What we read of an answer, or of a piece of one."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _Heard(msgspec.Struct, frozen=True):
    """What a part brought: some text, the end, or anything at all."""

    text: str = ""
    last: bool = False
    anything: bool = False


class OpenAIChat:
    """A chat model of an endpoint; ``client`` is an ``openai.AsyncOpenAI`` or anything that looks like one.

    The size of an answer is limited as it is read, but not with a client that was given.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        client: Any = None,
    ) -> None:
        self.name = model
        self._timeout = timeout
        self._ours = client is None
        self._client = _client(base_url, api_key) if client is None else client
        self._dialect = Dialect()

    async def complete(self, prompt: Prompt) -> Answer:
        """The whole answer; the time limit is for all of it, however slowly it drips."""
        seconds = prompt.seconds or self._timeout
        try:
            async with asyncio.timeout(seconds):
                part = _read(await self._ask(prompt, stream=False))
            if not part.choices:
                raise Misshapen
            assembly = Assembly(self.name)
            _add(assembly, part)
            return assembly.answer()
        except Exception as error:
            raise self._failed(error, seconds) from None

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Pieces of text, then the whole answer; the time limit is for each piece."""
        seconds = prompt.seconds or self._timeout
        try:
            async with asyncio.timeout(seconds):
                reply = await self._ask(prompt, stream=True)
        except Exception as error:
            raise self._failed(error, seconds) from None
        assembly = Assembly(self.name)
        finished = False
        try:
            while (heard := await self._next(reply, assembly, seconds)) is not None:
                finished = finished or heard.last
                if heard.text:
                    yield heard.text
        finally:
            with suppress(Exception):
                await reply.close()
        try:
            if not finished:
                raise Misshapen
            answer = assembly.answer()
        except Exception as error:
            raise self._failed(error, seconds) from None
        yield answer

    async def close(self) -> None:
        """Close the connections of our own client."""
        if self._ours:
            await self._client.close()

    def _failed(self, error: Exception, seconds: float) -> Unavailable:
        return failed(self.name, error, seconds, KEY if self._ours else None)

    async def _next(self, reply: Any, assembly: Assembly, seconds: float) -> _Heard | None:
        """The next part that says something: an endpoint must not keep us waiting with parts that do not."""
        try:
            async with asyncio.timeout(seconds):
                while (raw := await anext(reply, None)) is not None:
                    heard = _add(assembly, _read(raw))
                    if heard.anything:
                        return heard
                return None
        except Exception as error:
            raise self._failed(error, seconds) from None

    async def _ask(self, prompt: Prompt, *, stream: bool) -> Any:
        """Ask in the way that the endpoint is known to understand; when it refuses, in simpler ways."""
        dialect = self._dialect
        while True:
            try:
                with quiet():
                    reply = await self._client.chat.completions.create(
                        model=self.name, timeout=prompt.seconds or self._timeout, **dialect.request(prompt, stream)
                    )
            except Exception as error:
                refusal = str(getattr(error, "body", None) or error)
                weaker = dialect.weaker(prompt, stream, refusal) if status_of(error) in _REFUSALS else None
                if weaker is None:
                    raise
                dialect = weaker
            else:
                self._dialect = dialect  # only what was taken is worth remembering
                return reply


def _read(raw: Any) -> _Part:
    return msgspec.convert(raw, _Part, from_attributes=True)


def _add(assembly: Assembly, part: _Part) -> _Heard:
    """Put a part into the answer; only the first choice counts, as only one was asked for."""
    if part.usage:
        assembly.count(part.usage.prompt_tokens, part.usage.completion_tokens)
    if not part.choices:
        return _Heard()
    choice = part.choices[0]
    said = choice.delta or choice.message or _Said()
    text = assembly.add_text(said.content or said.refusal or "")
    for call in said.tool_calls or []:
        function = call.function or _Function()
        assembly.add_call(call.index, call.id, function.name, function.arguments)
    last = choice.finish_reason is not None
    return _Heard(text, last, bool(text or said.reasoning_content or said.tool_calls or last))


def _client(base_url: str | None, api_key: str | None) -> Any:
    try:
        openai = importlib.import_module("openai")
    except ModuleNotFoundError:
        raise Invalid("model", f"the openai client is not installed; {to_install('openai')}") from None
    http = client_reading(MOST_BYTES, MOST_STREAMED)
    # A server that needs no key still wants one from this client. Trying again is for whoever asks to decide.
    return openai.AsyncOpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0, http_client=http)
