"""What every part of the door has: the connection, and whom calls are about whose user is None."""

from __future__ import annotations

from recollect import inputs
from recollect.client.http import Http


class Part:
    """A part of the door."""

    def __init__(self, http: Http, user: str | None = None) -> None:
        self._http = http
        self._usual = user

    def _whose(self, user: str | None) -> str:
        return inputs.identifier("user", self._usual if user is None else user)

    def _whose_if_any(self, user: str | None) -> str | None:
        return None if user is None and self._usual is None else self._whose(user)
