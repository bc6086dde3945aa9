"""What one format has no place for, as the others take it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage

from recollect import Message
from recollect.adapters.openai_items import item_fields
from recollect.recall.pack import Context, Sections, pack
from recollect.records import Role
from recollect.server.wire.context import context_view

AT = datetime(2024, 5, 1, tzinfo=UTC)
LINKED = {"type": "image_url", "image_url": {"url": "https://x/y.png"}}
INLINE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}
OWN_LINKED = {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}
OWN_INLINE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}
OWN_JPEG = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "QQ=="}}
JPG, SVG = (f"data:image/{kind};base64,QQ==" for kind in ("jpg", "svg+xml"))
SOUND = {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}}
PDF = {"type": "file", "file": {"file_data": "data:application/pdf;base64,QQ==", "filename": "file.pdf"}}
OWN_PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="}}
WEATHER = {"name": "weather", "args": {"city": "Porto"}, "id": "a", "type": "tool_call"}


def shown_at(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


class Letters:
    def count(self, text: str) -> int:
        return len(text)


def message(seq: int, role: Role, content: str = "", **more: Any) -> Message:
    return Message("c", seq, f"m{seq}", role, content, AT, **more)


def from_item(seq: int, item: dict[str, Any]) -> Message:
    fields = item_fields(item)
    if isinstance(fields["content"], list):
        fields |= {"content": "", "parts": fields["content"]}
    return message(seq, **fields)


def packed(*window: Message) -> Context:
    return pack(Sections(window=window), 1_000_000, Letters())


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(id: str, arguments: str = "{}", name: str = "f") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def exchange(id: str, **more: Any) -> list[Message]:
    return [
        message(1, "assistant", tool_calls=[call(id, **more)]),
        message(2, "tool", "ten", tool_call_id=id),
    ]


def anthropic(*window: Message) -> list[dict[str, Any]]:
    """All blocks but the one that stands for what is not shown."""
    turns = packed(*window).to_anthropic()["messages"]
    return [block for turn in turns for block in turn["content"] if "not shown" not in block.get("text", "")]


# OpenAI -------------------------------------------------------------------------------------------


def test_items_of_the_agents_sdk_are_ready_for_a_chat() -> None:
    items = [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": "https://x/y.png", "detail": "low"},
                {"type": "input_file", "file_id": "f", "filename": "n.pdf"},
            ],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "a fig", "annotations": []},
                {"type": "refusal", "refusal": "No."},
            ],
        },
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "a",
            "output": [{"type": "input_text", "text": "ten"}, {"type": "input_image", "image_url": "https://x"}],
        },
    ]
    context = packed(*(from_item(seq, item) for seq, item in enumerate(items, 1)))
    assert [one["content"] for one in context.messages] == [
        [
            text("look"),
            {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
            {"type": "file", "file": {"file_id": "f", "filename": "n.pdf"}},
        ],
        [text("a fig"), text("No.")],
        None,
        [text("ten"), text("[image]")],
    ]


@pytest.mark.parametrize(
    ("stored", "shown", "own"),
    [
        ({"type": "image", "source_type": "url", "url": "https://x/y.png"}, LINKED, OWN_LINKED),
        ({"type": "image", "url": "https://x/y.png"}, LINKED, OWN_LINKED),
        ({"type": "image_url", "image_url": "https://x/y.png"}, LINKED, OWN_LINKED),
        ({"type": "image", "source_type": "base64", "data": "QQ==", "mime_type": "image/png"}, INLINE, OWN_INLINE),
        ({"type": "image", "base64": "QQ==", "mime_type": "image/png"}, INLINE, OWN_INLINE),
        (OWN_INLINE | {"cache_control": {"type": "ephemeral"}}, INLINE, ...),
        ({"type": "image_url", "image_url": "data:image/jpg;base64,QQ=="}, shown_at(JPG), OWN_JPEG),
        (
            {"type": "image", "base64": "QQ==", "mime_type": "image/JPG"},
            shown_at(JPG.replace("jpg", "JPG")),
            OWN_JPEG,
        ),
        (OWN_JPEG | {"source": OWN_JPEG["source"] | {"media_type": "image/jpg"}}, shown_at(JPG), OWN_JPEG),
        ({"type": "image_url", "image_url": SVG}, shown_at(SVG), text("[image]")),
        ({"type": "image", "url": "http://x/y.png"}, shown_at("http://x/y.png"), text("[image]")),
        (
            OWN_LINKED | {"source": {"type": "url", "url": "http://x/y.png"}},
            shown_at("http://x/y.png"),
            text("[image]"),
        ),
        ({"type": "document", "source": {"type": "url", "url": "http://x"}}, text("[file]"), text("[file]")),
        (OWN_PDF, text("[file]"), ...),
        (OWN_PDF | {"source": OWN_PDF["source"] | {"media_type": "text/csv"}}, text("[file]"), text("[file]")),
        ({"type": "image", "file_id": "f"}, text("[image]"), text("[image]")),
        ({"type": "reasoning", "reasoning": "hm"}, None, None),
        ({"type": "refusal", "refusal": "No."}, text("No."), text("No.")),
        ({"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}}, ..., text("[audio]")),
        ({"type": "file", "file": {"file_data": "QQ==", "filename": "n"}}, ..., text("[file]")),
        ({"type": "document", "source": {"type": "text", "data": "ten figs"}}, text("ten figs"), ...),
        ({"type": "document", "source": {"type": "url", "url": "https://x"}}, text("[file]"), ...),
        ({"type": "search_result", "content": [text("ten"), text("two")]}, text("ten\ntwo"), ...),
        ({"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}, text("hi"), ...),
        (
            {"type": "text-plain", "text": "ten figs", "mime_type": "text/plain"},
            text("ten figs"),
            text("ten figs"),
        ),
        ({"type": "text-plain", "base64": "QQ==", "mime_type": "text/plain"}, text("[file]"), text("[file]")),
        ({"type": "audio", "base64": "QQ==", "mime_type": "audio/wav"}, SOUND, text("[audio]")),
        (
            {"type": "audio", "source_type": "base64", "data": "QQ==", "mime_type": "audio/wav"},
            SOUND,
            text("[audio]"),
        ),
        ({"type": "audio", "base64": "QQ==", "mime_type": "audio/ogg"}, text("[audio]"), text("[audio]")),
        ({"type": "video", "url": "https://x/y.mp4"}, text("[video]"), text("[video]")),
        ({"type": "file", "base64": "QQ==", "mime_type": "application/pdf"}, PDF, OWN_PDF),
        ({"type": "file", "base64": "QQ==", "mime_type": "application/zip"}, text("[file]"), text("[file]")),
        ({"type": "file", "file_id": "file-1"}, {"type": "file", "file": {"file_id": "file-1"}}, text("[file]")),
        ({"type": "file", "file_id": "file_1"}, text("[file]"), text("[file]")),
        ({"type": "file", "url": "https://x/y.pdf"}, text("[file]"), text("[file]")),
        ({"type": "server_tool_result", "tool_call_id": "a", "status": "success", "output": "ten"}, None, None),
        ({"type": "non_standard", "value": {"no": "type"}}, None, None),
    ],
)
def test_a_part_of_a_user_in_each_format(stored: dict[str, Any], shown: Any, own: Any) -> None:
    """``...`` is what was stored, None nothing; LangChain takes all of them as they are."""
    context = packed(message(1, "user", parts=[text("look"), stored]))
    expected = {format: stored if one is ... else one for format, one in (("openai", shown), ("anthropic", own))}
    assert context.messages[0]["content"][1:] == [part for part in [expected["openai"]] if part]
    assert anthropic(message(1, "user", parts=[text("look"), stored]))[1:] == [
        part for part in [expected["anthropic"]] if part
    ]
    assert context.to_langchain()[0].content[1:] == [stored]


def test_what_a_provider_did_by_itself_is_told_to_nobody_else() -> None:
    searched = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "figs"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"title": "Figs"}]},
        text("Ten."),
    ]
    context = packed(message(1, "user", "how many?"), message(2, "assistant", "Ten.", parts=searched))
    assert context.messages[1]["content"] == [text("Ten.")]
    assert context.to_anthropic()["messages"][1]["content"] == searched


def test_what_a_provider_did_by_itself_is_told_by_langchain_only() -> None:
    searched = [
        {"type": "server_tool_call", "id": "srvtoolu_1", "name": "web_search", "args": {"query": "figs"}},
        {
            "type": "server_tool_result",
            "tool_call_id": "srvtoolu_1",
            "status": "success",
            "output": [text("Figs")],
        },
        text("Ten."),
    ]
    context = packed(message(1, "user", "how many?"), message(2, "assistant", "Ten.", parts=searched))
    assert context.messages[1]["content"] == [text("Ten.")]
    assert context.to_anthropic()["messages"][1]["content"] == [text("Ten.")]
    assert context.to_langchain()[1].content == searched


def test_a_context_that_was_sent_is_rendered_as_before() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "xyz"}
    context = packed(message(1, "user", "hi"), message(2, "assistant", "yes", parts=[thought, text("yes")]))
    assert context.messages[1]["content"] == [text("yes")]
    received = msgspec.json.decode(msgspec.json.encode(context_view(context)), type=Context)
    assert received.to_anthropic() == context.to_anthropic()
    assert received.to_anthropic()["messages"][1]["content"] == [thought, text("yes")]
    assert packed(message(1, "user", "hi"), message(2, "user", parts=[LINKED])).whole is None


# Calls in blocks of LangChain ---------------------------------------------------------------------


def blocks_of(said: AIMessage) -> list[Any]:
    return [dict(block) for block in said.content_blocks]


@pytest.mark.parametrize(
    "said",
    [
        AIMessage("looking", tool_calls=[WEATHER]),
        AIMessage(
            [text("looking"), {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Porto"}}]
        ),
        AIMessage(
            [text("looking"), {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Porto"}}],
            tool_calls=[WEATHER],
        ),
        AIMessage([text("looking"), WEATHER], tool_calls=[WEATHER]),
        AIMessageChunk(
            content="looking",
            tool_call_chunks=[{"name": "weather", "args": '{"city":"Porto"}', "id": "a", "index": 0}],
        ),
    ],
    ids=["call", "use", "call and use", "block", "chunk"],
)
@pytest.mark.parametrize("twice", [False, True])
def test_a_call_in_a_block_of_langchain_is_made_once(said: AIMessage, twice: bool) -> None:
    calls = list(said.tool_calls) if twice else None
    window = [
        message(1, "user", "weather?"),
        message(2, "assistant", "looking", parts=blocks_of(said), tool_calls=calls),
        message(3, "tool", "sunny", tool_call_id="a"),
    ]
    context = packed(*window)
    assert context.dropped == []
    assert context.messages[1:] == [
        {
            "role": "assistant",
            "content": [text("looking")],
            "tool_calls": [call("a", '{"city":"Porto"}', "weather")],
        },
        {"role": "tool", "content": "sunny", "tool_call_id": "a"},
    ]
    assert anthropic(*window)[1:] == [
        text("looking"),
        {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Porto"}},
        {"type": "tool_result", "tool_use_id": "a", "content": [text("sunny")]},
    ]
    _, calling, result = context.to_langchain()
    assert (calling.content, calling.tool_calls) == ([text("looking")], [WEATHER])
    assert isinstance(result, ToolMessage)


@pytest.mark.parametrize("id", ["a", None])
def test_a_call_without_an_id_is_made_once_too(id: str | None) -> None:
    made = WEATHER | {"id": id}
    window = [
        message(1, "assistant", parts=[made], tool_calls=[call("a")] if id else [made]),
        message(2, "tool", "sunny", tool_call_id=id),
    ]
    assert [len(one.get("tool_calls", ())) for one in packed(*window).messages] == [1, 0]


def test_a_call_that_could_not_be_read_is_one_where_a_result_follows() -> None:
    broken = {"type": "invalid_tool_call", "id": "a", "name": "f", "args": "{oops", "error": "not JSON"}
    calling = message(1, "assistant", "looking", parts=[text("looking"), broken])
    refused = message(2, "tool", "not JSON", tool_call_id="a")
    context = packed(calling, refused)
    assert context.dropped == []
    assert context.messages[0]["tool_calls"] == [call("a", "{oops")]
    assert anthropic(calling, refused)[1]["input"] == {"arguments": "{oops"}
    block = {"type": "tool_result", "tool_use_id": "a", "content": "not JSON"}
    assert packed(calling, message(2, "user", parts=[block])).dropped == []

    # Nothing was called, so nothing is missing; and a later result is another call's.
    later = [message(2, "user", "well?"), *exchange("a")]
    for window in ([calling], [calling, *later], [message(1, "user", parts=[text("looking"), broken])]):
        context = packed(*window)
        assert context.dropped == []
        assert context.messages[0]["content"] == [text("looking")]
        assert "tool_calls" not in context.messages[0]
        assert context.to_langchain()[0].content == [text("looking")]


def test_a_call_among_the_items_of_an_answer_has_the_id_of_its_result() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}"}
    result = message(2, "tool", "ten", tool_call_id="a")
    for calls in (None, [call("a")]):
        context = packed(message(1, "assistant", parts=[item], tool_calls=calls), result)
        assert context.dropped == []
        assert context.messages[0]["tool_calls"] == [call("a")]


def test_what_langchain_has_no_name_for_is_what_it_was() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "xyz"}
    said = AIMessage([thought, text("yes")])
    context = packed(message(1, "user", "hi"), message(2, "assistant", "yes", parts=blocks_of(said)))
    assert context.messages[1]["content"] == [text("yes")]
    assert context.to_anthropic()["messages"][1]["content"] == [thought, text("yes")]
    assert context.to_langchain()[1].content == [thought, text("yes")]


# What says nothing --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "silent",
    [
        {},
        {"parts": []},
        {"parts": [text("")]},
        {"parts": [{"type": "thinking", "thinking": "hm", "signature": "xyz"}]},
        {"parts": [{"type": "reasoning", "reasoning": "hm"}]},
        {"parts": [{"type": "server_tool_call", "id": "s", "name": "web_search", "args": {}}]},
        {"parts": [{"type": "invalid_tool_call", "id": "z", "name": "f", "args": "{", "error": None}]},
    ],
)
def test_an_assistant_who_says_nothing_is_left_out(silent: dict[str, Any]) -> None:
    context = packed(message(1, "user", "hi"), message(2, "assistant", **silent), message(3, "user", "hello?"))
    assert [one["content"] for one in context.messages] == ["hi", "hello?"]
    assert context.to_anthropic()["messages"] == [{"role": "user", "content": [text("hi"), text("hello?")]}]

    between = packed(exchange("a")[0], message(2, "assistant", **silent), exchange("a")[1])
    assert between.dropped == []
    assert [one["role"] for one in between.messages] == ["assistant", "tool"]

    going_on = pack(
        Sections(window=[message(1, "user", "hi"), message(2, "assistant", **silent)], message="hi"),
        9999,
        Letters(),
    )
    assert [one["content"] for one in going_on.messages] == ["hi"]


def test_a_thought_that_was_stored_alone_stands_before_what_came_of_it() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "xyz"}
    context = packed(
        message(1, "user", "hi"), message(2, "assistant", parts=[thought]), message(3, "assistant", "yes")
    )
    assert [one["content"] for one in context.messages] == ["hi", "yes"]
    assert context.to_anthropic()["messages"][1]["content"] == [thought, text("yes")]


def test_no_turn_ends_with_a_thought() -> None:
    thoughts = [
        {"type": "thinking", "thinking": "hm", "signature": "xyz"},
        {"type": "redacted_thinking", "data": "xyz"},
    ]
    after = message(1, "assistant", "yes", parts=[text("yes"), *thoughts])
    assert anthropic(after, message(2, "user", "hi")) == [text("yes"), text("hi")]
    alone = packed(message(1, "assistant", parts=thoughts), message(2, "user", "hi"))
    assert alone.to_anthropic()["messages"] == [{"role": "user", "content": [text("hi")]}]


def test_an_id_of_a_call_that_is_too_long_for_openai_is_a_shorter_one() -> None:
    """A call of another provider's would otherwise be refused, and the whole prompt, as long as it is in the window."""
    ids = ["ws_" + "1" * 48, "ws_" + "1" * 47 + "2", "i" * 40]
    uses = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in ids]
    results = [{"type": "tool_result", "tool_use_id": id, "content": id[-1]} for id in ids]
    together = message(3, "assistant", tool_calls=[call(id) for id in ids])
    by_id = [message(4 + place, "tool", id[-1], tool_call_id=id) for place, id in enumerate(ids)]
    context = packed(message(1, "assistant", parts=uses), message(2, "user", parts=results), together, *by_id)
    calling, *answers = context.messages[:4]
    shown = [one["id"] for one in calling["tool_calls"]]
    assert shown[2] == ids[2]
    assert len(set(shown)) == 3
    assert max(map(len, shown)) <= 40
    assert [(one["tool_call_id"], one["content"]) for one in answers] == list(zip(shown, "12i", strict=True))
    assert [one["id"] for one in context.messages[4]["tool_calls"]] == shown, "the same one in every prompt"
    assert [one["tool_call_id"] for one in context.messages[5:]] == shown
    assert [one.tool_call_id for one in context.to_langchain()[1:4]] == shown


# Anthropic ----------------------------------------------------------------------------------------


def test_a_failure_without_a_word_says_that_it_is_one() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    for content in ("", [], None, [text("")]):
        failed = {"type": "tool_result", "tool_use_id": "a", "content": content, "is_error": True}
        *_, result = anthropic(message(1, "assistant", parts=[use]), message(2, "user", parts=[failed]))
        assert result == failed | {"content": [text("The tool failed.")]}


def test_a_failure_is_told_to_anthropic_in_words() -> None:
    """It refuses an image in one: all of it must be text."""
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    content = [OWN_INLINE, text("timed out"), OWN_PDF, {"type": "search_result", "content": [text("a page")]}]
    failed = {"type": "tool_result", "tool_use_id": "a", "content": content, "is_error": True}
    *_, result = anthropic(message(1, "assistant", parts=[use]), message(2, "user", parts=[failed]))
    assert result["content"] == [text("[image]"), text("timed out"), text("[file]"), text("a page")]


def test_ids_of_calls_are_safe_and_unique_and_those_of_their_results() -> None:
    twice = [
        message(3, "assistant", tool_calls=[call("call_0"), call("call_0"), call("call_0_2")]),
        *[message(seq, "tool", str(seq), tool_call_id="call_0") for seq in (4, 5)],
        message(6, "tool", "6", tool_call_id="call_0_2"),
    ]
    blocks = anthropic(
        *exchange("functions.get weather:0", name="functions.get_weather"), *exchange("call_0"), *twice
    )
    assert [(block["type"], block.get("id") or block["tool_use_id"]) for block in blocks] == [
        ("tool_use", "functions_get_weather_0"),
        ("tool_result", "functions_get_weather_0"),
        ("tool_use", "call_0"),
        ("tool_result", "call_0"),
        ("tool_use", "call_0_2"),
        ("tool_use", "call_0_3"),
        ("tool_use", "call_0_2_2"),
        ("tool_result", "call_0_2"),
        ("tool_result", "call_0_3"),
        ("tool_result", "call_0_2_2"),
    ]
    assert [block["content"] for block in blocks[-3:]] == [[text("4")], [text("5")], [text("6")]]
    assert blocks[0]["name"] == "functions_get_weather"


def test_a_call_that_was_put_together_from_a_stream_has_its_arguments() -> None:
    begun = {"type": "tool_use", "id": "a", "name": "f", "input": {}, "index": 0}
    piece = {"type": "input_json_delta", "partial_json": '{"q": 1}', "index": 0}
    said = AIMessageChunk(content=[begun]) + AIMessageChunk(content=[piece])
    assert isinstance(said.content, list)
    window = message(1, "assistant", parts=said.content), message(2, "tool", "ten", tool_call_id="a")
    assert packed(*window).messages[0]["tool_calls"] == [call("a", '{"q": 1}')]
    assert anthropic(*window)[0]["input"] == {"q": 1}


@pytest.mark.parametrize("written", ["", " \n"])
def test_a_call_without_arguments_has_none(written: str) -> None:
    window = exchange("a", arguments=written)
    assert anthropic(*window)[0]["input"] == {}
    assert packed(*window).to_langchain()[0].tool_calls[0]["args"] == {}


def test_who_speaks_is_told_with_an_image_too() -> None:
    assert anthropic(message(1, "user", name="Ana", parts=[LINKED, text("look")])) == [
        text("Ana:"), OWN_LINKED, text("look"),
    ]  # fmt: skip
    assert anthropic(message(1, "user", name="Ana", parts=[text("look"), LINKED])) == [
        text("Ana: look"), OWN_LINKED,
    ]  # fmt: skip


def test_only_users_and_tools_show_images_to_anthropic() -> None:
    shown = anthropic(
        message(1, "assistant", parts=[text("look"), LINKED, {"type": "thinking", "thinking": "hm"}])
    )
    assert shown == [text("look"), text("[image]")]


def test_what_a_stream_and_a_cache_have_added_to_a_block_is_not_sent() -> None:
    """What LangChain has put together from a stream has the places of its pieces, which Anthropic refuses."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "xyz"}
    hidden = {"type": "redacted_thinking", "data": "xyz"}
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "news"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    mark = {"cache_control": {"type": "ephemeral"}}
    streamed = [
        thought | mark | {"index": 0},
        hidden | mark | {"index": 1},
        search | {"input": {}, "partial_json": '{"query": "news"}', "index": 2},
        found | {"index": 3},
        text("done") | {"index": 4},
    ]
    assert anthropic(message(1, "assistant", parts=streamed)) == [thought, hidden, search, found, text("done")]


def test_only_the_newest_marks_of_a_cache_are_sent() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    said = [
        message(seq, "user" if seq % 2 else "assistant", f"turn {seq}", parts=[text(f"turn {seq}") | mark])
        for seq in range(1, 7)
    ]
    result = {"type": "tool_result", "tool_use_id": "a", "content": [text("sunny") | mark]}
    calling = message(7, "assistant", tool_calls=[call("a")])
    window = [*said, calling, message(8, "user", parts=[result]), message(9, "user", "so?")]
    before = msgspec.json.encode(window)
    flat = [block for one in anthropic(*window) for block in [one, *one.get("content", ())]]
    assert [block["text"] for block in flat if "cache_control" in block] == ["turn 4", "turn 5", "turn 6", "sunny"]
    assert [block["text"] for block in flat if block["type"] == "text"][:3] == ["turn 1", "turn 2", "turn 3"]
    assert msgspec.json.encode(window) == before, "what is stored stays as it was"


def test_a_tool_by_a_name_that_nobody_takes_has_one_that_they_take() -> None:
    """A model that makes up a name would otherwise be refused as long as it is in the window."""
    made = {"id": "a", "type": "function", "function": {"name": "files.read!" + "x" * 80, "arguments": "{}"}}
    window = [message(1, "assistant", tool_calls=[made]), message(2, "tool", "no", tool_call_id="a")]
    name = "files_read_" + "x" * 53
    assert packed(*window).messages[0]["tool_calls"][0]["function"]["name"] == name
    assert anthropic(*window)[0]["name"] == name


def test_calls_that_were_stored_one_by_one_take_time_in_proportion() -> None:
    def takes(many: int) -> float:
        window = [message(n, "assistant", tool_calls=[call(f"{n} {k}") for k in range(20)]) for n in range(many)]
        results = [{"type": "tool_result", "tool_use_id": f"{n} {k}"} for n in range(many) for k in range(20)]
        window.append(message(many, "user", parts=results))

        def once() -> float:
            begun = time.perf_counter()
            assert len(packed(*window).messages[0]["tool_calls"]) == 20 * many
            return time.perf_counter() - begun

        return min(once() for _ in range(2))

    assert takes(320) < 100 * takes(20), "sixteen times as many"


def test_thousands_of_calls_by_one_id_take_time_in_proportion() -> None:
    def takes(many: int) -> float:
        given = message(1, "assistant", tool_calls=[call("a")] * many)
        results = message(2, "user", parts=[{"type": "tool_result", "tool_use_id": "a", "content": "ten"}] * many)
        context = packed(given, results)

        def once() -> float:
            begun = time.perf_counter()
            made = context.to_anthropic()
            assert len({block["id"] for block in made["messages"][1]["content"]}) == many
            return time.perf_counter() - begun

        return min(once() for _ in range(3))

    assert takes(6400) < 200 * takes(200), "thirty-two times as many"
