"""The request for proposals, while its process is killed at every step, at different moments of a turn."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import recollect
from recollect import Busy, Recollect, Settings, Unavailable
from scripted_model import Hang, Reply, ScriptedModel

SCRIPT = Path(__file__).parent / "turning.py"

STEPS: list[tuple[str, dict[str, Any]]] = [
    ("We need an RFP for laptops", {"workflowStep": "collecting_requirements", "rfpDraft": {"title": "Laptops"}}),
    ("20 of them", {"rfpDraft": {"description": "20 laptops", "requirements": {"items": [{"name": "laptop"}]}}}),
    ("50000 by December", {"workflowStep": "drafting_rfp", "rfpDraft": {"budget": 50000, "deadline": "December"}}),
    ("fine", {"workflowStep": "reviewing_rfp"}),
    ("go on", {"workflowStep": "selecting_vendors"}),
    ("Acme", {"workflowStep": "ready_to_send", "rfpDraft": {"vendorsSelected": ["Acme"]}}),
]


def run(*args: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(recollect.__file__).parent.parent)}
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *args],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def finished(*args: str) -> str:
    """Say it until it is answered: a lease of the process that was killed has to run out first."""
    for _ in range(100):
        process = run(*args)
        out, err = await asyncio.to_thread(process.communicate)
        if process.returncode == 0:
            return out.strip()
        assert "Busy" in err, err
        await asyncio.sleep(0.3)
    raise AssertionError("it stays busy")


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_killed_at_every_step_it_goes_on_from_there(
    memory: Recollect, dsn: str, scripted: ScriptedModel
) -> None:
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    for place, (message, update) in enumerate(STEPS):
        where = (dsn, memory.tenant, scripted.url, message, f"key-{place}")
        # Killed while the model thinks.
        scripted.play(Hang())
        heard = len(scripted.requests)
        process = run(*where)
        for _ in range(3000):
            if len(scripted.requests) > heard or process.poll() is not None:
                break
            await asyncio.sleep(0.02)
        assert process.poll() is None
        process.kill()
        await asyncio.to_thread(process.communicate)
        window = await chat.window(100)
        assert [one.role for one in window] == ["user", "assistant"] * place + ["user"]
        # A new process goes on with the same key; another one after it gets the saved answer.
        scripted.play(Reply(json.dumps({"response": f"answer {place}", "stateUpdate": update})))
        assert await finished(*where) == f"answer {place}"
        heard = len(scripted.requests)
        assert await finished(*where) == f"answer {place}"
        assert len(scripted.requests) == heard
        window = await chat.window(100)
        assert [one.role for one in window] == ["user", "assistant"] * (place + 1)
    state = await chat.state()
    assert (state.step, state.missing) == ("ready_to_send", [])
    await chat.act("send_rfp", key="send")
    await chat.act("send_rfp", key="send")
    assert ((await memory.conversation(id=chat.id)).status, len(await memory.outbox())) == ("sent", 1)
    assert [turn.status for turn in await chat.turns()] == ["done"] * len(STEPS)


@pytest.mark.slow
async def test_killed_at_any_moment_a_turn_is_whole_or_not_there(memory: Recollect, dsn: str) -> None:
    """The offline responder, killed at moments that wander through the turn."""
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    talk = ["RFP for laptops", "For the new office in Porto", "50000", "2026-12-01", "20 laptops", "Acme, Globex"]
    for place, message in enumerate(talk):
        where = (dsn, memory.tenant, "", message, f"key-{place}")
        process = run(*where)
        connected = asyncio.get_running_loop().time() + 30
        while len(await chat.window(100)) <= 2 * place and process.poll() is None:
            assert asyncio.get_running_loop().time() < connected
        await asyncio.sleep(0.004 * place)
        process.kill()
        await asyncio.to_thread(process.communicate)
        roles = [one.role for one in await chat.window(100)]
        assert roles in (["user", "assistant"] * place + ["user"], ["user", "assistant"] * (place + 1))
        await finished(*where)
        assert [one.role for one in await chat.window(100)] == ["user", "assistant"] * (place + 1)
    assert (await chat.state()).step == "ready_to_send"


async def test_connections_that_break_during_a_turn_save_its_reply_once(
    dsn: str, tenant: str, admin: asyncpg.Connection, scripted: ScriptedModel
) -> None:
    settings = Settings.read(
        {}, database=dsn, tenant=tenant, model="openai:scripted", openai_base_url=scripted.url, turn_lease=0.6
    )
    scripted.respond = lambda _: "hello"
    cut = 0
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")

        async def ask(n: int) -> None:
            while True:
                try:
                    await chat.say(f"message {n}", key=str(n))
                except (Unavailable, Busy):
                    await asyncio.sleep(0.2)
                else:
                    return

        for n in range(20):
            asking = asyncio.create_task(ask(n))
            for _ in range(3):
                await asyncio.sleep(0.002 * (n % 10))
                cut += await admin.fetchval(
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() "
                    "and backend_type = 'client backend' and state <> 'idle'"
                )
            await asking
        window = await chat.window(100)
        assert [one.role for one in window] == ["user", "assistant"] * 20
    assert cut > 0, "nothing was cut"
