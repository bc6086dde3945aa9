"""A request for proposals that is ready to be sent."""

from __future__ import annotations

from recollect import Chat, Recollect

DRAFT = {
    "title": "Chairs",
    "description": "Forty chairs",
    "budget": 4000,
    "deadline": "2030-01-01",
    "requirements": {"items": [{"name": "chair", "quantity": 40}]},
    "vendorsSelected": ["v1"],
}
STEPS = ("collecting_requirements", "drafting_rfp", "reviewing_rfp", "selecting_vendors", "ready_to_send")


async def ready_to_send(memory: Recollect, user: str) -> Chat:
    """A conversation that has come as far as that."""
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.new_conversation(user=user, agent="buyer")
    await chat.update_state({"rfpDraft": DRAFT})
    for step in STEPS:
        await chat.move(step)
    return chat
