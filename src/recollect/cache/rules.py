"""What may be cached, for how long, and why it cannot go stale. Nothing is cached that is not named here.

================  =============================================  ========  ====================================
what              where                                          lifetime  no answer is older than an
                                                                           acknowledged write, because
================  =============================================  ========  ====================================
tail              Redis ``{tenant:conversation}:messages``       24 h      every write drops or extends it
one message       Redis ``{tenant:conversation}:message``, a     24 h      after its commit and before its
                  hash by id                                               acknowledgement, and (1) to (4)
memory document   Redis ``{tenant:conversation}:memory``         1 h
context           Redis ``{tenant:conversation}:context``, a     60 s      the same, and (6) to (8)
                  hash by question
mark of a user    Redis ``{tenant:hash of the user}:mark``       1 h       it is only compared (6)
agent settings    this process                                   60 s      a write waits until every process
credentials       this process                                   60 s      that could believe the old ones has
                                                                           asked the database again (5)
vectors of        this process                                   10 min    they follow from model and text;
questions                                                                  dropped where a user is erased
================  =============================================  ========  ====================================

(1) A fill needs a claim that was made before the database was read. A write takes the claim away, as do eviction,
    a flush and its own end; without it the fill is refused, however late it comes.
(2) An append extends a tail only by the next number, and a fill never replaces a higher number by a lower one.
(3) A process that cannot tell Redis of its write says so in the database (``distrust_cache``), and acknowledges
    after ``LEASE`` seconds: by then every process has either read that, or stopped believing Redis. The epoch
    changes, so that what was cached before is never believed again.
(4) An entry carries the epoch, the database that it is from and the run of the Redis server that it was put into.
    A server that was restarted from a file, or a replica that was promoted, has another run: it may have missed a
    write. The database also knows which Redis all processes use; a process that reaches another one, after a split
    or by a mistake, does not believe it.
(5) Processes ask the database for these numbers four times a second while they read, and believe what is cached
    for at most ``LEASE`` seconds, by their own clock, from before they asked.
(6) A context is made of its conversation, of the notes and memories of its user, and of settings. What is written
    to the conversation drops it like a tail. What is written for the user drops the user's mark, a random number:
    a context carries the mark that was there before the database was read, and is believed only while the same
    mark is there, so that one that was read before a write is not believed after it. A mark that gets lost is
    replaced by another one, and never comes back. It carries the epoch and the run of its own server, which in a
    Cluster is another one than that of the context.
(7) It also carries the number of the settings, which (5) keeps for agents, workflows, and whose vectors serve.
(8) The clock changes it too: a memory expires, or becomes valid. The database says when that will next happen in
    this pool, and the entry ends before: by the clock of the Redis server alone, which is read before the database
    is. Dates and the packing are worked out anew. How fresh a memory counts is as it was when the database was
    asked, at most a minute ago: so the answer is one that the database has given since the last write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from recollect.ports import Change

#: Seconds that processes believe what is cached after they asked the database; also what a write waits that could
#: not reach Redis, and a change of settings.
LEASE = 1.0
#: Seconds between two questions, while anybody reads.
ASK = 0.25
#: Seconds that distrust holds, unless it is renewed.
HOLD = 3.0

HOUR, DAY = 3600.0, 86_400.0
TAIL_LIFE, MESSAGE_LIFE, MEMORY_LIFE = DAY, DAY, HOUR
#: All contexts of a conversation end so many seconds after the first of them was put there; marks much later.
CONTEXT_LIFE, MARK_LIFE = 60.0, HOUR
#: Seconds after which a process says again that it shares a Redis. Whoever opens without one asks whether anybody
#: said so in the last 25 hours: the longest life above, and some that could not be said.
SHARING = 600.0
#: Seconds in which a fill must come after its claim.
CLAIM_LIFE = 10.0
#: Seconds that a process keeps agent settings and credentials, and vectors of questions.
KEPT_LIFE, VECTOR_LIFE = 60.0, 600.0
#: Entries that a process keeps.
MOST_KEPT = 10_000

#: Messages that a tail is filled with at least, and bytes above which it is dropped rather than extended.
TAIL, MOST_BYTES = 24, 256 << 10
#: Single messages of one conversation.
MOST_MESSAGES = 1000
#: Contexts of one conversation.
MOST_CONTEXTS = 16

#: Named queries that make a conversation's entries old: which of their arguments, after the tenant, names it.
CONVERSATION = {
    "begin_turn": 0,
    "answer_earlier_message": 0,
    "archive_conversation": 0,
    "clear_conversation": 0,
    "delete_messages": 0,
    "delete_newest_message": 0,
    "delete_conversation": 0,
    "delete_old_messages": 0,
    "erase_messages": 0,
    "restore_conversation": 0,
    "restore_messages": 0,
    "save_conversation_memory": 0,
    "delete_conversation_memory": 0,
    "restore_conversation_memory": 0,
}
#: The same for its contexts only: those that change its state or its summary.
CONTEXT = {
    "save_state": 0,
    "restore_state": 0,
    "store_digest": 0,
    "empty_digest": 0,
    "delete_old_summary": 0,
    "restore_digest": 0,
    "digest_again": 0,
}
#: Those that make every context of a user old: which argument names the user, …
USER = {
    "begin_notes": 0,
    "save_notes": 0,
    "restore_notes": 0,
    "erase_notes": 0,
    "insert_memory": 1,
    "restore_memory": 1,
    "delete_memories_of_pool": 0,
    "erase_memories": 0,
    "erase_memory_words": 0,
}
#: … or which column of the rows that they return does. They run in transactions only.
OWNER = {
    "refresh_memory": "user_id",
    "say_again": "user_id",
    "change_memory": "user_id",
    "delete_memory": "user_id",
    "retire_memory": "user_id",
    "merge_memory": "user_id",
    "fill_memories": "user_id",
    "settle_memories": "user_id",
    "delete_expired_memories": "owners",
}
#: Those that make settings, credentials, or contexts of all users old. They are rare.
SETTINGS = {
    "save_agent",
    "restore_agent",
    "rotate_key",
    "revoke_key",
    "revoke_keys",
    "erase_api_keys",
    "delete_tenant",
    "save_workflow",
    "restore_workflow",
    "retire_serving",
    "begin_serving",
}
#: Those that say themselves what they appended.
APPENDS = {"append_message", "append_messages", "append_together"}
#: Those that write to the same tables and make nothing old.
HARMLESS = {
    # A new key, and the time of its last use.
    "insert_key",
    "key_used",
    # Rows that are gone with a conversation whose entries ``erase_messages`` has dropped.
    "erase_conversations",
    "erase_conversation_memories",
    "erase_states",
    "erase_digests",
    # A conversation that was not there, and a model that begins to serve where there was no memory yet.
    "new_conversation",
    "active_conversation",
    "take_generation",
    # Columns that are not cached: titles, counters, how far was learned and re-embedded, who wrote or defined it.
    "rename_conversation",
    "learn_every_in_conversations",
    "count_out_messages",
    "last_said",
    "advance_learning",
    "begin_filling",
    "go_on_filling",
    "remember_reached",
    "disown_workflows",
    "disown_messages",
    "disown_conversation_memories",
    "disown_api_keys",
}


def touched(query: str, args: Sequence[object], rows: Sequence[Any] = ()) -> Sequence[Change]:
    """What a named query makes old, by its arguments and the rows that it returned."""
    place = CONVERSATION.get(query)
    if place is not None:
        named = args[place]
        several = cast("list[object]", named) if isinstance(named, list) else [named]
        return [Change(conversation=str(one)) for one in several]
    if query in SETTINGS:
        return (Change(settings=True),)
    place = CONTEXT.get(query)
    if place is not None:
        return (Change(context=str(args[place])),)
    place = USER.get(query)
    if place is not None:
        return (Change(user=str(args[place])),)
    column = OWNER.get(query)
    if column is not None:
        return [Change(user=user) for user in dict.fromkeys(_owners(rows, column))]
    return ()


def _owners(rows: Sequence[Any], column: str) -> list[str]:
    """Users, one in each row or several in one."""
    found = [row[column] for row in rows]
    return [user for one in found for user in ([one] if isinstance(one, str) else one or ())]
