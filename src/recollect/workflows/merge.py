"""Changing a JSON object by a patch of the same shape (JSON merge patch, RFC 7386)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from recollect.inputs import MAX_DEPTH


def merged(target: object, patch: object) -> Any:
    """The target with the patch merged in: null deletes, objects are merged, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(cast("dict[str, Any]", target)) if isinstance(target, dict) else {}
    for name, value in cast("Mapping[str, Any]", patch).items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def lists(value: Any) -> Any:
    """The same with a list for each tuple, as it is stored."""
    match value:
        case dict():
            return {name: lists(one) for name, one in cast("dict[str, Any]", value).items()}
        case list() | tuple():
            return [lists(one) for one in cast("list[Any]", value)]
        case _:
            return value


def pieces(patch: Mapping[str, Any], depth: int = MAX_DEPTH) -> Iterator[dict[str, Any]]:
    """A patch of several fields as patches of one field each; one field with an object as one for each inside."""
    if depth == 0:
        return
    if len(patch) > 1:
        for name, value in patch.items():
            yield {name: value}
        return
    for name, value in patch.items():
        if isinstance(value, Mapping):
            for inner in pieces(cast("Mapping[str, Any]", value), depth - 1):
                yield {name: inner}


def field_of(patch: Mapping[str, Any], before: str) -> str:
    """The path of the field that a patch of one field changes."""
    path = before
    inner: object = patch
    while isinstance(inner, Mapping):
        fields = cast("Mapping[str, object]", inner)
        if len(fields) != 1:
            break
        ((name, inner),) = fields.items()
        path = f"{path}.{plain(name)}"
    return path


def plain(name: object) -> str:
    """A field's name as a message can carry it, whatever a model has made up."""
    text = str(name)[:80]
    return text if text.isprintable() else ascii(text)
