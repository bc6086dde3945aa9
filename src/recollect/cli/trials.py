"""What doctor tries out beside the database: the embedder, the language model and the cache, each for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from recollect.cli.findings import Finding
from recollect.errors import Invalid, Unavailable
from recollect.opening import cache_servers, embedder_for, language_model_for
from recollect.ports import Prompt
from recollect.settings import Settings

#: Seconds for an embedder or a model, which may have to be loaded first; and for a cache.
PATIENCE = 30.0
CACHE_PATIENCE = 5.0
#: Enough for a model that thinks before it answers with one word.
MOST_TOKENS = 1000
QUESTION = "Answer with the one word: ok"

Trial = Callable[[Settings, AsyncExitStack], Awaitable[str]]


async def trials(settings: Settings) -> list[Finding]:
    """One finding each, in this order; they are tried at the same time."""
    async with AsyncExitStack() as exits:
        answer = min(settings.model_timeout, PATIENCE)
        return [
            *await asyncio.gather(
                _tried("embedder", _embedder, PATIENCE, settings, exits),
                _tried("model", _model, answer, settings, exits),
                _tried("cache", _cache, CACHE_PATIENCE, settings, exits),
            )
        ]


async def _tried(what: str, trial: Trial, seconds: float, settings: Settings, exits: AsyncExitStack) -> Finding:
    try:
        async with asyncio.timeout(seconds):
            return Finding(what, True, await trial(settings, exits))
    except Invalid as error:
        return Finding(error.field, False, error.problem)
    except Unavailable as error:
        return Finding(error.part, False, f"{error.problem}; {_remedy(what, settings, error.status)}")
    except TimeoutError:
        return Finding(what, False, f"it did not answer in {seconds:g} s; {_remedy(what, settings)}")
    except Exception as error:  # whatever a library says of a file that it cannot read
        return Finding(what, False, f"it does not work ({type(error).__name__}); {_remedy(what, settings)}")


async def _embedder(settings: Settings, exits: AsyncExitStack) -> str:
    embedder = embedder_for(settings, exits)
    if not (await embedder.embed(["word"])).any():
        raise Unavailable("embedder", f"{embedder.name} makes no vector of a word")
    return embedder.name


async def _model(settings: Settings, exits: AsyncExitStack) -> str:
    model = language_model_for(settings, exits)
    if model is None:
        return "none is set; everything goes the offline ways"
    began = time.monotonic()
    asked = [{"role": "user", "content": QUESTION}]
    await model.complete(Prompt(messages=asked, max_tokens=MOST_TOKENS, seconds=PATIENCE))
    return f"{model.name} answered in {time.monotonic() - began:.1f} s"


async def _cache(settings: Settings, exits: AsyncExitStack) -> str:
    if settings.cache is None:
        return "none is set; everything comes from the database"
    if settings.cache == "memory":
        return "in the memory of each process"
    servers = cache_servers(settings.cache, CACHE_PATIENCE)
    from recollect.cache.lines import FAILURES

    exits.push_async_callback(servers.close)
    try:
        await servers.probe()
    except FAILURES as error:
        raise Unavailable("cache", f"it does not answer ({type(error).__name__})") from None
    return "it answers"


def _remedy(what: str, settings: Settings, status: int | None = None) -> str:
    """What to do about it; ``status`` is what an endpoint answered, if it did."""
    if what == "cache":
        return "check RECOLLECT_CACHE, and that its server runs; until it does, the database answers"
    if what == "embedder" and not settings.embedder.startswith("openai:"):
        return "check RECOLLECT_EMBEDDER and its files"
    if status in (401, 403):
        return "check OPENAI_API_KEY"
    if status == 429:
        return "it was asked too often, or its budget is used up: wait, or look at the account there"
    if status is not None and status >= 500:
        return "the fault is there: look at its own log"
    return f"check OPENAI_BASE_URL, RECOLLECT_{what.upper()}, and that it runs"
