"""Closing a door more than once at a time, while a turn is under way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from scripted_turns import asked

from recollect import Recollect, Settings, Unavailable, sync
from scripted_model import ScriptedModel


@pytest.fixture
def goes_on(scripted: ScriptedModel) -> Iterator[threading.Event]:
    """What the model waits for before it says hello."""
    event = threading.Event()

    def slowly(_: object) -> str:
        event.wait(30)
        return "hello"

    scripted.respond = slowly
    yield event
    event.set()


@pytest.fixture
def with_model(dsn: str, tenant: str, scripted: ScriptedModel) -> Settings:
    return Settings.read({}, database=dsn, tenant=tenant, model="openai:scripted", openai_base_url=scripted.url)


async def test_who_comes_second_waits_too(
    with_model: Settings, scripted: ScriptedModel, goes_on: threading.Event
) -> None:
    memory = await Recollect.open(settings=with_model)
    chat = await memory.conversation(user="ana", agent="librarian")
    turn = asyncio.create_task(chat.say("hi"))
    await asked(scripted, 1)
    closers = [asyncio.create_task(memory.close()) for _ in range(2)]
    done, _ = await asyncio.wait(closers, timeout=0.3)
    assert not done
    goes_on.set()
    assert (await turn).text == "hello"
    await asyncio.gather(*closers)
    await memory.close()


async def test_no_turn_begins_while_the_door_closes(
    with_model: Settings, scripted: ScriptedModel, goes_on: threading.Event
) -> None:
    """The door would not wait for it, and its reply would meet a closed database."""
    memory = await Recollect.open(settings=with_model)
    chat = await memory.conversation(user="ana", agent="librarian")
    other = await memory.new_conversation(user="ben", agent="librarian")
    turn = asyncio.create_task(chat.say("hi"))
    await asked(scripted, 1)
    closer = asyncio.create_task(memory.close())
    await asyncio.sleep(0)
    late = [asyncio.create_task(other.say("too late")), asyncio.create_task(anext(other.stream("too late")))]
    done, _ = await asyncio.wait(late, timeout=5)
    assert await other.window() == []
    goes_on.set()
    assert (await turn).text == "hello"
    await closer
    assert done == set(late)
    for one in late:
        with pytest.raises(Unavailable, match="this door is closed"):
            await one


def test_two_threads(with_model: Settings, scripted: ScriptedModel, goes_on: threading.Event) -> None:
    memory = sync.Recollect.open(settings=with_model)
    chat = memory.conversation(user="ana", agent="librarian")
    with ThreadPoolExecutor(3) as threads:
        turn = threads.submit(chat.say, "hi")
        asyncio.run(asked(scripted, 1))
        closers = [threads.submit(memory.close) for _ in range(2)]
        done, _ = wait(closers, timeout=0.3)
        assert not done
        goes_on.set()
        assert turn.result().text == "hello"
        for closer in closers:
            closer.result()
