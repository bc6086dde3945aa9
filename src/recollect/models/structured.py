"""Answers as records: ask with a schema, read leniently, check strictly, and ask once more at most."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from recollect.errors import BadAnswer
from recollect.models.instructions import with_instruction
from recollect.models.schema import strict_schema
from recollect.ports import LanguageModel, Prompt

T = TypeVar("T", bound=msgspec.Struct)

#: How many opening braces in the talk around an answer are looked at.
_MOST_BRACES = 50
_DECODER = json.JSONDecoder()
#: Values and unknown names, which msgspec quotes from the answer.
_QUOTED = re.compile(r"'.*'|(?<=unknown field )`.*`", re.DOTALL)


async def ask(model: LanguageModel, prompt: Prompt, type: type[T]) -> T:
    """What the model answers, as a record of this type; ``BadAnswer`` when it cannot be read twice.

    Each of the two tries has the time that the prompt gives.
    """
    asked = msgspec.structs.replace(prompt, schema=strict_schema(type), schema_name=type.__name__)
    answer = await model.complete(asked)
    try:
        return read(answer.text, type)
    except ValueError as error:
        problem = str(error)
    note = f"An earlier answer could not be used: {problem}. Answer with only the JSON object of the schema."
    answer = await model.complete(msgspec.structs.replace(asked, messages=with_instruction(prompt.messages, note)))
    try:
        return read(answer.text, type)
    except ValueError as error:
        raise BadAnswer(model.name, str(error)) from None


def read(text: str, type: type[T]) -> T:
    """The first JSON object in the text that is of this type; a ValueError says what is wrong, quoting nothing."""
    problem = "there is no JSON object in it"
    for candidate in _objects(text):
        try:
            return msgspec.json.decode(candidate, type=type)
        except msgspec.ValidationError as error:
            problem = _QUOTED.sub("", str(error)).strip()
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            problem = "it is not JSON"
    raise ValueError(problem)


def _objects(text: str) -> Iterator[str]:
    """The JSON objects in a text, whatever is around them: code fences, explanations, thinking aloud."""
    start = text.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            return
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield text[start:end]
        start = text.find("{", end)
