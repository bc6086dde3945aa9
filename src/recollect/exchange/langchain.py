"""The table of langchain-postgres: rows of ``id, session_id, message, created_at``, or a dump of them. Pure."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.exchange.names import derived, source_id
from recollect.exchange.reading import entries
from recollect.exchange.talks import Talk, said
from recollect.exchange.wrong import converted, decoded

AGENT = "langchain"
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
#: Fields that have a place of their own here; the others are kept in the metadata.
_PLACED = frozenset({"content", "type", "name", "tool_calls", "tool_call_id", "role", "example"})


class Row(msgspec.Struct):
    """One row of the table."""

    session_id: str
    message: dict[str, Any]
    id: int | str | None = None
    created_at: datetime | None = None


class _Call(msgspec.Struct):
    name: str
    args: dict[str, Any] = {}
    id: str | None = None


def row_from(given: Mapping[str, Any], where: str) -> Row:
    """A row as the database, a CSV or a JSONL dump has it: in dumps the message may be text."""
    values = {name: value for name, value in given.items() if value not in (None, "")}
    if isinstance(values.get("message"), str):
        values["message"] = decoded(values["message"].encode(errors="replace"), f"{where}.message")
    if isinstance(values.get("created_at"), str):
        try:
            values["created_at"] = datetime.fromisoformat(values["created_at"])
        except ValueError:
            raise Invalid(f"{where}.created_at", "is not a point in time") from None
    if "session_id" in values:
        values["session_id"] = str(values["session_id"])
    return converted(values, Row, where)


def rows_of_file(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a dump: a JSON list, JSON with one object a line, or CSV with a header."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = file.read(1 << 10).lstrip()[:1]
            file.seek(0)
            if first == "[":
                for _, place, value in entries(path):
                    yield as_object(value, place + 1)
            elif first == "{":
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield as_object(decoded(line.encode(), f"line {number}"), number)
            else:
                csv.field_size_limit(64 << 20)  # the default is shorter than a long message
                yield from cast("Iterator[dict[str, Any]]", csv.DictReader(file))
    except OSError as error:
        raise Invalid("file", f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise Invalid("file", f"{path} is neither CSV nor JSON in UTF-8") from None


def as_object(value: object, number: int) -> dict[str, Any]:
    """A row, which must be an object."""
    if not isinstance(value, dict):
        raise Invalid(f"row {number}", "must be an object")
    return cast("dict[str, Any]", value)


def grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each session, in the order in which they were written."""
    sessions: dict[str, list[Row]] = {}
    for row in rows:
        sessions.setdefault(row.session_id, []).append(row)
    for several in sessions.values():
        if all(isinstance(row.id, int) or str(row.id).isdigit() for row in several):
            several.sort(key=lambda row: int(row.id or 0))
    return sessions


def talk_from(session: str, rows: Iterable[Row], user: str, agent: str) -> Talk:
    """One session. Its id is kept if it is a UUID, as langchain-postgres wants them."""
    session = inputs.identifier("session_id", session)
    talk = source_id(session) or derived("langchain", user, agent, session)
    # A session without numbers is told apart by its order.
    messages = [
        said(talk, place if row.id is None else row.id, fields_of(row, where), where)
        for place, row in enumerate(rows)
        for where in [f"session {session}, row {place + 1 if row.id is None else row.id}"]
    ]
    return Talk(id=talk, said=messages)


def fields_of(row: Row, where: str) -> dict[str, Any]:
    """A message as it is appended here."""
    data = row.message.get("data")
    if not isinstance(data, dict):
        raise Invalid(f"{where}.message.data", "must be an object")
    data = cast("dict[str, Any]", data)
    kind = str(row.message.get("type")).removesuffix("MessageChunk").removesuffix("-chunk").lower()
    role = data.get("role") if kind == "chat" else _ROLES.get(kind)
    if role is None:
        raise Invalid(f"{where}.message.type", f"must be one of {', '.join(_ROLES)}")
    rest = {name: value for name, value in data.items() if name not in _PLACED and value}
    fields: dict[str, Any] = {
        "role": _ROLES.get(str(role), role),
        "content": data.get("content", ""),
        "name": data.get("name") or None,
        "at": row.created_at,
        "tool_call_id": data.get("tool_call_id") or None,
        "metadata": {"langchain": rest} if rest else None,
    }
    if calls := data.get("tool_calls"):
        fields["tool_calls"] = [_call(one, f"{where}.message.data.tool_calls") for one in calls]
    return fields


def _call(given: object, where: str) -> dict[str, Any]:
    """A call as OpenAI writes it, which is how they are kept here."""
    one = converted(given, _Call, where)
    arguments = msgspec.json.encode(one.args).decode()
    return {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": arguments}}
