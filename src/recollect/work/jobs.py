"""What each kind of work does. Each one finishes in the transaction that writes its effect."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from recollect.chat.delivery import WAITING, NobodyHere, deliver
from recollect.chat.desk import Equipment
from recollect.errors import NotFound
from recollect.forget.records import Keeping
from recollect.forget.tidy import tidy
from recollect.models.generations import Embedders
from recollect.ports import LanguageModel
from recollect.records import Caller
from recollect.remember import consolidate, learn
from recollect.remember.digest.store import digest_conversation
from recollect.remember.learn import Finding, Run
from recollect.remember.memories import as_served
from recollect.remember.reembed import ASKED_FOR, NOTICED, other_model_serves, reembed_some, subject, told_by
from recollect.storage.database import Database
from recollect.work.queue import TRIES, Claim, NotOurs, finish, hold
from recollect.work.run import Job

#: Seconds between two rounds of looking after a tenant.
TIDY_EVERY = 3600.0
#: A conversation in which nothing was said for so many seconds is learned from to its end. ``mark_talk`` in the
#: database looks for that as late.
SILENT_FOR = 60.0
#: The same for those that nobody waits for, such as when an agent begins to learn only now.
FORGOTTEN_FOR = 600.0


class Jobs:
    """The kinds of work of one tenant, with what they need; models are made when first needed."""

    def __init__(
        self,
        database: Database,
        caller: Caller,
        embedders: Callable[[], Embedders],
        language: Callable[[], LanguageModel | None],
        keeping: Keeping,
        equipment: Equipment | None = None,
    ) -> None:
        self._database = database
        self._caller = caller
        self._embedders = embedders
        self._language = language
        self._keeping = keeping
        self._equipment = equipment or Equipment()

    def by_kind(self) -> Mapping[str, Job]:
        """Each kind with what does it."""
        return {
            "settle": self.settle,
            "extract": self.extract,
            "consolidate": self.consolidate,
            "summarise": self.summarise,
            "reembed": self.reembed,
            "tidy": self.tidy,
            "deliver": self.deliver,
        }

    async def take_up(self) -> None:
        """Let what others passed on and we can do be due now; else they might be first whenever it is."""
        if self._equipment.handlers or self._equipment.webhook:
            async with self._database.transaction(self._caller.tenant) as transaction:
                await transaction.run("take_up_deliveries", self._able)

    @property
    def _able(self) -> list[str] | None:
        """Which actions can be delivered here; None for all."""
        return None if self._equipment.webhook else list(self._equipment.handlers)

    async def settle(self, held: Claim) -> Mapping[str, int]:
        """Let a conversation that fell silent be learned from; wait on while somebody talks."""
        async with self._database.transaction(self._caller.tenant) as transaction:
            row = await transaction.row("until_silent", held.subject, SILENT_FOR)
            if row is not None and row["seconds"] > 0:
                await finish(transaction, held, again_in=row["seconds"])
                return {}
            await finish(transaction, held)  # first, as an append marks the one before the other
            await transaction.run("mark_silent", held.subject)
        return {}

    async def extract(self, held: Claim) -> Mapping[str, int]:
        """Learn from the new messages of a conversation, one run after the other."""
        total: Counter[str] = Counter()
        while True:
            run = await learn.next_run(self._database, self._caller, held.subject)
            if run is None:
                async with self._database.transaction(self._caller.tenant) as transaction:
                    await finish(transaction, held)
                return total
            findings = await learn.find(self._database, self._caller, run, self._embedders(), self._language())
            total.update(await as_served(partial(self._write_down, held, run, findings)))
            if not run.more:
                return total

    async def _write_down(self, held: Claim, run: Run, findings: Sequence[Finding]) -> Mapping[str, int]:
        """What a run of messages has given, and with the last one that the work is done."""
        findings = await learn.embedded(self._database, self._caller, self._embedders(), findings)
        async with self._database.transaction(self._caller.tenant) as transaction:
            await transaction.run("lock_pool", run.user, run.pool)  # nothing is held while others learn into it
            await transaction.row("hold_conversation", run.conversation)
            await hold(transaction, held)
            done = await learn.write_down(transaction, self._caller, self._embedders(), run, findings)
            if not run.more:
                await transaction.run("mark_work", "summarise", run.conversation, run.user)
                await finish(transaction, held)
        return done

    async def consolidate(self, held: Claim) -> Mapping[str, int]:
        """Merge what a pool says twice."""
        return await as_served(partial(self._consolidate, held))

    async def _consolidate(self, held: Claim) -> Mapping[str, int]:
        user, pool = msgspec.json.decode(held.subject, type=tuple[str, str])
        plan = await consolidate.plan(self._database, self._caller, self._embedders(), user, pool)
        async with self._database.transaction(self._caller.tenant) as transaction:
            done = await consolidate.carry_out(transaction, self._caller, self._embedders(), user, pool, plan)
            await finish(transaction, held)
        return done

    async def summarise(self, held: Claim) -> Mapping[str, int]:
        """Bring the summary of a conversation up to date. It is stored page by page, each only on top of the one
        that it was made from, so whoever does it twice changes nothing.
        """
        done: dict[str, int] = {}
        before = -1
        with contextlib.suppress(NotFound):  # deleted meanwhile
            while True:
                made = await digest_conversation(
                    self._database, self._caller, held.subject, model=self._language()
                )
                done = {"summarised": 1}
                if made.upto == before:
                    break
                before = made.upto
        async with self._database.transaction(self._caller.tenant) as transaction:
            await finish(transaction, held)
        return done

    async def reembed(self, held: Claim) -> Mapping[str, int]:
        """Make vectors of the model that the settings name, a step at a time, each of which can be repeated."""
        embedders = self._embedders()
        how, model = told_by(held.subject)
        if model not in (None, embedders.current.name):
            raise NotOurs
        left = await reembed_some(self._database, self._caller, embedders, again=how == ASKED_FOR)
        async with self._database.transaction(self._caller.tenant) as transaction:
            await finish(transaction, held, again_in=0.0 if left else None)
        return {}

    async def deliver(self, held: Claim) -> Mapping[str, int]:
        """Deliver what an action has put into the outbox. Where nobody here can, it waits for who can."""
        try:
            how = await deliver(self._database, self._caller, self._equipment, held.subject)
        except NobodyHere:
            raise NotOurs from None
        async with self._database.transaction(self._caller.tenant) as transaction:
            if how is not None:
                await transaction.run("delivered", held.subject, how)
            await finish(transaction, held)
        return {"delivered": 1 if how else 0}

    async def tidy(self, held: Claim) -> Mapping[str, int]:
        """Look after the tenant, and come back in an hour: remove what is kept no longer, learn from conversations
        that fell silent, try again what an outage stopped, and see whether the embedding model has changed.
        """
        removed = await tidy(self._database, self._caller, self._keeping)
        embedders = self._embedders()
        changed = await other_model_serves(self._database, self._caller, embedders)
        async with self._database.transaction(self._caller.tenant) as transaction:
            await transaction.run("mark_unlearned", FORGOTTEN_FOR)
            await transaction.run("retry_after_outage", TRIES)
            await transaction.run("mark_undelivered", self._able, WAITING)
            noticed = subject(NOTICED, embedders.current)
            await transaction.run("drop_noticed", NOTICED, noticed)
            if changed:
                await transaction.run("mark_work", "reembed", noticed, "")
            await finish(transaction, held, again_in=TIDY_EVERY)
        return {"tidied": removed.messages + removed.memories + removed.keys + removed.documents}
