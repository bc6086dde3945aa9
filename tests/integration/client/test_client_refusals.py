"""What the library refuses, the client refuses as well: the same error, of the same field."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from recollect import Conflict, Invalid, Recollect, Source, client
from recollect.client.problems import Problem, error_of
from serving import Served

WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}
#: What an address, and a body without nulls, cannot say.
NOTHING_OR_SEVERAL: list[tuple[str, dict[str, Any], str]] = [
    *(("memories", {**WHO, field: None}, field) for field in ("limit", "offset", "status")),
    *(("memories", {**WHO, field: ["active"]}, field) for field in ("status", "category", "text")),
    ("recall", {**WHO, "query": "tall", "limit": None}, "limit"),
    ("recall", {**WHO, "query": "tall", "over": None}, "over"),
    ("refusals", {**WHO, "limit": None}, "limit"),
    ("define_template", {"name": "height", "pattern": "user is {how}", "importance": None}, "importance"),
    ("conversations", {"user": "ana", "limit": None}, "limit"),
    ("search", {"query": "tall", "user": "ana", "limit": None}, "limit"),
    ("document_namespaces", {"offset": None}, "offset"),
    ("conversations", {"user": "ana", "archived": None}, "archived"),
    ("analytics", {"days": None}, "days"),
    ("outbox", {"waiting": None}, "waiting"),
    ("work", {"failed": None}, "failed"),
    ("digest", {"lease": None}, "lease"),
    ("digest", {"everything": None}, "everything"),
    ("document", {"namespace": ("a",), "key": "b", "refresh": None}, "refresh"),
    ("create_key", {"name": None}, "name"),
]
DAY = datetime(2026, 1, 1, tzinfo=UTC)
SOME_TEXT: dict[str, Any] = {**WHO, "text": "user is tall"}
#: What JSON would bend into something else, or could not say at all: a time is no text, and a mapping no source.
BENT: list[tuple[str, dict[str, Any], str]] = [
    ("remember", {**WHO, "text": DAY}, "text"),
    *(("remember", {**SOME_TEXT, field: DAY}, field) for field in ("category", "author", "trust", "context")),
    ("remember", {**SOME_TEXT, "source": DAY}, "source"),
    ("remember", {**SOME_TEXT, "source": {"conversation": str(uuid4()), "first": 1, "last": 1}}, "source"),
    ("remember", {**SOME_TEXT, "source": Source(object, 1, 1)}, "source.conversation"),  # pyright: ignore
    ("remember", {**SOME_TEXT, "source": Source(str(uuid4()), 1.5, 2)}, "source.first"),  # pyright: ignore
    ("remember", {**SOME_TEXT, "source": Source(str(uuid4()), 2, 1)}, "source.last"),
    ("remember", {**SOME_TEXT, "context": {"when": DAY}}, "context"),
    *(("remember", {**WHO, "text": value}, "text") for value in (b"tall", object(), ["tall"], float("nan"))),
    *(
        ("remember_as", {**WHO, "template": "allergy", "fields": {"what": value}}, "fields.what")
        for value in (DAY, 5, None, float("nan"), object(), "nuts\0", "\ud800")
    ),
    ("remember_as", {**WHO, "template": "allergy", "fields": DAY}, "fields"),
    ("remember_as", {**WHO, "template": DAY, "fields": {"what": "nuts"}}, "template"),
    ("define_template", {"name": "height", "pattern": "user is {how}", "category": DAY}, "category"),
    ("define_template", {"name": "height", "pattern": DAY}, "pattern"),
    ("recall", {**WHO, "query": DAY}, "query"),
    ("edit_notes", {**WHO, "operation": "append", "content": DAY}, "content"),
    ("edit_notes", {**WHO, "operation": DAY}, "operation"),
    ("edit_notes", {**WHO, "operation": "delete_section_by_header", "section_header": DAY}, "section_header"),
    ("edit_notes", {**WHO, "operation": "read", "content": "x"}, "content"),
    ("edit_notes", {**WHO, "operation": "read", "section_header": DAY}, "section_header"),
    ("edit_notes", {**WHO, "operation": "read", "version": -1}, "version"),
    ("undo_notes", {**WHO, "current": -1}, "current"),
    ("undo_notes", {**WHO, "current": "0"}, "current"),
    *(("configure_agent", {"agent": "a", field: DAY}, field) for field in ("instructions", "pool", "workflow")),
    ("new_conversation", {**WHO, "title": DAY}, "title"),
    ("digest", {"lease": DAY}, "lease"),
]
#: Method, arguments, and the one that is wrong. HTTP alone would take "5" for 5, and a text for a time.
OF_THE_DOOR: list[tuple[str, dict[str, Any], str]] = [
    ("memories", {**WHO, "limit": "5"}, "limit"),
    ("memories", {**WHO, "limit": 5.0}, "limit"),
    ("memories", {**WHO, "limit": True}, "limit"),
    ("memories", {**WHO, "limit": 0}, "limit"),
    ("memories", {**WHO, "offset": "1"}, "offset"),
    ("memories", {**WHO, "as_of": "2026-01-01T00:00:00Z"}, "as_of"),
    ("memories", {**WHO, "min_importance": "0.5"}, "min_importance"),
    ("memories", {**WHO, "category": 5}, "category"),
    ("memories", {**WHO, "text": True}, "text"),
    ("remember", {**WHO, "text": "user is tall", "expires_at": "2099-01-01T00:00:00Z"}, "expires_at"),
    ("remember", {**WHO, "text": "user is tall", "valid_from": "2020-01-01T00:00:00Z"}, "valid_from"),
    ("remember", {**WHO, "text": "user is tall", "importance": "0.5"}, "importance"),
    ("remember", {**WHO, "text": "user is tall", "pinned": 1}, "pinned"),
    ("remember", {**WHO, "text": 5}, "text"),
    ("recall", {**WHO, "query": "tall", "limit": "5"}, "limit"),
    ("recall", {**WHO, "query": "tall", "threshold": "0.5"}, "threshold"),
    ("recall", {**WHO, "query": "tall", "as_of": "2026-01-01T00:00:00Z"}, "as_of"),
    ("recall", {**WHO, "query": "tall", "over": "nothing"}, "over"),
    ("refusals", {**WHO, "limit": "5"}, "limit"),
    *NOTHING_OR_SEVERAL,
    *BENT,
    ("remember_as", {**WHO, "template": "allergy", "fields": {"a whole sentence": DAY, "what": "nuts"}}, "fields"),
    ("notes", {**WHO, "version": "0"}, "version"),
    ("notes_history", {**WHO, "limit": "5"}, "limit"),
    ("diff_notes", {**WHO, "old": "0", "new": 0}, "old"),
    ("diff_notes", {**WHO, "old": 0, "new": "0"}, "new"),
    ("undo_notes", {**WHO, "version": "0"}, "version"),
    ("edit_notes", {**WHO, "operation": "append", "content": "x", "version": "0"}, "version"),
    ("conversations", {"user": "ana", "limit": "5"}, "limit"),
    ("conversations", {"user": "ana", "archived": 1}, "archived"),
    ("conversations", {"user": "ana", "agent": 5}, "agent"),
    ("search", {"query": "tall", "user": "ana", "limit": "5"}, "limit"),
    ("search", {"query": 5, "user": "ana"}, "query"),
    ("windows", {"conversations": [], "limit": "5"}, "limit"),
    ("agents", {"limit": "5"}, "limit"),
    ("configure_agent", {"agent": "librarian", "window": "5"}, "window"),
    ("configure_agent", {"agent": "librarian", "budget": 5.0}, "budget"),
    ("workflow", {"name": "rfp", "version": "0"}, "version"),
    ("analytics", {"days": "5"}, "days"),
    ("work", {"limit": "5"}, "limit"),
    ("work", {"failed": "no"}, "failed"),
    ("outbox", {"limit": "5"}, "limit"),
    ("outbox", {"waiting": 1}, "waiting"),
    ("digest", {"most": "5"}, "most"),
    ("document_history", {"namespace": ("a",), "key": "b", "limit": "5"}, "limit"),
    ("document_namespaces", {"max_depth": "5"}, "max_depth"),
    ("document_namespaces", {"offset": "5"}, "offset"),
    ("create_key", {"expires_at": "2099-01-01T00:00:00Z"}, "expires_at"),
    ("configure_agent", {"agent": "librarian", "workflow": False}, "workflow"),
    ("digest", {"everything": "no"}, "everything"),
    ("document", {"namespace": ("a",), "key": "b", "refresh": "no"}, "refresh"),
    ("documents", {"refresh": "no"}, "refresh"),
    ("search_documents", {"query": "tall", "refresh": "no"}, "refresh"),
    # More than fits into an address.
    ("search", {"query": "x" * 100_000, "user": "ana"}, "query"),
    ("memories", {**WHO, "text": "x" * 100_000}, "text"),
    ("conversations", {"user": "ana", "cursor": "x" * 100_000}, "cursor"),
]
OF_A_CONVERSATION: list[tuple[str, dict[str, Any], str]] = [
    ("window", {"limit": "5"}, "limit"),
    ("window", {"since": "2026-01-01T00:00:00Z"}, "since"),
    ("messages", {"limit": "5"}, "limit"),
    ("messages", {"before": "5"}, "before"),
    ("context", {"message": "hi", "budget": "5"}, "budget"),
    ("context", {"message": "hi", "window": 5.0}, "window"),
    ("context", {"message": DAY}, "message"),
    *(("say", {"message": message}, "message") for message in (DAY, "a\0b", "\ud800", "x" * (2 << 20))),
    ("rename", {"title": DAY}, "title"),
    *(("save_memory_document", {"value": value}, "document") for value in (DAY, None)),
    ("save_memory_document", {"value": {"when": DAY}}, "document"),
    ("turns", {"limit": "5"}, "limit"),
    ("known", {"reply": "1"}, "reply"),
    ("state", {"at": "0"}, "at"),
    ("state_history", {"limit": "5"}, "limit"),
    ("undo_state", {"to": "0"}, "to"),
    ("archive", {"archived": 1}, "archived"),
]


@pytest.mark.parametrize(("method", "given", "field"), OF_THE_DOOR)
async def test_the_door_refuses(door: Any, method: str, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        await getattr(door, method)(**given)
    assert refused.value.field == field


@pytest.mark.parametrize(("method", "given", "field"), OF_A_CONVERSATION)
async def test_a_conversation_refuses(door: Any, method: str, given: dict[str, Any], field: str) -> None:
    chat = await door.conversation(**WHO)
    with pytest.raises(Invalid) as refused:
        await getattr(chat, method)(**given)
    assert refused.value.field == field


async def test_in_the_same_words(memory: Recollect, remote: client.Recollect) -> None:
    for method, given, _ in [*OF_THE_DOOR[:10], *NOTHING_OR_SEVERAL, *BENT]:
        said: list[str] = []
        for door in (memory, remote):
            with pytest.raises(Invalid) as refused:
                await getattr(door, method)(**given)
            said.append(str(refused.value))
        assert said[0] == said[1]


class Named(str):
    """A text of some class of the caller's."""

    __slots__ = ()


async def test_a_text_of_any_class_is_a_text(door: Any) -> None:
    kept = await door.remember(Named("user is tall"), **WHO, category=Named("body"))
    assert (kept.text, kept.category) == ("user is tall", "body")
    assert (await door.revise(kept.id, Named("user is very tall"))).text == "user is very tall"
    assert [hit.text for hit in await door.recall(Named("how tall?"), **WHO)] == ["user is very tall"]
    found = await door.memories(**WHO, text=Named("tall"), category=Named("body"), status=Named("active"))
    assert len(found.items) == 1
    assert (await door.remember_as("allergy", {"what": Named("nuts")}, **WHO)).text == "user is allergic to nuts"
    chat = await door.conversation(user=Named("ana"), agent=Named("librarian"))
    await chat.append(Named("user"), Named("hello"), name=Named("Ana"))
    assert [(one.content, one.name) for one in await chat.window()] == [("hello", "Ana")]


async def test_what_one_may_take_away_is_taken_away(door: Any) -> None:
    kept = await door.remember("user is tall", **WHO, category="body", expires_at=datetime(2099, 1, 1, tzinfo=UTC))
    for category in (DAY, 5):
        with pytest.raises(Invalid) as refused:
            await door.revise(kept.id, category=category)
        assert str(refused.value) == f"category: must be text, not {type(category).__name__}"
    kept = await door.revise(kept.id, category=None, expires_at=None)
    assert (kept.category, kept.expires_at) == (None, None)


async def test_a_version_that_never_was(door: Any) -> None:
    kept = await door.remember("user is tall", **WHO)
    for version in (9, 10**18, (1 << 63) - 1):
        for call in (
            lambda version=version: door.revise(kept.id, "user is small", version=version),
            lambda version=version: door.forget(kept.id, version=version),
        ):
            with pytest.raises(Conflict, match=f"version 1, not {version};"):
                await call()
    with pytest.raises(Invalid) as refused:
        await door.revise(kept.id, "user is small", version=1 << 63)
    assert str(refused.value) == f"version: must be between 0 and {(1 << 63) - 1}, not {1 << 63}"
    assert error_of(Problem("urn:recollect:problem:invalid", field="If-Match", detail="If-Match: no")).args == (
        "version: no",
    )


async def test_a_source_that_is_not_there(door: Any) -> None:
    own, other = await door.conversation(**WHO), await door.conversation(user="ben", agent="librarian")
    for chat in (own, other):
        await chat.append("user", "I am tall")
    await door.define_template("height", "user is {how}")
    for source, field in (
        (Source(str(uuid4()), 1, 1), "source.conversation"),
        (Source(other.id, 1, 1), "source.conversation"),
        (Source("nowhere", 1, 1), "source.conversation"),
        (Source(own.id, 2, 2), "source.first"),
        (Source(own.id, 1, 2), "source.last"),
    ):
        for call in (
            lambda source=source: door.remember("user is tall", **WHO, source=source),
            lambda source=source: door.remember_as("height", {"how": "tall"}, **WHO, source=source),
        ):
            with pytest.raises(Invalid) as refused:
                await call()
            assert refused.value.field == field
    assert (await door.memories(**WHO)).items == []
    kept = await door.remember("user is tall", **WHO, source=Source(own.id, 1, 1))
    assert kept.created_at < datetime.now(UTC)
    assert kept.source == Source(own.id, 1, 1)


async def test_a_key_of_one_user_cannot_tell_a_source_of_another_from_none(
    memory: Recollect, client_server: Served
) -> None:
    other = await memory.conversation(user="ben", agent="librarian")
    await other.append("user", "I am tall")
    key = (await memory.create_key(user="ana")).text
    async with client.Recollect.open(client_server.url, key=key) as mine:
        said: list[str] = []
        for id in (other.id, str(uuid4())):
            with pytest.raises(Invalid) as refused:
                await mine.remember("user is tall", **WHO, source=Source(id, 1, 1))
            said.append(str(refused.value))
    assert said[0] == said[1] == "source.conversation: is not a conversation of this user"
