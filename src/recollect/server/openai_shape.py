"""Errors as clients of OpenAI's know them, for everything under ``/v1``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import RecollectError

PREFIX = "/v1/"
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class UpstreamFailed(RecollectError):
    """The model behind the proxy did not answer as it should; ``error`` is for the client, and never for a log."""

    def __init__(self, status: int, error: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"upstream: {status}")
        self.status = status
        self.error = dict(error)
        self.headers = dict(headers or {})


def is_openai(path: str) -> bool:
    """Whether a path is one of OpenAI's."""
    return path.startswith(PREFIX)


def openai_error(status: int, message: str, code: str, param: str | None = None) -> dict[str, Any]:
    """What went wrong, for a client of OpenAI's."""
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"message": message, "type": kind, "param": param, "code": code}
