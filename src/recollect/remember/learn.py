"""From new messages to memories: read a run of messages, find candidates, then write down what passes.

Finding may ask a model and takes its time outside of any transaction, and so does the gate. Writing happens in one
transaction, which the caller also finishes the work in: leave out what was forgotten, reconcile with what the pool
holds at that moment, apply, and note how far the conversation has been learned. What compares texts does so in a
thread: a pool may be large, and a message long.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from uuid import UUID

import msgspec

from recollect.errors import Conflict
from recollect.models.generations import Embedders
from recollect.observe.logs import say
from recollect.ports import LanguageModel
from recollect.records import Caller, Memory, Message, Source
from recollect.remember import memories
from recollect.remember.compare import read
from recollect.remember.extract import extracted
from recollect.remember.extract_by_model import extract_with
from recollect.remember.gate import Reason, refusal
from recollect.remember.insight import Insight, fingerprint
from recollect.remember.learning import Candidate, Decision, Neighbour
from recollect.remember.reconcile import Reader, reconcile
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.rows import memory_from, message_from

#: Messages that are looked at together.
RUN = 10
#: Insights that a run may give.
MOST = 3
#: What a candidate may say about itself.
_TOLD = ("category", "importance", "valid_from", "expires_at")


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Some messages of a conversation that nothing was learned from yet."""

    conversation: str
    user: str
    agent: str
    pool: str
    title: str | None
    message_count: int
    learned_seq: int
    """Up to where the conversation was learned from before."""
    messages: list[Message]
    by_hearsay: frozenset[int]
    """``seq`` of the replies that were given with the help of tools: a web page may be speaking in them."""
    more: bool
    """Whether there are more after these."""


class Finding(msgspec.Struct, frozen=True):
    """A candidate with its vector, and with why it may not become a memory, if so."""

    candidate: Candidate
    refused: Reason | None
    vector: memories.Vector | None
    """None for what is refused."""
    author: str


async def next_run(database: Database, caller: Caller, conversation: str) -> Run | None:
    """The next messages to learn from; None if there are none, or no such conversation."""
    rows = await database.read(caller.tenant, "conversation_to_learn", conversation)
    if not rows:
        return None
    row = rows[0]
    found = await database.read(caller.tenant, "messages_after", conversation, row["learned_seq"], RUN + 1)
    if not found:
        return None
    # The tools may have answered in the run before.
    with_tools = await database.read(
        caller.tenant, "replies_with_tools", conversation, row["learned_seq"], found[:RUN][-1]["seq"]
    )
    return Run(
        conversation=str(row["id"]),
        user=row["user_id"],
        agent=row["agent"],
        pool=row["pool"],
        title=row["title"],
        message_count=row["message_count"],
        learned_seq=row["learned_seq"],
        messages=[message_from(conversation, one) for one in found[:RUN]],
        by_hearsay=frozenset(one["seq"] for one in with_tools),
        more=len(found) > RUN,
    )


async def find(
    database: Database, caller: Caller, run: Run, embedders: Embedders, language: LanguageModel | None
) -> list[Finding]:
    """Candidates, by the model where there is one and it answers, else by rules."""
    author, found = "extractor:rules", None
    # A reply that only repeats what is remembered is no source of it.
    said = [message for message in run.messages if not message.metadata.get("recalled")]
    if language is not None:
        try:
            found = await extract_with(language, said, MOST)
            author = f"extractor:{language.name}"
        except Exception as error:  # a model may be anybody's code, and the rules need none
            say(logging.WARNING, "learn.offline", error=type(error).__name__, model=language.name)
    chosen, left = await asyncio.to_thread(extracted, said, MOST) if found is None else found
    refused = await asyncio.to_thread(_refused, run, chosen)
    too_many: list[Reason] = [one or "too_many" for one in await asyncio.to_thread(_refused, run, left)]
    both = zip((*chosen, *left), (*refused, *too_many), strict=True)
    findings = [Finding(one, reason, None, author) for one, reason in both]
    return await embedded(database, caller, embedders, findings)


def _refused(run: Run, candidates: Sequence[Candidate]) -> list[Reason | None]:
    cited = ([said for said in run.messages if one.first <= said.seq <= one.last] for one in candidates)
    return [refusal(one, sources) for one, sources in zip(candidates, cited, strict=True)]


async def embedded(
    database: Database, caller: Caller, embedders: Embedders, findings: Sequence[Finding]
) -> list[Finding]:
    """The findings; those that may become memories with vectors of the model that serves by now."""
    made: list[Finding] = []
    for one in findings:
        serving = embedders.serving(caller.tenant).name
        if one.refused is None and (one.vector is None or one.vector[0] != serving):
            vector = await memories.vector_of(database, caller, embedders, one.candidate.text)
            made.append(msgspec.structs.replace(one, vector=vector))
        else:
            made.append(one)
    return made


async def write_down(
    transaction: Transaction, caller: Caller, embedders: Embedders, run: Run, findings: Sequence[Finding]
) -> Mapping[str, int]:
    """What becomes of the findings, and that the run is done; Conflict if somebody else has done it meanwhile, or
    the agent has another pool by now, OtherServes if their vectors are of a model that does not serve any more."""
    done: Counter[str] = Counter()
    upto = run.messages[-1].seq
    await transaction.run("lock_pool", run.user, run.pool)
    if await memories.pool_of(transaction, run.agent) != run.pool:
        raise Conflict(f"agent {run.agent!r} was given another pool at this moment")
    if await transaction.row("advance_learning", run.conversation, run.learned_seq, upto) is None:
        raise Conflict(f"conversation {run.conversation} was learned from, or deleted, at this moment")
    buried = await transaction.rows("tombstones_of_pool", run.user, run.pool) if findings else ()
    reader = cache(read)
    for finding in findings:
        reason = "tombstone" if _is_buried(finding.candidate, run, buried) else finding.refused
        if reason is not None:
            done["refused"] += await _record(transaction, run, finding.candidate, reason)
            continue
        done[await _learned(transaction, caller, embedders, run, finding, reader)] += 1
    if any(done[what] for what in ("added", "refreshed", "replaced")):
        await transaction.run("pool_updated", run.user, run.pool)
    done["messages"] = len(run.messages)
    return done


async def _record(transaction: Transaction, run: Run, candidate: Candidate, reason: Reason) -> bool:
    """Why something was not learned. What was one too many and is known already is not worth a word."""
    if reason == "too_many":
        known = await transaction.row("same_memory", run.user, run.pool, fingerprint(candidate.text))
        if known is not None:
            return False
    place = (run.conversation, run.user, run.pool, candidate.first, candidate.last)
    await transaction.run("record_refusal", *place, reason)
    return True


def _is_buried(candidate: Candidate, run: Run, buried: Sequence[Row]) -> bool:
    """What was forgotten or corrected is not learned again, nor is anything else from the messages that it came
    from."""
    this = fingerprint(candidate.text)
    return any(
        stone["fingerprint"] == this
        or (
            str(stone["conversation"]) == run.conversation
            and candidate.first <= stone["last_seq"]
            and stone["first_seq"] <= candidate.last
        )
        for stone in buried
    )


def _by_hearsay(candidate: Candidate, run: Run) -> bool:
    """Whether an assistant said it after using tools: then nobody vouches for it."""
    return any(candidate.first <= seq <= candidate.last for seq in run.by_hearsay)


async def _learned(
    transaction: Transaction, caller: Caller, embedders: Embedders, run: Run, finding: Finding, reader: Reader
) -> str:
    """Reconcile a candidate with what the pool holds, and do what was decided; returns what that was."""
    candidate, vector = finding.candidate, finding.vector
    assert vector is not None
    said_at = next((one.created_at for one in run.messages if one.seq == candidate.last), None)
    trust = "untrusted" if _by_hearsay(candidate, run) else candidate.trust
    candidate = msgspec.structs.replace(candidate, said_at=said_at, trust=trust)
    await memories.must_serve(transaction, caller, embedders, vector)
    rows = await transaction.rows("known_memories", run.user, run.pool, *vector, candidate.valid_from)
    known, decision = await asyncio.to_thread(_decided, candidate, rows, reader)
    if decision.verb == "ignore":
        return "ignored"
    if decision.verb == "refresh":
        await transaction.run("refresh_memory", UUID(decision.memories[0]))
        return "refreshed"
    insight = Insight(
        text=candidate.text,
        category=candidate.category,
        importance=candidate.importance,
        valid_from=candidate.valid_from,
        expires_at=candidate.expires_at,
        source=Source(run.conversation, candidate.first, candidate.last),
        author=finding.author,
        trust=candidate.trust,
        context={
            "sessionId": run.conversation,
            "sessionName": run.title,
            "messageCount": run.message_count,
        },
        given=frozenset(name for name in _TOLD if getattr(candidate, name) is not None),
    )
    row = await memories.insert(transaction, insight, run.user, run.agent, run.pool, vector)
    if row is None:  # the same words are there: waiting, expired, to come, or by another's hand in this moment
        row = await _held_again(transaction, insight, run)
        if row is None:
            return "refreshed"
    await transaction.run("record_memory_version", row["id"], "learn", finding.author)
    await memories.audit(transaction, caller, "memory.learn", row)
    if decision.verb == "replace":
        await _retire(transaction, caller, memory_from(row), decision, known)
        return "replaced"
    return "added"


def _decided(candidate: Candidate, rows: Sequence[Row], reader: Reader) -> tuple[dict[str, Memory], Decision]:
    """What the pool holds, by id, and what becomes of the candidate beside it."""
    known = [Neighbour(memory_from(row), row["cosine"], row["by_person"], row["said_at"]) for row in rows]
    return {one.memory.id: one.memory for one in known}, reconcile(candidate, known, reader)


async def _held_again(transaction: Transaction, insight: Insight, run: Run) -> Row | None:
    """What waits in quarantine is free once somebody trusted says it: else a page could keep a fact from being
    learned by telling it first. What has expired, or was to hold later, holds now. Anything else is only fresh."""
    same = await transaction.row("same_memory", run.user, run.pool, fingerprint(insight.text))
    if same is None:
        return None
    expired = same["expires_at"] is not None and same["expires_at"] <= same["moment"]
    to_come = same["valid_from"] > same["moment"]
    if insight.status != "active" or not (same["status"] == "quarantined" or expired or to_come):
        await transaction.run("refresh_memory", same["id"])
        return None
    new = memories.said_again(memory_from(same), insight, same["moment"])
    return await memories.say_again(transaction, same["id"], new, same["by_person"])


async def _retire(
    transaction: Transaction, caller: Caller, new: Memory, decision: Decision, known: Mapping[str, Memory]
) -> None:
    """The old ones end where the new one begins; they stay, and can be asked for as of then."""
    for id in decision.memories:
        await retire(transaction, caller, known[id], new, new.valid_from)


async def retire(
    transaction: Transaction, caller: Caller, old: Memory, new: Memory, valid_to: datetime | None = None
) -> None:
    """Retire a memory in favour of another one; Conflict if somebody has changed it since it was read."""
    until = valid_to or datetime.now(UTC)
    row = await transaction.row("retire_memory", UUID(old.id), old.version, until, UUID(new.id))
    if row is None:
        raise Conflict(f"memory {old.id} was changed at this moment")
    await transaction.run("record_memory_version", UUID(old.id), "retire", caller.actor)
    await memories.audit(transaction, caller, "memory.retire", row)
