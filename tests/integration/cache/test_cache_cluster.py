"""A Cluster of six that loses a primary, and a primary that a Sentinel replaces."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import pytest

from caches import believed, hits, levels
from recollect import Chat, Recollect
from recollect.cache import keys
from recollect.cache.servers import slot
from valkeys import Valkey, valkey, valkey_cluster, wait_until

NewDatabase = Callable[[], Awaitable[str]]

pytestmark = pytest.mark.slow


async def _read_and_write(chats: list[Chat], others: list[Chat], rounds: int) -> None:
    """What one process has acknowledged, the other one sees."""
    for number in range(rounds):
        for chat, other in zip(chats, others, strict=True):
            said = await chat.append("user", f"{number}")
            assert (await other.window(3))[-1].seq == said.seq
            assert (await chat.window(3))[-1].seq == said.seq
            answered = await other.append("assistant", f"{number}")
            assert (await chat.window(3))[-1].seq == answered.seq


async def _write_and_ask(writer: Recollect, chats: list[Chat], others: list[Chat], number: int) -> None:
    """What is written for a user is in the next context. The mark of the user may be on another server."""
    for chat, other in zip(chats, others, strict=True):
        text = f"Likes tea number {number}."
        await writer.edit_notes("append", text, user=chat.user, agent=chat.agent)
        for asked in (chat, other) * 3:
            assert text in str((await asked.context("Which tea?")).messages)


def _ids_of(primary: int, many: int) -> list[str]:
    """Ids of conversations that this one of three primaries holds."""
    some = (str(UUID(int=number, version=4)) for number in itertools.count(1 << 96, 1 << 90))
    held = (id for id in some if slot(keys.key("default", id, keys.MESSAGES)) * 3 // 16384 == primary)
    return list(itertools.islice(held, many))


async def test_a_cluster_that_loses_a_primary(new_database: NewDatabase, tmp_path: Path) -> None:
    dsn = await new_database()
    with valkey_cluster(tmp_path) as servers:
        url = f"redis+cluster://127.0.0.1:{servers[0].port},127.0.0.1:{servers[1].port}"
        async with (
            Recollect.open(dsn, cache=url, migrate=True) as one,
            Recollect.open(dsn, cache=url) as two,
        ):
            await believed(one, two)
            ids = [id for primary in range(3) for id in _ids_of(primary, 4)]
            chats = [await one.new_conversation(f"user-{number}", "cook", id=id) for number, id in enumerate(ids)]
            others = [await two.conversation(id=chat.id) for chat in chats]
            await _read_and_write(chats, others, 3)
            await _write_and_ask(two, chats, others, 1)
            assert levels(one).measures.by_type["context", "hit"] > 0
            for memory in (one, two):
                assert len(await memory.windows([chat.id for chat in chats])) == 12
                assert (await memory.verify_cache()).differences == []
            before = hits(one)
            servers[1].kill()
            await _read_and_write(chats, others, 3)
            await _write_and_ask(two, chats, others, 2)
            await asyncio.to_thread(wait_until, lambda: _is_primary(servers[4]))
            await _read_and_write(chats, others, 3)
            await believed(one, two)
            await _write_and_ask(two, chats, others, 3)
            await _read_and_write(chats, others, 3)
            assert hits(one) > before
            assert (await one.verify_cache()).differences == []
            # It comes back as a replica, with whatever it had.
            servers[1].start()
            await _read_and_write(chats, others, 3)
            await believed(one, two)
            assert (await two.verify_cache()).differences == []


async def test_a_sentinel_that_names_another_primary(new_database: NewDatabase, tmp_path: Path) -> None:
    dsn = await new_database()
    with valkey(tmp_path / "one") as primary, valkey(tmp_path / "two") as replica:
        replica.ask("REPLICAOF", "127.0.0.1", primary.port)()
        (tmp_path / "sentinel").mkdir()
        config = tmp_path / "sentinel" / "sentinel.conf"
        config.write_text(
            f"sentinel monitor main 127.0.0.1 {primary.port} 1\nsentinel down-after-milliseconds main 1000\n"
            "sentinel failover-timeout main 5000\n"
        )
        with valkey(tmp_path / "sentinel", str(config), "--sentinel") as sentinel:
            await asyncio.to_thread(wait_until, lambda: _replicas(sentinel) == 1)
            url = f"redis+sentinel://127.0.0.1:{sentinel.port}/main/0"
            async with (
                Recollect.open(dsn, cache=url, migrate=True) as one,
                Recollect.open(dsn, cache=url) as two,
            ):
                await believed(one, two)
                chats = [await one.new_conversation("ana", "cook") for _ in range(3)]
                others = [await two.conversation(id=chat.id) for chat in chats]
                await _read_and_write(chats, others, 3)
                primary.kill()
                await _read_and_write(chats, others, 3)
                await asyncio.to_thread(wait_until, lambda: _is_primary(replica))
                await believed(one, two)
                before = hits(two)
                await _read_and_write(chats, others, 3)
                assert hits(two) > before
                assert (await one.verify_cache()).differences == []


def _is_primary(server: Valkey) -> bool:
    answer = server.ask("ROLE")()
    return isinstance(answer, list) and answer[0] in (b"master", "master")


def _replicas(sentinel: Valkey) -> int:
    answer = sentinel.ask("SENTINEL", "REPLICAS", "main")()
    return len(answer) if isinstance(answer, list) else 0
