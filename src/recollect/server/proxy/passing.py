"""The road of the proxy: put memory in front, let the upstream answer, pass its answer on, keep what was said."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any

import msgspec

from recollect.chat.records import Ended, Kept
from recollect.errors import RecollectError, Unavailable
from recollect.models.spending import Allowance
from recollect.server.openai_shape import UpstreamFailed, openai_error
from recollect.server.proxy.asking import Asked, outgoing
from recollect.server.proxy.heard import DONE, Events, Heard, data_of
from recollect.server.proxy.keyed import Keyed
from recollect.server.proxy.offline import event, event_of
from recollect.server.proxy.upstream import Streamed, Upstream, Whole, broken

#: Does something to its end, whether or not the client stays.
Finish = Callable[[Coroutine[Any, Any, None]], Awaitable[None]]
STREAM = "text/event-stream"


class Passing:
    """One request on its way through."""

    def __init__(
        self, asked: Asked, upstream: Upstream, allowance: Allowance, keyed: Keyed, finish: Finish
    ) -> None:
        self._asked = asked
        self._upstream = upstream
        self._allowance = allowance
        self._keyed = keyed
        self._to_the_end = finish
        self._sections: dict[str, int] = {"total": 0}
        self._sent = 0
        self._kept: Kept | None = None
        self._over = False
        self._heard = Heard(asked.data.model)
        self._began = time.monotonic()

    @property
    def headers(self) -> dict[str, str]:
        """Ours, for the answer."""
        return headers_for(self._asked.chat.id, self._sections["total"])

    async def whole(self) -> Whole:
        """The answer in one piece; what was said is stored by then."""
        answer = await self._upstream.complete(await self._prompt())
        return await self._answered(answer)

    async def stream(self) -> Whole | AsyncGenerator[bytes]:
        """The answer piece by piece; what the user said is stored by then, the reply before its end is told."""
        answer = await self._upstream.stream(await self._prompt())
        if isinstance(answer, Whole):
            return await self._answered(answer)
        try:
            await self._keep(None)
        except BaseException:
            await answer.close()
            raise
        return self._pass_on(answer)

    async def _prompt(self) -> bytes:
        """The body for the upstream, with memory in front of the messages."""
        asked = self._asked
        try:
            await self._allowance.check()
        except Unavailable as error:
            later = {} if error.retry_after is None else {"retry-after": str(int(error.retry_after) + 1)}
            said = {**openai_error(429, str(error), "insufficient_quota"), "type": "insufficient_quota"}
            raise UpstreamFailed(429, said, later) from None
        messages = asked.messages
        if asked.recall:
            context = await asked.chat.enrich(messages, retried=asked.retried)
            messages, self._sections = context.messages, context.tokens
        body = outgoing(asked, messages)
        self._sent = len(body)
        self._began = time.monotonic()
        return body

    async def _answered(self, answer: Whole) -> Whole:
        self._heard.whole(answer.body)
        self._keyed.add(answer.body)
        await self._finish("application/json")
        return answer

    async def _pass_on(self, answer: Streamed) -> AsyncGenerator[bytes]:
        events = Events()
        try:
            async with aclosing(answer.pieces()) as pieces:
                async for piece in pieces:
                    for one in events.feed(piece):
                        yield await self._passed(one)
            if rest := events.rest():
                yield await self._passed(rest)
            if not self._heard.complete:
                raise broken("the stream ended before the answer did")
            await self._finish(STREAM)
        except UpstreamFailed as error:
            yield event({"error": error.error})
        except RecollectError as error:
            yield event({"error": openai_error(503, str(error), "not_saved")})
        finally:
            await self._let_go(answer)

    async def _passed(self, one: bytes) -> bytes:
        """An event to pass on. Whoever reads that it is over may rely on it: by then all is stored."""
        data = data_of(one)
        self._keyed.add(one)
        if data == DONE:
            if not self._heard.complete:
                raise broken("the stream ended before the answer did")
            await self._finish(STREAM)
        elif data:
            self._heard.event(data)
        return one

    async def _let_go(self, answer: Streamed) -> None:
        """However it ended. Some clients leave when the model has finished, and do not wait for the end."""
        try:
            if self._heard.complete and not self._over:
                self._keyed.add(event_of(DONE))
                await self._finish(STREAM)
            elif not self._over:
                await self._to_the_end(self._give_up())
        finally:
            await answer.close()

    async def _finish(self, kind: str) -> None:
        """Store the reply, count what it cost, and keep the answer for whoever asks again under the same key."""
        if not self._over:
            self._over = True
            await self._to_the_end(self._store(kind))

    async def _store(self, kind: str) -> None:
        written = f"{kind}; charset=utf-8" if kind == STREAM else kind
        try:
            with self._keyed.kept(self._asked.chat.id, {"content-type": written, **self.headers}):
                await self._keep(self._heard.reply(time.monotonic() - self._began))
        except BaseException:
            await self._keyed.drop()
            raise
        await self._allowance.count(self._heard.tokens(self._sent))

    async def _give_up(self) -> None:
        """The reply is not whole, and not stored; but it was paid for."""
        await self._keyed.drop()
        if self._heard.anything:
            await self._allowance.count(self._heard.tokens(self._sent))

    async def _keep(self, reply: dict[str, Any] | None) -> None:
        asked, ended = self._asked, None
        if reply is not None:
            used = self._heard.tokens(self._sent)
            ended = Ended(
                model=reply["metadata"]["model"],
                tokens={**self._sections, "sent": used.sent, "received": used.received},
                seconds=time.monotonic() - self._began,
            )
        elif self._kept is not None:
            return
        kept = await asked.chat.keep(asked.messages, reply, before=self._kept, ended=ended, retried=asked.retried)
        self._kept = kept


def headers_for(conversation: str, tokens: int) -> dict[str, str]:
    """What an answer of the proxy says beside what the upstream does."""
    return {"x-recollect-conversation": conversation, "x-recollect-context-tokens": str(tokens)}


def listed(answer: Whole) -> list[dict[str, Any]]:
    """The models of an upstream."""
    try:
        return msgspec.json.decode(answer.body, type=dict[str, Any])["data"]
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError):
        raise broken("what it sent is not a list of models") from None
