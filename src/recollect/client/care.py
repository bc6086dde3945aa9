"""The care of a tenant over HTTP: due work, retention, keys, the outbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.access.records import Key, NewKey
from recollect.chat.records import Delivery
from recollect.client.calls import Call, body, named, reading, whole_body
from recollect.client.door import Part
from recollect.client.wire import read_new_key
from recollect.forget.records import Minutes, Retention, Tidied
from recollect.records import Digested, Work


class Care(Part):
    """What concerns a tenant as a whole; its key needs the scope ``admin``."""

    async def digest(self, *, everything: bool = False, most: int | None = None, lease: float = 60.0) -> Digested:
        """Do the work that is due now: learn from new messages, consolidate, summarise, clean up.

        Where a worker runs, nobody needs to call this. ``everything`` also learns from conversations that have not
        reached their next ten messages yet; ``most`` limits how many pieces of work are done. Each piece is leased
        for ``lease`` seconds at a time, after which a process that died or hangs loses it to others.
        """
        asked = body(everything=everything, most=most, lease=lease)
        return await self._http.ask(Digested, _post("/api/admin/digest", asked))

    async def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """After a change of the embedding model: new vectors for memories and messages; returns how many memories.

        It can be stopped and started again. Until all are made, the old vectors serve.
        """
        done = (await self._http.ask(dict[str, int], _post("/api/admin/reembed", None, again=True)))["memories"]
        if progress is not None:
            progress(done, done)
        return done

    async def reembed_later(self) -> None:
        """The same as work in the background."""
        await self._http.send(_post("/api/admin/reembed-later", None, again=True))

    async def outbox(self, *, waiting: bool = False, limit: int = 50) -> list[Delivery]:
        """What actions have decided, newest first; with ``waiting``, what was not delivered yet."""
        return await self._http.ask(list[Delivery], reading("/api/outbox", waiting=waiting, limit=limit))

    async def work(self, *, failed: bool = False, limit: int = 50) -> list[Work]:
        """What is due, under way or waits for its time; with ``failed``, what was tried too often and waits for
        ``retry_work``.
        """
        return await self._http.ask(list[Work], reading("/api/work", failed=failed, limit=limit))

    async def retry_work(self, kind: str | None = None, subject: str | None = None) -> int:
        """Let failed work be tried again: all of it, or of one kind or subject; returns how many."""
        asked = body(kind=kind, subject=subject)
        return (await self._http.ask(dict[str, int], _post("/api/admin/retry-work", asked)))["retried"]

    async def retention(self) -> Retention:
        """How many minutes messages are kept: the rules of the installation, the tenant and its agents."""
        return await self._http.ask(Retention, reading("/api/retention"))

    async def set_retention(self, minutes: Minutes, agent: str | None = None) -> Retention:
        """Keep messages for so many minutes, or ``"forever"``: those of one agent, or of all that have no rule.

        None takes the rule away. What is too old goes with the next ``tidy``.
        """
        asked = whole_body({"minutes": minutes, "agent": agent})
        return await self._http.ask(
            Retention, Call(method="PUT", path="/api/retention", content=asked, again=True)
        )

    async def tidy(self) -> Tidied:
        """Remove what is kept no longer: old messages, expired memories, old idempotency keys."""
        return await self._http.ask(Tidied, _post("/api/admin/tidy"))

    async def create_key(
        self,
        name: str = "",
        *,
        scopes: Sequence[str] | None = None,
        user: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """A key of this tenant for the server; its text can be read here and never again.

        ``scopes`` are some of ``read``, ``write`` and ``admin``, by default the first two; an operator may add
        ``operator``. A key with a ``user`` reaches that user only.
        """
        chosen = None if scopes is None else list(scopes)
        asked = body(name=name, scopes=chosen, user=user, expires_at=expires_at)
        return read_new_key(await self._http.bytes(_post("/api/admin/keys", asked)))

    async def keys(self) -> list[Key]:
        """This tenant's keys, oldest first, revoked ones too."""
        return await self._http.ask(list[Key], reading("/api/admin/keys"))

    async def rotate_key(self, id: str) -> NewKey:
        """Give a key a new secret; the old one ends at once."""
        return read_new_key(await self._http.bytes(_post(f"/api/admin/keys/{named('id', id)}/rotate")))

    async def revoke_key(self, id: str) -> Key:
        """End a key, at once and for good."""
        path = f"/api/admin/keys/{named('id', id)}"
        return await self._http.ask(Key, Call(method="DELETE", path=path, again=True))


def _post(path: str, content: bytes | None = None, again: bool = False) -> Call:
    return Call(method="POST", path=path, content=content, again=again)
