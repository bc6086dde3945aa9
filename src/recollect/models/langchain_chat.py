"""Any LangChain chat model as a language model of ours."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from recollect.errors import Invalid
from recollect.models.assembly import Assembly
from recollect.models.failures import failed
from recollect.models.instructions import schema_instruction, with_instruction
from recollect.models.quiet import quiet
from recollect.ports import Answer, Prompt, Tokens


class LangChainChat:
    """A ``BaseChatModel``. How long its answers may be is its own setting: each kind names it differently.

    A schema is put into words, which every model reads; ``response_format`` says that this one takes OpenAI's.
    """

    def __init__(self, chat_model: Any, *, timeout: float = 30.0, response_format: bool = False) -> None:
        try:
            self._messages: Any = importlib.import_module("langchain_core.messages")
        except ModuleNotFoundError:
            raise Invalid("model", "LangChain is not installed; run `pip install langchain-core`") from None
        self._model = chat_model
        self._timeout = timeout
        self._response_format = response_format
        self.name = _name(chat_model)

    async def complete(self, prompt: Prompt) -> Answer:
        """The whole answer."""
        seconds = prompt.seconds or self._timeout
        try:
            with quiet():
                async with asyncio.timeout(seconds):
                    message = await self._asked(prompt).ainvoke(self._said(prompt))
            assembly = Assembly(self.name)
            assembly.add_text(_text(message))
            _add_calls(assembly, message)
            tokens = _tokens(message)
            assembly.count(tokens.sent, tokens.received)
            return assembly.answer()
        except Exception as error:
            raise failed(self.name, error, seconds) from None

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Pieces of text, then the whole answer; the time limit is for each piece."""
        seconds = prompt.seconds or self._timeout
        assembly = Assembly(self.name)
        sent = received = 0
        try:
            chunks = self._asked(prompt).astream(self._said(prompt))
        except Exception as error:
            raise failed(self.name, error, seconds) from None
        try:
            while (heard := await self._next(chunks, assembly, seconds)) is not None:
                text, tokens = heard
                sent, received = sent + tokens.sent, received + tokens.received
                if text:
                    yield text
        finally:
            with suppress(Exception):
                await chunks.aclose()
        assembly.count(sent, received)
        try:
            answer = assembly.answer()
        except Exception as error:
            raise failed(self.name, error, seconds) from None
        yield answer

    async def _next(self, chunks: Any, assembly: Assembly, seconds: float) -> tuple[str, Tokens] | None:
        """The next piece of text, and its share of the tokens."""
        try:
            with quiet():
                async with asyncio.timeout(seconds):
                    chunk = await anext(chunks, None)
            if chunk is None:
                return None
            _add_calls(assembly, chunk)
            return assembly.add_text(_text(chunk)), _tokens(chunk)
        except Exception as error:
            raise failed(self.name, error, seconds) from None

    def _asked(self, prompt: Prompt) -> Any:
        model = self._model.bind_tools(list(prompt.tools)) if prompt.tools else self._model
        if prompt.schema is not None and self._response_format:
            named = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
            return model.bind(response_format={"type": "json_schema", "json_schema": named})
        return model

    def _said(self, prompt: Prompt) -> list[Any]:
        messages = list(prompt.messages)
        if prompt.schema is not None and not self._response_format:
            messages = with_instruction(messages, schema_instruction(prompt.schema))
        return self._messages.convert_to_messages([{"content": "", **message} for message in messages])


def _name(model: Any) -> str:
    """Chat models keep the name of theirs in different places; some have none."""
    names = (getattr(model, place, None) for place in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str) and name), type(model).__name__)


def _text(message: Any) -> str:
    """The text among the parts of a message."""
    content = message.content
    if isinstance(content, str):
        return content
    parts = [part if isinstance(part, str) else part.get("text", "") for part in content]
    return "".join(part for part in parts if isinstance(part, str))


def _add_calls(assembly: Assembly, message: Any) -> None:
    """Tool calls in pieces if this is a piece, else whole, with those whose arguments LangChain could not read."""
    if pieces := getattr(message, "tool_call_chunks", None):
        for piece in pieces:
            assembly.add_call(piece.get("index"), piece.get("id"), piece.get("name"), piece.get("args"))
        return
    for call in [*getattr(message, "tool_calls", []), *getattr(message, "invalid_tool_calls", [])]:
        arguments = call.get("args")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
        assembly.add_call(None, call.get("id"), call.get("name"), written)


def _tokens(message: Any) -> Tokens:
    usage: Any = getattr(message, "usage_metadata", None) or {}
    return Tokens(usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
