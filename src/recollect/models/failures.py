"""What an error of a language model's client means to a caller. Clients quote prompts and answers; we do not."""

from __future__ import annotations

import email.utils
import logging
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.errors import Unavailable
from recollect.models.assembly import MOST_TEXT, Misshapen, TooLong
from recollect.observe.logs import say

#: No endpoint is left alone for longer, whatever it asks for.
LONGEST_PAUSE = 3600.0
#: Where the key of OpenAI-compatible endpoints is set.
KEY = "OPENAI_API_KEY"


def failed(model: str, error: Exception, seconds: float, key: str | None = None) -> Unavailable:
    """The error that a caller gets, logged by its kind. ``key`` is where the endpoint's key is set."""
    if isinstance(error, Unavailable):
        return error
    kinds = [type(link).__name__ for link in _chain(error)]
    status = status_of(error)
    say(logging.WARNING, "model.failed", model=model, error=kinds[0], status=status)
    if status is not None:
        return Unavailable(
            "model", answered(model, status, kinds[0], key), status=status, retry_after=retry_after(error)
        )
    if is_too_long(error):
        return Unavailable("model", f"the answer of {model} is longer than {MOST_TEXT} characters")
    if any(isinstance(link, TimeoutError) or "Timeout" in type(link).__name__ for link in _chain(error)):
        return Unavailable("model", f"{model} did not answer in {seconds:g} s")
    if isinstance(error, Misshapen | ValueError | TypeError | AttributeError):
        return Unavailable("model", f"what {model} sent is not an answer ({kinds[0]})")
    return Unavailable("model", f"{model} did not answer ({kinds[0]})")


def answered(model: str, status: int, kind: str, key: str | None) -> str:
    """That an endpoint answered, but not with what it was asked for."""
    wrong_key = f"; it does not take the key, check {key}" if status == 401 and key is not None else ""
    return f"{model} answered {status} ({kind}){wrong_key}"


def is_too_long(error: Exception) -> bool:
    """Whether more came than an answer may have."""
    return any(isinstance(link, TooLong) for link in _chain(error))


def status_of(error: Exception) -> int | None:
    """The HTTP status in an error of a client, if there is one."""
    places: list[Any] = [error, getattr(error, "response", None)]
    found = (getattr(place, "status_code", None) for place in places)
    return next((status for status in found if isinstance(status, int)), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes: clients wrap what went wrong below them."""
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = link.__cause__


def retry_after(error: Exception) -> float | None:
    """How many seconds the endpoint wants to be left alone, if it says so."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    return None if headers is None else pause_in(headers, datetime.now(UTC))


def pause_in(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds in ``Retry-After``, which is a number or a date."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_PAUSE)
