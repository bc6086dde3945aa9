"""LangChain's own fake chat models behind our port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import (
    FakeListChatModel,
    FakeMessagesListChatModel,
)
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

from recollect import Unavailable
from recollect.models.langchain_chat import LangChainChat
from recollect.ports import Answer, Prompt, Tokens

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"where": "Évora"}'}}
TALK = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "hi", "name": "ana"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "sunny", "tool_call_id": "c1"},
    {"role": "user", "content": [{"type": "text", "text": "and now?"}]},
]
PROMPT = Prompt(messages=TALK, seconds=20)
USED: Any = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}


class Recorder(BaseChatModel):
    """Says one thing, in the given chunks if streamed, and keeps what it was asked."""

    model_name: str = "recorder-1"
    says: AIMessage = AIMessage("fine")
    chunks: list[AIMessageChunk] = Field(default_factory=list)
    seen: list[Any] = Field(default_factory=list)
    pause: float = 0.0
    fails: bool = False

    @property
    def _llm_type(self) -> str:
        return "recorder"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:  # type: ignore[override]
        return self.bind(tools=tools)

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        self._note(messages, kwargs)
        return ChatResult(generations=[ChatGeneration(message=self.says)])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(self.pause)
        return self._generate(messages, **kwargs)

    def _stream(self, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        raise NotImplementedError

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        self._note(messages, kwargs)
        for chunk in self.chunks:
            await asyncio.sleep(self.pause)
            yield ChatGenerationChunk(message=chunk)

    def _note(self, messages: list[BaseMessage], kwargs: dict[str, Any]) -> None:
        self.seen.append((messages, kwargs))
        if self.fails:
            raise RuntimeError(f"cannot answer {messages}")


async def test_messages_and_calls_are_converted_both_ways() -> None:
    said = AIMessage(
        "well",
        tool_calls=[{"name": "look", "args": {"where": "Évora"}, "id": "c2", "type": "tool_call"}],
        invalid_tool_calls=[{"name": "look", "args": "{", "id": "c3", "error": None, "type": "invalid_tool_call"}],
        usage_metadata=USED,
    )
    recorder = Recorder(says=said)
    model = LangChainChat(recorder)
    tools = [{"type": "function", "function": {"name": "look"}}]
    answer = await model.complete(Prompt(messages=TALK, tools=tools, seconds=20))
    assert answer == Answer(
        text="well",
        model="recorder-1",
        tool_calls=[
            {"id": "c2", "type": "function", "function": CALL["function"]},
            {"id": "c3", "type": "function", "function": {"name": "look", "arguments": "{"}},
        ],
        tokens=Tokens(5, 2),
    )
    [(messages, asked)] = recorder.seen
    assert asked["tools"] == tools
    assert [type(message) for message in messages] == [
        SystemMessage,
        HumanMessage,
        AIMessage,
        ToolMessage,
        HumanMessage,
    ]
    assert (messages[1].content, messages[1].name) == ("hi", "ana")
    assert messages[2].tool_calls[0]["args"] == {"where": "Évora"}
    assert (messages[3].content, messages[3].tool_call_id) == ("sunny", "c1")


async def test_pieces_then_the_whole_answer() -> None:
    def bit(**fields: Any) -> Any:
        return {"name": None, "args": None, "id": None, "index": 0, "type": "tool_call_chunk", **fields}

    recorder = Recorder(
        chunks=[
            AIMessageChunk(content="we"),
            AIMessageChunk(content=[{"type": "text", "text": "ll"}]),
            AIMessageChunk(content="", tool_call_chunks=[bit(name="look", id="c1")]),
            AIMessageChunk(content="", tool_call_chunks=[bit(args='{"where": ')]),
            AIMessageChunk(content="", tool_call_chunks=[bit(args='"Évora"}')], usage_metadata=USED),
        ]
    )
    items = [item async for item in LangChainChat(recorder).stream(PROMPT)]
    assert items == [
        "we",
        "ll",
        Answer(text="well", model="recorder-1", tool_calls=[CALL], tokens=Tokens(5, 2)),
    ]


async def test_a_model_that_cannot_stream_answers_in_one_piece() -> None:
    model = LangChainChat(FakeMessagesListChatModel(responses=[AIMessage("hello")]))
    assert [item async for item in model.stream(PROMPT)] == [
        "hello",
        Answer(text="hello", model="FakeMessagesListChatModel"),
    ]
    model = LangChainChat(FakeListChatModel(responses=["abc"]))
    assert [item async for item in model.stream(PROMPT)][:-1] == ["a", "b", "c"]
    assert (await model.complete(PROMPT)).text == "abc"


@pytest.mark.parametrize("native", [False, True])
async def test_a_schema_is_put_into_words_or_given_as_it_is(native: bool) -> None:
    recorder = Recorder()
    prompt = Prompt(messages=TALK, schema={"type": "object"}, schema_name="Thing", seconds=20)
    await LangChainChat(recorder, response_format=native).complete(prompt)
    [(messages, asked)] = recorder.seen
    assert ("schema" in str(messages[-1].content)) != native
    named = {"name": "Thing", "schema": {"type": "object"}, "strict": True}
    assert asked.get("response_format") == ({"type": "json_schema", "json_schema": named} if native else None)


async def _streamed(model: LangChainChat, prompt: Prompt) -> None:
    async for _ in model.stream(prompt):
        pass


@pytest.mark.parametrize("stream", [False, True])
async def test_failures_are_ours_and_quote_nothing(stream: bool) -> None:
    ask = _streamed if stream else LangChainChat.complete
    with pytest.raises(Unavailable, match="did not answer \\(RuntimeError\\)") as caught:
        await ask(LangChainChat(Recorder(fails=True)), PROMPT)
    assert caught.value.part == "model"
    assert "sunny" not in str(caught.value)
    slow = Recorder(pause=60, chunks=[AIMessageChunk(content="x")])
    with pytest.raises(Unavailable, match=r"did not answer in 0\.3 s"):
        await ask(LangChainChat(slow, timeout=0.3), Prompt(messages=TALK))
    without_tools = FakeListChatModel(responses=["x"])
    with pytest.raises(Unavailable, match="NotImplementedError"):
        await ask(LangChainChat(without_tools), Prompt(messages=TALK, tools=[{}]))
    with pytest.raises(Unavailable, match="not an answer"):
        await ask(LangChainChat(Recorder()), Prompt(messages=[{"role": "sunny", "content": "x"}]))
