"""What the roads need from the outside, as protocols of one to three methods. No implementation is named here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec

from recollect.records import Message

if TYPE_CHECKING:  # importing recollect must not import numpy
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
#: Reads so many of the newest messages from the database, oldest first.
Load = Callable[[int], Awaitable[list[Message]]]
#: A version and a value as JSON; None where there is nothing.
Versioned = tuple[int, bytes] | None


class Counter(Protocol):
    """Counts the tokens of a text as a model will count them, or a few too many."""

    def count(self, text: str) -> int:
        """How many tokens; may load a vocabulary at the first call."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near their meanings are.

    One that was made for some languages only may also have ``reads(text) -> bool``: a question that it does not
    read is answered by words. One whose cosines are lower for long questions may have ``slack(text) -> float``: by
    how much. One whose scale was made for large pools may have ``ease(size) -> float``: by how much less near is
    as related where so few memories were compared.
    """

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


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a write has made old in a cache."""

    conversation: str | None = None
    """Everything of this conversation, …"""
    appended: tuple[Message, ...] = ()
    """… unless these messages were put at its end, and nothing else happened."""
    context: str | None = None
    """The contexts of this conversation: its state or its summary has changed."""
    user: str | None = None
    """Every context of this user: notes or memories have changed."""
    settings: bool = False
    """What processes keep to themselves: settings of agents, credentials; and every context."""

    def in_doubt(self) -> Change:
        """The same where nobody knows what was appended."""
        return msgspec.structs.replace(self, appended=()) if self.appended else self


class Asked(NamedTuple):
    """A question for a context: in which conversation, and a hash of all that the database would be asked with."""

    tenant: str
    conversation: str
    question: bytes


class Loaded(NamedTuple, Generic[T]):
    """What the database said, whose it is, and for how many seconds it stays true if nobody writes."""

    value: T
    user: str
    seconds: float


class Cache(Protocol):
    """Answers reads without the database; what it answers is never older than a write that was acknowledged."""

    def touched(self, query: str, args: Sequence[object], rows: Sequence[Any] = ()) -> Sequence[Change]:
        """What a named query makes old, once it is committed; some say it with the rows that they return."""
        ...

    async def changed(self, tenant: str, changes: Sequence[Change]) -> None:
        """After the commit and before the acknowledgement. When it returns, nobody is answered from before."""
        ...

    async def tail(self, tenant: str, conversation: str, limit: int, load: Load) -> list[Message]:
        """The newest messages of a conversation, oldest first; ``load`` reads as many from the database."""
        ...

    async def one(
        self, tenant: str, conversation: str, id: str | None, load: Callable[[], Awaitable[Versioned]]
    ) -> bytes | None:
        """A message by its id as JSON; without an id, the conversation's document."""
        ...

    async def context(self, asked: Asked, kind: type[T], load: Callable[[bool], Awaitable[Loaded[T]]]) -> T:
        """All that a context is made of. ``load`` reads it from the database; the seconds matter only when it is
        told that this will be kept."""
        ...

    async def kept(self, tenant: str, name: tuple[str, ...], load: Callable[[], Awaitable[tuple[T, float]]]) -> T:
        """What a process may keep to itself for a while; ``load`` also says for how many seconds."""
        ...

    async def close(self) -> None:
        """Let go of connections and tasks."""
        ...


@runtime_checkable
class Tended(Cache, Protocol):
    """A cache that can be looked into."""

    async def ready(self) -> bool:
        """Whether what processes share is believed now; waits a moment for it."""
        ...

    async def tails(
        self, tenant: str, conversations: Sequence[str], limit: int, load: Callable[[str], Load]
    ) -> list[list[Message]]:
        """Several tails, asked for together."""
        ...

    async def peek(self, tenant: str, conversation: str) -> dict[str, bytes] | None:
        """What is cached of a conversation and would be believed, by kind; None if that cannot be said now."""
        ...

    async def contexts(self, tenant: str, user: str, conversation: str) -> dict[bytes, bytes]:
        """The contexts that are cached of a conversation and would be believed now, by their questions."""
        ...

    async def settled(self) -> None:
        """Return when what is being filled is there."""
        ...

    async def facts(self) -> dict[str, Any]:
        """What it has counted, and how its servers are."""
        ...

    def lines(self) -> Iterable[str]:
        """Its counters for Prometheus."""
        ...
