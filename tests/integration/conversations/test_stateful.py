"""Conversations against a plain Python model, in whatever order Hypothesis comes up with."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from recollect import KeyReused, NotFound
from recollect.sync import Chat, Recollect

USERS = st.sampled_from(["ana", "ben"])
AGENTS = st.sampled_from(["librarian", "cook"])
ROLES = st.sampled_from(["user", "assistant", "system", "tool"])
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
KEYS = st.sampled_from(["k1", "k2"])

Said = tuple[int, str, str, "int | None"]


@dataclass
class Thread:
    """What a conversation should be."""

    user: str
    agent: str
    title: str | None = None
    archived: bool = False
    last: int = 0
    asked: int | None = None
    messages: list[Said] = field(default_factory=list)
    keys: dict[str, tuple[list[tuple[str, str]], list[Said]]] = field(default_factory=dict)

    def add(self, body: list[tuple[str, str]]) -> list[Said]:
        added: list[Said] = []
        for role, content in body:
            self.last += 1
            added.append((self.last, role, content, self.asked if role in ("assistant", "tool") else None))
            self.asked = self.last if role == "user" else self.asked
        self.messages += added
        return added


class Conversations(RuleBasedStateMachine):
    dsn: str
    chats = Bundle("chats")

    def __init__(self) -> None:
        super().__init__()
        self.memory = Recollect.open(self.dsn, tenant=f"model-{uuid.uuid4()}")
        self.threads: dict[str, Thread] = {}
        self.active: dict[tuple[str, str], str] = {}
        self.recent: list[str] = []

    def teardown(self) -> None:
        self.memory.close()

    def touch(self, id: str) -> None:
        self.recent = [other for other in self.recent if other != id] + [id]

    @rule(target=chats, user=USERS, agent=AGENTS)
    def go_on(self, user: str, agent: str) -> Chat:
        chat = self.memory.conversation(user=user, agent=agent)
        if (user, agent) in self.active:
            assert chat.id == self.active[user, agent]
        else:
            assert chat.id not in self.threads
            self.threads[chat.id] = Thread(user, agent)
            self.active[user, agent] = chat.id
            self.touch(chat.id)
        return chat

    @rule(target=chats, user=USERS, agent=AGENTS, title=st.none() | WORDS)
    def begin(self, user: str, agent: str, title: str | None) -> Chat:
        chat = self.memory.new_conversation(user=user, agent=agent, title=title)
        self.threads[chat.id] = Thread(user, agent, title)
        self.active[user, agent] = chat.id
        self.touch(chat.id)
        return chat

    @rule(chat=chats, body=st.lists(st.tuples(ROLES, WORDS), min_size=1, max_size=4), key=st.none() | KEYS)
    def say(self, chat: Chat, body: list[tuple[str, str]], key: str | None) -> None:
        thread = self.threads.get(chat.id)

        def call() -> list[Said]:
            messages = [chat.append(*body[0], key=key)] if len(body) == 1 else chat.extend(body, key=key)
            return [(m.seq, m.role, m.content, m.answers) for m in messages]

        if thread is None:
            with pytest.raises(NotFound):
                call()
        elif key is not None and key in thread.keys:
            earlier, answer = thread.keys[key]
            if earlier == body:
                assert call() == answer
            else:
                with pytest.raises(KeyReused):
                    call()
        else:
            expected = thread.add(body)
            assert call() == expected
            self.touch(chat.id)
            if key is not None:
                thread.keys[key] = (body, expected)

    @rule(chat=chats, limit=st.integers(0, 6))
    def look(self, chat: Chat, limit: int) -> None:
        thread = self.threads.get(chat.id)
        if thread is None:
            with pytest.raises(NotFound):
                chat.window(limit)
            return
        seen = [(m.seq, m.role, m.content, m.answers) for m in chat.window(limit)]
        assert seen == (thread.messages[-limit:] if limit else [])

    @rule(chat=chats, limit=st.integers(1, 4))
    def page_through(self, chat: Chat, limit: int) -> None:
        thread = self.threads.get(chat.id)
        if thread is None:
            return
        seen: list[Said] = []
        cursor = None
        while True:
            page = chat.messages(limit=limit, cursor=cursor)
            seen += [(m.seq, m.role, m.content, m.answers) for m in page.items]
            cursor = page.cursor
            if cursor is None:
                break
            assert len(page.items) == limit
        assert seen == thread.messages

    @rule(chat=chats)
    def clear(self, chat: Chat) -> None:
        if (thread := self.threads.get(chat.id)) is not None:
            chat.clear()
            thread.messages.clear()
            thread.asked = None
            self.touch(chat.id)

    @rule(chat=chats, title=st.none() | WORDS)
    def rename(self, chat: Chat, title: str | None) -> None:
        if (thread := self.threads.get(chat.id)) is not None:
            chat.rename(title)
            thread.title = title
            self.touch(chat.id)

    @rule(chat=chats, archived=st.booleans())
    def archive(self, chat: Chat, archived: bool) -> None:
        if (thread := self.threads.get(chat.id)) is not None:
            chat.archive(archived)
            thread.archived = archived
            self.touch(chat.id)
            if archived and self.active.get((thread.user, thread.agent)) == chat.id:
                del self.active[thread.user, thread.agent]

    @rule(chat=chats)
    def activate(self, chat: Chat) -> None:
        thread = self.threads.get(chat.id)
        if thread is not None and not thread.archived:
            chat.activate()
            self.active[thread.user, thread.agent] = chat.id

    @rule(chat=consumes(chats))
    def delete(self, chat: Chat) -> None:
        thread = self.threads.pop(chat.id, None)
        if thread is None:
            with pytest.raises(NotFound):
                chat.delete()
            return
        chat.delete()
        self.recent.remove(chat.id)
        if self.active.get((thread.user, thread.agent)) == chat.id:
            del self.active[thread.user, thread.agent]

    @invariant()
    def lists_are_right(self) -> None:
        for user in ("ana", "ben"):
            for archived in (False, True):
                listed = self.memory.conversations(user=user, archived=archived).items
                expected = [
                    id
                    for id in reversed(self.recent)
                    if (self.threads[id].user, self.threads[id].archived) == (user, archived)
                ]
                assert [item.id for item in listed] == expected
                for item in listed:
                    thread = self.threads[item.id]
                    assert (item.title, item.last_seq, item.message_count) == (
                        thread.title,
                        thread.last,
                        len(thread.messages),
                    )


@pytest.mark.slow
def test_conversations_behave_like_the_model(dsn: str) -> None:
    Conversations.dsn = dsn
    run_state_machine_as_test(
        Conversations,
        settings=settings(
            max_examples=40,
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
