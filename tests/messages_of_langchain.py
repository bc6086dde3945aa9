"""Messages of LangChain of every type, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20)
WORD = TEXT.filter(bool)
NUMBERS = st.integers(-(2**40), 2**40) | st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)
PART = (
    TEXT
    | st.fixed_dictionaries({"type": st.just("text"), "text": TEXT})
    | st.fixed_dictionaries({"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": TEXT})})
)
CONTENT = TEXT | st.lists(PART, max_size=3)
MAYBE = st.none() | TEXT
CALL = st.fixed_dictionaries({"name": TEXT, "args": OBJECT, "id": MAYBE, "type": st.just("tool_call")})
BAD_CALL = st.fixed_dictionaries(
    {"name": MAYBE, "args": MAYBE, "id": MAYBE, "error": MAYBE, "type": st.just("invalid_tool_call")}
)
SAID: dict[str, Any] = {"content": CONTENT, "additional_kwargs": OBJECT, "name": MAYBE, "id": MAYBE}
SPOKEN = {**SAID, "tool_calls": st.lists(CALL, max_size=2), "invalid_tool_calls": st.lists(BAD_CALL, max_size=2)}
USAGE = st.none() | st.just({"input_tokens": 3, "output_tokens": 4, "total_tokens": 7})


def _made(kind: type[BaseMessage], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[BaseMessage]:
    return st.fixed_dictionaries(fields).map(lambda given: kind(**given))


MESSAGES: st.SearchStrategy[BaseMessage] = st.one_of(
    _made(HumanMessage, **SAID),
    _made(SystemMessage, **SAID),
    _made(AIMessage, **SPOKEN, usage_metadata=USAGE, response_metadata=OBJECT),
    _made(AIMessageChunk, **SAID),
    _made(ToolMessage, **SAID, tool_call_id=TEXT, artifact=JSON, status=st.sampled_from(["success", "error"])),
    _made(ChatMessage, **SAID, role=WORD | st.sampled_from(["user", "assistant", "developer"])),
    _made(FunctionMessage, **{**SAID, "name": TEXT}),
    _made(RemoveMessage, id=WORD),
)
