"""Keeps prompts out of the logs of others: some versions of clients write whole requests at debug level."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_TALKATIVE = ("openai._base_client", "anthropic._base_client")
_for_us: ContextVar[bool] = ContextVar("recollect_for_us", default=False)


def _wanted(record: logging.LogRecord) -> bool:
    """What an application asks its own client to log is its own business."""
    return record.levelno > logging.DEBUG or not _for_us.get()


@contextmanager
def quiet() -> Generator[None]:
    """While a client works for us, its debug lines are dropped."""
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_wanted)
    token = _for_us.set(True)
    try:
        yield
    finally:
        _for_us.reset(token)
