"""The care of a tenant: due work, retention, the outbox."""

from __future__ import annotations

from collections.abc import Callable

from recollect import inputs
from recollect.chat import actions
from recollect.chat.records import Delivery
from recollect.door.part import Part
from recollect.forget import retention, tidy
from recollect.forget.records import Minutes, Retention, Tidied
from recollect.records import Digested, Work
from recollect.remember.reembed import reembed, reembed_later
from recollect.work import queue


class Care(Part):
    """What concerns a tenant as a whole."""

    async def digest(
        self, *, everything: bool = False, most: int | None = None, lease: float = queue.LEASE
    ) -> Digested:
        """Do the work that is due now: learn from new messages, consolidate, summarise, clean up.

        Where a worker runs, nobody needs to call this. ``everything`` also learns from conversations that have not
        reached their next ten messages yet; ``most`` limits how many pieces of work are done. Each piece is leased
        for ``lease`` seconds at a time, after which a process that died or hangs loses it to others.
        """
        from recollect.work.jobs import Jobs
        from recollect.work.run import run_due

        limit = None if most is None else inputs.amount("most", most)
        lease = inputs.seconds("lease", lease)
        if inputs.flag("everything", everything):
            async with self._database.transaction(self._caller.tenant) as transaction:
                await transaction.run("mark_unlearned", 0.0)
        jobs = Jobs(
            self._database,
            self._caller,
            lambda: self._models.embedders,
            lambda: self._models.language(self.tenant),
            self._keeping,
            self._equipment,
        )
        await jobs.take_up()
        return Digested(**await run_due(self._database, self._caller, jobs.by_kind(), limit, lease))

    async def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """After a change of the embedding model: new vectors for memories and messages; returns how many memories.

        It can be stopped and started again. Until all are made, the old vectors serve.
        """
        return await reembed(self._database, self._caller, self._models.embedders, progress)

    async def reembed_later(self) -> None:
        """The same as work in the background."""
        await reembed_later(self._database, self._caller, self._models.embedder)

    async def outbox(self, *, waiting: bool = False, limit: int = 50) -> list[Delivery]:
        """What actions have decided, newest first; with ``waiting``, what was not delivered yet."""
        return await actions.outbox(self._database, self._caller, waiting, limit)

    async def work(self, *, failed: bool = False, limit: int = 50) -> list[Work]:
        """What is due, under way or waits for its time; with ``failed``, what was tried too often and waits for
        ``retry_work``.
        """
        return await queue.listed(self._database, self._caller, failed, limit)

    async def retry_work(self, kind: str | None = None, subject: str | None = None) -> int:
        """Let failed work be tried again: all of it, or of one kind or subject; returns how many."""
        return await queue.retry(self._database, self._caller, kind, subject)

    async def retention(self) -> Retention:
        """How many minutes messages are kept: the rules of the installation, the tenant and its agents."""
        return await retention.retention(self._database, self._caller, self._keeping)

    async def set_retention(self, minutes: Minutes, agent: str | None = None) -> Retention:
        """Keep messages for so many minutes, or ``"forever"``: those of one agent, or of all that have no rule.

        None takes the rule away. What is too old goes with the next ``tidy``.
        """
        return await retention.set_retention(self._database, self._caller, self._keeping, minutes, agent)

    async def tidy(self) -> Tidied:
        """Remove what is kept no longer: old messages, expired memories and documents, old idempotency keys."""
        return await tidy.tidy(self._database, self._caller, self._keeping)
