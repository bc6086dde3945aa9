"""An answer put together from its parts, as they come: text, tool calls in pieces, the count of tokens."""

from __future__ import annotations

import msgspec

from recollect.ports import Answer, Tokens

#: Nobody reads more, and what is read has to be held in memory.
MOST_TEXT = 2_000_000
#: A count above this is a mistake of the endpoint, and would spoil the sum of the day.
MOST_TOKENS = 100_000_000


class TooLong(Exception):
    """There is more of the answer than anybody will read."""


class Misshapen(Exception):
    """It is not an answer."""


def storable(text: str) -> str:
    """The text without what no database takes: NUL, and halves of characters."""
    return text.replace("\0", "?").encode("utf-8", "replace").decode()


class _Call(msgspec.Struct):
    id: str | None = None
    name: str = ""
    arguments: list[str] = []


class Assembly:
    """Collects the parts of one answer."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._text: list[str] = []
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}
        self._tokens = Tokens()
        self._length = 0

    def add_text(self, piece: str) -> str:
        """Some more text; returns it as it will be in the answer."""
        self._grow(piece)
        self._text.append(storable(piece))
        return self._text[-1]

    def add_call(self, index: int | None, id: str | None, name: str | None, arguments: str | None) -> None:
        """A tool call or a piece of one: the first piece names it, the others bring more of its arguments."""
        for piece in (id, name, arguments):
            self._grow(piece or "")
        call = self._current(index, id, name)
        call.id = call.id or (id and storable(id))
        call.name = call.name or storable(name or "")
        if arguments:
            call.arguments.append(storable(arguments))

    def _current(self, index: int | None, id: str | None, name: str | None) -> _Call:
        """Endpoints differ: some number the calls, some only begin the next one, some number them all 0."""
        call = self._at.get(index) if index is not None else next(reversed(self._calls), None)
        another = call is not None and (bool(id and call.id and id != call.id) or (index is None and bool(name)))
        if call is None or another:
            call = _Call()
            self._calls.append(call)
            if index is not None:
                self._at[index] = call
        return call

    def count(self, sent: int | None, received: int | None) -> None:
        """What the endpoint says that the answer used."""
        self._tokens = Tokens(*(min(max(number or 0, 0), MOST_TOKENS) for number in (sent, received)))

    def _grow(self, piece: str) -> None:
        self._length += len(piece)
        if self._length > MOST_TEXT:
            raise TooLong

    def answer(self) -> Answer:
        """The whole of it."""
        if any(not call.name for call in self._calls):
            raise Misshapen
        calls = [
            {
                "id": call.id or f"call_{number}",
                "type": "function",
                "function": {"name": call.name, "arguments": "".join(call.arguments) or "{}"},
            }
            for number, call in enumerate(self._calls, 1)
        ]
        return Answer(text="".join(self._text), model=self._model, tool_calls=calls, tokens=self._tokens)
