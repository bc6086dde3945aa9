"""What the next prompt needs: fetched in one round trip, ranked, and packed into a token budget."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from math import inf

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound
from recollect.models.generations import Embedders
from recollect.models.questions import ready, slack
from recollect.observe import counted
from recollect.observe.spans import span
from recollect.ports import Asked, Counter, Embedder, Loaded
from recollect.recall.asking import best
from recollect.recall.candidates import RELATED, Found, Ranked, found_in, ranked
from recollect.recall.memories import recalled
from recollect.recall.pack import MOST_MEMORIES, Context, Sections, pack
from recollect.recall.render import is_of_tools
from recollect.recall.scale import least_cosine
from recollect.recall.search import MAX_QUERY, SPARE, Search, asked_dates, candidates, easier, search_arguments
from recollect.records import Caller, Hit, Message
from recollect.storage.database import Database, Row
from recollect.storage.rows import messages_from

#: So many characters are counted in about a millisecond, which is not worth a thread: on a busy machine it is
#: started late.
COUNTED_AT_ONCE = 20_000

#: Where the columns of the messages are; those of the memories follow.
_MESSAGES = slice(8, 19)


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """All that a prompt could be made of, as the database has it."""

    user: str
    agent: str
    model: str | None
    instructions: str
    budget: int
    notes: str
    summary: str
    state: str | None
    """The conversation's state and workflow as JSON; None where nothing was ever said about either."""
    window: list[Message]
    memories: list[Hit]


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """What the database said to a question, which a cache may keep."""

    model: str
    message: str
    limit: int | None
    """Who asked, what, and for how many messages."""
    serving: str | None
    """The model whose vectors serve; none as long as there are no vectors."""
    fetched: Fetched


async def context(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    counter: Counter,
    conversation: str,
    message: str,
    budget: int | None,
    window: int | None,
    told: Callable[[Fetched], str],
) -> Context:
    """Instructions, notes, related memories, the state as it is ``told`` in words, what went before, the newest
    messages: as far as the budget goes."""
    with span("recollect.context"):
        fetched = await fetch(database, caller, embedders, conversation, message, window)
        return await packed(fetched, message, budget, counter, told(fetched))


async def fetch(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    conversation: str,
    message: str,
    window: int | None,
) -> Fetched:
    """All that the next prompt could be made of, in one round trip; or in none, where a cache was asked the same a
    moment ago and nothing was written since."""
    message = inputs.text("message", message)
    if not message.strip():
        raise Invalid("message", "must not be empty")
    if window is not None:
        window = inputs.amount("window", window, least=0)

    query = message[:MAX_QUERY]

    async def search(embedder: Embedder) -> tuple[str | None, Read]:
        load = partial(_read, database, caller, embedders, embedder, conversation, query, window)
        if database.cache is None:
            read = (await load(False)).value
        else:
            await ready(embedder)
            asked = Asked(caller.tenant, conversation, _question(embedder, query, window))
            read = await database.cache.context(asked, Read, load)
        return read.serving, read

    with span("recollect.context.fetch"):
        read, _ = await embedders.ask(caller.tenant, search)
    recalled(caller, "context", len(read.fetched.memories))
    return read.fetched


def _question(embedder: Embedder, query: str, window: int | None) -> bytes:
    """A hash of all that the database is asked with, beside the conversation: the vector and the names follow from
    the model and the text."""
    bounds = (candidates(MOST_MEMORIES), SPARE, MOST_MEMORIES, RELATED, least_cosine(embedder, RELATED))
    return hashlib.blake2b(msgspec.json.encode((embedder.name, window, bounds, query)), digest_size=16).digest()


async def _read(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    embedder: Embedder,
    conversation: str,
    query: str,
    window: int | None,
    to_keep: bool,
) -> Loaded[Read]:
    """What the database says, and, if it is to be kept, for how many seconds it stays true if nobody writes."""
    asked = await search_arguments(embedders, embedder, query, None, RELATED, MOST_MEMORIES)
    dates, less = asked_dates(query, None), slack(embedder, query)
    statement = "fetch_context_to_keep" if to_keep else "fetch_context"

    first: list[Row] = []
    #: Of several looks at the pool, the first is the one that may have seen what is gone by the last.
    until = inf

    async def ask(asked: Search, amount: int) -> Found:
        nonlocal until
        if first:  # all but memories is there
            user, agent = first[0]["user_id"], first[0]["agent"]
            return found_in(user, await database.call("find_memories", caller.tenant, user, agent, *asked, amount))
        began = time.monotonic()
        rows = await database.call(statement, caller.tenant, conversation, window, *asked, amount, query)
        if not rows:
            raise NotFound("conversation", conversation)
        first.append(rows[0])
        if to_keep and rows[0]["seconds"] is not None:
            until = began + rows[0]["seconds"]
        return found_in(rows[0]["user_id"], rows, after=_MESSAGES.stop)

    def rank(found: Found, ease: float) -> Ranked:
        with span("recollect.context.rank"):
            return ranked(found, embedder, MOST_MEMORIES, RELATED, dates, less + ease)

    ease = partial(easier, database, caller, embedder)
    found, memories = await best(ask, rank, ease, asked, query, RELATED, MOST_MEMORIES, dates=dates)
    (row,) = first
    said = _window(conversation, row)
    if said and _goes_on(said[-1]):
        said = await _with_its_turn(database, caller, conversation, query, said)
    fetched = Fetched(
        user=row["user_id"],
        agent=row["agent"],
        model=row["model"],
        instructions=row["instructions"],
        budget=row["budget"],
        notes=row["notes"] or "",
        summary=row["summary"] or "",
        state=row["state"],
        window=said,
        memories=memories,
    )
    read = Read(model=embedder.name, message=query, limit=window, serving=found.serving, fetched=fetched)
    # What was found by words alone, because the model did not answer, is not worth keeping.
    kept = until - time.monotonic() if to_keep and asked.near is not None else 0.0
    return Loaded(read, fetched.user, max(kept, 0.0))


async def agrees(database: Database, caller: Caller, embedders: Embedders, conversation: str, kept: bytes) -> bool:
    """Whether a context that was kept is what the database says now."""
    try:
        read = _kept.decode(kept)
    except msgspec.DecodeError:
        return False
    embedder = embedders.serving(caller.tenant)
    if embedder.name != read.model:
        return True  # asked by a process with other settings, for itself
    now = await _read(database, caller, embedders, embedder, conversation, read.message, read.limit, to_keep=False)
    return _unscored(read) == _unscored(now.value)


def _unscored(read: Read) -> Read:
    """Without scores and their order: what is fresh counts a little more, and a moment has passed."""
    hits = [msgspec.structs.replace(hit, score=0.0) for hit in read.fetched.memories]
    hits.sort(key=lambda hit: hit.memory.id if hit.memory else "")
    return msgspec.structs.replace(read, fetched=msgspec.structs.replace(read.fetched, memories=hits))


async def packed(
    fetched: Fetched, message: str | None, budget: int | None, counter: Counter, state: str
) -> Context:
    """What was fetched, packed into the budget: the agent's, unless one is given. Without a ``message`` it ends
    with what was said before."""
    names: dict[str, str] = {}
    if "{" in fetched.instructions:
        names = {"user": fetched.user, "agent": fetched.agent, "date": datetime.now(UTC).date().isoformat()}
    sections = Sections(
        instructions=fetched.instructions,
        notes=fetched.notes,
        memories=fetched.memories,
        state=state,
        summary=fetched.summary,
        window=fetched.window,
        message=message,
        names=names,
    )
    room = fetched.budget if budget is None else budget
    with span("recollect.context.pack"):
        if type(counter) in _LOADED and _size(sections) <= COUNTED_AT_ONCE:
            made = pack(sections, room, counter)
        else:
            made = await asyncio.to_thread(pack, sections, room, counter)
            _LOADED.add(type(counter))
    counted.packed(made.tokens)
    return made


#: Counters that have counted before: at their first count they read their vocabulary, which takes its time.
_LOADED: set[type[Counter]] = set()


def _size(sections: Sections) -> int:
    """About how many characters are there to be counted."""
    texts = [sections.instructions, sections.notes, sections.state, sections.summary, sections.message or ""]
    others = [one.tool_calls for one in sections.window if one.tool_calls]
    others += [one.parts for one in sections.window if one.parts]
    texts += [one.content for one in sections.window]
    return sum(map(len, texts)) + sum([len(msgspec.json.encode(part)) for part in others])


_kept = msgspec.json.Decoder(Read)


async def _with_its_turn(
    database: Database, caller: Caller, conversation: str, query: str, window: list[Message]
) -> list[Message]:
    """The window, or all of the turn that is going on where that is longer: without the call its results could not
    be shown, and the model would call again, and without the question it would come after them."""
    amount = len(window)
    while 0 < amount < inputs.MAX_PAGE and all(map(_goes_on, reversed(window))) and any(map(is_of_tools, window)):
        amount = min(4 * amount, inputs.MAX_PAGE)
        rows = await database.call("recent_messages", caller.tenant, conversation, amount)
        longer = messages_from(conversation, reversed(rows))
        before = next((place for place, row in reversed(list(enumerate(longer))) if not _goes_on(row)), None)
        if before is not None:
            asked = longer[before]
            return longer[before:] if asked.role == "user" and asked.content[:MAX_QUERY] == query else window
        if len(rows) < amount:
            break
    return window


def _goes_on(message: Message) -> bool:
    """Whether a message ends no turn: it is of the use of tools, or what the system noted beside that."""
    return is_of_tools(message) or message.role == "system"


def _window(conversation: str, row: Row) -> list[Message]:
    """The messages, which came as columns and newest first."""
    if row["seqs"] is None:
        return []
    return messages_from(conversation, zip(*row[_MESSAGES], strict=True))[::-1]
