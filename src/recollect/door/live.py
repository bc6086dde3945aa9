"""What changes for a user, as it happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from recollect.door.part import Part
from recollect.live.following import follow
from recollect.live.records import LiveEvent


class Live(Part):
    """Changes, told to whoever listens."""

    async def live(self, user: str, after: str | None = None, *, beats: bool = False) -> AsyncGenerator[LiveEvent]:
        """What changes for a user, as it happens, in one order for all who listen: messages, conversations, notes,
        memories, states. It begins with ``ready``, or goes on ``after`` the event with this id; where what came
        after it is no longer kept, with ``reset``. At both, load what you show, and then follow.

        With ``beats``, also an event now and then that says that nothing has happened.
        """
        async with aclosing(follow(self._database, self._caller, user, after, beats=beats)) as events:
            async for event in events:
                yield event
