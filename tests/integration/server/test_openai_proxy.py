"""The drop-in proxy, with the clients that people have: OpenAI's and LangChain's."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from proxied import LOOK_UP, OPERATOR, Proxied, bound, kept, proxying

from recollect import Recollect
from scripted_model import BreakOff, Raw, Reply, Status, huge


@pytest.fixture(scope="module")
def standing(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    with proxying(tmp_path_factory.mktemp("proxy"), dsn, max_body="300000") as running:
        yield running


@pytest.fixture
def proxied(standing: Proxied) -> Proxied:
    standing.upstream.requests.clear()
    standing.upstream.headers.clear()
    standing.upstream._script.clear()
    return standing


@pytest.fixture
async def ana(proxied: Proxied, memory: Recollect) -> AsyncIterator[AsyncOpenAI]:
    async with proxied.client(await bound(memory)) as client:
        yield client


def user(text: str) -> Any:
    return {"role": "user", "content": text}


async def test_memory_is_put_in_front_and_the_rest_is_passed_on(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
    await memory.edit_notes("append", "# Tone\nShort answers.", user="ana", agent="cook")
    proxied.upstream.play("Try figs.")
    raw = await ana.chat.completions.with_raw_response.create(
        model="any-model",
        messages=[{"role": "system", "content": "You cook."}, user("What can I eat, with my peanut allergy?")],
        temperature=0.25,
        n=1,
        response_format={"type": "json_object"},
        metadata={"agent": "cook", "team": "kitchen"},
        extra_body={"something_new": {"deep": [1, 2.5, None]}},
    )
    answer = raw.parse()
    assert answer.choices[0].message.content == "Try figs."
    assert answer.usage is not None
    assert answer.usage.total_tokens == 10
    asked = proxied.asked
    assert (asked["model"], asked["temperature"], asked["n"]) == ("any-model", 0.25, 1)
    assert (asked["response_format"], asked["something_new"]) == (
        {"type": "json_object"},
        {"deep": [1, 2.5, None]},
    )
    assert asked["metadata"] == {"team": "kitchen"}  # what is said to us only goes no further
    assert len(asked["messages"]) == 2
    assert proxied.instructions.startswith("You cook.\n\n")
    assert "allergic to peanuts" in proxied.instructions
    assert "recollect-evidence" in proxied.instructions
    assert "Short answers." in proxied.instructions
    assert proxied.upstream.headers[-1]["authorization"] == f"Bearer {OPERATOR}"
    assert int(raw.headers["x-recollect-context-tokens"]) > 10
    chat = await memory.conversation(id=raw.headers["x-recollect-conversation"])
    assert (chat.user, chat.agent) == ("ana", "cook")
    stored = await chat.window()
    assert [(one.role, one.answers) for one in stored] == [("user", None), ("assistant", 1)]
    assert stored[1].metadata["model"] == "any-model"
    (turn,) = await chat.turns()
    assert (turn.status, turn.model, turn.asked, turn.tokens["sent"]) == ("done", "any-model", 1, 7)
    assert turn.tokens["memories"] > 0


async def test_another_device_goes_on_where_the_first_one_was(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    await memory.configure_agent("assistant", instructions="You are kind to {user}.")
    proxied.upstream.play("Hello Ana", "Porto")
    await ana.chat.completions.create(model="m", messages=[user("I am Ana, of Porto")])
    key = (await memory.create_key(scopes=["read", "write"])).text
    async with proxied.client(key) as other:
        said = await other.chat.completions.create(model="m", user="ana", messages=[user("Where am I from?")])
    assert said.choices[0].message.content == "Porto"
    assert proxied.prompt == [
        ("user", "I am Ana, of Porto"),
        ("assistant", "Hello Ana"),
        ("user", "Where am I from?"),
    ]
    assert proxied.instructions.startswith("You are kind to ana.")
    assert proxied.asked["user"] == "ana"
    assert [role for role, _ in await kept(memory)] == ["user", "assistant", "user", "assistant"]


async def test_a_client_with_its_own_history_gets_nothing_twice(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    history: list[Any] = [{"role": "system", "content": "Be brief."}]
    for number in range(4):
        history.append(user(f"question {number}"))
        proxied.upstream.play(f"answer {number}")
        said = await ana.chat.completions.create(model="m", messages=history)
        assert proxied.prompt == [(one["role"], one["content"]) for one in history[1:]]
        history.append({"role": "assistant", "content": said.choices[0].message.content})
    assert await kept(memory) == [(one["role"], one["content"]) for one in history[1:]]


async def test_the_same_words_twice_are_two_messages_and_a_repeated_request_is_one(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    history = [user("go on"), {"role": "assistant", "content": "one"}]
    proxied.upstream.play("one", "two", "two again", "two")
    await ana.chat.completions.create(model="m", messages=history[:1])
    await ana.chat.completions.create(model="m", messages=[*history, user("go on")])
    both = [("user", "go on"), ("assistant", "one"), ("user", "go on"), ("assistant", "two")]
    assert await kept(memory) == both
    await ana.chat.completions.create(model="m", messages=[*history, user("go on")])  # it has not seen "two"
    assert await kept(memory) == [*both, ("assistant", "two again")]
    again = {"x-stainless-retry-count": "1"}
    await ana.chat.completions.create(model="m", messages=[*history, user("go on")], extra_headers=again)
    assert await kept(memory) == [*both, ("assistant", "two again")]


async def test_a_stream_comes_piece_by_piece_with_its_usage(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    proxied.upstream.play(Reply("Hello there, Ana", pieces=["Hello", " there,", " Ana"]))
    stream = await ana.chat.completions.create(
        model="m", messages=[user("hi")], stream=True, stream_options={"include_usage": True}
    )
    assert stream.response.headers["x-recollect-conversation"]
    chunks = [chunk async for chunk in stream]
    text = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert text == ["Hello", " there,", " Ana"]
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens == 7
    assert await kept(memory) == [("user", "hi"), ("assistant", "Hello there, Ana")]
    assert proxied.asked["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("stream", [False, True])
async def test_a_whole_round_of_tools_is_stored_once_and_in_order(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect, stream: bool
) -> None:
    proxied.upstream.play(
        "Hello", Reply(tool_calls=[("look_up", {"word": "a"}), ("look_up", {"word": "b"})]), "A and B"
    )
    await ana.chat.completions.create(model="m", messages=[user("hi")])
    messages: list[Any] = [user("look up a and b")]
    first = await _said(ana, messages, stream)
    assert [call["id"] for call in first["tool_calls"]] == ["call_0", "call_1"]
    assert proxied.asked["tools"] == [LOOK_UP]
    results = [{"role": "tool", "tool_call_id": f"call_{n}", "content": f"result {n}"} for n in (0, 1)]
    messages += [first, *results]
    second = await _said(ana, messages, stream)
    assert second["content"] == "A and B"
    # The client sent this turn only, so what went before it comes from us, and the turn comes once.
    assert [role for role, _ in proxied.prompt] == ["user", "assistant", "user", "assistant", "tool", "tool"]
    chat = await memory.conversation(user="ana", agent="assistant")
    stored = await chat.window()
    assert [(one.seq, one.role) for one in stored] == list(
        enumerate(["user", "assistant", "user", "assistant", "tool", "tool", "assistant"], 1)
    )
    assert [call["function"]["name"] for call in stored[3].tool_calls or []] == ["look_up", "look_up"]
    assert [one.tool_call_id for one in stored[4:6]] == ["call_0", "call_1"]
    assert {one.answers for one in stored[3:]} == {3}
    # The same round again, since the client did not hear the end of it.
    proxied.upstream.play("A and B")
    await _said(ana, messages, stream)
    assert len(await chat.window()) == 7
    proxied.upstream.play("fine")
    await ana.chat.completions.create(model="m", messages=[user("thanks")])
    assert [role for role, _ in proxied.prompt][-6:] == ["user", "assistant", "tool", "tool", "assistant", "user"]


async def _said(client: AsyncOpenAI, messages: list[Any], stream: bool) -> dict[str, Any]:
    """What the model said, as a client appends it to its history."""
    tools: Any = [LOOK_UP]
    if not stream:
        answer = await client.chat.completions.create(model="m", messages=messages, tools=tools)
        return answer.choices[0].message.model_dump(exclude_none=True)
    async with client.chat.completions.stream(model="m", messages=messages, tools=tools) as events:
        async for _ in events:
            pass
        final = await events.get_final_completion()
    message = final.choices[0].message.model_dump(exclude_none=True)
    for call in message.get("tool_calls") or []:
        call.pop("index", None)
        call["function"].pop("parsed_arguments", None)
    message.pop("parsed", None)
    return message


async def test_langchain(proxied: Proxied, memory: Recollect) -> None:
    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        return f"all about {word}"

    def model(**more: Any) -> ChatOpenAI:
        return ChatOpenAI(
            model="m",
            base_url=f"{proxied.served.url}/v1",
            api_key=key,  # type: ignore[arg-type]
            max_retries=0,
            default_headers={"X-Recollect-Agent": "cook"},
            **more,
        )

    key: Any = await bound(memory)
    proxied.upstream.play(
        "Hello",
        Reply("More of it", pieces=["More", " of it"]),
        Reply(tool_calls=[("look_up", {"word": "figs"})]),
        "Figs are fruit",
    )
    assert (await model().ainvoke("hi")).content == "Hello"
    pieces = [piece.content async for piece in model(stream_usage=True).astream("and more?")]
    assert "".join(str(piece) for piece in pieces) == "More of it"
    asked = HumanMessage("what are figs?")
    with_tools = model().bind_tools([look_up])
    call: Any = await with_tools.ainvoke([asked])
    results = [ToolMessage(look_up.invoke(one["args"]), tool_call_id=one["id"]) for one in call.tool_calls]
    assert (await with_tools.ainvoke([asked, call, *results])).content == "Figs are fruit"
    assert await kept(memory, agent="cook") == [
        ("user", "hi"),
        ("assistant", "Hello"),
        ("user", "and more?"),
        ("assistant", "More of it"),
        ("user", "what are figs?"),
        ("assistant", ""),
        ("tool", "all about figs"),
        ("assistant", "Figs are fruit"),
    ]


async def test_what_was_said_is_learned(proxied: Proxied, ana: AsyncOpenAI, memory: Recollect) -> None:
    proxied.upstream.play("Lovely", "Noted")
    await ana.chat.completions.create(model="m", messages=[user("I moved to Porto in May.")])
    await ana.chat.completions.create(model="m", messages=[user("I am allergic to peanuts.")])
    await memory.digest(everything=True)
    known = " ".join(one.text for one in (await memory.memories(user="ana", agent="assistant")).items)
    assert "Porto" in known
    assert "peanuts" in known


async def test_what_the_upstream_refuses_is_passed_on_and_nothing_is_kept(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    async def ask(stream: bool) -> Any:
        return await ana.chat.completions.create(model="m", messages=[user("hi")], stream=stream)

    for stream in (False, True):
        proxied.upstream.play(
            Status(429, "slow down", {"retry-after": "7", "x-ratelimit-remaining-requests": "0"}),
            Status(500, "oh"),
            Status(400, "too many tokens"),
            Status(401, "sk-operat***own is wrong"),
            Status(307, "elsewhere", {"location": "http://127.0.0.1:1/"}),
        )
        with pytest.raises(openai.RateLimitError, match="slow down") as limited:
            await ask(stream)
        assert limited.value.response.headers["retry-after"] == "7"
        assert limited.value.response.headers["x-ratelimit-remaining-requests"] == "0"
        with pytest.raises(openai.InternalServerError, match="oh"):
            await ask(stream)
        with pytest.raises(openai.BadRequestError, match="too many tokens"):
            await ask(stream)
        for code in ("upstream_key", "upstream_failed"):
            with pytest.raises(openai.APIStatusError) as refused:
                await ask(stream)
            assert (refused.value.status_code, refused.value.code) == (502, code)
            assert "sk-" not in str(refused.value)
    proxied.upstream.play(huge(), BreakOff())
    for code in ("upstream_too_large", "upstream_failed"):
        with pytest.raises(openai.APIStatusError) as failed:
            await ask(False)
        assert (failed.value.status_code, failed.value.code) == (502, code)
        assert set(failed.value.response.json()["error"]) == {"message", "type", "param", "code"}
    assert await kept(memory) == []


async def test_a_stream_that_breaks_off_keeps_what_the_user_said_and_no_half_of_a_reply(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    for politely in (False, True):
        proxied.upstream.play(BreakOff(("half ", "an"), politely))
        stream = await ana.chat.completions.create(model="m", messages=[user("hi")], stream=True)
        heard: list[str | None] = []
        with pytest.raises(openai.APIError) as failed:
            await _listen(stream, heard)
        assert heard == ["", "half ", "an"]
        assert failed.value.code == "upstream_failed"
        assert await kept(memory) == [("user", "hi")]
    proxied.upstream.play("whole")
    await ana.chat.completions.create(model="m", messages=[user("hi")])  # it asks again
    assert proxied.prompt == [("user", "hi")]
    assert await kept(memory) == [("user", "hi"), ("assistant", "whole")]


async def test_a_stream_that_ends_with_an_error_keeps_no_half_of_a_reply(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": "You may take up to"}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]},
    ]
    body = "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"
    proxied.upstream.play(Raw(body.encode(), "text/event-stream"))
    with pytest.raises(openai.APIError):
        await _listen(await ana.chat.completions.create(model="m", messages=[user("hi")], stream=True), [])
    assert await kept(memory) == [("user", "hi")]


async def _listen(stream: Any, heard: list[str | None]) -> None:
    async for chunk in stream:
        heard.append(chunk.choices[0].delta.content)  # noqa: PERF401  (it may be cut short)


async def test_a_client_that_leaves_when_the_model_has_finished_loses_nothing(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    proxied.upstream.play("whole")
    stream = await ana.chat.completions.create(model="m", messages=[user("hi")], stream=True)
    async for chunk in stream:
        if chunk.choices[0].finish_reason:
            break
    await stream.close()
    for _ in range(200):
        if len(await kept(memory)) == 2:
            break
        await asyncio.sleep(0.1)
    assert await kept(memory) == [("user", "hi"), ("assistant", "whole")]


@pytest.mark.parametrize("stream", [False, True])
async def test_an_idempotency_key_asks_once(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect, stream: bool
) -> None:
    proxied.upstream.play(Status(500), "once", "twice")
    body = {"model": "m", "messages": [user("hi")], "stream": stream}
    headers = {"authorization": f"Bearer {ana.api_key}", "idempotency-key": "k1"}
    async with httpx.AsyncClient(base_url=proxied.served.url, headers=headers, timeout=60) as client:
        assert (await client.post("/v1/chat/completions", json=body)).status_code == 500
        first, again = [await client.post("/v1/chat/completions", json=body) for _ in range(2)]
        assert "once" in first.text
        assert (again.content, again.headers["content-type"]) == (first.content, first.headers["content-type"])
        assert again.headers["idempotent-replayed"] == "true"
        assert again.headers["x-recollect-conversation"] == first.headers["x-recollect-conversation"]
        other = await client.post("/v1/chat/completions", json={**body, "messages": [user("ho")]})
        assert (other.status_code, other.json()["error"]["code"]) == (422, "key_reused")
    assert len(proxied.upstream.requests) == 2
    assert len(await kept(memory)) == 2


async def test_users_and_conversations_are_told_apart(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    await memory.remember("user keeps bees", user="ana", agent="assistant")
    proxied.upstream.respond = lambda request: "Hello"
    mine = str(uuid.uuid4())
    named = {"X-Recollect-Conversation": mine}
    first = await ana.chat.completions.with_raw_response.create(
        model="m", messages=[user("do I keep bees?")], extra_headers=named
    )
    assert first.headers["x-recollect-conversation"] == mine
    assert "bees" in proxied.instructions
    async with proxied.client(await bound(memory, "ben")) as ben:
        await ben.chat.completions.create(model="m", messages=[user("do I keep bees?")])
        assert proxied.instructions == ""
        assert proxied.prompt == [("user", "do I keep bees?")]
        for stolen in ({"extra_headers": named}, {"metadata": {"conversation_id": mine}}, {"user": "ana"}):
            with pytest.raises(openai.NotFoundError):
                await ben.chat.completions.create(model="m", messages=[user("x")], **stolen)  # type: ignore[arg-type]
    key = (await memory.create_key(scopes=["read", "write"])).text
    async with proxied.client(key) as service:
        with pytest.raises(openai.UnprocessableEntityError, match="user"):
            await service.chat.completions.create(model="m", messages=[user("x")])
        for wrong in ({"user": "ben"}, {"agent": "cook"}):
            with pytest.raises(openai.NotFoundError):
                await service.chat.completions.create(
                    model="m", messages=[user("x")], metadata={"conversation": mine, **wrong}
                )
        await service.chat.completions.create(model="m", messages=[user("and?")], metadata={"conversation": mine})
    assert [one.content for one in await (await memory.conversation(id=mine)).window()] == [
        "do I keep bees?",
        "Hello",
        "and?",
        "Hello",
    ]


async def test_names_in_headers_are_in_utf_8(proxied: Proxied, memory: Recollect) -> None:
    proxied.upstream.respond = lambda request: "Hola"
    key = (await memory.create_key(scopes=["read", "write"])).text
    asked = {"model": "m", "messages": [user("hola")]}
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=60) as client:
        named: Any = {"x-recollect-user": "José".encode(), "x-recollect-agent": "北京".encode()}
        answer = await client.post(f"{proxied.served.url}/v1/chat/completions", json=asked, headers=named)
        assert answer.status_code == 200
        assert await kept(memory, "José", "北京") == [("user", "hola"), ("assistant", "Hola")]
        for header in ("X-Recollect-User", "X-Recollect-Agent"):
            latin = {**named, header.lower(): "José".encode("latin-1")}
            answer = await client.post(f"{proxied.served.url}/v1/chat/completions", json=asked, headers=latin)
            assert (answer.status_code, header in answer.json()["error"]["message"]) == (422, True)
            assert answer.json()["error"]["param"] == header


async def test_memory_can_be_switched_off(proxied: Proxied, ana: AsyncOpenAI, memory: Recollect) -> None:
    await memory.remember("user keeps bees", user="ana", agent="assistant")
    proxied.upstream.play("Hello", "Hello")
    off = {"X-Recollect-Memory": "off"}
    sent = [user("do I keep bees?")]
    await ana.chat.completions.create(model="m", messages=sent, extra_headers=off)
    assert proxied.asked["messages"] == sent
    assert len(await kept(memory)) == 2
    with pytest.raises(openai.UnprocessableEntityError, match="on or off"):
        await ana.chat.completions.create(model="m", messages=sent, extra_headers={"X-Recollect-Memory": "maybe"})


async def test_images_go_through_unchanged(proxied: Proxied, ana: AsyncOpenAI, memory: Recollect) -> None:
    proxied.upstream.play("A cat")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}
    message: Any = {"role": "user", "content": [{"type": "text", "text": "what is it?"}, picture]}
    only: Any = {"role": "user", "content": [picture]}
    await ana.chat.completions.create(model="m", messages=[message])
    assert proxied.asked["messages"] == [message]
    proxied.upstream.play("The same")
    await ana.chat.completions.create(model="m", messages=[only])
    assert proxied.asked["messages"][-1] == only
    assert [role for role, _ in await kept(memory)] == ["user", "assistant"] * 2


async def test_what_another_model_thought_is_not_sent_along(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="default")
    thought = {"type": "thinking", "thinking": "hm", "signature": "xyz"}
    await chat.append("user", "I moved to Porto.")
    await chat.append("assistant", [thought, {"type": "text", "text": "Welcome."}])
    enriched = await chat.enrich([{"role": "user", "content": "Where do I live?"}])
    assert [one["content"] for one in enriched.messages if one["role"] != "system"] == [
        "I moved to Porto.",
        [{"type": "text", "text": "Welcome."}],
        "Where do I live?",
    ]


async def test_our_own_errors_have_openais_shape(proxied: Proxied, ana: AsyncOpenAI, memory: Recollect) -> None:
    async with proxied.client("rk_wrong") as stranger:
        with pytest.raises(openai.AuthenticationError):
            await stranger.chat.completions.create(model="m", messages=[user("hi")])
        with pytest.raises(openai.AuthenticationError):
            await stranger.models.list()
    async with proxied.client((await memory.create_key(scopes=["read"])).text) as reader:
        with pytest.raises(openai.PermissionDeniedError):
            await reader.chat.completions.create(model="m", messages=[user("hi")])
    assert [one.id async for one in ana.models.list()] == ["scripted"]
    assert (await ana.models.retrieve("scripted")).id == "scripted"
    with pytest.raises(openai.NotFoundError):
        await ana.models.retrieve("meta/none")
    with pytest.raises(openai.NotFoundError):
        await ana.embeddings.create(model="m", input="x")
    good = {"model": "m", "messages": [user("hi")]}
    deep = b'{"model": "m", "messages": ' + b"[" * 5000
    wrong: list[tuple[bytes, int, str | None]] = [
        (b"{", 400, None),
        (b"", 422, "model"),
        (deep, 422, "messages[0]"),
        (json.dumps({"messages": good["messages"]}).encode(), 422, "model"),
        (json.dumps({"model": "m"}).encode(), 422, "messages"),
        (json.dumps({**good, "messages": []}).encode(), 422, "messages"),
        (json.dumps({**good, "messages": ["hi"]}).encode(), 422, "messages[0]"),
        (json.dumps({**good, "messages": [{"role": "owner", "content": "x"}]}).encode(), 422, "messages[0].role"),
        (json.dumps({**good, "messages": [user("a\0b")]}).encode(), 422, "messages[0].content"),
        (json.dumps({**good, "stream": "yes"}).encode(), 422, "stream"),
        (json.dumps({**good, "metadata": {"conversation": "no uuid"}}).encode(), 422, "conversation"),
        (json.dumps({**good, "messages": [user("x" * 400_000)]}).encode(), 413, None),
    ]
    headers = {"authorization": f"Bearer {ana.api_key}"}
    async with httpx.AsyncClient(base_url=proxied.served.url, headers=headers, timeout=60) as client:
        for body, status, field in wrong:
            answer = await client.post("/v1/chat/completions", content=body)
            assert answer.status_code == status, (body[:80], answer.text)
            error = answer.json()["error"]
            assert set(error) == {"message", "type", "param", "code"}
            assert error["param"] == field, (body[:80], error)
        foreign = await client.post("/v1/chat/completions", json=good, headers={"host": "evil.example"})
        assert (foreign.status_code, foreign.json()["error"]["type"]) == (403, "permission_error")
    assert proxied.upstream.requests == []
    assert await kept(memory) == []


async def test_many_at_once_in_one_conversation_keep_their_pairs(
    proxied: Proxied, ana: AsyncOpenAI, memory: Recollect
) -> None:
    proxied.upstream.respond = lambda request: f"re: {request['messages'][-1]['content']}"

    async def ask(number: int) -> None:
        stream: Any = await ana.chat.completions.create(
            model="m", messages=[user(f"q{number}")], stream=bool(number % 2)
        )
        if number % 2:
            async for _ in stream:
                pass

    await asyncio.gather(*(ask(number) for number in range(12)))
    chat = await memory.conversation(user="ana", agent="assistant")
    stored = await chat.window(100)
    assert [one.seq for one in stored] == list(range(1, 25))
    asked = {one.seq: one.content for one in stored if one.role == "user"}
    assert len(set(asked.values())) == 12
    replies = [one for one in stored if one.role == "assistant"]
    assert len(replies) == 12
    assert all(one.content == f"re: {asked[one.answers or 0]}" for one in replies)


async def test_the_log_has_neither_content_nor_keys(proxied: Proxied, ana: AsyncOpenAI) -> None:
    proxied.upstream.play("a secretgarden", Status(500, "secretgarden"))
    await ana.chat.completions.create(model="secretgarden", messages=[user("secretgarden")])
    with pytest.raises(openai.InternalServerError):
        await ana.chat.completions.create(model="m", messages=[user("secretgarden")])
    log = proxied.served.said
    assert "/v1/chat/completions" in log
    assert "secretgarden" not in log
    assert OPERATOR not in log
    assert ana.api_key not in log
    assert "question 1" not in log
