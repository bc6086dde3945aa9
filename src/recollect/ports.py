"""What the roads need from the outside, as protocols of one to three methods. No implementation is named here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:  # importing recollect must not import numpy
    import numpy as np
    from numpy.typing import NDArray


class Counter(Protocol):
    """Counts the tokens of a text as a model will count them, or a few too many."""

    def count(self, text: str) -> int:
        """How many tokens; may load a vocabulary at the first call."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near their meanings are."""

    @property
    def name(self) -> str:
        """Stamped on every vector: vectors of two names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text (all zeros where there is nothing to embed), off the event loop."""
        ...

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """Its cosines on the common scale from 0 to 1, where 0.5 means "related"."""
        ...


class Tokens(msgspec.Struct, frozen=True):
    """What a call to a language model used, as the endpoint counted it."""

    sent: int = 0
    received: int = 0


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What a language model is asked. Messages and tools are in OpenAI's form."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the answer's text must follow, where the model can."""
    schema_name: str = "answer"
    max_tokens: int | None = None
    seconds: float | None = None
    """How long the whole answer may take; for a stream, how long each piece. None: as the model is set."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What it said. Tool calls are in OpenAI's form, with their arguments as JSON text."""

    text: str
    model: str
    tool_calls: list[dict[str, Any]] = []
    tokens: Tokens = Tokens()


class LanguageModel(Protocol):
    """Answers prompts. Whatever goes wrong is ``Unavailable("model", …)``, without text of prompt or answer."""

    @property
    def name(self) -> str:
        """Stamped on what it made."""
        ...

    async def complete(self, prompt: Prompt) -> Answer:
        """The whole answer."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Pieces of text as they come, then the whole answer as the last item; closing it ends the call."""
        ...


class Ledger(Protocol):
    """Counts what one tenant's language models use in a day."""

    async def spent(self) -> int:
        """Tokens of today, sent and received."""
        ...

    async def add(self, tokens: Tokens) -> None:
        """Count one call."""
        ...
