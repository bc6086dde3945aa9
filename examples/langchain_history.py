"""LangChain: a chain that goes on with a conversation, a retriever and the notes of an agent. Runs offline."""

import tempfile
import warnings

from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from recollect.adapters.langchain import RecollectChatMessageHistory, RecollectRetriever, long_term_memory_tool
from recollect.sync import Recollect

warnings.filterwarnings("ignore", message="RunnableWithMessageHistory is deprecated")

with tempfile.TemporaryDirectory() as folder, Recollect.open(data_dir=folder) as memory:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
    # In the place of a language model: it says how much it was told.
    model = RunnableLambda(lambda value: AIMessage(f"I have seen {len(value.to_messages())} messages."))
    chain = RunnableWithMessageHistory(
        prompt | model,
        lambda session: RecollectChatMessageHistory(memory, session, user="ana", agent="cook", limit=12),
        input_messages_key="input",
        history_messages_key="history",
    )
    kitchen = {"configurable": {"session_id": "kitchen"}}
    print(chain.invoke({"input": "I am allergic to peanuts"}, kitchen).content)
    print(chain.invoke({"input": "What could I eat?"}, kitchen).content)

    memory.remember("user is allergic to peanuts", user="ana", agent="cook")
    retriever = RecollectRetriever(memory, user="ana", agent="cook")
    print([document.page_content for document in retriever.invoke("Which nuts must I avoid, peanuts?")])

    notes = long_term_memory_tool(memory, "ana", "cook")
    print(notes.invoke({"operation": "append", "content": "# Diet\nno peanuts"}))
