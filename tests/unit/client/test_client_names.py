"""The client has every public name of the door and of a conversation, with the same parameters."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from recollect import Invalid, client
from recollect.client.problems import Problem, error_of
from recollect.door import Door
from recollect.handle import Chat

#: What makes no sense over HTTP, and why.
LEFT_OUT = {
    "database": "the connections themselves; a server and its worker build on them",
    "model": "which vectors are stamped with what is the server's business, and it changes while clients are open",
    "unseen": "a conversation that nobody has asked for: what the server builds its routes on",
    "import_own": "what the server makes of an import by a credential without the scope admin",
    "enrich": "what /v1/chat/completions does around a model call",
    "keep": "the same",
    "forget_all": "what deletes everything asks a person first, as the tool of /mcp does",
    "rebuild_cache": "the cache is the operator's: `recollect cache rebuild`",
    "verify_cache": "the same: `recollect cache verify`",
    "cache_stats": "the same: `recollect cache stats`, and /metrics",
    "tool": "a function of this process, which a server cannot call",
}


def public(source: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(source) if not name.startswith("_")]


def pairs() -> list[tuple[type, type, str]]:
    both = ((Door, client.Recollect), (Chat, client.Chat))
    return [(ours, theirs, name) for ours, theirs in both for name in public(ours) if name not in LEFT_OUT]


@pytest.mark.parametrize(
    ("ours", "theirs", "name"), pairs(), ids=lambda one: one if isinstance(one, str) else one.__name__
)
def test_the_same_parameters(ours: type, theirs: type, name: str) -> None:
    assert hasattr(theirs, name), f"the client lacks {name}"
    here, there = inspect.getattr_static(ours, name), inspect.getattr_static(theirs, name)
    if isinstance(here, property):
        assert isinstance(there, property)
        return
    assert _written(there) == _written(here)
    assert inspect.iscoroutinefunction(there) == inspect.iscoroutinefunction(here)
    assert inspect.isasyncgenfunction(there) == inspect.isasyncgenfunction(here)


def test_nothing_more_than_opening_and_closing() -> None:
    extra = (set(public(client.Recollect)) - set(public(Door))) | (set(public(client.Chat)) - set(public(Chat)))
    assert extra == {"open", "close"}
    assert set(LEFT_OUT) <= {*public(Door), *public(Chat)}


def _written(function: object) -> str:
    """A default may be a name in one place and its value in the other; here both are values."""
    return str(inspect.signature(function))  # pyright: ignore[reportArgumentType]


def test_it_brings_neither_the_database_nor_the_server() -> None:
    code = (
        "import sys, recollect.client, recollect.client.sync; print(*{name.split('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "httpx" in loaded
    assert not {"asyncpg", "litestar", "numpy", "uvicorn", "wordllama", "typer"} & set(loaded)


def test_what_the_wire_calls_otherwise_has_the_name_of_the_library() -> None:
    problem = Problem(
        type="urn:recollect:problem:invalid", detail="Idempotency-Key: is long", field="Idempotency-Key"
    )
    error = error_of(problem)
    assert isinstance(error, Invalid)
    assert (error.field, str(error)) == ("key", "key: is long")
