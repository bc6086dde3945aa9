"""Lines of other loggers: what asyncio says of a task may quote what the task worked on."""

from __future__ import annotations

import asyncio
import gc
import io
import logging

import pytest

from recollect.observe.lines import JsonLines

CANARY = "zinnwaldite"


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_asyncio_quotes_nobody(lines: io.StringIO) -> None:
    handler = logging.StreamHandler(lines)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)

    async def failing() -> None:
        raise ValueError(f"{CANARY} text")

    async def main() -> None:
        task = asyncio.create_task(failing(), name=CANARY)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        del task
        gc.collect()

    try:
        asyncio.run(main())
    finally:
        logger.removeHandler(handler)
    assert CANARY not in lines.getvalue()
    assert '"logger":"asyncio"' in lines.getvalue()
    assert '"error":"ValueError"' in lines.getvalue()
