"""A server that stands before a scripted model, and clients of OpenAI's that talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from openai import AsyncOpenAI

from recollect import Recollect
from scripted_model import ScriptedModel
from serving import Served, serving

OPERATOR = "sk-operators-own"
LOOK_UP = {
    "type": "function",
    "function": {"name": "look_up", "description": "Look up.", "parameters": {"type": "object", "properties": {}}},
}


class Proxied(msgspec.Struct):
    """The server, and the model behind it."""

    served: Served
    upstream: ScriptedModel

    def client(self, key: str, **headers: str) -> AsyncOpenAI:
        return AsyncOpenAI(
            base_url=f"{self.served.url}/v1", api_key=key, max_retries=0, default_headers=headers, timeout=60
        )

    @property
    def asked(self) -> dict[str, Any]:
        """What the model was asked last."""
        return self.upstream.requests[-1]

    @property
    def prompt(self) -> list[tuple[str, Any]]:
        """The same, without instructions."""
        return [(one["role"], one.get("content")) for one in self.asked["messages"] if one["role"] != "system"]

    @property
    def instructions(self) -> str:
        return "".join(one["content"] for one in self.asked["messages"] if one["role"] == "system")


@contextmanager
def proxying(folder: Path, dsn: str, **settings: str) -> Iterator[Proxied]:
    with ScriptedModel() as upstream:
        given = {"openai_base_url": upstream.url, "openai_api_key": OPERATOR, **settings}
        with serving(folder, "--no-worker", database=dsn, **given) as served:
            yield Proxied(served, upstream)


async def bound(memory: Recollect, user: str = "ana") -> str:
    return (await memory.create_key(scopes=["read", "write"], user=user)).text


async def kept(memory: Recollect, user: str = "ana", agent: str = "assistant") -> list[tuple[str, str]]:
    """What is stored of the active conversation."""
    chat = await memory.conversation(user=user, agent=agent)
    return [(one.role, one.content) for one in await chat.window(100)]
