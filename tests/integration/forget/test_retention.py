"""How long things are kept, and what the clean-up removes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from recollect import Chat, Invalid, NotFound, Recollect, Retention, Settings, Tidied
from recollect.forget.records import Keeping
from recollect.forget.tidy import BATCH, tidy
from recollect.records import Caller


async def _old(memory: Recollect, agent: str, *hours: float) -> Chat:
    """A conversation whose messages were said so many hours ago."""
    chat = await memory.conversation(user="ana", agent=agent)
    now = datetime.now(UTC)
    for ago in hours:
        await chat.append("user", f"{ago} hours ago", at=now - timedelta(hours=ago))
    return chat


async def _left(chat: Chat) -> list[int]:
    return [message.seq for message in await chat.window(100)]


async def test_rules_of_the_tenant_and_of_agents(memory: Recollect) -> None:
    assert await memory.retention() == Retention()
    kept = {name: await _old(memory, name, 100, 30, 3, 0) for name in ("cook", "baker", "elephant")}
    assert await memory.tidy() == Tidied()
    await memory.set_retention(24 * 60)
    await memory.set_retention(60, agent="baker")
    rules = await memory.set_retention("forever", agent="elephant")
    assert rules == Retention(tenant=1440, agents={"baker": 60, "elephant": "forever"})
    assert [rules.minutes(agent) for agent in kept] == [1440, 60, None]
    assert (await memory.tidy()).messages == 5
    assert [await _left(chat) for chat in kept.values()] == [[3, 4], [4], [1, 2, 3, 4]]
    assert await memory.tidy() == Tidied()
    await memory.set_retention(None, agent="elephant")
    assert (await memory.tidy()).messages == 2
    await memory.set_retention(None)
    assert await memory.retention() == Retention(agents={"baker": 60})


async def test_the_installation_has_a_rule_too(dsn: str, tenant: str) -> None:
    settings = Settings(database=dsn, tenant=tenant, retention_minutes=60)
    async with Recollect.open(settings=settings) as memory:
        chat = await _old(memory, "cook", 2, 0)
        assert (await memory.retention()).usual == 60
        assert (await memory.tidy()).messages == 1
        assert await _left(chat) == [2]
        assert (await memory.set_retention("forever")).usual is None


async def test_the_conversation_stays_with_its_numbers(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await _old(memory, "cook", 5, 4)
    reply = await chat.append("assistant", "late", at=datetime.now(UTC) - timedelta(hours=3))
    before = (await memory.conversation(id=chat.id)).record
    assert reply.answers == 2
    await admin.execute(
        "insert into recollect.digests (tenant, conversation, learned_seq, summary, summary_seq) values ($1, $2, 3, 'all', 3)",
        memory.tenant,
        chat.id,
    )
    await memory.set_retention(150)
    assert (await memory.tidy()).messages == 3
    after = (await memory.conversation(id=chat.id)).record
    assert (after.message_count, after.last_seq) == (0, 3)
    assert after.updated_at == before.updated_at
    assert (await chat.append("assistant", "on we go")).answers is None, "what it answered is gone"
    assert await _left(chat) == [4]
    digest = await admin.fetchrow(
        "select summary, learned_seq from recollect.digests where tenant = $1", memory.tenant
    )
    assert tuple(digest or ()) == (None, 3)


async def test_more_than_one_batch(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    old = datetime.now(UTC) - timedelta(days=1)
    for _ in range(3):
        await chat.extend([{"role": "user", "content": "x", "at": old}] * (BATCH // 2 + 1))
    await memory.set_retention(5)
    assert (await memory.tidy()).messages == 3 * (BATCH // 2 + 1)
    assert (await memory.conversation(id=chat.id)).record.message_count == 0


async def test_expired_memories_go_without_a_tombstone(memory: Recollect, admin: asyncpg.Connection) -> None:
    now = datetime.now(UTC)
    gone = await memory.remember(
        "user has a cold", user="ana", agent="cook", expires_at=now + timedelta(seconds=1)
    )
    await memory.revise(gone.id, "user has a bad cold", expires_at=now + timedelta(minutes=1))
    kept = await memory.remember("user likes tea", user="ana", agent="cook", expires_at=now + timedelta(days=1))
    assert (await memory.tidy()).memories == 0
    buried = await admin.fetchval("select count(*) from recollect.tombstones where tenant = $1", memory.tenant)
    later = await tidy(
        memory._database, Caller(memory.tenant, "worker"), Keeping(), now + timedelta(minutes=2)  # pyright: ignore[reportPrivateUsage]
    )  # fmt: skip
    assert later == Tidied(memories=1)
    with pytest.raises(NotFound):
        await memory.history(gone.id)
    assert (await memory.memory(kept.id)).text == "user likes tea"
    assert (
        await admin.fetchval("select count(*) from recollect.tombstones where tenant = $1", memory.tenant)
        == buried
    )
    assert (await memory.remember("user has a bad cold", user="ana", agent="cook")).version == 1


async def test_old_idempotency_keys_go(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    for number in range(5):
        await chat.append("user", f"{number}", key=f"key-{number}")
    await admin.execute(
        "update recollect.append_keys set created_at = now() - interval '8 days' where tenant = $1 and key < 'key-3'",
        memory.tenant,
    )
    assert await memory.tidy() == Tidied(keys=3)
    left = await admin.fetch("select key from recollect.append_keys where tenant = $1 order by key", memory.tenant)
    assert [row["key"] for row in left] == ["key-3", "key-4"]
    assert (await chat.append("user", "4", key="key-4")).seq == 5


async def test_the_clean_up_of_one_tenant_leaves_others_alone(memory: Recollect, dsn: str) -> None:
    chat = await _old(memory, "cook", 5)
    async with Recollect.open(dsn, tenant=f"{memory.tenant}-other") as other:
        await other.set_retention(1)
        assert await other.tidy() == Tidied()
    assert await _left(chat) == [1]


@pytest.mark.parametrize("minutes", [0, -1, 1.5, "soon", True, 10**12])
async def test_bad_rules(memory: Recollect, minutes: object) -> None:
    with pytest.raises(Invalid, match="minutes"):
        await memory.set_retention(minutes)  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="agent"):
        await memory.set_retention(5, agent="")
    assert await memory.retention() == Retention()


def test_settings() -> None:
    assert (Settings.read({}).retention_minutes, Settings.read({}).key_days) == (None, 7)
    assert Settings.read({"RECOLLECT_RETENTION_MINUTES": "90"}).retention_minutes == 90
    for name, value in (("RETENTION_MINUTES", "0"), ("RETENTION_MINUTES", "x"), ("KEY_DAYS", "0")):
        with pytest.raises(Invalid, match=name.lower()):
            Settings.read({f"RECOLLECT_{name}": value})
