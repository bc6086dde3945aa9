"""No statement may write to what is cached without the cache hearing of it."""

from __future__ import annotations

import re

from recollect.cache import rules
from recollect.ports import Change
from recollect.storage.queries import named_queries

#: Tables whose rows are cached. Of conversations only that they are there.
CACHED = r"recollect\.(messages|conversation_memories|agents|api_keys)\b"
WRITES = re.compile(
    rf"\b(insert into|update|delete from)\s+{CACHED}|delete from recollect\.conversations\b"
    r"|recollect\.(append_messages?|begin_turn)\(",
    re.IGNORECASE,
)
KNOWN = {*rules.CONVERSATION, *rules.SETTINGS, *rules.APPENDS, *rules.HARMLESS}


def test_every_statement_that_writes_to_what_is_cached_is_known() -> None:
    writing = {name for name, text in named_queries().items() if WRITES.search(text)}
    assert len(writing) > 15
    assert writing - KNOWN == set(), "say in cache/rules.py what these make old"
    assert set(named_queries()) >= KNOWN


def test_what_statements_make_old() -> None:
    assert rules.touched("delete_messages", ("c",)) == [Change(conversation="c")]
    assert rules.touched("erase_messages", (["c", "d"], 5)) == [Change(conversation="c"), Change(conversation="d")]
    assert rules.touched("revoke_key", ("k",)) == (Change(settings=True),)
    assert rules.touched("delete_tenant", ()) == rules.touched("revoke_keys", ()) == (Change(settings=True),)
    assert rules.touched("restore_conversation_memory", ("c", "{}")) == [Change(conversation="c")]
    assert rules.touched("recent_messages", ("c", 5)) == ()
