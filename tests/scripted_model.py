"""A scripted OpenAI-compatible server on a loopback port, for the real clients to talk to.

``server.play(step, …)`` queues steps, one for each request; when the script is over, ``server.respond`` is asked: a
function from the request to a step. A step is a ``Reply``, a text, or one of the faults below.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import msgspec


class Reply(msgspec.Struct, frozen=True):
    """What the model says. ``pieces`` says how a stream cuts the text; tool calls are (name, arguments)."""

    text: str = ""
    pieces: Sequence[str] | None = None
    tool_calls: Sequence[tuple[str, dict[str, Any]]] = ()
    tokens: tuple[int, int] | None = (7, 3)


class Status(msgspec.Struct, frozen=True):
    """A refusal."""

    status: int
    message: str = "no"
    headers: dict[str, str] = {}


class Raw(msgspec.Struct, frozen=True):
    """Any body at all, as it stands."""

    body: bytes
    content_type: str = "application/json"


class Hang(msgspec.Struct, frozen=True):
    """Nothing is answered until the server closes."""


class Drip(msgspec.Struct, frozen=True):
    """One byte of an endless answer every few milliseconds; in a stream, comments."""

    pause: float = 0.01


class BreakOff(msgspec.Struct, frozen=True):
    """The connection closes after these pieces; with ``politely`` the stream ends as if that were all."""

    pieces: Sequence[str] = ("half an",)
    politely: bool = False


class Paused(msgspec.Struct, frozen=True):
    """A streamed text that stops after its first piece until ``go`` is set."""

    pieces: Sequence[str]
    go: threading.Event


Step = Paused | Reply | Status | Raw | Hang | Drip | BreakOff | str
Respond = Callable[[dict[str, Any]], Step]


def huge(size: int = 10_000_000) -> Raw:
    """A valid answer of about this many bytes."""
    message = {"role": "assistant", "content": "x" * size}
    return Raw(json.dumps({"object": "chat.completion", "choices": [{"index": 0, "message": message}]}).encode())


class ScriptedModel:
    """The server: its address, its script, and the requests that it got."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.respond: Respond = lambda request: Status(500, "the script is over")
        self.embed: Callable[[str], list[float]] | None = None
        self.instead: Callable[[list[str]], Step | None] = lambda texts: None
        """What texts that are to be embedded meet with, if not vectors."""
        self.embedded: list[list[str]] = []
        self.sent_bytes = 0
        self.closing = threading.Event()
        self._script: deque[Step] = deque()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"scripted": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def play(self, *steps: Step) -> None:
        self._script.extend(steps)

    def next_step(self, request: dict[str, Any]) -> Step:
        with self._lock:
            self.requests.append(request)
            step = self._script.popleft() if self._script else self.respond(request)
        return Reply(step) if isinstance(step, str) else step

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    scripted: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.scripted.headers.append({name.lower(): value for name, value in self.headers.items()})
        try:
            if self.path == "/v1/embeddings":
                self._embeddings(request)
            elif self.path == "/v1/chat/completions":
                self._play(request, self.scripted.next_step(request))
            else:
                self._json({"error": {"message": "no such path"}}, 404)
        except OSError:  # the client has had enough
            self.close_connection = True

    def _play(self, request: dict[str, Any], step: Step) -> None:
        stream = bool(request.get("stream"))
        match step:
            case Reply() if stream:
                self._stream(_chunks(request, step))
            case Reply():
                self._json(_completion(request, step))
            case Status():
                self._json({"error": {"message": step.message, "code": None}}, step.status, step.headers)
            case Raw():
                self._head(200, step.content_type, {"Content-Length": str(len(step.body))})
                for start in range(0, len(step.body), 65_536):
                    self._write(step.body[start : start + 65_536])
            case Hang():
                self.scripted.closing.wait()
                self.close_connection = True
            case Drip():
                self._head(200, "text/event-stream" if stream else "application/json", _CHUNKED)
                while not self.scripted.closing.wait(step.pause):
                    self._chunk(b": wait\n\n" if stream else b" ")
                self.close_connection = True
            case Paused():
                first, *rest = step.pieces
                role, *chunks = _text_chunks(request, [first, *rest])
                self._head(200, "text/event-stream", _CHUNKED)
                self._events([role, chunks[0]])
                step.go.wait(60)
                self._events([*chunks[1:], _chunk(request, {}, "stop")])
                self._chunk(b"data: [DONE]\n\n")
                self._write(b"0\r\n\r\n")
            case BreakOff():
                self._stream(_text_chunks(request, step.pieces), ends=step.politely)
                self.close_connection = not step.politely  # who ends well is asked again on the same connection
            case _:
                raise AssertionError(step)

    def _embeddings(self, request: dict[str, Any]) -> None:
        self.scripted.embedded.append(request["input"])
        if (step := self.scripted.instead(request["input"])) is not None:
            self._play(request, step)
            return
        if self.scripted.embed is None:
            self._json({"error": {"message": "no embeddings here"}}, 500)
            return
        rows = [self.scripted.embed(text) for text in request["input"]]
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._json({"object": "list", "model": request["model"], "data": data, "usage": usage})

    def _json(self, value: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(value).encode()
        self._head(status, "application/json", {"Content-Length": str(len(body)), **(headers or {})})
        self._write(body)

    def _stream(self, chunks: list[dict[str, Any]], ends: bool = True) -> None:
        self._head(200, "text/event-stream", _CHUNKED)
        self._events(chunks)
        if ends:
            self._chunk(b"data: [DONE]\n\n")
            self._write(b"0\r\n\r\n")

    def _events(self, chunks: list[dict[str, Any]]) -> None:
        for chunk in chunks:
            self._chunk(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _head(self, status: int, content_type: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self._write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()
        self.scripted.sent_bytes += len(data)


_CHUNKED = {"Transfer-Encoding": "chunked"}


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(reply.tool_calls)
    ]


def _usage(tokens: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}


def _completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    calls = _calls(reply)
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    answer = {"id": "x", "object": "chat.completion", "created": 0, "model": request["model"], "choices": [choice]}
    return answer | ({"usage": _usage(reply.tokens)} if reply.tokens else {})


def _chunk(request: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": request["model"]}
    return {**chunk, "choices": [choice]}


def _text_chunks(request: dict[str, Any], pieces: Sequence[str]) -> list[dict[str, Any]]:
    role = _chunk(request, {"role": "assistant", "content": ""})
    return [role, *(_chunk(request, {"content": piece}) for piece in pieces)]


def _chunks(request: dict[str, Any], reply: Reply) -> list[dict[str, Any]]:
    """The answer as OpenAI streams it: a tool call's name first, then its arguments bit by bit; usage at the end."""
    pieces = reply.pieces if reply.pieces is not None else [reply.text] if reply.text else []
    chunks = _text_chunks(request, pieces)
    for index, call in enumerate(_calls(reply)):
        function = {"name": call["function"]["name"], "arguments": ""}
        chunks.append(_chunk(request, {"tool_calls": [{**call, "index": index, "function": function}]}))
        arguments = call["function"]["arguments"]
        for start in range(0, len(arguments), 4):
            bit = {"index": index, "function": {"arguments": arguments[start : start + 4]}}
            chunks.append(_chunk(request, {"tool_calls": [bit]}))
    chunks.append(_chunk(request, {}, "tool_calls" if reply.tool_calls else "stop"))
    if reply.tokens and (request.get("stream_options") or {}).get("include_usage"):
        chunks.append({**chunks[0], "choices": [], "usage": _usage(reply.tokens)})
    return chunks
