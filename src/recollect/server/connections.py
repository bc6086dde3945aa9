"""A client's connection: uvicorn's, with bounds on how a request arrives, and a short way out while all is full.

uvicorn itself waits without end for the head of a request, and takes a head of any length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.server.front import LEFT
from recollect.server.problems import UNREADABLE, as_response

#: Seconds from the first byte of a request (or from connecting) until its head is here.
LATEST_HEAD = 20.0
MOST_HEAD = 64 << 10

#: Given the method, the address and the headers of a request: the whole answer if there is no place for it.
NoPlace = Callable[[str, bytes, list[tuple[bytes, bytes]]], bytes | None]


class _Answered:
    """What uvicorn keeps of a request that was answered; one for all, since none of it is used any more."""

    response_complete = True
    message_event = asyncio.Event()


ANSWERED = _Answered()


class Connection(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *given: Any, no_place: NoPlace, latest_head: float = LATEST_HEAD, **named: Any) -> None:
        super().__init__(*given, **named)
        self._no_place = no_place
        self._latest_head = latest_head
        self._late: asyncio.TimerHandle | None = None
        self._in_head = False
        self._head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is here, and has yet to say something."""
        super().connection_made(transport)
        self._wait_for_it()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._it_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request."""
        self._wait_for_it()
        super().data_received(data)
        if self._in_head:
            self._head += len(data)
            if self._head > MOST_HEAD:
                self._refuse(b"431 Request Header Fields Too Large")

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """What came is no request."""
        _, headers, body = as_response(UNREADABLE, {}, "")
        self._refuse(b"400 Bad Request", headers, body)

    def on_message_begin(self) -> None:
        """A request begins; there may be several in one part."""
        super().on_message_begin()
        cast("Any", self.scope)[LEFT] = self.transport.is_closing
        self._in_head, self._head = True, 0
        self._wait_for_it()

    def on_headers_complete(self) -> None:
        """Its head is here; for its body the front has a patience of its own."""
        self._in_head = False
        parser: Any = self.parser
        if self._answering or parser.should_upgrade():
            super().on_headers_complete()
            return
        answer = self._no_place(parser.get_method().decode("ascii"), self.url, self.headers)
        if answer is None:
            super().on_headers_complete()
        else:
            self._send_away(answer)

    def on_message_complete(self) -> None:
        """All of it is here."""
        super().on_message_complete()
        self._it_came()

    def _send_away(self, answer: bytes) -> None:
        """The rest of the request, if there is one, is read and left alone."""
        self.cycle = cast("Any", ANSWERED)
        if cast("Any", self.parser).should_keep_alive():
            self.transport.write(answer)
        else:
            self.transport.write(answer.replace(b"\r\n", b"\r\nconnection: close\r\n", 1))
            self.transport.close()
        self.on_response_complete()

    def _wait_for_it(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self._latest_head, self._too_late)

    def _it_came(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        if self._answering:
            return  # what comes next on this connection has time until that is done
        if self._in_head:
            self._refuse(b"408 Request Timeout")
        else:
            self.transport.close()

    @property
    def _answering(self) -> bool:
        cycle: Any = self.cycle  # none before the first request, whatever its type says
        return cycle is not None and not cycle.response_complete

    def _refuse(self, status: bytes, headers: Sequence[tuple[bytes, bytes]] = (), body: bytes = b"") -> None:
        """Hang up, and say why if nobody is in the middle of saying something else."""
        if not self._answering and not self.transport.is_closing():
            head = [b"HTTP/1.1 " + status, *(name + b": " + value for name, value in headers)]
            head += [b"content-length: %d" % len(body), b"connection: close"]
            self.transport.write(b"\r\n".join(head) + b"\r\n\r\n" + body)
        self.transport.close()
