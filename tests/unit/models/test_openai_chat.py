"""The real client against a scripted server: what it says, and everything that can go wrong."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from recollect import Invalid, Unavailable
from recollect.models import openai_chat
from recollect.models.openai_chat import OpenAIChat
from recollect.ports import Answer, Prompt, Tokens
from scripted_model import BreakOff, Drip, Hang, Raw, Reply, ScriptedModel, Status, Step, huge

CANARY = "canary-51b"
PROMPT = Prompt(messages=[{"role": "user", "content": f"say {CANARY}"}], seconds=20)
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]


@pytest.fixture
async def chat(scripted: ScriptedModel) -> AsyncIterator[OpenAIChat]:
    model = OpenAIChat("tiny", base_url=scripted.url, api_key="secret-key")
    yield model
    await model.close()


async def streamed(model: OpenAIChat, prompt: Prompt) -> list[str | Answer]:
    return [item async for item in model.stream(prompt)]


async def test_an_answer_with_what_it_used(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.play(Reply("hello", tokens=(11, 2)))
    answer = await chat.complete(Prompt(messages=[{"role": "user", "content": "hi"}], max_tokens=9))
    assert answer == Answer(text="hello", model="tiny", tokens=Tokens(11, 2))
    [request] = scripted.requests
    assert request == {"model": "tiny", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 9}


async def test_pieces_then_the_whole_answer(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.play(Reply("hel lo", pieces=["hel", " lo"], tokens=(4, 5)))
    assert await streamed(chat, PROMPT) == [
        "hel",
        " lo",
        Answer(text="hel lo", model="tiny", tokens=Tokens(4, 5)),
    ]


@pytest.mark.parametrize("stream", [False, True])
async def test_tool_calls_come_whole(scripted: ScriptedModel, chat: OpenAIChat, stream: bool) -> None:
    scripted.play(Reply(tool_calls=[("look", {"where": "Évora", "n": 1}), ("look", {})]))
    prompt = Prompt(messages=[{"role": "user", "content": "hi"}], tools=TOOLS)
    answer = (await streamed(chat, prompt))[-1] if stream else await chat.complete(prompt)
    assert isinstance(answer, Answer)
    assert answer.text == ""
    assert [call["id"] for call in answer.tool_calls] == ["call_0", "call_1"]
    assert {call["type"] for call in answer.tool_calls} == {"function"}
    given = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in answer.tool_calls]
    assert given == [("look", {"where": "Évora", "n": 1}), ("look", {})]
    assert scripted.requests[0]["tools"] == TOOLS


FAULTS: dict[str, tuple[Step, str]] = {
    "bad request": (Status(400, CANARY), "answered 400"),
    "wrong key": (Status(401, CANARY), "answered 401 .*OPENAI_API_KEY"),
    "too many": (Status(429, CANARY, {"Retry-After": "17"}), "answered 429"),
    "broken": (Status(500, CANARY), "answered 500"),
    "huge refusal": (Status(500, CANARY * 1_000_000), "longer than"),
    "hangs": (Hang(), "did not answer in 0.5 s"),
    "drips": (Drip(), "did not answer in 0.5 s"),
    "breaks off": (BreakOff([CANARY]), "did not answer|not an answer"),
    "ends without an end": (BreakOff([CANARY], politely=True), "not an answer"),
    "not json": (Raw(f"{{ {CANARY}".encode()), "not an answer"),
    "a page": (Raw(f"<html>{CANARY}".encode(), "text/html"), "not an answer"),
    "another json": (Raw(b'["canary-51b"]'), "not an answer"),
    "null": (Raw(b"null"), "not an answer"),
    "no choices": (Raw(b'{"choices": []}'), "not an answer"),
    "no choices at all": (Raw(b'{"error": "canary-51b"}'), "not an answer"),
    "text of another type": (Raw(b'{"choices": [{"message": {"content": 3}}]}'), "not an answer"),
    "a nameless call": (Raw(b'{"choices": [{"message": {"tool_calls": [{"id": "1"}]}}]}'), "not an answer"),
    "huge": (huge(), "longer than"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_fault_is_ours_in_time_and_quotes_nothing(
    scripted: ScriptedModel, chat: OpenAIChat, fault: str, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    step, problem = FAULTS[fault]
    if stream and isinstance(step, Raw):
        problem = "not an answer|longer than"  # a stream has no events in it
    scripted.respond = lambda _: step
    slow = isinstance(step, Hang | Drip)
    prompt = Prompt(messages=PROMPT.messages, seconds=0.5 if slow else 20)
    with pytest.raises(Unavailable, match=problem) as caught:
        await (streamed(chat, prompt) if stream else chat.complete(prompt))
    assert ("did not answer in 0.5 s" in str(caught.value)) == slow, "what hangs is waited for as long as was said"
    assert caught.value.part == "model"
    assert caught.value.__suppress_context__
    assert CANARY not in str(caught.value) + repr(caught.value) + caplog.text
    assert "secret-key" not in str(caught.value) + caplog.text
    assert "model.failed" in caplog.text
    if isinstance(step, Status) and "longer" not in problem:
        assert caught.value.status == step.status
        assert caught.value.retry_after == (17 if step.status == 429 else None)
    simpler = stream and fault == "bad request"  # it may be the wish for a count that was refused
    assert len(scripted.requests) == 1 + simpler, "nobody asked to try again"
    scripted.play("still here")
    assert (await chat.complete(PROMPT)).text == "still here"


async def test_of_a_huge_answer_only_the_beginning_is_read(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.play(huge(40_000_000))
    with pytest.raises(Unavailable, match="longer than"):
        await chat.complete(PROMPT)
    assert scripted.sent_bytes < 30_000_000, "the rest was still to be sent when we hung up"


async def test_a_huge_stream_is_cut(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.play(Reply("x" * 3_000_000, pieces=["x" * 100_000] * 30))
    with pytest.raises(Unavailable, match="longer than"):
        await streamed(chat, PROMPT)
    scripted.play(Raw(b"data: " + b"x" * 30_000_000, "text/event-stream"))
    with pytest.raises(Unavailable, match="longer than"):
        await streamed(chat, PROMPT)


async def test_an_error_in_the_middle_of_a_stream(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    said = json.dumps({"choices": [{"index": 0, "delta": {"content": "half"}}]})
    error = json.dumps({"error": {"message": CANARY}})
    scripted.play(Raw(f"data: {said}\n\ndata: {error}\n\n".encode(), "text/event-stream"))
    stream = chat.stream(PROMPT)
    assert await anext(stream) == "half"
    with pytest.raises(Unavailable, match="did not answer \\(APIError\\)") as caught:
        await anext(stream)
    assert CANARY not in str(caught.value)


async def test_nobody_there() -> None:
    model = OpenAIChat("tiny", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(Unavailable, match="did not answer \\(APIConnectionError\\)"):
        await model.complete(PROMPT)
    await model.close()


async def test_its_own_time_limit_holds_where_the_prompt_has_none(scripted: ScriptedModel) -> None:
    model = OpenAIChat("tiny", base_url=scripted.url, timeout=0.3)
    scripted.play(Hang())
    with pytest.raises(Unavailable, match=r"in 0\.3 s"):
        await model.complete(Prompt(messages=PROMPT.messages))
    await model.close()


async def test_the_time_limit_of_a_stream_is_for_each_piece() -> None:
    class Slow:
        """A piece every 0.2 s; between them nothing but empty parts if ``empty``."""

        def __init__(self, empty: bool) -> None:
            self.chat = self.completions = self
            self._empty = empty
            self._number = 0

        async def create(self, **_: Any) -> Slow:
            return self

        async def __anext__(self) -> Any:
            await asyncio.sleep(0.2)
            self._number += 1
            content = None if self._empty else "x"
            finish = "stop" if self._number == 8 and not self._empty else None
            if self._number > 8 and not self._empty:
                raise StopAsyncIteration
            delta = SimpleNamespace(content=content)
            return SimpleNamespace(choices=[SimpleNamespace(delta=delta, finish_reason=finish)])

        async def close(self) -> None: ...

    prompt = Prompt(messages=PROMPT.messages, seconds=1)
    assert (await streamed(OpenAIChat("tiny", client=Slow(empty=False)), prompt))[:-1] == ["x"] * 8
    with pytest.raises(Unavailable, match="did not answer in 1 s"):
        await streamed(OpenAIChat("tiny", client=Slow(empty=True)), prompt)


async def test_who_stops_listening_hangs_up(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.play(Reply("ab", pieces=["a", "b"]), "next")
    stream = chat.stream(PROMPT)
    assert await anext(stream) == "a"
    await stream.aclose()
    assert (await chat.complete(PROMPT)).text == "next"


async def test_what_no_database_takes_is_replaced(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.play("a\0b\ud800c é 東")
    assert (await chat.complete(PROMPT)).text == "a?b?c é 東"


def _knows_only(*known: str) -> Any:
    """An endpoint that refuses what it does not know, and says in its way what that was."""

    def respond(request: dict[str, Any]) -> Step:
        asked = {name for name in ("max_tokens", "max_completion_tokens", "stream_options") if name in request}
        if "response_format" in request:
            asked.add(request["response_format"]["type"])
        unknown = sorted(asked - set(known))
        return Status(400, f"unsupported: {unknown[0]}") if unknown else Reply('{"a": 1}', tokens=None)

    return respond


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("known", "form"),
    [
        (["json_schema", "max_tokens", "stream_options"], "json_schema"),
        (["json_schema", "max_completion_tokens"], "json_schema"),
        (["json_object", "max_tokens"], "json_object"),
        (["max_completion_tokens"], None),
    ],
)
async def test_an_endpoint_that_knows_less_is_asked_for_less(
    scripted: ScriptedModel, chat: OpenAIChat, known: list[str], form: str | None, stream: bool
) -> None:
    scripted.respond = _knows_only(*known)
    prompt = Prompt(messages=PROMPT.messages, schema=SCHEMA, max_tokens=5, seconds=20)

    async def ask() -> None:
        answer = (await streamed(chat, prompt))[-1] if stream else await chat.complete(prompt)
        assert isinstance(answer, Answer)
        assert answer.text == '{"a": 1}'

    await ask()
    tries = len(scripted.requests)
    assert tries <= 5
    taken = scripted.requests[-1]
    assert taken.get("response_format", {}).get("type") == form
    assert ("schema" in taken["messages"][-1]["content"]) == (form != "json_schema")
    assert taken.get("max_tokens" if "max_tokens" in known else "max_completion_tokens") == 5
    await ask()
    assert len(scripted.requests) == tries + 1, "it is remembered"


async def test_a_refusal_that_stays_is_not_remembered(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    prompt = Prompt(messages=PROMPT.messages, schema=SCHEMA, seconds=20)
    scripted.respond = lambda _: Status(400, "cannot")
    with pytest.raises(Unavailable, match="answered 400"):
        await chat.complete(prompt)
    assert len(scripted.requests) == 3, "with a schema, as an object, in words"
    scripted.respond = lambda _: "{}"
    await chat.complete(prompt)
    assert scripted.requests[-1]["response_format"]["type"] == "json_schema"


async def test_a_prompt_that_is_too_long_is_not_sent_again(scripted: ScriptedModel, chat: OpenAIChat) -> None:
    scripted.respond = lambda _: Status(400, "This model's maximum context length is 10; reduce max_tokens")
    with pytest.raises(Unavailable, match="answered 400"):
        await chat.complete(Prompt(messages=PROMPT.messages, schema=SCHEMA, max_tokens=5))
    assert len(scripted.requests) == 1


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(openai_chat.importlib, "import_module", missing)
    with pytest.raises(Invalid, match=r"\.\[openai\]"):
        OpenAIChat("m")
