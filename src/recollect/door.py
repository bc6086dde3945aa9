"""The door: everything that a caller can do, in one place. HTTP, adapters and the command line all enter here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from recollect import inputs
from recollect.access import keys
from recollect.access.records import Key, NewKey
from recollect.agents import settings as agents
from recollect.analytics import analytics
from recollect.chat import actions
from recollect.chat.desk import Equipment
from recollect.chat.functions import tool_from
from recollect.chat.records import Delivery
from recollect.conversations import caching, lifecycle, search
from recollect.documents import search as document_search
from recollect.documents import store as documents
from recollect.documents.records import (
    DeleteDocument,
    Document,
    DocumentHit,
    DocumentVersion,
    PutDocument,
    Vectors,
)
from recollect.errors import Invalid
from recollect.exchange import export
from recollect.exchange.importing import Order, import_from
from recollect.exchange.reading import given_as
from recollect.exchange.records import Imported
from recollect.forget import erase, retention, tidy
from recollect.forget.records import Keeping, Minutes, Receipt, Retention, Tidied
from recollect.handle import Chat, Models
from recollect.live.following import follow
from recollect.live.records import LiveEvent
from recollect.notes import store as notes
from recollect.notes.records import Notes, NoteVersion
from recollect.recall.memories import RELATED, recall_memories
from recollect.records import (
    Agent,
    Analytics,
    Caller,
    Conversation,
    Digested,
    Hit,
    Memory,
    MemoryVersion,
    Message,
    Page,
    Refusal,
    Source,
    Template,
    Verified,
    Work,
)
from recollect.remember import memories, templates
from recollect.remember.insight import insight
from recollect.remember.reembed import reembed, reembed_later
from recollect.storage.database import Database
from recollect.work import queue
from recollect.workflows import defined as workflows
from recollect.workflows.definition import Workflow


class Door:
    """The memory of one tenant's agents."""

    def __init__(
        self,
        database: Database,
        caller: Caller,
        models: Models,
        keeping: Keeping | None = None,
        equipment: Equipment | None = None,
    ) -> None:
        self._database = database
        self._equipment = equipment or Equipment()
        self._caller = caller
        self._models = models
        self._keeping = keeping or Keeping()

    @property
    def tenant(self) -> str:
        """The tenant that this door was opened for; nothing behind it reaches another."""
        return self._caller.tenant

    @property
    def database(self) -> Database:
        """Where everything is; for the worker and the server, which build on the inside."""
        return self._database

    @property
    def model(self) -> str:
        """The name of the embedding model, as it is stamped on vectors."""
        return self._models.embedder.name

    async def conversation(
        self, user: str | None = None, agent: str | None = None, *, id: str | UUID | None = None
    ) -> Chat:
        """The active conversation of a user and an agent, made if there is none; or the one with this id."""
        if id is not None:
            if user is not None or agent is not None:
                raise Invalid("id", "give either an id, or a user and an agent")
            return self._chat(await lifecycle.by_id(self._database, self._caller, id))
        if user is None or agent is None:
            raise Invalid("user" if user is None else "agent", "is needed when there is no id")
        return self._chat(await lifecycle.go_on(self._database, self._caller, user, agent))

    def unseen(self, id: str | UUID) -> Chat:
        """The conversation with this id, of which nothing else is known yet: for the server, most of whose routes
        need no more. What is done with it is NotFound if there is none."""
        return self._chat(lifecycle.unseen(id))

    async def active_conversation(self, user: str, agent: str) -> Chat | None:
        """The active conversation of a user and an agent; None if there is none. It makes nothing."""
        record = await lifecycle.active(self._database, self._caller, user, agent)
        return None if record is None else self._chat(record)

    async def new_conversation(
        self, user: str, agent: str, title: str | None = None, id: str | UUID | None = None
    ) -> Chat:
        """A new conversation, which becomes the active one. Refused if the id is taken."""
        return self._chat(await lifecycle.begin(self._database, self._caller, user, agent, title, id))

    async def conversations(
        self,
        user: str,
        agent: str | None = None,
        *,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """A user's conversations, newest activity first."""
        return await lifecycle.listed(self._database, self._caller, user, agent, archived, limit, cursor)

    async def search(self, query: str, user: str, agent: str | None = None, *, limit: int = 20) -> list[Hit]:
        """Full-text search over a user's messages, best first.

        Every word must occur, in any order and form; ``"a phrase"``, ``-without`` and ``this or that`` work.
        """
        return await search.search(self._database, self._caller, query, user, agent, limit)

    async def remember(
        self,
        text: str,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | None = None,
        valid_from: datetime | None = None,
        source: Source | None = None,
        author: str | None = None,
        trust: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Remember one short insight about a user. The same thing said again refreshes what is there.

        ``author`` is ``user`` (the default), ``agent``, ``tool`` or ``extractor:<model>``; what is not
        ``trusted`` waits in quarantine until ``release``.
        """
        given = insight(
            {
                "text": text,
                "category": category,
                "importance": importance,
                "pinned": pinned,
                "expires_at": expires_at,
                "valid_from": valid_from,
                "source": source,
                "author": author,
                "trust": trust,
                "context": context,
            }
        )
        return await memories.remember(self._database, self._caller, self._models.embedders, given, user, agent)

    async def remember_as(
        self,
        template: str,
        fields: Mapping[str, str],
        user: str,
        agent: str,
        *,
        expires_at: datetime | None = None,
        source: Source | None = None,
    ) -> Memory:
        """Remember by a template: ``remember_as("allergy", {"what": "peanuts"}, user=…, agent=…)``."""
        chosen = await templates.named(self._database, self._caller, template)
        return await self.remember(
            templates.filled(chosen, fields),
            user,
            agent,
            category=chosen.category,
            importance=chosen.importance,
            expires_at=expires_at,
            source=source,
            context={"template": chosen.name},
        )

    async def templates(self) -> list[Template]:
        """The templates there are: those that come with us, and the tenant's own."""
        return await templates.listed(self._database, self._caller)

    async def define_template(
        self, name: str, pattern: str, *, category: str | None = None, importance: float = 0.5
    ) -> Template:
        """Add or change a template: a pattern with fields in braces, like ``user collects {what}``."""
        template = Template(name, pattern, category, importance)
        return await templates.define(self._database, self._caller, template)

    async def recall(
        self,
        query: str,
        user: str,
        agent: str,
        *,
        limit: int = 5,
        threshold: float | None = None,
        as_of: datetime | None = None,
        over: str = "memories",
    ) -> list[Hit]:
        """What belongs to the query, best first; nothing when nothing does.

        ``over`` is ``memories``, ``messages`` (everything that was said) or ``both``. ``threshold`` is on a scale
        where 0.5, the default, means "related". ``as_of`` asks as at another time: what was held to be true then,
        and what "last week" meant.
        """
        if over not in ("memories", "messages", "both"):
            raise Invalid("over", "must be memories, messages or both")
        embedders = self._models.embedders
        hits: list[Hit] = []
        if over != "messages":
            least = RELATED if threshold is None else threshold
            hits += await recall_memories(
                self._database, self._caller, embedders, query, user, agent, limit, least, as_of
            )
        if over != "memories":
            from recollect.recall.messages import recall_messages  # loads numpy

            hits += await recall_messages(
                self._database,
                self._caller,
                embedders,
                query,
                user,
                agent,
                limit,
                now=as_of,
                threshold=threshold,
            )
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    async def memories(
        self,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        text: str | None = None,
        status: str = "active",
        as_of: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Memory]:
        """The memories of the agent's pool, newest first; ``text`` filters by a part of the text."""
        return await memories.listed(
            self._database, self._caller, user, agent, category, text, status, as_of, limit, cursor, offset
        )

    async def memory(self, id: str | UUID) -> Memory:
        """One memory by its id."""
        return await memories.by_id(self._database, self._caller, id)

    async def revise(
        self,
        id: str | UUID,
        text: str | None = None,
        *,
        version: int | None = None,
        category: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | None = None,
    ) -> Memory:
        """Change what is given; Conflict if ``version`` is no longer the current one."""
        change = memories.Change(
            text=text, category=category, importance=importance, pinned=pinned, expires_at=expires_at
        )
        return await memories.revise(self._database, self._caller, self._models.embedders, id, change, version)

    async def history(self, id: str | UUID) -> list[MemoryVersion]:
        """Every version of a memory, oldest first."""
        return await memories.history(self._database, self._caller, id)

    async def undo(self, id: str | UUID, to: int | None = None) -> Memory:
        """Make an earlier version of a memory the current one again; by default the one before."""
        return await memories.undo(self._database, self._caller, self._models.embedders, id, to)

    async def release(self, id: str | UUID) -> Memory:
        """Let a quarantined memory take part."""
        return await memories.release(self._database, self._caller, id)

    async def forget(self, id: str | UUID, *, version: int | None = None) -> None:
        """Delete a memory with its versions and vectors; it is not learned again from the same messages.

        Conflict if ``version`` is given and no longer the current one.
        """
        await memories.forget(self._database, self._caller, id, version)

    async def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """After a change of the embedding model: new vectors for memories and messages; returns how many memories.

        It can be stopped and started again. Until all are made, the old vectors serve.
        """
        return await reembed(self._database, self._caller, self._models.embedders, progress)

    async def reembed_later(self) -> None:
        """The same as work in the background."""
        await reembed_later(self._database, self._caller)

    async def notes(self, user: str, agent: str, *, version: int | None = None) -> Notes:
        """The notes that an agent keeps about a user: one markdown document, empty at first."""
        return await notes.read(self._database, self._caller, user, agent, version)

    async def edit_notes(
        self,
        operation: str,
        content: str | None = None,
        *,
        user: str,
        agent: str,
        section_header: str | None = None,
        version: int | None = None,
    ) -> Notes:
        """Edit the notes: read, overwrite, append, prepend, delete_section_by_header, replace_section_by_header
        or delete_all_notes. Conflict if ``version`` is given and no longer the current one.
        """
        return await notes.edit(
            self._database, self._caller, operation, content, user, agent, section_header, version
        )

    async def notes_history(
        self, user: str, agent: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[NoteVersion]:
        """The versions of the notes, newest first, without their texts."""
        return await notes.history(self._database, self._caller, user, agent, limit, cursor)

    async def diff_notes(self, user: str, agent: str, old: int, new: int) -> str:
        """What changed between two versions, as a unified diff."""
        return await notes.diff(self._database, self._caller, user, agent, old, new)

    async def undo_notes(self, user: str, agent: str, version: int | None = None) -> Notes:
        """Go back to an earlier version of the notes, by default the one before; this makes a new version."""
        return await notes.undo(self._database, self._caller, user, agent, version)

    async def put_document(
        self,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        *,
        user: str | None = None,
        version: int | None = None,
        ttl: float | None = None,
        expires_at: datetime | None = None,
        texts: Sequence[str] | None = None,
    ) -> Document:
        """Write a JSON value under a key of a namespace, a path of names such as ``("recipes", "soups")``.

        What belongs to a ``user`` is exported and erased with that user; the first write settles whose it is, and
        Refused is whoever would write over what is somebody else's, or nobody's. Conflict if ``version`` is given
        and no longer the current one; 0 says that there must be none yet. ``ttl`` is how many seconds it is kept.
        ``texts`` is what it is found by: by default all text in the value.
        """
        put = PutDocument(
            namespace=namespace,
            key=key,
            value=value,
            user=user,
            version=version,
            ttl=ttl,
            expires_at=expires_at,
            texts=texts,
        )
        (written,) = await self.change_documents([put])
        assert written is not None
        return written

    async def change_documents(self, changes: Sequence[PutDocument | DeleteDocument]) -> list[Document | None]:
        """Write and delete several documents, all or none; returns what was written, None for what was deleted."""
        return await documents.change(self._database, self._caller, self._models.embedders, changes)

    async def document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, refresh: bool = False
    ) -> Document:
        """One document; with ``user``, only if it is theirs; with ``refresh``, its time to live begins anew."""
        return await documents.by_key(self._database, self._caller, namespace, key, user, refresh=refresh)

    async def documents(
        self,
        namespace: Sequence[str] = (),
        *,
        user: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 50,
        offset: int = 0,
        refresh: bool = False,
    ) -> list[Document]:
        """The documents of a namespace and of all below it, newest first.

        A ``filter`` names fields and their values, ``{"color": "red"}``, or compares them with ``$eq``, ``$ne``,
        ``$gt``, ``$gte``, ``$lt`` and ``$lte``: ``{"size": {"$gt": 3}}``.
        """
        return await documents.listed(
            self._database, self._caller, namespace, user, filter, limit, offset, refresh=refresh
        )

    async def documents_at(
        self, places: Sequence[tuple[Sequence[str], str]], *, user: str | None = None, refresh: bool = False
    ) -> list[Document | None]:
        """Several documents by namespace and key, in one go; None where there is none."""
        return await documents.by_keys(self._database, self._caller, places, user, refresh=refresh)

    async def search_documents(
        self,
        query: str,
        namespace: Sequence[str] = (),
        *,
        user: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        threshold: float | None = None,
        vectors: Vectors | None = None,
        refresh: bool = False,
    ) -> list[DocumentHit]:
        """The documents of a namespace and of all below it that belong to the query, best first.

        ``threshold`` is on a scale where 0.5, the default, means "related"; with 0 the others follow. ``vectors``
        holds the question as a model of your own sees it: documents that were written with its vectors are
        compared by them alone.
        """
        return await document_search.search(
            self._database,
            self._caller,
            self._models.embedders,
            query,
            namespace,
            user,
            filter,
            limit,
            offset,
            RELATED if threshold is None else threshold,
            vectors,
            refresh=refresh,
        )

    async def document_history(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, limit: int = 100
    ) -> list[DocumentVersion]:
        """The versions of a document, oldest first: the newest so many. More than 100 are not kept."""
        return await documents.history(self._database, self._caller, namespace, key, user, limit)

    async def delete_document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, version: int | None = None
    ) -> bool:
        """Delete a document with all of its versions; whether there was one."""
        return await documents.delete(self._database, self._caller, namespace, key, user, version)

    async def document_namespaces(
        self,
        prefix: Sequence[str] = (),
        suffix: Sequence[str] = (),
        *,
        user: str | None = None,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[tuple[str, ...]]:
        """The namespaces that hold documents, in order; ``*`` in a prefix or suffix stands for any name.

        With ``max_depth`` they are cut off there, and each is named once.
        """
        return await documents.namespaces(
            self._database, self._caller, prefix, suffix, user, max_depth, limit, offset
        )

    async def agent(self, agent: str) -> Agent:
        """How an agent is set up."""
        return await agents.read(self._database, self._caller, agent)

    async def agents(self, user: str | None = None, *, limit: int = 200) -> list[str]:
        """The names of the agents that were set up, and of those that anybody, or this user, has talked to."""
        return await agents.listed(self._database, self._caller, user, limit)

    async def configure_agent(
        self,
        agent: str,
        *,
        instructions: str | None = None,
        window: int | None = None,
        budget: int | None = None,
        pool: str | None = None,
        learn_every: int | None = None,
        workflow: str | None = None,
        model: str | None = None,
        version: int | None = None,
    ) -> Agent:
        """Change what is given. Agents that name the same ``pool`` share their memories.

        After every ``learn_every`` messages (10 by default, 0 for never) a conversation is learned from. New
        conversations begin with the ``workflow``, and ``model`` (``openai:<model>``) answers for it; "" takes
        either away.
        """
        if workflow:
            await workflows.named(self._database, self._caller, workflow)
        return await agents.configure(
            self._database,
            self._caller,
            agent,
            instructions,
            window,
            budget,
            pool,
            learn_every,
            workflow,
            model,
            version,
        )

    async def define_workflow(self, name: str, definition: Mapping[str, Any] | str) -> Workflow:
        """Add a workflow, or a new version of it: a mapping, or TOML or JSON text.

        Invalid says which step, field or move is wrong. Conversations that have begun go on with the version that
        they began with.
        """
        return await workflows.define(self._database, self._caller, name, definition)

    async def workflow(self, name: str, version: int | None = None) -> Workflow:
        """One workflow, of the tenant's own or of those that come with us (``rfp``, ``support_ticket``)."""
        return await workflows.named(self._database, self._caller, name, version)

    async def workflows(self) -> list[Workflow]:
        """All workflows by name."""
        return await workflows.listed(self._database, self._caller)

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

        if everything:
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
        limit = None if most is None else inputs.amount("most", most)
        return Digested(**await run_due(self._database, self._caller, jobs.by_kind(), limit, lease))

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> Any:
        """Let agents use a function: ``@memory.tool``. Its type hints and its docstring tell the model how; a
        ``schema`` describes the arguments instead. It may be asynchronous; a blocking one runs in a thread.
        """
        if function is None:
            return partial(self.tool, name=name, description=description, schema=schema)
        made = tool_from(function, name=name, description=description, schema=schema)
        self._equipment.tools[made.name] = made
        return function

    async def outbox(self, *, waiting: bool = False, limit: int = 50) -> list[Delivery]:
        """What actions have decided, newest first; with ``waiting``, what was not delivered yet."""
        return await actions.outbox(self._database, self._caller, waiting, limit)

    async def consolidate(self, user: str, agent: str) -> Digested:
        """Merge what the agent's pool says twice, now; by itself this happens at every tenth update of a pool."""
        from recollect.remember.consolidate import consolidate

        user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
        return Digested(
            done=1, **await consolidate(self._database, self._caller, self._models.embedders, user, agent)
        )

    async def refusals(self, user: str, agent: str, *, limit: int = 50) -> list[Refusal]:
        """What was not learned about a user, and why, newest first."""
        return await memories.refusals(self._database, self._caller, user, agent, limit)

    async def work(self, *, failed: bool = False, limit: int = 50) -> list[Work]:
        """What is due or under way; with ``failed``, what was tried too often and waits for ``retry_work``."""
        return await queue.listed(self._database, self._caller, failed, limit)

    async def retry_work(self, kind: str | None = None, subject: str | None = None) -> int:
        """Let failed work be tried again: all of it, or of one kind or subject; returns how many."""
        return await queue.retry(self._database, self._caller, kind, subject)

    async def windows(self, conversations: Sequence[str], limit: int = 12) -> dict[str, list[Message]]:
        """The newest messages of several conversations by their ids; those that are cached are read together."""
        return await caching.windows(self._database, self._caller, conversations, limit)

    async def rebuild_cache(
        self, conversation: str | UUID | None = None, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Fill the cache anew from the database, for one conversation or for all; returns for how many."""
        return await caching.rebuild(self._database, self._caller, conversation, progress)

    async def verify_cache(self, sample: int = 1000) -> Verified:
        """Compare what is cached of the most recently active conversations with the database."""
        from recollect.recall.context import agrees  # loads the models' libraries

        same = partial(agrees, self._database, self._caller, self._models.embedders)
        return await caching.verify(self._database, self._caller, sample, same)

    async def cache_stats(self) -> dict[str, Any]:
        """What the cache of this process has counted, and what its servers say of themselves."""
        return await caching.stats(self._database)

    async def erase(self, user: str) -> Receipt:
        """Remove everything of a user, for good; the receipt says how much it was, and not of whom."""
        return await erase.erase(self._database, self._caller, user)

    async def receipts(self, user: str | None = None) -> list[Receipt]:
        """The receipts of erasures, newest first; with a user, only those about this id."""
        return await erase.receipts(self._database, self._caller, user)

    async def retention(self) -> Retention:
        """How many minutes messages are kept: the rules of the installation, the tenant and its agents."""
        return await retention.retention(self._database, self._caller, self._keeping)

    async def set_retention(self, minutes: Minutes, agent: str | None = None) -> Retention:
        """Keep messages for so many minutes, or ``"forever"``: those of one agent, or of all that have no rule.

        None takes the rule away. What is too old goes with the next ``tidy``.
        """
        return await retention.set_retention(self._database, self._caller, self._keeping, minutes, agent)

    async def export(self, user: str) -> dict[str, Any]:
        """Everything that there is of a user, as one document of plain values, ready for JSON."""
        return await export.export(self._database, self._caller, user)

    async def export_to(
        self, write: Callable[[bytes], object], user: str, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """The same document, handed to ``write`` piece by piece; returns how many entries it has."""
        return await export.export_to(self._database, self._caller, user, write, progress)

    async def import_user(
        self,
        data: Mapping[str, Any] | str | Path,
        user: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Bring back what ``export`` gave, or a file of it, for the same user or another one.

        What is there already stays as it is, so that it can be stopped and started again.
        """
        return await self.import_from("recollect", data, user=user, progress=progress)

    async def import_from(
        self,
        format: str,
        source: Mapping[str, Any] | list[Any] | str | Path,
        *,
        user: str | None = None,
        agent: str | None = None,
        table: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Import a file, or what was in it: ``recollect``, ``chatgpt``, ``mem0`` or ``langchain-postgres``.

        For the last one, ``source`` may also be the address of a database, with the name of the ``table``. All is
        checked before anything is written; it can be stopped and started again.
        """
        order = Order(format=format, given=given_as(source), user=user, agent=agent, table=table)
        return await import_from(self._database, self._caller, lambda: self._models.embedders, order, progress)

    async def tidy(self) -> Tidied:
        """Remove what is kept no longer: old messages, expired memories and documents, old idempotency keys."""
        return await tidy.tidy(self._database, self._caller, self._keeping)

    async def analytics(self, user: str | None = None, agent: str | None = None, *, days: int = 30) -> Analytics:
        """How much there is, and how much came on each of the last days; of a user or an agent, if wanted."""
        return await analytics(self._database, self._caller, user, agent, days)

    async def live(self, user: str, after: str | None = None, *, beats: bool = False) -> AsyncGenerator[LiveEvent]:
        """What changes for a user, as it happens, in one order for all who listen: messages, conversations, notes,
        memories, states. It begins with ``ready``, or goes on ``after`` the event with this id; where what came
        after it is no longer kept, with ``reset``. At both, load what you show, and then follow.

        With ``beats``, also an event now and then that says that nothing has happened.
        """
        async with aclosing(follow(self._database, self._caller, user, after, beats=beats)) as events:
            async for event in events:
                yield event

    async def create_key(
        self,
        name: str = "",
        *,
        scopes: Sequence[str] | None = None,
        user: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """A key of this tenant for the server; its text can be read here and never again.

        ``scopes`` are some of ``read``, ``write`` and ``admin``, by default the first two. A key with a ``user``
        reaches that user only.
        """
        chosen = ("read", "write") if scopes is None else scopes
        return await keys.create(self._database, self._caller, name, chosen, user, expires_at)

    async def keys(self) -> list[Key]:
        """This tenant's keys, oldest first, revoked ones too."""
        return await keys.listed(self._database, self._caller)

    async def rotate_key(self, id: str) -> NewKey:
        """Give a key a new secret; the old one ends at once."""
        return await keys.rotate(self._database, self._caller, id)

    async def revoke_key(self, id: str) -> Key:
        """End a key, at once and for good."""
        return await keys.revoke(self._database, self._caller, id)

    def _chat(self, record: Conversation) -> Chat:
        return Chat(self._database, self._caller, self._models, record, self._equipment)
