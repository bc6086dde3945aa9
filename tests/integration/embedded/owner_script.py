"""One owner of an embedded PostgreSQL, as a process of its own: opens, says so, closes on a line of input."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from recollect.errors import Unavailable
from recollect.storage.embedded import start


def say(**fact: str) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


async def main() -> None:
    options = json.loads(sys.argv[2])
    try:
        server = await start(Path(sys.argv[1]), **options)
    except Unavailable as error:
        say(error=str(error))
        return
    say(socket=server.socket, version=server.version)
    await asyncio.to_thread(sys.stdin.readline)
    await server.close()


asyncio.run(main())
