"""What the proxy reads in answers that it passes on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.server.openai_shape import UpstreamFailed
from recollect.server.proxy.heard import Events, Heard, data_of
from recollect.settings import Settings


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> bytes:
    return json.dumps({"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}).encode()


def test_a_stream_is_put_together_from_its_first_choice() -> None:
    heard = Heard("m")
    call = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": '{"a"'}}
    for data in (
        chunk({"role": "assistant", "content": "Let "}),
        chunk({"content": "ME"}, index=1),
        chunk({"content": "me see"}),
        b"{not json",
        b'{"error": {"message": "x"}}',
        chunk({"tool_calls": [call]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}),
    ):
        heard.event(data)
    assert not heard.complete
    heard.event(chunk({}, "tool_calls"))
    heard.event(b'{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}')
    assert heard.complete
    reply = heard.reply(1.5)
    assert reply is not None
    assert reply["content"] == "Let me see"
    assert reply["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"a": 1}'}
    assert reply["metadata"] == {"model": "m", "execution_time": 1.5, "finish_reason": "tool_calls"}
    assert (heard.tokens(100).sent, heard.tokens(100).received) == (5, 2)


DEEP = b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"choices": []}', b'{"choices": 7}', b"<html>", b"\xff", DEEP]
)
def test_what_is_no_completion(body: bytes) -> None:
    with pytest.raises(UpstreamFailed) as failed:
        Heard("m").whole(body)
    assert failed.value.status == 502
    assert set(failed.value.error) == {"message", "type", "param", "code"}


def test_nothing_said_is_nothing_to_keep_and_nul_is_no_text() -> None:
    heard = Heard("m")
    heard.whole(b'{"choices": [{"message": {"content": null}}]}')
    assert heard.reply(0) is None
    heard = Heard("m")
    heard.whole(b'{"choices": [{"message": {"content": "a\\u0000b"}}]}')
    assert (heard.reply(0) or {})["content"] == "a?b"
    heard = Heard("m")
    heard.whole(json.dumps({"choices": [{"message": {"content": "x" * 1_100_000}}]}).encode())
    with pytest.raises(UpstreamFailed):
        heard.reply(0)


PARTS = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Por"}, "to", 7]


@pytest.mark.parametrize(
    "odd",
    [
        {"content": PARTS},
        {"content": "Porto", "tool_calls": None, "refusal": 7, "audio": "x"},
        {"content": [{"type": "text", "text": "Porto"}], "name": {}},
    ],
)
def test_an_answer_in_an_odd_shape_is_read_as_far_as_it_can_be(odd: dict[str, Any]) -> None:
    usage = '"usage": {"prompt_tokens": 5.0, "completion_tokens": null, "total_tokens": "many"}'
    choice = f'{{"index": null, "finish_reason": "stop", "logprobs": {{}}, "message": {json.dumps(odd)}}}'
    heard = Heard("m")
    heard.whole(f'{{"model": null, "choices": [{choice}], {usage}}}'.encode())
    assert (heard.reply(0) or {})["content"] == "Porto"
    assert (heard.tokens(9).sent, heard.tokens(9).received) == (5, 0)
    streamed = Heard("m")
    for part in (choice.replace('"message"', '"delta"'), '{"index": 1.0, "delta": {"content": "no"}}', "null"):
        streamed.event(f'{{"choices": [{part}], "usage": null, "error": null}}'.encode())
    streamed.event(f'{{"choices": null, {usage}}}'.encode())
    assert streamed.complete
    assert (streamed.reply(0) or {})["content"] == "Porto"
    assert streamed.tokens(9) == heard.tokens(9)


def test_arguments_that_come_as_an_object() -> None:
    heard = Heard("m")
    call = {"index": 0.0, "id": None, "function": {"name": "look", "arguments": {"a": 1}}}
    heard.whole(json.dumps({"choices": [{"message": {"content": None, "tool_calls": [call, None]}}]}).encode())
    assert (heard.reply(0) or {})["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"a":1}'}


ERROR = {"error": {"message": "overloaded", "code": 502}}


@pytest.mark.parametrize(
    "ending",
    [
        [ERROR],
        [{"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}], **ERROR}],
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}],
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, ERROR],
    ],
)
def test_an_answer_that_ends_with_an_error_is_not_whole(ending: list[dict[str, Any]]) -> None:
    heard = Heard("m")
    heard.event(chunk({"content": "You may take up to"}))
    for event in ending:
        heard.event(json.dumps(event).encode())
    assert heard.anything
    assert not heard.complete


@pytest.mark.parametrize("said", [ERROR, {"error": "no"}, {"choices": [{"finish_reason": "error"}]}])
def test_a_whole_answer_that_is_an_error(said: dict[str, Any]) -> None:
    choice = {"message": {"content": "You may take up to"}, **said.get("choices", [{}])[0]}
    with pytest.raises(UpstreamFailed):
        Heard("m").whole(json.dumps({**said, "choices": [choice]}).encode())


EVENTS = [b"data: 1\n\n", b": wait\r\n\r\n", b"event: x\ndata: 2\ndata:3\n\n", b"data: [DONE]\n\n"]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60))
def test_events_come_whole_however_the_bytes_are_cut(cuts: list[int]) -> None:
    text, events, place, found = b"".join(EVENTS), Events(), 0, []
    for cut in [*cuts, len(text)]:
        found += events.feed(text[place : place + cut])
        place += cut
    assert [*found, events.rest()] == [*EVENTS, b""]
    assert [data_of(one) for one in found] == [b"1", b"", b"2\n3", b"[DONE]"]


def test_an_event_without_end_is_refused() -> None:
    events = Events()
    assert events.feed(b"x" * 1_000_000) == []
    with pytest.raises(UpstreamFailed):
        events.feed(b"x" * 100_000)


def test_a_key_alone_sends_nothing_anywhere() -> None:
    assert Settings(openai_api_key="sk").upstream is None
    assert Settings(model="openai:gpt").upstream == "https://api.openai.com/v1"
    assert Settings(openai_base_url="http://h/v1/", model="openai:gpt").upstream == "http://h/v1"
