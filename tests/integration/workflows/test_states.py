"""The state of a conversation over a real Postgres: versions, moves, history, undo."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from recollect import Cause, Chat, Conflict, Invalid, NotFound, Recollect, Refused
from recollect.conversations import lifecycle
from recollect.records import Caller
from recollect.storage.database import Transaction
from recollect.workflows import machine
from recollect.workflows.records import Snapshot
from recollect.workflows.store import apply_update, begin_anew

WRITERS = 32
FULL = {
    "title": "Laptops",
    "description": "For the new office",
    "budget": 50_000,
    "deadline": "2030-03-31",
    "requirements": {"items": [{"name": "laptop", "quantity": 12}]},
    "vendorsSelected": ["Acme", "Globex"],
}


@pytest.fixture
async def chat(memory: Recollect) -> Chat:
    await memory.configure_agent("buyer", workflow="rfp")
    return await memory.conversation(user="ana", agent="buyer")


async def _entries(chat: Chat) -> list[tuple[int, str, str | None]]:
    page = await chat.state_history(limit=1000)
    assert page.cursor is None
    return [(entry.version, entry.change, entry.refused) for entry in reversed(page.items)]


async def test_a_state_begins_at_the_first_step_without_a_row(chat: Chat, admin: asyncpg.Connection) -> None:
    state = await chat.state()
    assert (state.workflow, state.step, state.version, state.draft) == ("rfp", "initial", 0, {})
    assert state.missing == ["title", "description", "budget", "deadline", "requirements.items"]
    assert state.moves == ["collecting_requirements", "drafting_rfp"]
    assert "Step: initial (1 of 10)" in state.summary
    assert await admin.fetchval("select count(*) from recollect.states where conversation = $1", chat.id) == 0


async def test_the_whole_workflow_of_a_request_for_proposals(chat: Chat, memory: Recollect) -> None:
    state = await chat.update_state({"rfpDraft": {"budget": 50_000}})
    assert (state.version, state.draft, state.status) == (1, {"budget": 50_000}, "drafting_rfp")
    assert "budget" not in state.missing
    assert chat.status == "drafting_rfp"
    await chat.move("collecting_requirements")
    assert (await memory.conversation(id=chat.id)).status == chat.status == "collecting_requirements"
    await chat.update_state({"rfpDraft": FULL, "workflowStep": "drafting_rfp", "lastAction": "drafted"})
    for step in ("reviewing_rfp", "selecting_vendors"):
        assert (await chat.move(step)).step == step
    with pytest.raises(Refused, match=r"send_rfp.*ready_to_send"):
        await chat.act("send_rfp")
    assert (await chat.move("ready_to_send")).actions == ["send_rfp"]
    with pytest.raises(Refused, match="not one for a model"):
        await chat.move("sent", cause="model")
    sent = await chat.act("send_rfp", cause="tool:mailer")
    assert (sent.step, sent.last_action, sent.actions) == ("sent", "send_rfp", [])
    assert (await memory.conversation(id=chat.id)).status == "sent"
    assert [(m.role, "was sent" in m.content) for m in await chat.window()] == [("system", True)]
    for step in ("waiting_for_proposals", "comparing_proposals", "closed"):
        await chat.move(step)
    with pytest.raises(Refused, match="it is the last step"):
        await chat.move("initial")
    assert (await memory.conversation(id=chat.id)).status == "closed"


async def test_the_state_in_the_seeds_json(chat: Chat) -> None:
    await chat.update_state({"rfpDraft": {"title": "Laptops"}, "rfpId": "r-1", "metadata": {"source": "mail"}})
    known = (await chat.state()).as_agent_state()
    assert known["metadata"].pop("startedAt") == known["metadata"].pop("lastUpdated")
    assert known == {
        "workflowStep": "initial",
        "rfpDraft": {"title": "Laptops"},
        "missingFields": ["description", "budget", "deadline", "requirements.items"],
        "lastAction": None,
        "rfpId": "r-1",
        "metadata": {"source": "mail"},
    }
    again = await chat.update_state((await chat.state()).as_agent_state())
    assert (again.draft, again.step, again.metadata["rfpId"]) == ({"title": "Laptops"}, "initial", "r-1")


async def test_what_is_wrong_changes_nothing_and_is_named(chat: Chat) -> None:
    for patch, field in (
        ({"rfpDraft": {"budget": "much"}}, "rfpDraft.budget"),
        ({"rfpDraft": {"colour": "red"}}, "rfpDraft.colour"),
        ({"rfpDraft": {"requirements": {"items": [{"quantity": 1}]}}}, "rfpDraft.requirements.items[0].name"),
        ({"rfpDraft": []}, "rfpDraft"),
        ({"budget": 1}, "budget"),
        ({"draft": {}, "rfpDraft": {}}, "rfpDraft"),
        ({"metadata": {"x": float("nan")}}, "metadata"),
        ({"rfpDraft": {"title": "a\0b"}}, "rfpDraft"),
        ({"rfpDraft": {"description": "x" * 70_000}}, "rfpDraft"),
        ({"lastAction": 7}, "lastAction"),
        ({"workflowStep": 7}, "step"),
        ([], "patch"),
    ):
        with pytest.raises(Invalid) as refused:
            await chat.update_state(patch)  # pyright: ignore[reportArgumentType]
        assert refused.value.field == field
        assert "much" not in str(refused.value)
    for cause in ("weather", "tool:" + "x" * 300, ""):
        with pytest.raises(Invalid, match="cause"):
            await chat.update_state({"lastAction": "x"}, cause=cause)
    assert (await chat.state()).version == 0
    assert await _entries(chat) == []


async def test_a_refused_move_is_recorded_and_nothing_else_changes(chat: Chat) -> None:
    await chat.append("user", "send it")
    with pytest.raises(Refused, match="no move from 'initial' to 'sent'; allowed are collecting_requirements"):
        await chat.move("sent", cause="message:1")
    with pytest.raises(Refused, match="has no such step"):
        await chat.move("orbit")
    with pytest.raises(Refused, match="no move"):
        await chat.update_state({"rfpDraft": {"title": "x"}, "workflowStep": "closed"})
    assert (await chat.state()).version == 0
    closed, orbit, sent = (await chat.state_history()).items
    assert (sent.version, sent.change, sent.cause, sent.after_message) == (0, "refused", Cause("message", "1"), 1)
    assert (sent.from_step, sent.to_step, orbit.to_step, closed.to_step) == ("initial", "sent", "orbit", "closed")
    assert "allowed are" in (sent.refused or "")
    assert (await chat.move("drafting_rfp")).version == 1
    with pytest.raises(Refused, match="needs title first"):
        await chat.move("reviewing_rfp")


async def test_what_changes_nothing_makes_no_version(chat: Chat) -> None:
    await chat.update_state({"rfpDraft": {"budget": 1}})
    for patch in ({}, {"rfpDraft": {"budget": 1}}, {"workflowStep": "initial"}, {"rfpDraft": {"title": None}}):
        assert (await chat.update_state(patch)).version == 1
    assert (await chat.move("initial")).version == 1
    assert (await chat.update_state({"rfpDraft": None})).draft == {}
    assert [version for version, _, _ in await _entries(chat)] == [1, 2]


async def test_true_is_not_one(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="free")
    await chat.update_state({"draft": {"flag": 1}})
    assert (await chat.update_state({"draft": {"flag": True}})).version == 2
    assert (await chat.state()).draft["flag"] is True


async def test_a_conversation_without_a_workflow_has_a_free_state(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="free")
    before = await chat.state()
    assert (before.workflow, before.step, before.missing, before.summary) == (None, None, [], "")
    await chat.update_state({"draft": {"mood": {"today": "fine"}}, "metadata": {"n": 1}, "lastAction": "greeted"})
    state = await chat.update_state({"draft": {"mood": {"today": None, "later": "?"}}})
    assert state.draft == {"mood": {"later": "?"}}
    assert state.as_agent_state()["draft"] == state.draft
    assert "mood.later" in state.summary
    assert chat.status == "open"
    with pytest.raises(Refused, match="no workflow"):
        await chat.move("anywhere")
    with pytest.raises(Refused, match="no action"):
        await chat.act("anything")
    with pytest.raises(Invalid, match="rfpDraft"):
        await chat.update_state({"rfpDraft": {}})


async def test_a_stale_version_is_a_conflict(chat: Chat) -> None:
    await chat.update_state({"rfpDraft": {"budget": 1}}, version=0)
    for call in (
        lambda: chat.update_state({"rfpDraft": {"budget": 2}}, version=0),
        lambda: chat.move("drafting_rfp", version=7),
        lambda: chat.act("send_rfp", version=0),
    ):
        with pytest.raises(Conflict, match="at version 1, not"):
            await call()
    for version in (-1, True, 1 << 63):
        with pytest.raises(Invalid, match="version"):
            await chat.update_state({}, version=version)
    assert (await chat.state()).draft == {"budget": 1}


async def test_no_update_is_lost_among_many_writers(chat: Chat) -> None:
    async def careless(number: int) -> bool:
        await chat.update_state({"metadata": {f"careless{number}": True}})
        return True

    async def careful(number: int) -> bool:
        version = (await chat.state()).version
        try:
            await chat.update_state({"metadata": {f"careful{number}": True}}, version=version)
        except Conflict:
            return False
        return True

    async def talking(number: int) -> bool:
        await chat.append("user", "hello")
        return False

    writers = [write(number) for number in range(WRITERS) for write in (careless, careful, talking)]
    successes = sum(await asyncio.gather(*writers))
    state = await chat.state()
    assert state.version == successes == len(state.metadata) >= WRITERS
    assert [version for version, _, _ in await _entries(chat)] == list(range(1, successes + 1))


async def test_as_of_any_message(chat: Chat) -> None:
    await chat.append("user", "one")
    await chat.update_state({"rfpDraft": {"budget": 1}}, cause="message:1")
    await chat.append("user", "two")
    await chat.append("user", "three")
    await chat.update_state({"rfpDraft": {"budget": 3}, "workflowStep": "drafting_rfp"})
    await chat.update_state({"rfpDraft": {"budget": 33}})
    with pytest.raises(Refused):
        await chat.move("closed")
    seen = [await chat.state(at=number) for number in range(5)]
    assert [(one.version, one.step, one.draft.get("budget")) for one in seen] == [
        (0, "initial", None),
        (1, "initial", 1),
        (1, "initial", 1),
        (3, "drafting_rfp", 33),
        (3, "drafting_rfp", 33),
    ]
    assert seen[4] == await chat.state()
    assert "budget" in seen[0].missing
    assert "budget" not in seen[1].missing
    with pytest.raises(Invalid, match="at"):
        await chat.state(at=-1)


async def test_undo_makes_a_new_version_of_an_old_state(chat: Chat, memory: Recollect) -> None:
    with pytest.raises(Refused, match="nothing to undo"):
        await chat.undo_state()
    await chat.update_state({"rfpDraft": {"budget": 1}})
    await chat.move("collecting_requirements")
    back = await chat.undo_state()
    assert (back.version, back.step, back.draft) == (3, "initial", {"budget": 1})
    assert (await memory.conversation(id=chat.id)).status == "drafting_rfp"
    assert (await chat.undo_state()).step == "collecting_requirements"
    assert (await chat.undo_state(0)).draft == {}
    assert (await chat.undo_state(4)).draft == {"budget": 1}
    with pytest.raises(NotFound, match="version of this state"):
        await chat.undo_state(99)
    last = (await chat.state_history(limit=1)).items[0]
    assert (last.change, last.patch, last.version) == ("undo", {"version": 4}, 6)


async def test_the_history_in_pages_with_its_causes(chat: Chat) -> None:
    for cause in ("tool:search", "message:4", "system", Cause("model", "gpt"), None):
        await chat.update_state({"lastAction": f"because of {cause}"}, cause=cause)
    first = await chat.state_history(limit=3)
    rest = await chat.state_history(limit=3, cursor=first.cursor)
    assert rest.cursor is None
    causes = [(entry.cause.kind, entry.cause.ref) for entry in (*first.items, *rest.items)]
    assert causes == [
        ("person", None),
        ("model", "gpt"),
        ("system", None),
        ("message", "4"),
        ("tool", "search"),
    ]
    with pytest.raises(Invalid, match="cursor"):
        await chat.state_history(cursor="nonsense")


async def test_the_history_replays_to_the_same_state(chat: Chat, memory: Recollect) -> None:
    workflow = await memory.workflow("rfp")
    for patch in ({"rfpDraft": FULL}, {"workflowStep": "drafting_rfp"}, {"rfpDraft": {"budget": None}}):
        await chat.update_state(patch)
    await chat.undo_state()
    await _model(memory, chat, {"rfpDraft": {"budget": "?", "title": "Chairs"}, "workflowStep": "reviewing_rfp"})
    past = [machine.beginning(workflow)]
    for entry in reversed((await chat.state_history()).items):
        if entry.change == "undo":
            past.append(past[(entry.patch or {})["version"]])
        elif entry.change != "refused":
            past.append(machine.updated(workflow, past[-1], entry.patch, entry.cause.kind, forgiving=True).after)
    state = await chat.state()
    held = Snapshot(step=state.step, draft=state.draft, last_action=state.last_action, metadata=state.metadata)
    assert (past[-1], len(past)) == (held, state.version + 1)


async def _model(memory: Recollect, chat: Chat, patch: object) -> list[str]:
    async with memory.database.transaction(memory.tenant) as transaction:
        caller = memory._caller  # pyright: ignore[reportPrivateUsage]
        return (await apply_update(transaction, caller, chat.id, patch, Cause("model", "test"))).refused


async def test_a_models_update_keeps_what_is_right_and_reports_the_rest(memory: Recollect, chat: Chat) -> None:
    await chat.update_state({"rfpDraft": {"title": "Laptops"}, "lastAction": "asked"})
    refused = await _model(
        memory,
        chat,
        {
            "workflowStep": "sent",
            "rfpDraft": {
                "budget": 9000,
                "deadline": 5,
                "requirements": {"deliveryDays": "soon", "warranty": "2 years", "items": [{"quantity": 1}]},
                "missingFields": ["nothing"],
            },
            "missingFields": [],
            "lastAction": None,
            "metadata": None,
            "thoughts": "hm",
        },
    )
    assert [line.split(":")[0] for line in refused] == [
        "thoughts",
        "rfpDraft.deadline",
        "rfpDraft.requirements.deliveryDays",
        "rfpDraft.requirements.items[0].name",
        "step",
    ]
    state = await chat.state()
    assert state.draft == {"title": "Laptops", "budget": 9000, "requirements": {"warranty": "2 years"}}
    assert (state.step, state.last_action, state.version) == ("initial", "asked", 2)
    assert state.missing == ["description", "deadline", "requirements.items"]
    last = (await chat.state_history(limit=1)).items[0]
    assert (last.change, last.cause.kind, "no move" in (last.refused or "")) == ("update", "model", True)


async def test_no_answer_of_a_model_breaks_a_state(memory: Recollect, chat: Chat) -> None:
    deep: object = 1
    for _ in range(2000):
        deep = {"a": deep}
    for number, patch in enumerate(
        (
            None, [], "text", 7, {"workflowStep": ["sent"]}, {"workflowStep": "a\0b"}, {"rfpDraft": deep},
            {"rfpDraft": {"title": "\ud800"}}, {"rfpDraft": {"budget": float("inf")}}, {"metadata": [1]},
            {"rfpDraft": {str(field): "x" for field in range(5000)}}, {"metadata": {"x": "y" * 70_000}},
            {"rfpDraft": {"description": "z" * (10 << 20)}}, {"lastAction": "a" * 2000}, {7: 7}, {"rfpDraft": {7: 7}},
            {"a\0b": 1}, {"\ud800": 1}, {"rfpDraft": {"\0": 1}}, {"workflowStep": "\ud800"}, {"line\nbreak": 1},
        ),
        start=1,
    ):  # fmt: skip
        assert await _model(memory, chat, patch), number
        assert (await chat.state()).version == 0
        assert len(await _entries(chat)) == number


async def test_the_definition_that_a_conversation_began_with_stays(memory: Recollect) -> None:
    one = {"start": "a", "steps": [{"name": "a", "moves": ["b"]}, {"name": "b"}]}
    two = {"start": "a", "steps": [{"name": "a", "moves": ["c"]}, {"name": "c", "status": "done"}]}
    await memory.define_workflow("own", one)
    await memory.configure_agent("maker", workflow="own")
    begun = await memory.new_conversation(user="ana", agent="maker")
    await begun.update_state({"lastAction": "began"})
    untouched = await memory.new_conversation(user="ana", agent="maker")
    await memory.define_workflow("own", two)
    await memory.define_workflow("own", two)
    assert ((await begun.state()).moves, (await begun.state()).workflow_version) == (["b"], 1)
    assert ((await untouched.state()).moves, (await untouched.state()).workflow_version) == (["c"], 2)
    await begun.move("b")
    assert (await untouched.move("c")).status == untouched.status == "done"
    assert (await memory.workflow("own", 1)).steps[1].name == "b"
    with pytest.raises(NotFound, match="of version 3"):
        await memory.workflow("own", 3)
    await memory.configure_agent("maker", workflow="")
    assert (await begun.state()).workflow == "own"
    assert (await (await memory.new_conversation(user="ana", agent="maker")).state()).workflow is None


async def test_workflows_of_the_tenant_stand_in_for_ours(memory: Recollect) -> None:
    assert [one.name for one in await memory.workflows()] == ["rfp", "support_ticket"]
    await memory.define_workflow("rfp", 'start = "only"\n[[steps]]\nname = "only"\n')
    assert [len(one.steps) for one in await memory.workflows()] == [1, 6]
    assert len((await memory.workflow("rfp")).steps) == 1
    assert len((await memory.workflow("rfp", 0)).steps) == 10
    with pytest.raises(NotFound, match="workflow 'nothing'"):
        await memory.configure_agent("buyer", workflow="nothing")
    assert (await memory.agent("buyer")).version == 0
    with pytest.raises(Invalid, match=r"workflow.steps\[0\].moves"):
        await memory.define_workflow("bad", {"start": "a", "steps": [{"name": "a", "moves": ["b"]}]})


async def test_two_definitions_at_once_are_two_versions(memory: Recollect) -> None:
    steps = [{"name": "a"}]
    await asyncio.gather(
        *(memory.define_workflow("own", {"start": "a", "steps": steps, "title": f"t{n}"}) for n in range(8))
    )
    assert {(await memory.workflow("own", n)).title for n in range(1, 9)} == {f"t{n}" for n in range(8)}


async def test_a_state_goes_with_its_conversation(chat: Chat, admin: asyncpg.Connection) -> None:
    await chat.update_state({"rfpDraft": {"budget": 1}})
    await chat.delete()
    for table in ("states", "state_history"):
        assert (
            await admin.fetchval(f"select count(*) from recollect.{table} where conversation = $1", chat.id) == 0
        )
    for call in (chat.state, lambda: chat.state(at=0), lambda: chat.move("drafting_rfp"), chat.undo_state):
        with pytest.raises(NotFound, match="conversation"):
            await call()


async def test_a_turn_and_a_person_do_not_lock_each_other_out(memory: Recollect, chat: Chat) -> None:
    """A turn appends and then changes the state; whoever only changes the state takes the locks in the same order."""

    async def turn(number: int) -> None:
        async with memory.database.transaction(memory.tenant) as transaction:
            await transaction.run("clear_conversation", chat.id)  # locks the conversation, as an append does
            await asyncio.sleep(0.001)
            caller = memory._caller  # pyright: ignore[reportPrivateUsage]
            await apply_update(transaction, caller, chat.id, {"lastAction": f"turn {number}"}, Cause("model"))

    steps = ["collecting_requirements", "drafting_rfp"]
    await asyncio.gather(
        *(turn(number) for number in range(10)),
        *(chat.update_state({"workflowStep": steps[0]}) for _ in range(10)),
    )
    assert (await chat.state()).version == 11


async def test_clearing_the_messages_lets_the_state_begin_anew(
    chat: Chat, memory: Recollect, admin: asyncpg.Connection
) -> None:
    """A draft may quote what is deleted, and so may the history: that something happened stays known, not what."""
    with pytest.raises(Refused):
        await chat.move("canary")
    await chat.append("user", "canary")
    await chat.update_state({"rfpDraft": {"title": "canary"}, "lastAction": "canary", "rfpId": "canary"})
    await chat.move("collecting_requirements", cause="message:1")
    await memory.define_workflow("rfp", {"start": "only", "steps": [{"name": "only"}]})
    await chat.clear()
    state = await chat.state()
    assert (state.version, state.step, state.workflow_version) == (3, "initial", 0), "of the workflow that it had"
    assert (state.draft, state.metadata, state.last_action) == ({}, {}, None)
    assert chat.status == (await memory.conversation(id=chat.id)).status == "drafting_rfp"
    newest, moved, updated, refused = (await chat.state_history()).items
    assert (newest.change, newest.cause, newest.patch) == ("undo", Cause("system", "clear"), {"version": 0})
    assert (newest.version, newest.from_step, newest.to_step) == (3, "collecting_requirements", "initial")
    assert (moved.version, moved.change, moved.to_step) == (2, "move", "collecting_requirements")
    assert moved.cause == Cause("message", "1")
    assert (updated.version, refused.change) == (1, "refused")
    for table in ("states", "state_history", "messages"):
        left = f"select count(*) from recollect.{table} t where tenant = $1 and t::text ~ 'canary'"
        assert await admin.fetchval(left, memory.tenant) == 0
    for to in (None, 1):
        with pytest.raises(NotFound, match="version of this state"):
            await chat.undo_state(to)
    assert (await chat.state(at=1)).draft == {}
    # It goes on, and there is a way back to where it began anew.
    await chat.update_state({"rfpDraft": {"title": "Chairs"}}, version=3)
    assert (await chat.undo_state()).draft == {}


async def test_clearing_a_state_that_was_never_changed_records_nothing(
    chat: Chat, admin: asyncpg.Connection
) -> None:
    with pytest.raises(Refused):
        await chat.move("canary")
    await chat.clear()
    assert (await chat.state()).version == 0
    (entry,) = (await chat.state_history()).items
    assert (entry.change, entry.refused, entry.to_step, entry.patch) == ("refused", None, None, None)


async def test_a_clear_that_fails_leaves_the_state_as_it_was(chat: Chat, memory: Recollect) -> None:
    await chat.append("user", "hello")
    await chat.update_state({"rfpDraft": {"title": "Laptops"}})
    before = (await chat.state(), (await chat.state_history()).items)

    async def stopped(transaction: Transaction) -> None:
        await begin_anew(transaction, Caller(memory.tenant, "test"), chat.id, Cause("system", "clear"))
        raise Refused("stopped")

    with pytest.raises(Refused, match="stopped"):
        await lifecycle.clear(memory.database, Caller(memory.tenant, "test"), chat.id, stopped)
    assert (await chat.state(), (await chat.state_history()).items) == before
    assert len(await chat.window()) == 1
