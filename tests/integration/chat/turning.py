"""A process that says one thing in a conversation, and may be killed while it does; what it heard goes to stdout."""

from __future__ import annotations

import asyncio
import sys

from recollect import Recollect, Settings


async def main(dsn: str, tenant: str, model_url: str, message: str, key: str) -> None:
    settings = Settings.read(
        {},
        database=dsn,
        tenant=tenant,
        turn_lease=0.6,
        **({"model": "openai:scripted", "openai_base_url": model_url} if model_url else {}),
    )
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="buyer")
        reply = await chat.say(message, key=key)
        sys.stdout.write(f"{reply.text}\n")


asyncio.run(main(*sys.argv[1:]))
