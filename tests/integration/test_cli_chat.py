"""``recollect chat``, with a pipe for a keyboard."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import recollect

TALK = """hello
Office laptops
/state
For the new office in Porto, with docks
budget is 50000
the deadline is 2026-12-01
20 laptops
/send_rfp
Acme and Globex
/context
/send_rfp
/memories
/notes
/turns
/nonsense
/new
hello again
/quit
never said
"""


def chat(dsn: str, tenant: str, talk: str, *more: str, url: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(recollect.__file__).parent.parent), "OPENAI_BASE_URL": url}
    who = ("--user", "ana", "--agent", "buyer", "--database", dsn, "--tenant", tenant)
    command = [sys.executable, "-m", "recollect", "chat", *who, *more]
    return subprocess.run(command, input=talk, env=environment, capture_output=True, text=True, timeout=120)


def test_a_talk_from_a_pipe(dsn: str, tenant: str) -> None:
    done = chat(dsn, tenant, TALK, "--workflow", "rfp")
    assert done.returncode == 0, done.stderr
    heard = done.stdout
    assert heard.index("I have no language model") < heard.index("What is the title?")
    assert "Noted: budget = 50000." in heard
    assert "Step: collecting_requirements" in heard
    assert "there is no /send_rfp" in done.stderr, "not before it is ready"
    assert "Step: sent" in heard
    assert '"memories":' in heard
    assert "nothing is remembered yet" in heard
    assert "there are no notes yet" in heard
    assert ": done, offline," in heard
    assert "there is no /nonsense" in done.stderr
    assert "a new conversation" in heard
    assert "never said" not in heard
    assert "ana>" not in heard, "a pipe needs no prompt"


def test_it_goes_on_where_it_was(dsn: str, tenant: str) -> None:
    chat(dsn, tenant, "hello\nOffice laptops\n", "--workflow", "rfp")
    done = chat(dsn, tenant, "/state\n")
    assert 'title = "Office laptops"' in done.stdout
    again = chat(dsn, tenant, "/state\n", "--workflow", "rfp")
    assert 'title = "Office laptops"' in again.stdout


def test_a_model_that_is_not_there_is_one_line(dsn: str, tenant: str) -> None:
    done = chat(dsn, tenant, "hello\n/turns\n", "--model", "openai:nobody", url="http://127.0.0.1:9/v1")
    assert done.returncode == 0
    assert "error: model:" in done.stderr
    assert "Traceback" not in done.stderr
    assert ": failed, nobody," in done.stdout
