"""LangChain's create_agent with memory: recall at each model call, save after the run. Runs offline."""

import asyncio
import tempfile
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import HumanMessage

from recollect import Recollect
from recollect.adapters.langchain import RecollectMiddleware


class Model(GenericFakeChatModel):
    """In the place of a language model: it answers from a list, and shows what it was told first."""

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        print("system:", messages[0].text.replace("\n", " "))
        return super()._generate(messages, *args, **kwargs)


async def main() -> None:
    """Two runs; the second one knows what was said in the first."""
    with tempfile.TemporaryDirectory() as folder:
        async with Recollect.open(data_dir=folder) as memory:
            await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
            remembering = RecollectMiddleware(memory, "ana", "cook", session_id="kitchen")
            agent = create_agent(Model(messages=iter(["No satay then.", "Yes."])), middleware=[remembering])
            await agent.ainvoke({"messages": [HumanMessage("May I eat peanuts?")]})
            await agent.ainvoke({"messages": [HumanMessage("Are peanuts really bad for me?")]})
            chat = await memory.active_conversation(user="ana", agent="cook")
            assert chat is not None
            for message in await chat.window():
                print(message.role, "-", message.content)


asyncio.run(main())
