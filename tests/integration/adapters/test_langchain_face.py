"""LangChain over the door: history, window memory, middleware, retriever, tool; blocking and asynchronous."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_classic.memory import ConversationBufferWindowMemory
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.checkpoint.memory import InMemorySaver

from recollect import Recollect, Refused, sync
from recollect.adapters.langchain import (
    RecollectChatMessageHistory,
    RecollectMiddleware,
    RecollectRetriever,
    long_term_memory_tool,
)
from recollect.notes.sections import OPERATIONS


@pytest.fixture
def blocking(dsn: str, tenant: str) -> Iterator[sync.Recollect]:
    with sync.Recollect.open(dsn, tenant=tenant) as opened:
        yield opened


class Model(GenericFakeChatModel):
    """Says what it is told to, and keeps what it was asked."""

    asked: list[list[BaseMessage]]

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def model(*says: str | AIMessage) -> Model:
    return Model(messages=iter(says), asked=[])


def test_a_history_for_blocking_code(blocking: sync.Recollect) -> None:
    history = RecollectChatMessageHistory(blocking, "kitchen", user="ana", agent="cook")
    assert history.messages == []
    history.clear()
    history.add_user_message("hello")
    history.add_ai_message("hi")
    history.add_messages([])
    assert history.messages == [HumanMessage("hello"), AIMessage("hi")]
    again = RecollectChatMessageHistory(blocking, "kitchen", limit=1)
    assert again.messages == [AIMessage("hi")]
    assert [one.agent for one in blocking.conversations(user="ana").items] == ["cook"]
    history.messages = [HumanMessage("anew")]
    assert history.messages == [HumanMessage("anew")]
    history.clear()
    assert again.messages == []


async def test_a_history_for_asynchronous_code(memory: Recollect) -> None:
    session = str(uuid.uuid4())
    history = RecollectChatMessageHistory(memory, session, user="ana", agent="cook")
    await history.aadd_messages([HumanMessage(str(n)) for n in range(1005)])
    assert [one.content for one in await history.aget_messages()] == [str(n) for n in range(1005)]
    assert (await memory.conversation(id=session)).record.user == "ana"
    with pytest.raises(RuntimeError, match="aget_messages"):
        assert history.messages
    # From another thread it works: the call is taken to the loop of the door.
    assert len(await asyncio.to_thread(lambda: history.messages)) == 1005
    await history.aclear()
    assert await history.aget_messages() == []


async def test_a_session_of_somebody_else_is_refused(memory: Recollect) -> None:
    ana = RecollectChatMessageHistory(memory, "chat-77", user="ana", agent="cook")
    await ana.aadd_messages([HumanMessage("my PIN is 4711")])
    for user, agent in (("bob", "cook"), ("ana", "nurse"), ("bob", None)):
        bobs = RecollectChatMessageHistory(memory, "chat-77", user=user, agent=agent)
        for call in (bobs.aget_messages(), bobs.aadd_messages([HumanMessage("hi")]), bobs.aclear()):
            with pytest.raises(Refused, match="another user or agent"):
                await call
    assert await ana.aget_messages() == [HumanMessage("my PIN is 4711")]
    # Whoever names nobody goes on with the session as it is, and so does whoever names its user only.
    for user, agent in ((None, None), ("ana", None), (None, "cook")):
        same = RecollectChatMessageHistory(memory, "chat-77", user=user, agent=agent)
        assert len(await same.aget_messages()) == 1


async def test_a_session_that_two_begin_at_once_is_of_one_of_them(memory: Recollect) -> None:
    histories = [RecollectChatMessageHistory(memory, "1", user=user, agent="cook") for user in ("ana", "bob")]
    ended = await asyncio.gather(
        *(one.aadd_messages([HumanMessage("hello")]) for one in histories), return_exceptions=True
    )
    assert [type(one) for one in ended if one is not None] == [Refused]


async def test_a_history_whose_conversation_was_deleted_begins_anew(memory: Recollect) -> None:
    history = RecollectChatMessageHistory(memory, "kitchen", user="ana", agent="cook")
    for again in ("a", "b", "c"):
        await history.aadd_messages([HumanMessage(again)])
        assert await history.aget_messages() == [HumanMessage(again)]
        await (await memory.conversation("ana", "cook")).delete()
        if again == "b":
            assert await history.aget_messages() == []
            await history.aclear()


@pytest.mark.filterwarnings("ignore:The class `ConversationBufferWindowMemory` was deprecated")
def test_a_window_memory_of_langchain_classic(blocking: sync.Recollect) -> None:
    history = RecollectChatMessageHistory(blocking, "window", limit=4)
    window = ConversationBufferWindowMemory(
        k=2, return_messages=True, memory_key="chat_history", input_key="input", chat_memory=history
    )
    for turn in range(4):
        window.save_context({"input": f"question {turn}", "other": "x"}, {"output": f"answer {turn}"})
    assert window.load_memory_variables({})["chat_history"] == [
        HumanMessage("question 2"),
        AIMessage("answer 2"),
        HumanMessage("question 3"),
        AIMessage("answer 3"),
    ]
    assert len(RecollectChatMessageHistory(blocking, "window").messages) == 8
    window.clear()
    assert window.load_memory_variables({})["chat_history"] == []


def _with_history(memory: Any) -> RunnableWithMessageHistory:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("chat_history"), ("human", "{input}")])

    def counted(value: Any) -> AIMessage:
        return AIMessage(f"{len(value.to_messages())} messages")

    count = RunnableLambda(counted)
    return RunnableWithMessageHistory(
        prompt | count,
        lambda session_id: RecollectChatMessageHistory(memory, session_id),
        input_messages_key="input",
        history_messages_key="chat_history",
    )


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
def test_a_runnable_with_message_history(blocking: sync.Recollect) -> None:
    chain = _with_history(blocking)
    one: Any = {"configurable": {"session_id": "one"}}
    other: Any = {"configurable": {"session_id": "other"}}
    assert chain.invoke({"input": "a"}, one).content == "1 messages"
    assert chain.invoke({"input": "b"}, one).content == "3 messages"
    assert chain.invoke({"input": "c"}, other).content == "1 messages"


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
async def test_an_asynchronous_runnable_with_message_history(memory: Recollect) -> None:
    chain = _with_history(memory)
    config: Any = {"configurable": {"session_id": "one"}}
    assert (await chain.ainvoke({"input": "a"}, config)).content == "1 messages"
    assert (await chain.ainvoke({"input": "b"}, config)).content == "3 messages"


async def test_a_blocking_door_serves_asynchronous_code_too(dsn: str, tenant: str) -> None:
    def opened() -> sync.Recollect:
        return sync.Recollect.open(dsn, tenant=tenant)

    memory = await asyncio.to_thread(opened)
    try:
        history = RecollectChatMessageHistory(memory, "s")
        await history.aadd_messages([HumanMessage("a")])
        history.add_messages([HumanMessage("b")])
        assert [one.content for one in await history.aget_messages()] == ["a", "b"]
    finally:
        await asyncio.to_thread(memory.close)


def _weather(city: str) -> str:
    """The weather in a city."""
    return f"rain in {city}"


async def test_an_agent_recalls_and_saves(memory: Recollect) -> None:
    await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
    await memory.edit_notes("overwrite", "# Manners\nCall her Ana.", user="ana", agent="cook")
    call = AIMessage("", tool_calls=[{"name": "_weather", "args": {"city": "Porto"}, "id": "c1"}])
    speaks = model(call, "No satay then.", "Yes, rain.")
    agent = create_agent(
        speaks,
        tools=[_weather],
        system_prompt="You cook.",
        middleware=[RecollectMiddleware(memory, "ana", "cook", session_id="kitchen")],
    )
    asked: Any = {"messages": [HumanMessage("Could I eat peanuts in Porto today?")]}
    answer = await agent.ainvoke(asked)
    assert [one.type for one in answer["messages"]] == ["human", "ai", "tool", "ai"]
    system = speaks.asked[0][0]
    assert isinstance(system, SystemMessage)
    for expected in ("You cook.", "allergic to peanuts", "Call her Ana."):
        assert expected in system.text
    (talk,) = (await memory.conversations(user="ana")).items
    chat = await memory.conversation(id=talk.id)
    assert [(one.role, one.content) for one in await chat.window()] == [
        ("user", "Could I eat peanuts in Porto today?"),
        ("assistant", ""),
        ("tool", "rain in Porto"),
        ("assistant", "No satay then."),
    ]
    # Another run without a checkpointer: what was said comes back from the store, and is not saved twice.
    await agent.ainvoke({"messages": [HumanMessage("Was it raining?")]})
    assert [one.type for one in speaks.asked[-1]] == ["system", "human", "ai", "tool", "ai", "human"]
    assert len(await chat.window(50)) == 6


async def test_an_agent_is_asked_nothing(memory: Recollect) -> None:
    speaks = model("What is it?")
    agent = create_agent(speaks, middleware=[RecollectMiddleware(memory, "ana", "cook", session_id="kitchen")])
    answer = await agent.ainvoke({"messages": [HumanMessage(" \n")]})
    assert answer["messages"][-1].text == "What is it?"


def test_a_blocking_agent_with_a_checkpointer_repeats_nothing(blocking: sync.Recollect) -> None:
    speaks = model("one", "two")
    agent = create_agent(
        speaks, middleware=[RecollectMiddleware(blocking, "ana", "cook")], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
    agent.invoke({"messages": [HumanMessage("a")]}, config)
    agent.invoke({"messages": [HumanMessage("b")]}, config)
    assert [one.text for one in speaks.asked[-1] if one.type != "system"] == ["a", "one", "b"]
    chat = blocking.conversation(id=config["configurable"]["thread_id"])
    assert [one.content for one in chat.window()] == ["a", "one", "b", "two"]


async def test_a_thread_of_somebody_else_is_refused_before_the_model_is_asked(memory: Recollect) -> None:
    config: Any = {"configurable": {"thread_id": "1"}}
    agents = [
        (create_agent(speaks, middleware=[RecollectMiddleware(memory, user, "cook")]), speaks)
        for user, speaks in (("ana", model("Noted.")), ("bob", model("Hello Bob.")))
    ]
    await agents[0][0].ainvoke({"messages": [HumanMessage("my PIN is 4711")]}, config)
    with pytest.raises(Refused, match="another user or agent"):
        await agents[1][0].ainvoke({"messages": [HumanMessage("What is my PIN?")]}, config)
    assert agents[1][1].asked == []
    chat = await memory.conversation("ana", "cook")
    assert [one.content for one in await chat.window()] == ["my PIN is 4711", "Noted."]


async def test_what_was_summarised_does_not_come_back(memory: Recollect) -> None:
    speaks = model("one", "two", "three")
    summarizing = SummarizationMiddleware(
        model("They said a and b."), trigger=("messages", 4), keep=("messages", 2)
    )
    agent = create_agent(
        speaks,
        middleware=[summarizing, RecollectMiddleware(memory, "ana", "cook")],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    for asked in ("a", "b", "c"):
        await agent.ainvoke({"messages": [HumanMessage(asked)]}, config)
    summary, *rest = [one.text for one in speaks.asked[-1] if one.type != "system"]
    assert "They said a and b." in summary
    assert rest == ["two", "c"]
    chat = await memory.conversation("ana", "cook")
    assert [one.content for one in await chat.window()] == ["a", "one", "b", "two", "c", "three"]


async def test_a_summary_is_nothing_that_the_user_said(memory: Recollect) -> None:
    call = AIMessage("", tool_calls=[{"name": "_weather", "args": {"city": "Porto"}, "id": "c1"}])
    summarizing = SummarizationMiddleware(
        model("They ask for the weather."), trigger=("messages", 3), keep=("messages", 2)
    )
    speaks = model(call, "Rain.")
    agent = create_agent(
        speaks,
        tools=[_weather],
        middleware=[summarizing, RecollectMiddleware(memory, "ana", "cook", session_id="s")],
    )
    await agent.ainvoke({"messages": [HumanMessage("What is the weather?")]})
    chat = await memory.conversation("ana", "cook")
    assert [(one.role, one.content) for one in await chat.window()] == [
        ("assistant", ""),
        ("tool", "rain in Porto"),
        ("assistant", "Rain."),
    ]


async def test_a_window_never_begins_with_a_result_without_its_call(memory: Recollect) -> None:
    session = str(uuid.uuid4())
    call = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "c"}])
    said = [HumanMessage("a"), call, ToolMessage("r", tool_call_id="c"), AIMessage("b")]
    await RecollectChatMessageHistory(memory, session, user="ana", agent="cook").aadd_messages(said)
    speaks = model("ok")
    shorter = RecollectMiddleware(memory, "ana", "cook", session_id=session, window=2)
    await create_agent(speaks, middleware=[shorter]).ainvoke({"messages": [HumanMessage("c")]})
    assert [one.text for one in speaks.asked[0] if one.type != "system"] == ["b", "c"]


async def test_halves_of_an_exchange_are_not_sent_again(memory: Recollect) -> None:
    """A client that went away between a call and its result would be refused from then on."""
    chat = await memory.conversation("ana", "cook")
    calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ("x", "y")]
    said: list[tuple[str, str, dict[str, Any]]] = [
        ("user", "a", {}),
        ("assistant", "", {"tool_calls": calls}),
        ("tool", "half", {"tool_call_id": "x"}),
        ("user", "b", {}),
        ("tool", "lost", {"tool_call_id": "z"}),
        ("assistant", "", {"tool_calls": calls}),
        ("system", "noted", {}),
        ("tool", "one", {"tool_call_id": "x"}),
        ("tool", "two", {"tool_call_id": "y"}),
    ]
    for role, content, more in said:
        await chat.append(role, content, **more)
    speaks = model("ok")
    remembering = RecollectMiddleware(memory, "ana", "cook", session_id=chat.id)
    await create_agent(speaks, middleware=[remembering]).ainvoke({"messages": [HumanMessage("c")]})
    (asked,) = speaks.asked
    assert [(one.type, one.text) for one in asked[1:]] == [
        ("human", "a"), ("human", "b"), ("ai", ""), ("tool", "one"), ("tool", "two"), ("human", "c"),
    ]  # fmt: skip


async def test_there_is_one_system_message_and_its_blocks_stay_as_they_are(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "cook")
    await chat.extend([("user", "send it"), ("system", "It was sent."), ("assistant", "Done.")])
    await memory.edit_notes("overwrite", "Call her Ana.", user="ana", agent="cook")
    block = {"type": "text", "text": "You cook.", "cache_control": {"type": "ephemeral"}}
    speaks = model("ok")
    remembering = RecollectMiddleware(memory, "ana", "cook", session_id=chat.id)
    agent = create_agent(speaks, system_prompt=SystemMessage([block]), middleware=[remembering])
    await agent.ainvoke({"messages": [HumanMessage("thanks")]})
    system, *rest = speaks.asked[0]
    assert [one.type for one in rest] == ["human", "ai", "human"]
    first, second = system.content
    assert first == block
    assert isinstance(second, dict)
    assert "Call her Ana." in second["text"]
    assert second["text"].endswith("It was sent.")


async def test_a_retriever(memory: Recollect) -> None:
    known = await memory.remember("user likes Italian food", user="ana", agent="cook", category="taste")
    chat = await memory.conversation(user="ana", agent="cook")
    said = await chat.append("user", "My sister lives in Bergen")
    memories = RecollectRetriever(memory, user="ana", agent="cook")
    (found,) = await memories.ainvoke("Italian food")
    assert (found.page_content, found.id, found.metadata["kind"]) == (known.text, known.id, "memory")
    assert await memories.ainvoke("volcanoes") == []
    messages = RecollectRetriever(memory, user="ana", agent="cook", over="messages")
    (found, *_) = await messages.ainvoke("Where does my sister live?")
    assert (found.id, found.metadata["seq"]) == (said.id, 1)


def test_a_blocking_retriever(blocking: sync.Recollect) -> None:
    blocking.remember("user likes Italian food", user="ana", agent="cook")
    found = RecollectRetriever(blocking, user="ana", agent="cook").invoke("Italian food")
    assert [one.page_content for one in found] == ["user likes Italian food"]


def test_the_tool_has_exactly_the_seven_operations(blocking: sync.Recollect) -> None:
    tool = long_term_memory_tool(blocking, "ana", "cook")
    assert tool.name == "manage_long_term_memory"
    assert tool.args["operation"]["enum"] == list(OPERATIONS)
    assert tool.invoke({"operation": "read"}) == "(The notes are empty.)"
    assert tool.invoke({"operation": "append", "content": "# Diet\nvegan"}) == "# Diet\nvegan"
    assert "Not done. section_header" in tool.invoke(
        {"operation": "delete_section_by_header", "section_header": "Nothing"}
    )
    steps: list[tuple[dict[str, str], str]] = [
        ({"operation": "prepend", "content": "x"}, "x\n# Diet\nvegan"),
        (
            {"operation": "replace_section_by_header", "section_header": "Diet", "content": "omnivore"},
            "x\n# Diet\nomnivore",
        ),
        ({"operation": "delete_section_by_header", "section_header": "Diet"}, "x\n"),
        ({"operation": "overwrite", "content": "new"}, "new"),
        ({"operation": "delete_all_notes"}, "(The notes are empty.)"),
    ]
    for given, expected in steps:
        assert tool.invoke(given) == expected
    assert blocking.notes(user="ana", agent="cook").version == 6


async def test_the_tool_for_asynchronous_code(memory: Recollect) -> None:
    tool = long_term_memory_tool(memory, "ana", "cook")
    assert await tool.ainvoke({"operation": "append", "content": "vegan"}) == "vegan"
    assert (await memory.notes(user="ana", agent="cook")).text == "vegan"
