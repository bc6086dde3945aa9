"""What may be cached, for how long, and why it cannot go stale. Nothing is cached that is not named here.

================  =============================================  ========  ====================================
what              where                                          lifetime  no answer is older than an
                                                                           acknowledged write, because
================  =============================================  ========  ====================================
tail              Redis ``{tenant:conversation}:messages``       24 h      every write drops or extends it
one message       Redis ``{tenant:conversation}:message``, a     24 h      after its commit and before its
                  hash by id                                               acknowledgement, and (1) to (4)
memory document   Redis ``{tenant:conversation}:memory``         1 h
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
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

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
#: Those that make settings or credentials old.
SETTINGS = {
    "save_agent",
    "restore_agent",
    "rotate_key",
    "revoke_key",
    "revoke_keys",
    "erase_api_keys",
    "delete_tenant",
}
#: Those that say themselves what they appended.
APPENDS = {"append_message", "append_messages"}
#: Those that write to the same tables and make nothing old: a new key, the time of its last use, rows that are
#: gone with a conversation whose entries ``erase_messages`` has dropped.
HARMLESS = {"insert_key", "key_used", "erase_conversations", "erase_conversation_memories"}


def touched(query: str, args: Sequence[object]) -> Sequence[Change]:
    """What a named query makes old."""
    place = CONVERSATION.get(query)
    if place is not None:
        named = args[place]
        several = cast("list[object]", named) if isinstance(named, list) else [named]
        return [Change(conversation=str(one)) for one in several]
    return (Change(settings=True),) if query in SETTINGS else ()
