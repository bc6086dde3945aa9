"""Log lines as JSON, one object a line, for whoever collects them."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode

#: asyncio's own messages show tasks, and with them what went wrong in their words, or what they were called with.
OF_ASYNCIO = "something went wrong that nobody waited for"


class JsonLines(logging.Formatter):
    """An event with its fields. A traceback is shown as the kind of the error only: its text may quote input."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        event = getattr(record, "event", None)
        if event is None:
            line["message"] = OF_ASYNCIO if record.name == "asyncio" else record.getMessage()
        else:
            line["event"] = event
            line |= {name: value for name, value in getattr(record, "fields", {}).items() if value is not None}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return _encode(line).decode()


def log_to_stderr() -> None:
    """Send the log lines of this process to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(logging.WARNING)
    for name in ("recollect", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.INFO)
