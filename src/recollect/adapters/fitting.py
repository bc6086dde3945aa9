"""What other frameworks want to have kept, made to fit into the store. Pure.

They save a turn when the model has answered. One odd value beside a text must not cost the turn: what the store
cannot hold is left out, and its name or a word stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.models.assembly import storable

#: Bytes for a word about what was left out, and for the names of all of it.
_MARK = 64
_ROOM = 4 << 10
_encode = msgspec.json.Encoder().encode


def beside(
    values: Mapping[str, Any], wrap: Callable[[dict[str, Any]], dict[str, Any]], needed: Sequence[str] = ()
) -> dict[str, Any]:
    """The metadata that ``wrap`` makes of the values. Those that are not JSON are left out, and the largest of
    those that do not fit together; their names are under ``left_out``. What is ``needed`` stays, to be refused."""
    whole = wrap(dict(values))
    if _is_json(whole):
        return whole
    kept = {cleaned(name): cleaned(value) for name, value in values.items()}
    sizes = {
        name: len(_encode(value))
        for name, value in kept.items()
        if name not in needed and _is_json(wrap({name: value}))
    }
    room = inputs.MAX_JSON - _ROOM - len(_encode(wrap({})))
    fitting = set(needed)
    for name in sorted(sizes, key=lambda name: sizes[name]):
        room -= sizes[name] + 4 + len(_encode(name))
        if room >= 0:
            fitting.add(name)
    left_out = [str(name)[:32] for name in kept if name not in fitting][:20]
    made = wrap({name: value for name, value in kept.items() if name in fitting})
    return {**made, "left_out": left_out} if left_out else made


def content(given: str | list[Any], kind: str = "text") -> str | list[Any]:
    """The content of a message. Where it does not fit, words stand for the largest parts that are no text, and
    then for the end of the longest texts; ``kind`` is the type of a part with words."""
    if isinstance(given, str):
        return _cut(storable(given), inputs.MAX_CONTENT)
    if _is_json(given, inputs.MAX_CONTENT):
        return given
    parts = [one if _is_json(one, inputs.MAX_CONTENT) else _words(one, kind) for one in map(cleaned, given)]
    sizes = [len(_encode(one)) + 1 for one in parts]
    over = sum(sizes) + 1 - inputs.MAX_CONTENT
    for place in sorted(range(len(parts)), key=lambda place: (_text(parts[place]) is not None, -sizes[place])):
        if over <= 0:
            break
        parts[place] = _words(parts[place], kind, sizes[place] - over)
        over += len(_encode(parts[place])) + 1 - sizes[place]
    return parts


def calls(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tool calls in OpenAI's shape. Where they do not fit, a word stands for the arguments of the largest."""
    if _is_json(given, inputs.MAX_CONTENT):
        return given
    made = cast("list[dict[str, Any]]", cleaned(given))
    for function in sorted((call["function"] for call in made), key=lambda one: -len(one["arguments"])):
        if _is_json(made, inputs.MAX_CONTENT):
            break
        function["arguments"] = f'{{"left_out": "{len(function["arguments"].encode()):,} bytes"}}'
    return made


def cleaned(value: Any, depth: int = 1) -> Any:
    """A JSON value with ``?`` for what no text of the store has; deeper than the store goes, as it is."""
    match value:
        case str():
            return storable(value)
        case dict() if depth <= inputs.MAX_DEPTH:
            items = cast("dict[Any, Any]", value).items()
            return {cleaned(key) if isinstance(key, str) else key: cleaned(one, depth + 1) for key, one in items}
        case list() | tuple() if depth <= inputs.MAX_DEPTH:
            return [cleaned(one, depth + 1) for one in cast("Sequence[Any]", value)]
        case _:
            return value


def _is_json(value: object, most: int = inputs.MAX_JSON) -> bool:
    try:
        inputs.json_text("value", value, most)
    except Invalid:
        return False
    return True


def _text(part: Any) -> str | None:
    text = cast("dict[str, Any]", part).get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def _words(part: Any, kind: str, most: int = inputs.MAX_CONTENT) -> dict[str, str]:
    """What stands for a part: its text, as far as that fits as JSON, or its type, as the proxy writes it."""
    text = _text(part)
    if text is not None:
        most = max(_MARK, most - _MARK)
        room = min(most, len(text.encode()))
        while (size := len(_encode(cut := _cut(text, room)))) > most and room > _MARK:
            room -= (size - most) // 2 + 1
        return {"type": kind, "text": cut}
    named = cast("dict[str, Any]", part).get("type") if isinstance(part, dict) else None
    return {"type": kind, "text": f"[{named if inputs.is_word(named) else 'part'}]"}


def _cut(text: str, most: int) -> str:
    """As many bytes of a text, with a word about the rest."""
    whole = text.encode()
    if len(whole) <= most:
        return text
    kept = whole[: max(0, most - _MARK)].decode(errors="ignore")
    return f"{kept}\n[{len(whole) - len(kept.encode()):,} bytes left out]"
