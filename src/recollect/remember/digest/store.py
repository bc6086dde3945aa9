"""Digest a conversation: read what is new, sum it up on top of what is there, write it back.

Nothing is locked while a summary is made. It is stored only if the one it was made from is still the current one,
so a late one never overwrites a newer one; and one that failed is not stored at all, so the good one stays.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from recollect import inputs
from recollect.errors import NotFound
from recollect.observe.logs import say
from recollect.ports import LanguageModel
from recollect.records import Caller, Message, Summary
from recollect.remember.digest.by_model import summarise_with
from recollect.remember.digest.extractive import MOST, summarise
from recollect.remember.digest.sentiment import label, sentiment
from recollect.storage.database import Database, Row
from recollect.storage.rows import message_from

RULES = "rules"
#: Messages that become a part of a summary in one step, and steps in one call.
PAGE = 50
MOST_PAGES = 10
#: Of a longer message, its beginning is enough to say what it is about.
READ = 10_000
#: How many of the user's messages say how the user feels, and how much of each; older ones have no weight left.
FELT = 40
READ_FOR_FEELING = 2000


async def summary(database: Database, caller: Caller, conversation: str) -> Summary:
    """What is known of a conversation; its fields are None while nothing is."""
    return _summary(await _digest(database, caller, conversation))


async def digest_conversation(
    database: Database,
    caller: Caller,
    conversation: str,
    *,
    upto: int | None = None,
    model: LanguageModel | None = None,
    most: int = MOST,
) -> Summary:
    """Bring summary and sentiment up to message ``upto``, or to the last one; returns what is stored then.

    One call takes a bounded number of messages: where the answer's ``upto`` is less than asked for, call again.
    With a model the model writes, and the rules where it fails. What else fails is raised, and changes nothing.
    """
    if upto is not None:
        upto = inputs.amount("upto", upto, most=1 << 62, least=0)
    for _ in range(MOST_PAGES):
        row = await _digest(database, caller, conversation)
        last = row["last_seq"] if upto is None else min(upto, row["last_seq"])
        if row["summary_seq"] >= last:
            return _summary(row)
        await _step(database, caller, conversation, row, last, model, most)
    return await summary(database, caller, conversation)


async def _step(
    database: Database,
    caller: Caller,
    conversation: str,
    known: Row,
    last: int,
    model: LanguageModel | None,
    most: int,
) -> None:
    """One page of messages on top of what is known. If somebody else was quicker, theirs stays."""
    after = known["summary_seq"]
    rows = await database.read(caller.tenant, "messages_to_summarise", conversation, after, last, PAGE, READ)
    if len(rows) == PAGE:
        last = rows[-1]["seq"]
    messages = [message_from(conversation, row) for row in rows]
    text, by = await _made(known["summary"], messages, model, most) if messages else ("", RULES)
    if not text:  # nothing worth telling is no reason to lose what was
        text, by = known["summary"], known["summary_by"]
    rows = await database.read(caller.tenant, "messages_to_feel", conversation, last, FELT, READ_FOR_FEELING)
    felt = await asyncio.to_thread(sentiment, [message_from(conversation, row) for row in reversed(rows)])
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("store_digest", conversation, after, text, last, by, felt)


async def _made(
    previous: str | None, messages: Sequence[Message], model: LanguageModel | None, most: int
) -> tuple[str, str]:
    """The new summary and who wrote it: the model if there is one and it does well, else the rules."""
    if model is not None:
        try:
            return await summarise_with(model, previous, messages, most), model.name
        except Exception as error:  # a model may be anybody's code, and the rules need none
            say(logging.WARNING, "summary.model_failed", model=model.name, error=type(error).__name__)
    return await asyncio.to_thread(summarise, previous, messages, most), RULES


async def _digest(database: Database, caller: Caller, conversation: str) -> Row:
    rows = await database.read(caller.tenant, "digest_of", conversation)
    if not rows:
        raise NotFound("conversation", conversation)
    return rows[0]


def _summary(row: Row) -> Summary:
    felt = None if row["sentiment"] is None else round(row["sentiment"], 4)
    return Summary(
        text=row["summary"],
        upto=row["summary_seq"],
        by=row["summary_by"],
        sentiment=felt,
        mood=None if felt is None else label(felt),
    )
