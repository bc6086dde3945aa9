"""What is let in of a document: whatever it holds must be what the door would have let in. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar, cast

import msgspec

from recollect import inputs
from recollect.agents.settings import MAX_BUDGET, MAX_INSTRUCTIONS
from recollect.documents import checking as documents
from recollect.errors import Invalid
from recollect.exchange.document import (
    SECTIONS,
    KeptAgent,
    KeptConversation,
    KeptDocument,
    KeptDocumentVersion,
    KeptMemory,
    KeptMemoryVersion,
    KeptNotes,
    KeptNoteVersion,
    KeptTombstone,
    KeptWorkflow,
    Record,
)
from recollect.exchange.turns import check_turns
from recollect.exchange.workflows import MAX_DEFINITION, definitions
from recollect.exchange.wrong import converted
from recollect.notes.sections import MAX_NOTES
from recollect.remember import insight
from recollect.settings import is_model

Kept = TypeVar("Kept", KeptMemory, KeptMemoryVersion)

MOST = (1 << 62) - 1
#: Of a turn: more than thirty years.
MOST_SECONDS = 10**9


def entry(section: str, place: int, given: object) -> Record:
    """One entry of a list of the document, checked."""
    where = f"{section}[{place}]"
    record = converted(given, SECTIONS[section], where)
    _words(record, where)
    match record:
        case KeptAgent():
            _check_agent(record, where)
        case KeptConversation():
            _check_conversation(record, where)
        case KeptMemory():
            return _memory(record, where)
        case KeptNotes():
            _check_notes(record, where)
        case KeptDocument():
            _check_document(record, where)
        case KeptWorkflow():
            definitions(record, where)
        case KeptTombstone():
            _check_tombstone(record, where)
        case _:
            pass
    return record


#: Fields that hold more than an identifier, with how many bytes they may have.
_TEXTS = {
    "content": inputs.MAX_CONTENT,
    "instructions": inputs.MAX_CONTENT,
    "summary": inputs.MAX_CONTENT,
    "title": inputs.MAX_TITLE,
    "text": inputs.MAX_CONTENT,
    "last_action": inputs.MAX_CONTENT,
    "refused": inputs.MAX_CONTENT,
    "model": inputs.MAX_CONTENT,  # of a turn: whatever a client has called it
    "to_step": inputs.MAX_CONTENT,  # of a refusal: whatever a model has asked for
}
#: Fields that hold any JSON, with how many bytes it may have.
_JSON = {
    "tool_calls": inputs.MAX_CONTENT,
    "parts": inputs.MAX_CONTENT,
    "patch": inputs.MAX_JSON,
    "problems": inputs.MAX_CONTENT,
    "definition": MAX_DEFINITION,
    "value": documents.MAX_VALUE,
    "document": inputs.MAX_CONTENT,
    "namespace": inputs.MAX_JSON,
    "texts": (documents.MAX_TEXTS + 1) * documents.MAX_VALUE,
}


def _words(record: Record, where: str) -> None:
    """Check every field by its kind, and what is inside of it."""
    for name in record.__struct_fields__:
        value, field = getattr(record, name), f"{where}.{name}"
        match value:
            case None:
                pass
            case _ if name in _JSON:
                inputs.json_text(field, _stored(field, value), _JSON[name])
            case str() if name in _TEXTS:
                inputs.text(field, value, _TEXTS[name])
            case str():
                inputs.identifier(field, value)
            case datetime():
                inputs.moment(field, value)
            case bool():
                pass
            case int():
                inputs.amount(field, value, most=MOST if "seq" in name else (1 << 31) - 1, least=0)
            case float() if name == "ttl":
                documents.seconds(value)
            case float() if name == "seconds":
                if not 0 <= value <= MOST_SECONDS:
                    raise Invalid(field, f"must be between 0 and {MOST_SECONDS}")
            case float():
                least = 0 if name == "importance" else -1
                if not least <= value <= 1:
                    raise Invalid(field, f"must be between {least} and 1")
            case dict():
                inputs.json_text(field, _stored(field, value))
            case list():
                for place, item in enumerate(cast("list[object]", value)):
                    if isinstance(item, Record):
                        _words(item, f"{field}[{place}]")
            case Record():
                _words(value, field)
            case _:
                pass


def _stored(field: str, value: Any, depth: int = 0) -> Any:
    """JSON as it was before it was stored: Postgres writes out a large number with all of its digits."""
    match value:
        case int() if inputs.is_long(value):
            try:
                return float(value)
            except OverflowError:
                raise Invalid(field, "contains a number that is too large") from None
        case list() if depth <= inputs.MAX_DEPTH:
            return [_stored(field, item, depth + 1) for item in cast("list[Any]", value)]
        case dict() if depth <= inputs.MAX_DEPTH:
            return {key: _stored(field, item, depth + 1) for key, item in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _check_conversation(given: KeptConversation, where: str) -> None:
    before = 0
    for place, message in enumerate(given.messages):
        if not before < message.seq <= given.last_seq:
            raise Invalid(
                f"{where}.messages[{place}].seq",
                f"must be above that of the message before, and at most last_seq ({given.last_seq})",
            )
        before = message.seq
    if given.message_count != len(given.messages):
        raise Invalid(f"{where}.message_count", f"is {given.message_count}, with {len(given.messages)} messages")
    if given.last_user_seq > given.last_seq:
        raise Invalid(f"{where}.last_user_seq", f"must be at most last_seq ({given.last_seq})")
    check_turns(given, where)


def _check_document(given: KeptDocument, where: str) -> None:
    documents.namespace(given.namespace, f"{where}.namespace")
    for text in given.texts:
        inputs.text(f"{where}.texts", text, documents.MAX_VALUE)
    if len(given.texts) > documents.MAX_TEXTS:
        raise Invalid(f"{where}.texts", f"are {len(given.texts)}; at most {documents.MAX_TEXTS} are allowed")
    _check_versions(given.versions, given.version, where)


def _check_agent(given: KeptAgent, where: str) -> None:
    inputs.text(f"{where}.instructions", given.instructions, MAX_INSTRUCTIONS)
    inputs.amount(f"{where}.window", given.window, least=0)
    inputs.amount(f"{where}.budget", given.budget, most=MAX_BUDGET)
    inputs.amount(f"{where}.learn_every", given.learn_every, least=0)
    if given.model is not None and not is_model(given.model):
        raise Invalid(f"{where}.model", "must be openai:<model>")


def _check_notes(given: KeptNotes, where: str) -> None:
    inputs.text(f"{where}.text", given.text, MAX_NOTES)
    for place, version in enumerate(given.versions):
        inputs.text(f"{where}.versions[{place}].text", version.text, MAX_NOTES)
    _check_versions(given.versions, given.version, where)


def _memory(given: KeptMemory, where: str) -> KeptMemory:
    """The memory, in one line as all are."""
    versions = [_told(one, f"{where}.versions[{place}]") for place, one in enumerate(given.versions)]
    _check_versions(versions, given.version, where)
    return msgspec.structs.replace(_told(given, where), versions=versions)


def _told(given: Kept, where: str) -> Kept:
    try:
        text = insight.key_point(given.text)
        if given.category is not None:
            insight.category(given.category)
    except Invalid as error:
        raise Invalid(f"{where}.{error.field}", error.problem) from None
    _check_provenance(given, where)
    return msgspec.structs.replace(given, text=text)


def _check_provenance(given: KeptMemory | KeptMemoryVersion, where: str) -> None:
    """A version from before whose word it was is written down names neither."""
    for field, word, allowed in (
        ("author", given.author, insight.AUTHORS),
        ("trust", given.trust, insight.TRUSTS),
    ):
        if word is not None and word.partition(":")[0] not in allowed:
            raise Invalid(f"{where}.{field}", f"must be one of {', '.join(allowed)}")


def _check_tombstone(given: KeptTombstone, where: str) -> None:
    source = (given.conversation, given.first_seq, given.last_seq)
    if None in source and source != (None, None, None):
        raise Invalid(where, "must have conversation, first_seq and last_seq together, or none of them")


def _check_versions(
    versions: Sequence[KeptMemoryVersion] | Sequence[KeptNoteVersion] | Sequence[KeptDocumentVersion],
    last: int,
    where: str,
) -> None:
    numbers = [one.version for one in versions]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > last):
        raise Invalid(f"{where}.versions", f"must be in order, each once, and none above version {last}")
