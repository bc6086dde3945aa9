"""docs/reference.md names every call, with the parameters that it has."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Chat, Recollect

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text()
#: For the server and its routes, which know what they do.
INSIDE = {"database", "import_own", "unseen"}
CALLS = {
    (cls, name): method
    for cls in (Recollect, Chat)
    for name, method in inspect.getmembers(cls, callable)
    if not name.startswith("_") and name not in INSIDE
}


def written() -> Iterator[tuple[tuple[type, str], list[str]]]:
    """The calls in the reference, with what stands between their brackets."""
    told = re.sub(r"```.*?```", "", REFERENCE, flags=re.DOTALL).replace("\n", " ")
    for span in re.findall(r"`([^`]+)`", told):
        found = re.fullmatch(r"(?:await )?(memory\.|chat\.)?(\w+)\((.*)\)", span)
        if found is None:
            continue
        for cls, prefix in ((Recollect, "memory."), (Chat, "chat.")):
            if (cls, found[2]) in CALLS and found[1] in (prefix, None):
                yield (cls, found[2]), _parts(found[3])


def _parts(text: str) -> list[str]:
    """Divided at the commas that are in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def parameters(method: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    found = dict(inspect.signature(method).parameters)
    found.pop("self", None)
    return found


@pytest.mark.parametrize(
    ("call", "parts"), list(written()), ids=lambda one: one[1] if isinstance(one, tuple) else ""
)
def test_what_is_written_can_be_called(call: tuple[type, str], parts: list[str]) -> None:
    there = parameters(CALLS[call])
    places = [name for name, one in there.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    keyword_only = False
    for place, part in enumerate(parts):
        name, equals, default = part.partition("=")
        if part == "*":
            keyword_only = True
        elif equals:
            assert name in there, f"{call[1]} has no {name}"
            assert not keyword_only or there[name].kind is inspect.Parameter.KEYWORD_ONLY, f"{call[1]}: {name}"
            assert _same(default, there[name].default), f"{call[1]}: {name} is {there[name].default!r} by default"
        elif part.isidentifier() and keyword_only:
            assert there[part].kind is inspect.Parameter.KEYWORD_ONLY, f"{call[1]}: {part}"
        elif part.isidentifier() and part not in ("True", "False", "None"):
            assert places[place] == part, f"{call[1]}: {part} is called {places[place]}"


def _same(told: str, default: object) -> bool:
    """Whether a default is told as it is; what is no literal says something else."""
    try:
        return ast.literal_eval(told) == default
    except (ValueError, SyntaxError):
        return True


@pytest.mark.parametrize(("cls", "name"), list(CALLS), ids=lambda one: one if isinstance(one, str) else "")
def test_every_call_is_there_with_all_that_it_takes(cls: type, name: str) -> None:
    if name == "open":
        (block,) = re.findall(r"Recollect\.open\(\n(.*?)\n\)", REFERENCE, re.DOTALL)
        assert re.findall(r"^    (\w+)=", block, re.MULTILINE) == list(parameters(Recollect.open))
        return
    parts = [part for call, several in written() if call == (cls, name) for part in several]
    assert f"{name}(" in REFERENCE
    if "…" in parts:
        return
    told = {part.lstrip("*").partition("=")[0] for part in parts} | ALONE.get(name, set())
    missing = set(parameters(CALLS[cls, name])) - told
    assert not missing, f"{name} also takes {missing}"


#: Given as values, which have no names.
ALONE = {"archive": {"archived"}, "export": {"format"}, "change_documents": {"changes"}, "extend": {"messages"}}
