from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from recollect.models.openai_chat import OpenAIChat
from recollect.models.openai_embeddings import OpenAIEmbedder
from recollect.ports import Prompt

CLIENT = logging.getLogger("openai._base_client")


class Talkative:
    """A client that logs what it sends, as versions of the real one do."""

    def __init__(self) -> None:
        self.chat = self.completions = self.embeddings = self

    async def create(self, **request: Any) -> Any:
        CLIENT.debug("Request options: %s", request)
        CLIENT.warning("something to know")
        message = SimpleNamespace(content="x")
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], data=[SimpleNamespace(embedding=[1.0])])


async def test_no_prompt_is_logged_by_the_client(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await OpenAIChat("m", client=Talkative()).complete(Prompt(messages=[{"role": "user", "content": "canary-4"}]))
    await OpenAIEmbedder("m", 1, client=Talkative()).embed(["canary-4"])
    assert "canary-4" not in caplog.text
    assert caplog.text.count("something to know") == 2
    await Talkative().create(messages="the application's own")
    assert "the application's own" in caplog.text
