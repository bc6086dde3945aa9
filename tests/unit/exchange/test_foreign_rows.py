"""From mem0's results and langchain-postgres' rows to our records."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from recollect import Invalid
from recollect.exchange.langchain import grouped, row_from, rows_of_file, talk_from
from recollect.exchange.mem0 import memory_from
from recollect.storage.foreign import quoted

SESSION = "0b0e2c6e-3a55-4a2b-9a80-0a6f1f2f3c11"


def result(**more: Any) -> dict[str, Any]:
    return {"id": "7c2a3e0a-31d5-4a7b-8d5e-4f6a1b2c3d4e", "memory": "likes tea", "hash": "x", "score": 0.3} | more


def test_a_result_of_mem0() -> None:
    given = result(
        user_id="ana",
        created_at="2024-05-01T10:00:00-07:00",
        updated_at=None,
        categories=["food"],
        metadata={"from": "chat"},
        expiration_date="2030-01-01",
    )
    whose, memory = memory_from(given, "results[0]", None, "import")
    assert (whose, memory.text, memory.category) == ("ana", "likes tea", "food")
    assert (memory.author, memory.trust, memory.status, memory.by_person) == (
        "extractor:mem0",
        "trusted",
        "active",
        False,
    )
    assert memory.created_at == memory.updated_at == datetime(2024, 5, 1, 17, tzinfo=UTC)
    assert memory.expires_at == datetime(2030, 1, 1, tzinfo=UTC)
    assert memory.context["mem0"]["metadata"] == {"from": "chat"}
    assert (memory.id, memory.agent) == (UUID(given["id"]), "mem0")
    assert memory_from(result(agent_id="cook"), "x", None, "import")[1].agent == "cook"
    assert memory_from(result(agent_id="cook"), "x", "baker", "import")[1].agent == "baker"
    assert (
        memory_from(result(id="no uuid"), "x", None, "i")[1].id
        == memory_from(result(id="no uuid"), "x", None, "i")[1].id
    )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"memory": ""}, r"results\[3\]\.memory: must not be empty"),
        ({"memory": None}, r"results\[3\]\.memory: expected `str`"),
        ({"memory": "x" * 1001}, r"results\[3\]\.memory: has 1001"),
        ({"created_at": "yesterday"}, r"results\[3\]\.created_at"),
        ({"expiration_date": "soon"}, r"results\[3\]\.expiration_date"),
        ({"user_id": "\n"}, r"results\[3\]\.user_id"),
    ],
)
def test_what_is_wrong_with_a_result(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid, match=field):
        memory_from(result(**change), "results[3]", None, "import")


def row(kind: str, content: Any, number: int = 1, session: str = SESSION, **data: Any) -> dict[str, Any]:
    message = {
        "type": kind,
        "data": {"content": content, "type": kind, "additional_kwargs": {}, "example": False} | data,
    }
    return {"id": number, "session_id": session, "message": message, "created_at": "2024-05-01 10:00:00+00"}


def drafts(*rows: dict[str, Any]) -> list[Any]:
    (session, several), = grouped(row_from(one, "row") for one in rows).items()  # fmt: skip
    return [one for _, one in talk_from(session, several, "ana", "cook").said]


def test_kinds_of_messages() -> None:
    call = {"name": "oven", "args": {"heat": 200}, "id": "call-1", "type": "tool_call"}
    said = drafts(
        row("tool", "hot", 4, tool_call_id="call-1", name="oven"),
        row("system", "You cook.", 1),
        row("human", [{"type": "text", "text": "bake"}], 2),
        row("ai", "", 3, tool_calls=[call], response_metadata={"model": "m"}, usage_metadata=None),
        row("AIMessageChunk", "done", 5),
        row("chat", "hm", 6, role="assistant"),
    )
    assert [one.role for one in said] == ["system", "user", "assistant", "tool", "assistant", "assistant"]
    assert said[1].content == "bake"
    assert msgspec.json.decode(said[2].tool_calls) == [
        {"id": "call-1", "type": "function", "function": {"name": "oven", "arguments": '{"heat":200}'}}
    ]
    assert msgspec.json.decode(said[2].metadata) == {"langchain": {"response_metadata": {"model": "m"}}}
    assert (said[3].tool_call_id, said[3].name) == ("call-1", "oven")
    assert said[0].at == datetime(2024, 5, 1, 10, tzinfo=UTC)


def test_sessions_keep_their_ids_and_their_order() -> None:
    rows = [row("human", "b", 2), row("human", "z", 3, "other"), row("human", "a", 1), row("human", "c", 10)]
    sessions = grouped(row_from(one, "row") for one in rows)
    assert [[one.id for one in several] for several in sessions.values()] == [[1, 2, 10], [3]]
    talks = [talk_from(session, several, "ana", "cook") for session, several in sessions.items()]
    assert talks[0].id == UUID(SESSION)
    assert talks[1].id == talk_from("other", sessions["other"], "ana", "cook").id != UUID(SESSION)


def test_dumps(tmp_path: Path) -> None:
    rows = [row("human", 'with "quotes",\nand lines', 1), row("ai", "ünïcode", 2)]
    lines = tmp_path / "dump.jsonl"
    lines.write_bytes(b"\n".join(msgspec.json.encode(one) for one in rows))
    array, indented = tmp_path / "dump.json", tmp_path / "indented.json"
    array.write_bytes(msgspec.json.encode(rows))
    indented.write_bytes(b"\n" + msgspec.json.format(array.read_bytes()))
    import csv

    table = tmp_path / "dump.csv"
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "session_id", "message", "created_at"])
        writer.writeheader()
        writer.writerows(one | {"message": msgspec.json.encode(one["message"]).decode()} for one in rows)
    for path in (lines, array, indented, table):
        assert [one.content for one in drafts(*rows_of_file(path))] == ['with "quotes",\nand lines', "ünïcode"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"session_id": "x"}, "row 1.message: is missing"),
        ({"message": {}}, "row 1.session_id: is missing"),
        ({"session_id": "x", "message": "{nonsense"}, "row 1.message: is not valid JSON"),
        ({"session_id": "x", "message": {}, "created_at": "then"}, "row 1.created_at"),
    ],
)
def test_what_is_wrong_with_a_row(given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid, match=field):
        row_from(given, "row 1")


def test_what_is_wrong_with_a_message() -> None:
    for message, field in (({"type": "human"}, "message.data"), ({"type": "alien", "data": {}}, "message.type")):
        with pytest.raises(Invalid, match=field):
            drafts({"session_id": "x", "message": message})


@pytest.mark.parametrize("name", ["a", "chat_history", "public.chat_history", "A$1"])
def test_names_of_tables(name: str) -> None:
    assert quoted(name) == ".".join(f'"{part}"' for part in name.split("."))


@pytest.mark.parametrize("name", ["", "a;b", 'a"b', "a b", "a.b.c", "1a", "a--", "ü", "a" * 64, "a.", "a\n"])
def test_nothing_else_is_taken_for_a_table(name: str) -> None:
    with pytest.raises(Invalid, match="table"):
        quoted(name)
