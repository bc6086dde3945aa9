from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from recollect import Invalid, NotFound, Unavailable
from recollect.sync import Chat, Recollect

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tools"))


def test_the_same_names_without_await(dsn: str, tenant: str) -> None:
    with Recollect.open(dsn, tenant=tenant) as memory:
        assert memory.tenant == tenant
        chat = memory.conversation(user="ana", agent="librarian")
        assert isinstance(chat, Chat)
        assert (chat.user, chat.agent, chat.title, chat.status) == ("ana", "librarian", None, "open")
        first = chat.append("user", "I moved to Porto", key="k")
        assert chat.append("user", "I moved to Porto", key="k") == first
        chat.extend([("assistant", "nice"), ("user", "yes")])
        assert [m.seq for m in chat.window(2)] == [2, 3]
        assert chat.messages(limit=2).cursor is not None
        chat.rename("Porto")
        assert chat.title == chat.record.title == "Porto"
        assert memory.search("porto", user="ana")[0].message == first
        assert memory.conversations(user="ana").items[0].id == chat.id
        assert "Porto" in chat.export("markdown")
        chat.delete()
        with pytest.raises(NotFound):
            memory.conversation(id=chat.id)
        with pytest.raises(Invalid):
            memory.conversation()


def test_many_threads_share_one_door(dsn: str, tenant: str) -> None:
    with Recollect.open(dsn, tenant=tenant) as memory:
        chat = memory.conversation(user="ana", agent="librarian")
        threads = [
            threading.Thread(target=lambda: [chat.append("user", "x") for _ in range(10)]) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [m.seq for m in chat.window(100)] == list(range(1, 81))
    assert sum(thread.name == "recollect" for thread in threading.enumerate()) == 1


async def test_it_works_where_another_loop_is_running(dsn: str, tenant: str) -> None:
    with Recollect.open(dsn, tenant=tenant) as memory:
        assert memory.conversation(user="ana", agent="librarian").id


def test_a_child_process_is_refused_and_the_parent_goes_on(dsn: str, tenant: str) -> None:
    with Recollect.open(dsn, tenant=tenant) as memory:
        chat = memory.conversation(user="ana", agent="librarian")
        chat.append("user", "1")
        child = os.fork()
        if child == 0:
            try:
                chat.append("user", "from the child")
            except Unavailable:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert [chat.append("user", str(n)).seq for n in (2, 3)] == [2, 3]
        assert [m.content for m in chat.window()] == ["1", "2", "3"]


def test_type_checkers_see_the_same_names() -> None:
    import subprocess

    from sync_stub import STUBS, stub  # pyright: ignore[reportMissingImports]

    ruff = Path(sys.executable).with_name("ruff")
    for file, sources in STUBS.items():
        command = [str(ruff), "format", "--stdin-filename", str(file), "-"]
        fixing = [str(ruff), "check", "--fix", "-q", "--stdin-filename", str(file), "-"]
        fixed = subprocess.run(fixing, input=stub(*sources), text=True, capture_output=True).stdout
        formatted = subprocess.run(command, input=fixed, text=True, capture_output=True, check=True).stdout
        assert file.read_text() == formatted, "run: .venv/bin/python tools/sync_stub.py && make format"
