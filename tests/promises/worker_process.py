"""A worker in a process of its own; run by test_06_work_is_never_lost, which kills and pauses it.

Usage: worker_process.py DSN LEASE [MODEL_URL]
"""

from __future__ import annotations

import asyncio
import sys

from recollect import Recollect
from recollect.settings import Settings
from recollect.worker import Worker


async def main(dsn: str, lease: float, model_url: str | None) -> None:
    settings = Settings(
        database=dsn,
        model="openai:scripted" if model_url else None,
        openai_base_url=model_url,
        openai_api_key="none",
        model_timeout=120,
    )
    async with Recollect.open(settings=settings, actor="worker") as memory:
        await Worker(memory, lease=lease, look_again=0.2).run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None))
