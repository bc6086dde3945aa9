"""Whatever can be appended can be rendered in every format, by the rules of those who read it: what they refuse,
they refuse with the whole prompt."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage

from recollect import Invalid, Message
from recollect.adapters.openai_items import item_fields
from recollect.conversations.incoming import draft
from recollect.recall.pack import Context, Sections, pack
from recollect.recall.render import langchain_messages

AT = datetime(2024, 5, 1, tzinfo=UTC)
IDS = st.sampled_from(["a", "b", "c", "", "functions.f:0", "functions_f_0", "toolu" * 10])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | IDS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "text", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)
ARGUMENTS = ANYTHING | st.sampled_from(
    ['{"q": 1}', "{oops", "[1]", "NaN", "1e999", "9" * 5000, "[" * 100_000, '"\\ud800"']
)


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: taken | ANYTHING for name, taken in fields.items()})


FUNCTIONS = objects(name=st.just("f"), arguments=ARGUMENTS)
CALLS = objects(
    id=IDS,
    type=st.just("function"),
    function=FUNCTIONS | st.just("f"),
    name=st.just("g"),
    args=ARGUMENTS,
    input=ARGUMENTS,
)
URLS = st.sampled_from(
    [
        "https://x/y", "http://x/y", "data:image/png;base64,QQ==", "data:image/jpg;base64,QQ==",
        "data:image/svg+xml;base64,QQ==", "", "somewhere",
    ]
)  # fmt: skip
IMAGES = (
    objects(type=st.sampled_from(["image_url", "input_image"]), image_url=URLS | objects(url=URLS), detail=IDS)
    | objects(
        type=st.just("image"),
        source_type=st.sampled_from(["url", "base64"]),
        url=URLS,
        data=st.just("QQ=="),
        base64=st.just("QQ=="),
        mime_type=st.just("image/png"),
    )
    | objects(
        type=st.just("image"),
        source=objects(
            type=st.sampled_from(["url", "base64", "file"]),
            url=URLS,
            media_type=st.sampled_from(["image/png", "image/JPG", "image/heic"]),
            data=st.just("QQ=="),
        ),
    )
)
WRITTEN = objects(type=st.sampled_from(["text", "content"]), data=st.just("ten"), content=st.lists(ANYTHING))
FILES = objects(
    type=st.sampled_from(
        ["file", "input_file", "input_audio", "document", "audio", "video", "text-plain", "container_upload"]
    ),
    file=objects(file_id=st.just("f"), file_data=st.just("QQ=="), filename=st.just("n")),
    file_id=st.sampled_from(["f", "file-f"]),
    input_audio=objects(data=st.just("QQ=="), format=st.just("wav")),
    source=WRITTEN,
    source_type=st.sampled_from(["base64", "url", "id"]),
    url=URLS,
    data=st.sampled_from(["QQ==", ""]),
    base64=st.sampled_from(["QQ==", ""]),
    mime_type=st.sampled_from(["application/pdf", "audio/wav", "audio/ogg", "text/plain"]),
    extras=objects(filename=st.just("n")),
)
INNER = st.lists(objects(type=st.just("text"), text=st.just("ten")) | IMAGES | FILES | ANYTHING, max_size=3)
BLOCKS = (
    objects(type=st.sampled_from(["text", "input_text", "output_text"]), text=st.just("hi"), annotations=ANYTHING)
    | objects(type=st.just("tool_use"), id=IDS, name=st.just("f"), input=ARGUMENTS)
    | objects(
        type=st.sampled_from(["tool_call", "invalid_tool_call", "tool_call_chunk"]),
        id=IDS,
        name=st.just("f"),
        args=ARGUMENTS,
        error=st.just("not JSON"),
    )
    | objects(type=st.just("function_call"), id=st.just("fc"), call_id=IDS, name=st.just("f"), arguments=ARGUMENTS)
    | objects(type=st.just("tool_result"), tool_use_id=IDS, content=st.just("ten") | INNER, is_error=st.booleans())
    | objects(
        type=st.sampled_from(["thinking", "redacted_thinking", "reasoning", "refusal"]),
        thinking=st.just("hm"),
        signature=st.just("xyz"),
        index=st.just(0),
        reasoning=st.just("hm"),
        refusal=st.just("No."),
        extras=objects(signature=st.just("xyz")),
    )
    | objects(type=st.sampled_from(["server_tool_use", "web_search_tool_result", "search_result"]), content=INNER)
    | objects(
        type=st.sampled_from(["server_tool_call", "server_tool_call_chunk", "server_tool_result"]),
        id=IDS,
        tool_call_id=IDS,
        name=st.just("web_search"),
        args=ARGUMENTS,
        status=st.just("success"),
        output=INNER,
        extras=objects(block_type=st.just("web_search_tool_result")),
    )
    | IMAGES
    | FILES
    | ANYTHING
)
PARTS = st.lists(BLOCKS | objects(type=st.just("non_standard"), value=BLOCKS), max_size=4)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": st.just("hi") | PARTS},
    optional={
        "tool_calls": st.lists(CALLS | ANYTHING, max_size=3),
        "tool_call_id": IDS,
        "name": st.sampled_from(["Ana", "<>"]),
    },
)


class Letters:
    def count(self, text: str) -> int:
        return len(text)


def stored(given: dict[str, Any], seq: int) -> Message | None:
    """A message as append keeps it, if it takes it."""
    try:
        kept = draft(given)
    except Invalid:
        return None
    return Message(
        "c",
        seq,
        str(seq),
        kept.role,
        kept.content,
        AT,
        name=kept.name,
        tool_calls=json.loads(kept.tool_calls or "null"),
        tool_call_id=kept.tool_call_id,
        parts=json.loads(kept.parts or "null"),
    )


def packed(given: list[dict[str, Any]], budget: int = 1_000_000) -> Context:
    window = [one for seq, each in enumerate(given, 1) if (one := stored(each, seq)) is not None]
    return pack(Sections(window=window, message="and now?"), budget, Letters())


ITEMS = st.sampled_from(["a", "b", "call_0"]).flatmap(
    lambda id: st.sampled_from(
        [
            {"type": "function_call", "call_id": id, "name": "f", "arguments": ""},
            {"type": "function_call_output", "call_id": id, "output": "ten"},
            {"type": "reasoning", "id": "r", "summary": []},
        ]
    ).map(item_fields)
)


@given(st.lists(MESSAGES | ITEMS, max_size=6), st.sampled_from([60, 300, 1_000_000]))
def test_anything_can_be_rendered(messages: list[dict[str, Any]], budget: int) -> None:
    context = packed(messages, budget)
    assert context.tokens["total"] <= budget
    assert context.to_openai() == context.messages
    _check_openai(context.messages)
    _check_anthropic(context.to_anthropic()["messages"])
    _check_langchain(context.to_langchain())


#: As LangChain gives them, so that more than the shape of each is tried.
BLOCKS_OF_LANGCHAIN = st.sampled_from(
    [
        {"type": "text", "text": "hi", "annotations": [{"type": "citation", "cited_text": "hi"}], "index": 0},
        {"type": "text-plain", "mime_type": "text/plain", "text": "ten"},
        {"type": "text-plain", "mime_type": "text/plain", "base64": "QQ=="},
        {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "xyz"}},
        {"type": "tool_call", "id": "a", "name": "f", "args": {}},
        {"type": "tool_call", "id": "b", "name": "f", "args": {}},
        {"type": "tool_call", "id": None, "name": "f", "args": {}},
        {"type": "invalid_tool_call", "id": "a", "name": "f", "args": "{oops", "error": "not JSON"},
        {"type": "tool_call_chunk", "id": "a", "name": "f", "args": "{", "index": 0},
        {"type": "server_tool_call", "id": "s", "name": "web_search", "args": {}},
        {"type": "server_tool_call_chunk", "id": "s", "name": "web_search", "args": "{"},
        {"type": "server_tool_result", "tool_call_id": "s", "status": "success", "output": ["ten"]},
        {"type": "image", "base64": "QQ==", "mime_type": "image/png"},
        {"type": "audio", "base64": "QQ==", "mime_type": "audio/wav"},
        {"type": "video", "url": "http://x/y"},
        {"type": "file", "base64": "QQ==", "mime_type": "application/pdf"},
        {"type": "file", "file_id": "file-f"},
        {"type": "non_standard", "value": {"type": "tool_use", "id": "a", "name": "f", "input": {}}},
        {"type": "non_standard", "value": {"type": "tool_result", "tool_use_id": "a", "content": "ten"}},
        {"type": "non_standard", "value": {"type": "thinking", "thinking": "hm", "signature": "xyz"}},
        {"type": "non_standard", "value": {"type": "redacted_thinking", "data": "xyz"}},
        {"type": "non_standard", "value": {"type": "executable_code", "code": "1"}},
        {"type": "non_standard", "value": {}},
    ]
)
MESSAGES_OF_LANGCHAIN = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": st.lists(BLOCKS_OF_LANGCHAIN, max_size=3)},
    optional={"tool_calls": st.just([{"type": "tool_call", "id": "a", "name": "f", "args": {}}])},
) | st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "tool"]), "content": st.lists(BLOCKS_OF_LANGCHAIN, max_size=2)},
    optional={"tool_call_id": st.sampled_from(["a", "b"])},
)


@given(st.lists(MESSAGES_OF_LANGCHAIN, max_size=6))
def test_blocks_of_langchain_can_be_rendered(messages: list[dict[str, Any]]) -> None:
    context = packed(messages)
    _check_openai(context.messages)
    _check_anthropic(context.to_anthropic()["messages"])
    _check_langchain(context.to_langchain())


def exchanges() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Calls in every shape, with all of their results."""

    def exchange(ids: list[str], shape: str, content: Any) -> list[dict[str, Any]]:
        results = [{"role": "tool", "content": content, "tool_call_id": id} for id in ids]
        calls = [{"id": id, "type": "function", "function": {"name": "f.g " * 20, "arguments": ""}} for id in ids]
        if shape == "together":
            return [{"role": "assistant", "content": "", "tool_calls": calls}, *results]
        if shape == "one by one":
            return [*({"role": "assistant", "content": "", "tool_calls": [call]} for call in calls), *results]
        blocks = [{"type": "tool_call", "id": id, "name": "f", "args": {}} for id in ids]
        if shape == "langchain":
            return [{"role": "assistant", "content": blocks}, *results]
        if shape == "langchain, twice":
            return [{"role": "assistant", "content": blocks, "tool_calls": calls}, *results]
        if shape == "responses":
            blocks = [{"type": "function_call", "id": "fc", "call_id": id, "name": "f"} for id in ids]
            return [{"role": "assistant", "content": blocks}, *results]
        uses = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in ids]
        if shape == "wrapped":
            wrapped = [{"type": "non_standard", "value": use} for use in uses]
            return [{"role": "assistant", "content": [*wrapped, *blocks]}, *results]
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": True} for id in ids]
        return [{"role": "assistant", "content": uses}, {"role": "user", "content": blocks}]

    ids = st.lists(st.sampled_from(["call_0", "call_0", "functions.f:0", "é"]), min_size=1, max_size=3)
    shapes = st.sampled_from(
        ["together", "one by one", "blocks", "langchain", "langchain, twice", "responses", "wrapped"]
    )
    return st.lists(st.builds(exchange, ids, shapes, st.just("") | INNER), max_size=3).map(
        lambda several: [message for one in several for message in one]
    )


@given(exchanges())
def test_an_exchange_with_all_its_results_is_shown_in_every_format(messages: list[dict[str, Any]]) -> None:
    context = packed(messages)
    assert context.dropped == []
    _check_openai(context.messages)
    _check_anthropic(context.to_anthropic()["messages"])
    _check_langchain(context.to_langchain())


PARTS_OF_OPENAI = {
    "user": {"text", "image_url", "input_audio", "file"},
    "assistant": {"text", "refusal"},
    "tool": {"text"},
    "system": {"text"},
}


def _check_openai(messages: list[dict[str, Any]]) -> None:
    waiting: list[str] = []
    for one in messages:
        assert isinstance(one["content"], str | list) or (one["content"] is None and one["tool_calls"])
        assert one["content"] or one["role"] != "assistant" or one.get("tool_calls")
        for part in one["content"] if isinstance(one["content"], list) else ():
            assert part["type"] in PARTS_OF_OPENAI[one["role"]]
            assert part.keys() == {"type", part["type"]}
            assert isinstance(part[part["type"]], str if part["type"] == "text" else dict)
            if part["type"] == "image_url":
                assert part["image_url"]["url"]
            if part["type"] == "file":
                assert part["file"].keys() & {"file_id", "file_data"}
        if one["role"] == "tool":
            waiting.remove(one["tool_call_id"])
            continue
        assert waiting == []
        waiting = [call["id"] for call in one.get("tool_calls", ())]
        for call in one.get("tool_calls", ()):
            assert len(call["id"]) <= 40
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"])
            assert isinstance(call["function"]["arguments"], str)
    assert waiting == []


BLOCKS_OF_ANTHROPIC = {
    "user": {"text", "image", "document", "search_result", "container_upload", "tool_result"},
    "assistant": {
        "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "web_search_tool_result",
    },
}  # fmt: skip


def _check_anthropic(turns: list[dict[str, Any]]) -> None:
    waiting: list[str] = []
    ids: list[str] = []
    for place, turn in enumerate(turns):
        assert turn["role"] == ("assistant" if place % 2 else "user")
        assert turn["content"]
        results = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting)
        assert [block["type"] for block in turn["content"][: len(results)]] == ["tool_result"] * len(results)
        waiting = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        ids += waiting
        assert turn["content"][-1]["type"] not in {"thinking", "redacted_thinking"}
        for block in turn["content"]:
            assert block["type"] in BLOCKS_OF_ANTHROPIC[turn["role"]]
            _check_block(block)
    assert waiting == []
    assert len(set(ids)) == len(ids)


IN_RESULTS = {"text", "image", "document", "search_result"}


def _check_block(block: dict[str, Any]) -> None:
    match block["type"]:
        case "text":
            assert block["text"].strip()
        case "image" | "document":
            assert isinstance(block["source"], dict)
            if block["source"].get("type") == "url":
                assert block["source"]["url"].startswith("https://")
            if block["type"] == "image" and block["source"]["type"] == "base64":
                assert block["source"]["media_type"] in {"image/jpeg", "image/png", "image/gif", "image/webp"}
        case "thinking" | "redacted_thinking":
            assert block.keys() in ({"type", "thinking", "signature"}, {"type", "data"})
        case "tool_use":
            assert re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"])
            assert re.fullmatch(r"[a-zA-Z0-9_-]+", block["name"])
            assert isinstance(block["input"], dict)
        case "tool_result":
            assert block["content"] or not block.get("is_error")
            for inner in block["content"]:
                assert inner["type"] in ({"text"} if block.get("is_error") else IN_RESULTS)
                _check_block(inner)
        case _:
            pass


CALLS_OF_LANGCHAIN = {"tool_use", "tool_call", "invalid_tool_call", "tool_call_chunk"}


def _check_langchain(messages: list[Any]) -> None:
    waiting: list[str | None] = []
    for one in messages:
        if isinstance(one, ToolMessage):
            waiting.remove(one.tool_call_id)
        else:
            assert waiting == []
            waiting = [call["id"] for call in one.tool_calls] if isinstance(one, AIMessage) else []
            parts: list[Any] = one.content if isinstance(one.content, list) else []
            assert not any(part["type"] in CALLS_OF_LANGCHAIN for part in parts), (
                "what is a call is one in one place"
            )
    assert waiting == []


@pytest.mark.parametrize(
    "arguments", ["[" * 100_000, "[" * 300 + "]" * 300, "9" * 5000, '"\\ud800"', "NaN", "\ud7ff"]
)
def test_arguments_that_are_no_object_in_any_way(arguments: str) -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": arguments}}
    context = packed(
        [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "no", "tool_call_id": "a"},
        ]
    )
    assert context.messages[0]["tool_calls"][0]["function"]["arguments"] == arguments
    assert set(context.to_anthropic()["messages"][1]["content"][0]["input"]) == {"arguments"}
    assert set(context.to_langchain()[0].tool_calls[0]["args"]) == {"arguments"}


def test_langchain_takes_halves_of_an_exchange_too() -> None:
    made = langchain_messages(
        [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "a", "function": "f"}, {"name": "g", "args": {}}],
            },
            {"role": "tool", "content": "no"},
        ]
    )
    assert [call["name"] for call in made[0].tool_calls] == ["f", "g"]
    assert made[1].tool_call_id == ""
