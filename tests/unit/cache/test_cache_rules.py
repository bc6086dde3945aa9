"""No statement may write to what is cached without the cache hearing of it."""

from __future__ import annotations

import re
from pathlib import Path

import recollect
from recollect.cache import rules
from recollect.ports import Change
from recollect.storage.queries import FOLDER, named_queries

#: Tables whose rows are cached, or that a context is made of.
CACHED = {
    "messages",
    "conversation_memories",
    "api_keys",
    "agents",
    "conversations",
    "states",
    "digests",
    "notes",
    "memories",
    "memory_words",
    "workflows",
    "embedding_generations",
}
WRITES = re.compile(
    rf"\b(?:insert\s+into|update|delete\s+from)\s+recollect\.({'|'.join(CACHED)})\b", re.IGNORECASE
)
READS = re.compile(r"\b(?:from|join)\s+recollect\.(\w+)\b(?!\s*\()", re.IGNORECASE)
CALLS = re.compile(r"recollect\.(\w+)\s*\(")
#: A function, up to the next statement of the file: what belongs to a statement is indented, or closes it.
FUNCTION = re.compile(
    r"^create (?:or replace )?function recollect\.(\w+)\s*\((.*?)(?=^(?:create|drop|alter|revoke|grant|do|insert)\b|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
KNOWN = {
    *rules.CONVERSATION,
    *rules.CONTEXT,
    *rules.USER,
    *rules.OWNER,
    *rules.SETTINGS,
    *rules.APPENDS,
    *rules.HARMLESS,
}


def _functions() -> dict[str, str]:
    """The newest body of every function, without comments."""
    found: dict[str, str] = {}
    for file in sorted((FOLDER / "migrations").glob("*.sql")):
        found |= dict(FUNCTION.findall(re.sub(r"--.*", "", file.read_text())))
    return found


def _reached(text: str, functions: dict[str, str]) -> set[str]:
    """The functions that a statement calls, and those that these call."""
    reached: set[str] = set()
    left = CALLS.findall(text)
    while left:
        name = left.pop()
        if name in functions and name not in reached:
            reached.add(name)
            left += CALLS.findall(functions[name])
    return reached


def _whole(text: str, functions: dict[str, str]) -> str:
    text = re.sub(r"--.*", "", text)
    return "\n".join([text, *(functions[name] for name in _reached(text, functions))])


def test_every_statement_that_writes_to_what_is_cached_is_known() -> None:
    functions = _functions()
    assert {"take_numbers", "append_message", "begin_turn", "fetch_context", "state_of"} <= functions.keys()
    writing = {name for name, text in named_queries().items() if WRITES.search(_whole(text, functions))}
    assert {"append_message", "begin_turn", "take_generation", "save_state", "new_conversation"} <= writing
    assert len(writing) > 50
    assert writing - KNOWN == set(), "say in cache/rules.py what these make old"
    assert set(named_queries()) >= KNOWN
    # A tenant's agents and keys go with it, by their foreign keys.
    assert KNOWN - writing == {"delete_tenant"}, "the others write to nothing that is cached"


def test_a_context_is_made_of_nothing_else() -> None:
    """What it is made of must be among what the test above looks for."""
    functions = _functions()
    for query in ("fetch_context", "fetch_context_to_keep"):
        read = set(READS.findall(_whole(named_queries()[query], functions)))
        assert {
            "memories",
            "memory_words",
            "notes",
            "messages",
            "digests",
            "states",
            "workflows",
            "agents",
        } <= read
        assert read - CACHED == set()


def test_statements_that_name_the_owner_in_their_rows_do() -> None:
    for query, column in rules.OWNER.items():
        text = named_queries()[query]
        assert re.search(rf"returning (\*|(m\.)?{column})|as {column} from gone", text), query


def test_statements_that_name_the_owner_in_their_rows_run_in_transactions() -> None:
    """Only there are the rows looked at before anything is committed."""
    source = "\n".join(file.read_text() for file in Path(recollect.__file__).parent.rglob("*.py"))
    called = set(re.findall(r"(?:database|_ask|self)\.call(?:_once)?\(\s*\"(\w+)\"", source))
    assert "fetch_context" not in called, "its name is in a variable"
    assert {"begin_turn", "notes_of"} <= called
    assert called & rules.OWNER.keys() == set()


def test_what_statements_make_old() -> None:
    assert rules.touched("delete_messages", ("c",)) == [Change(conversation="c")]
    assert rules.touched("erase_messages", (["c", "d"], 5)) == [Change(conversation="c"), Change(conversation="d")]
    assert rules.touched("revoke_key", ("k",)) == (Change(settings=True),)
    assert rules.touched("delete_tenant", ()) == rules.touched("revoke_keys", ()) == (Change(settings=True),)
    assert rules.touched("restore_conversation_memory", ("c", "{}")) == [Change(conversation="c")]
    assert rules.touched("recent_messages", ("c", 5)) == ()
    assert rules.touched("save_state", ("c", "rfp")) == (Change(context="c"),)
    assert rules.touched("save_notes", ("ana", "cook")) == (Change(user="ana"),)
    assert rules.touched("insert_memory", ("id", "ana")) == (Change(user="ana"),)
    rows = [{"user_id": "ana"}, {"user_id": "bob"}, {"user_id": "ana"}]
    assert rules.touched("fill_memories", (), rows) == [Change(user="ana"), Change(user="bob")]
    assert rules.touched("delete_expired_memories", (), [{"owners": ["ana"]}]) == [Change(user="ana")]
    assert rules.touched("delete_expired_memories", (), [{"owners": None}]) == []
    assert rules.touched("retire_memory", (), ()) == []
