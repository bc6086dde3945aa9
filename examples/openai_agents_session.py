"""A session of the OpenAI Agents SDK over Recollect: what an agent did is a conversation. Runs offline."""

import asyncio
import tempfile

from recollect import Recollect
from recollect.adapters.openai_agents import RecollectSession


async def main() -> None:
    """Give the session to ``Runner.run(agent, "…", session=session)``; here its items are written by hand."""
    with tempfile.TemporaryDirectory() as folder:
        async with Recollect.open(data_dir=folder) as memory:
            session = RecollectSession(memory, "ticket-1", user="ana", agent="helpdesk")
            await session.add_items(
                [
                    {"role": "user", "content": "Is my parcel on its way?"},
                    {"type": "function_call", "call_id": "c1", "name": "track", "arguments": '{"parcel": 7}'},
                    {"type": "function_call_output", "call_id": "c1", "output": "left Porto"},
                    {"role": "assistant", "content": "Yes, it left Porto."},
                ]
            )
            print(await session.get_items(limit=2))
            print(await session.pop_item())
            chat = await memory.active_conversation(user="ana", agent="helpdesk")
            assert chat is not None
            print([(message.role, message.content) for message in await chat.window()])


asyncio.run(main())
