"""What a recall has learned about a user's messages, kept in the process for the next one.

What was said under a number never changes: when, by whom, how long it is. So this is fetched once, and each recall
asks only which messages are still there and which are new. No text is kept, and nothing is answered from here
that the store does not confirm in the same statement.
"""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakKeyDictionary

from recollect.recall.scope import Scope
from recollect.storage.database import Database

#: About 35 bytes each.
MOST_MESSAGES = 500_000

#: The tenant, the user, and the agent or None for all.
Whose = tuple[str, str, str | None]


class Kept:
    """The scopes of the last recalls, as many as fit."""

    def __init__(self, most: int = MOST_MESSAGES) -> None:
        self._most = most
        self._scopes: OrderedDict[Whose, Scope] = OrderedDict()
        self._messages = 0

    def of(self, whose: Whose) -> Scope | None:
        """What is known of this scope."""
        return self._scopes.get(whose)

    def keep(self, whose: Whose, scope: Scope) -> None:
        """Keep this instead of what was known, and forget the scopes that were asked for longest ago."""
        self.forget(whose)
        self._scopes[whose] = scope
        self._messages += len(scope)
        while self._messages > self._most:
            self.forget(next(iter(self._scopes)))

    def forget(self, whose: Whose) -> None:
        """Start anew with this scope."""
        before = self._scopes.pop(whose, None)
        self._messages -= 0 if before is None else len(before)


_kept: WeakKeyDictionary[Database, Kept] = WeakKeyDictionary()


def kept_for(database: Database) -> Kept:
    """One for each open database."""
    return _kept.setdefault(database, Kept())
