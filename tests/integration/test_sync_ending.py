"""How a program that uses the blocking door ends: whatever it left open, it does not wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.sync import Recollect

OPEN = "from recollect.sync import Recollect\nmemory = Recollect.open(data_dir='data')\n"
STREAM = """
chat = memory.new_conversation(user='ana', agent='librarian')
events = chat.stream('hello')
next(events)
"""
CLOSES = """
class Holder:
    def __init__(self, memory):
        self.memory = memory
    def __del__(self):
        self.memory.close()
holder = Holder(memory)
"""
ASKS = """
class Asker:
    def __init__(self, memory):
        self.memory = memory
    def __del__(self):
        try:
            self.memory.tenants()
        except RuntimeError as error:
            print(error)
asker = Asker(memory)
"""
AT_EXIT = "import atexit; atexit.register(memory.close)\n"


def end(script: str, place: Path) -> str:
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", OPEN + script]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("script", [STREAM, CLOSES, STREAM + CLOSES, AT_EXIT, STREAM + AT_EXIT])
def test_a_program_that_closes_late_or_never_ends(tmp_path: Path, script: str) -> None:
    end(script, tmp_path)


def test_a_call_while_the_interpreter_shuts_down_is_refused(tmp_path: Path) -> None:
    assert "shutting down" in end(ASKS, tmp_path)


def connections(memory: Recollect) -> set[int]:
    return {connection.get_server_pid() for connection in memory._inner._database._pool._made}  # pyright: ignore


@pytest.mark.parametrize("way", ["close", "terminate", "stream"])
def test_a_forked_child_lets_go_in_silence(dsn: str, tenant: str, way: str) -> None:
    with Recollect.open(dsn, tenant=tenant) as memory:
        chat = memory.conversation(user="ana", agent="librarian")
        events = chat.stream("hello")
        next(events)
        before = connections(memory)
        child = os.fork()
        if child == 0:
            try:
                if way == "close":
                    memory.close()
                elif way == "stream":
                    events.close()
                else:
                    for one in list(memory._inner._database._pool._made):  # pyright: ignore
                        one.terminate()
                os._exit(7)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert list(events)
        assert chat.export("json")
        assert before <= connections(memory), "none of them broke"


def test_a_forked_child_can_open_a_door_of_its_own(dsn: str, tenant: str) -> None:
    with Recollect.open(dsn, tenant=tenant) as memory:
        memory.conversation(user="ana", agent="librarian")
        child = os.fork()
        if child == 0:
            try:
                memory.close()
                with Recollect.open(dsn, tenant=tenant) as own:
                    own.conversation(user="ana", agent="librarian").append("user", "from the child")
                os._exit(7)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        chat = memory.conversation(user="ana", agent="librarian")
        assert [message.content for message in chat.window()] == ["from the child"]
