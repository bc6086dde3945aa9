"""Prompts that a person picks in their host."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types

from recollect.adapters.mcp.answers import Memories, of_memory, told
from recollect.adapters.mcp.seat import Seat
from recollect.errors import Invalid

PROMPTS = [
    types.Prompt(
        name="with_memory",
        title="Ask with memory",
        description="Your message, with what is known that belongs to it.",
        arguments=[types.PromptArgument(name="message", description="What you want to say.", required=True)],
    ),
    types.Prompt(
        name="what_do_you_know",
        title="What do you know about me?",
        description="Everything that is remembered, for you to look through.",
    ),
]


async def rendered(seat: Seat, name: str, given: Mapping[str, str]) -> types.GetPromptResult | None:
    """A prompt with its arguments filled in; None if there is no such prompt."""
    user, agent = seat.about(None, None)
    door = seat.who.door
    match name:
        case "with_memory":
            message = given.get("message")
            if not message:
                raise Invalid("message", "is needed")
            chat = await seat.active_chat(user, agent)
            known = (await chat.context(message)).messages
            texts = [str(one["content"]) for one in known if one["role"] == "system"]
            return _prompt([*texts, message])
        case "what_do_you_know":
            page = await door.memories(user, agent, limit=100)
            listed = told(Memories(memories=[of_memory(one) for one in page.items], cursor=page.cursor))
            return _prompt([f"{listed}\n\nTell me what you remember about me, and ask what I want to correct."])
        case _:
            return None


def _prompt(texts: list[str]) -> types.GetPromptResult:
    content = types.TextContent(text="\n\n".join(texts))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])
