from __future__ import annotations

import asyncio
import uuid

import asyncpg
import pytest

from recollect import Invalid, NotFound, Recollect, Refused
from recollect.paging import write_cursor

GHOST = "00000000-0000-4000-8000-000000000000"


async def test_the_active_conversation_is_made_once_and_found_again(memory: Recollect) -> None:
    first = await memory.conversation(user="ana", agent="librarian")
    again = await memory.conversation(user="ana", agent="librarian")
    assert again.id == first.id
    assert (first.user, first.agent, first.title, first.status) == ("ana", "librarian", None, "open")
    assert uuid.UUID(first.id).version == 4


async def test_two_agents_of_one_user_have_two_conversations(memory: Recollect) -> None:
    one = await memory.conversation(user="ana", agent="librarian")
    two = await memory.conversation(user="ana", agent="cook")
    other = await memory.conversation(user="ben", agent="cook")
    assert len({one.id, two.id, other.id}) == 3


async def test_many_first_calls_at_once_open_one(memory: Recollect) -> None:
    chats = await asyncio.gather(*(memory.conversation(user="ana", agent="librarian") for _ in range(30)))
    assert len({chat.id for chat in chats}) == 1
    assert len((await memory.conversations(user="ana")).items) == 1


async def test_a_new_one_becomes_active(memory: Recollect) -> None:
    old = await memory.conversation(user="ana", agent="librarian")
    new = await memory.new_conversation(user="ana", agent="librarian", title="Second")
    assert new.title == "Second"
    assert (await memory.conversation(user="ana", agent="librarian")).id == new.id
    await old.activate()
    assert (await memory.conversation(user="ana", agent="librarian")).id == old.id


async def test_an_id_can_be_brought_along_but_not_twice(memory: Recollect) -> None:
    mine = str(uuid.uuid4())
    chat = await memory.new_conversation(user="ana", agent="librarian", id=mine)
    assert chat.id == mine
    with pytest.raises(Refused, match=mine):
        await memory.new_conversation(user="ben", agent="librarian", id=mine)
    assert (await memory.conversation(id=mine)).user == "ana"


async def test_the_same_id_in_another_tenant_is_another_conversation(memory: Recollect, dsn: str) -> None:
    mine = uuid.uuid4()
    await memory.new_conversation(user="ana", agent="librarian", id=mine)
    async with Recollect.open(dsn, tenant=memory.tenant + "-b") as other:
        with pytest.raises(NotFound):
            await other.conversation(id=mine)
        theirs = await other.new_conversation(user="bob", agent="librarian", id=mine)
        await theirs.append("user", "theirs")
    chat = await memory.conversation(id=mine)
    assert (chat.user, await chat.window()) == ("ana", [])


async def test_what_is_not_there(memory: Recollect) -> None:
    with pytest.raises(NotFound, match=GHOST):
        await memory.conversation(id=GHOST)
    with pytest.raises(Invalid, match="UUID"):
        await memory.conversation(id="x")
    with pytest.raises(Invalid, match="user"):
        await memory.conversation(agent="librarian")
    with pytest.raises(Invalid, match="agent"):
        await memory.conversation(user="ana")
    with pytest.raises(Invalid, match="either"):
        await memory.conversation(user="ana", agent="librarian", id=GHOST)
    with pytest.raises(Invalid, match="title"):
        await memory.new_conversation(user="ana", agent="librarian", title="a\0")


async def test_the_list_is_by_newest_activity_and_pages(memory: Recollect) -> None:
    chats = [await memory.new_conversation(user="ana", agent=f"agent {n % 2}") for n in range(7)]
    await chats[2].append("user", "hello again")
    order = [2, 6, 5, 4, 3, 1, 0]
    seen: list[str] = []
    cursor = None
    for _ in range(10):
        page = await memory.conversations(user="ana", limit=3, cursor=cursor)
        seen += [item.id for item in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [chats[n].id for n in order]
    only = await memory.conversations(user="ana", agent="agent 1")
    assert [item.id for item in only.items] == [chats[n].id for n in (5, 3, 1)]
    assert (await memory.conversations(user="nobody")).items == []
    for wrong in ("x", "AAAA", "é", "WyJhIl0"):
        with pytest.raises(Invalid, match="cursor"):
            await memory.conversations(user="ana", cursor=wrong)


async def test_rename_archive_and_back(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.rename("Porto")
    assert (chat.title, (await memory.conversation(id=chat.id)).title) == ("Porto", "Porto")
    await chat.rename(None)
    assert chat.title is None

    await chat.archive()
    assert chat.record.archived_at is not None
    assert (await memory.conversations(user="ana")).items == []
    assert [item.id for item in (await memory.conversations(user="ana", archived=True)).items] == [chat.id]
    with pytest.raises(Refused, match="archived"):
        await chat.activate()
    assert (await memory.conversation(user="ana", agent="librarian")).id != chat.id
    await chat.archive(False)
    await chat.activate()
    assert (await memory.conversation(user="ana", agent="librarian")).id == chat.id


async def test_clear_keeps_the_conversation_and_never_reuses_a_number(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", f"message {n}") for n in range(12)])
    await chat.clear()
    assert await chat.window() == []
    assert chat.record.message_count == 0
    assert await admin.fetchval("select count(*) from recollect.work where subject = $1", chat.id) == 0
    next_one = await chat.append("assistant", "hello")
    assert (next_one.seq, next_one.answers) == (13, None)
    assert [one.kind for one in await memory.work()] == ["settle"], "what is new is waited for"


async def test_delete_takes_everything_along(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", f"message {n}") for n in range(12)], key="k")
    await chat.delete()
    for table in ("conversations", "active_conversations", "messages", "append_keys"):
        assert (
            await admin.fetchval(f"select count(*) from recollect.{table} where tenant = $1", memory.tenant) == 0
        )
    assert await memory.work() == []
    for use in (
        chat.window(),
        chat.messages(),
        chat.append("user", "x"),
        chat.rename("x"),
        chat.archive(),
        chat.activate(),
        chat.clear(),
        chat.delete(),
        chat.export(),
    ):
        with pytest.raises(NotFound, match=chat.id):
            await use
    assert (await memory.conversation(user="ana", agent="librarian")).id != chat.id


async def test_every_change_is_in_the_audit_without_content(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.rename("canary title")
    await chat.archive()
    await chat.archive(False)
    await chat.activate()
    await chat.clear()
    await chat.delete()
    rows = await admin.fetch("select * from recollect.audit where tenant = $1 order by id", memory.tenant)
    assert [row["action"].removeprefix("conversation.") for row in rows] == [
        "create",
        "rename",
        "archive",
        "unarchive",
        "activate",
        "clear",
        "delete",
    ]
    assert {(row["actor"], row["user_id"], row["subject"]) for row in rows} == {("library", "ana", chat.id)}
    assert "canary" not in str(rows)


async def test_archived_and_active_at_once_cannot_be(memory: Recollect) -> None:
    for _ in range(20):
        chat = await memory.new_conversation(user="ana", agent="librarian")
        await asyncio.gather(chat.archive(), chat.activate(), return_exceptions=True)
        assert (await memory.conversation(id=chat.id)).record.archived_at is not None
        assert (await memory.conversation(user="ana", agent="librarian")).id != chat.id


async def test_flags_must_be_flags(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    with pytest.raises(Invalid, match="archived"):
        await chat.archive(1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="archived"):
        await memory.conversations(user="ana", archived="yes")  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="format"):
        await chat.export([])  # pyright: ignore


async def test_what_is_asked_of_a_deleted_conversation(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    assert (await chat.turns(), (await chat.state_history()).items) == ([], [])
    await chat.delete()
    for call in (chat.turns, chat.state_history):
        with pytest.raises(NotFound, match="conversation"):
            await call()


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
async def test_a_cursor_with_a_time_outside_of_the_calendar(memory: Recollect, time: str) -> None:
    cursor = write_cursor((time, GHOST))
    with pytest.raises(Invalid, match="cursor"):
        await memory.conversations(user="ana", cursor=cursor)
    with pytest.raises(Invalid, match="cursor"):
        await memory.memories(user="ana", agent="librarian", cursor=cursor)
