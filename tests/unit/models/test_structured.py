from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Unavailable
from recollect.errors import BadAnswer
from recollect.models.instructions import with_instruction
from recollect.models.openai_chat import OpenAIChat
from recollect.models.schema import strict_schema
from recollect.models.structured import ask, read
from recollect.ports import Prompt
from scripted_model import Reply, ScriptedModel, Status


class Place(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1)]
    kind: Literal["city", "village"] = "city"


class Trip(msgspec.Struct):
    places: list[Place]
    days: int | None = None


PROMPT = Prompt(messages=[{"role": "user", "content": "where did I go?"}], seconds=20)
GOOD = '{"places": [{"name": "Porto", "kind": "city"}], "days": 2}'
TRIP = Trip([Place("Porto")], 2)


@pytest.fixture
async def model(scripted: ScriptedModel) -> AsyncIterator[OpenAIChat]:
    chat = OpenAIChat("tiny", base_url=scripted.url)
    yield chat
    await chat.close()


async def test_the_schema_is_sent_and_the_answer_is_a_record(scripted: ScriptedModel, model: OpenAIChat) -> None:
    scripted.play(GOOD)
    assert await ask(model, PROMPT, Trip) == TRIP
    [request] = scripted.requests
    assert request["messages"] == PROMPT.messages
    assert request["response_format"]["json_schema"] == {
        "name": "Trip",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "places": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string"},
                            "kind": {"type": "string", "enum": ["city", "village"]},
                        },
                        "required": ["name", "kind"],
                        "additionalProperties": False,
                    },
                },
                "days": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "required": ["places", "days"],
            "additionalProperties": False,
        },
    }


@pytest.mark.parametrize(
    "bad",
    [
        "Certainly! I cannot help with canary-9.",
        '{"places": "canary-9"}',
        '{"places": [{"name": "Porto", "kind": "canary-9"}]}',
        '{"places": [{"name": "Porto", "canary-9": 1}]}',
        '{"places": [{"name": ""}], "x": "canary-9"}',
        '{"places": [{"name": "canary-9"',
        "",
        "{" * 3000,
        '{"a":' * 3000,
    ],
)
async def test_one_more_try_after_a_bad_answer_and_not_two(
    scripted: ScriptedModel, model: OpenAIChat, bad: str
) -> None:
    scripted.play(bad, GOOD)
    assert await ask(model, PROMPT, Trip) == TRIP
    told = scripted.requests[1]["messages"]
    assert len(told) == 1, "still one message of the user"
    assert told[0]["content"].startswith("where did I go?\n\nAn earlier answer could not be used: ")

    scripted.play(bad, bad, GOOD)
    with pytest.raises(BadAnswer) as caught:
        await ask(model, PROMPT, Trip)
    assert len(scripted.requests) == 4
    assert isinstance(caught.value, Unavailable)
    assert "canary-9" not in str(caught.value) + json.dumps(scripted.requests)


async def test_a_model_that_is_down_is_not_asked_again(scripted: ScriptedModel, model: OpenAIChat) -> None:
    scripted.play(Status(500), GOOD)
    with pytest.raises(Unavailable, match="500") as caught:
        await ask(model, PROMPT, Trip)
    assert not isinstance(caught.value, BadAnswer)
    assert len(scripted.requests) == 1


async def test_an_endpoint_without_schemas_still_answers(scripted: ScriptedModel, model: OpenAIChat) -> None:
    def respond(request: dict[str, Any]) -> Any:
        if "response_format" in request:
            return Status(400, "response_format is not supported")
        return Reply("Here you are:\n```json\n" + GOOD + "\n```")

    scripted.respond = respond
    assert await ask(model, PROMPT, Trip) == TRIP
    assert '"additionalProperties":false' in scripted.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"<think>an object {{like this}} or {{}}</think>\n{GOOD}\nI hope this helps!",
        f'First {{"places": 3}}, no: {GOOD} {{"places": []}}',
    ],
)
def test_talk_around_the_object_is_passed_over(text: str) -> None:
    assert read(text, Trip) == TRIP


class Note(msgspec.Struct):
    text: str
    number: float


class Tree(msgspec.Struct):
    below: list[Tree]


class Free(msgspec.Struct):
    anything: dict[str, int]


@given(
    st.text(st.characters(exclude_characters="{")),
    st.text(st.characters(codec="utf-8")),
    st.floats(-1e9, 1e9),
    st.text(),
)
def test_whatever_is_around_it_is_found(before: str, text: str, number: float, after: str) -> None:
    wanted = Note(text, number)
    assert read(before + msgspec.json.encode(wanted).decode() + after, Note) == wanted


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text, Trip)


def test_types_that_no_model_can_be_held_to_are_refused() -> None:
    with pytest.raises(TypeError, match="contains itself"):
        strict_schema(Tree)
    with pytest.raises(TypeError, match="not known"):
        strict_schema(Free)
    with pytest.raises(TypeError, match="not a JSON object"):
        strict_schema(list)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ({"role": "user", "content": "a"}, [{"role": "user", "content": "a\n\nb"}]),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}]},
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
        ),
        ({"role": "tool", "content": "a"}, [{"role": "tool", "content": "a"}, {"role": "user", "content": "b"}]),
    ],
)
def test_an_instruction_goes_to_the_end(last: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    first = {"role": "system", "content": "x"}
    assert with_instruction([first, last], "b") == [first, *expected]
    assert with_instruction([], "b") == [{"role": "user", "content": "b"}]
