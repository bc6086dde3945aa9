"""A process that appends until it is done; run by test_01_durable, which kills it.

Usage: writer.py DATA_DIR NAME CONVERSATIONS APPENDS_PER_TASK ACKS_FILE
An append is written to the acks file only after it was acknowledged. Started again, it goes on after the last
acknowledged one, so that the append that was under way is retried with the same key. What is not available is tried
again, opening the store included, as any client would.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import Counter
from pathlib import Path

from recollect import Recollect, Unavailable

TASKS = 8


async def main(folder: str, name: str, conversations: list[str], amount: int, acks: Path) -> None:
    file = os.open(acks, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    done = Counter(line.split()[0] for line in os.read(file, 1 << 24).decode().splitlines())
    async with Recollect.open(data_dir=folder) as memory:
        chats = [await memory.conversation(id=id) for id in conversations]

        async def write(task: int) -> None:
            writer = f"{name}.{task}"
            for number in range(done[writer], amount):
                key = f"{writer}.{number}"
                chat = chats[(task + number) % len(chats)]
                while True:
                    try:
                        message = await chat.append("user", f"message {key}", key=key)
                        break
                    except Unavailable:
                        await asyncio.sleep(0.05)
                os.write(file, f"{writer} {key} {chat.id} {message.seq}\n".encode())

        await asyncio.gather(*(write(task) for task in range(TASKS)))


if __name__ == "__main__":
    folder, name, conversations, amount, acks = sys.argv[1:]
    while True:
        try:
            asyncio.run(main(folder, name, conversations.split(","), int(amount), Path(acks)))
            break
        except Unavailable as error:
            sys.stderr.write(f"{error}\n")
            time.sleep(0.05)
