"""LangChain: a chat message history, a retriever, the memory tool and an agent middleware over the door."""

from recollect.errors import Unavailable, to_install

try:
    from recollect.adapters.langchain.history import RecollectChatMessageHistory
    from recollect.adapters.langchain.messages import message_fields, to_langchain
    from recollect.adapters.langchain.middleware import RecollectMiddleware
    from recollect.adapters.langchain.retriever import RecollectRetriever
    from recollect.adapters.langchain.tools import long_term_memory_tool
except ImportError as error:
    if not (error.name or "").startswith("lang"):
        raise
    raise Unavailable("langchain", f"LangChain is not installed; {to_install('langchain')}") from None

__all__ = [
    "RecollectChatMessageHistory",
    "RecollectMiddleware",
    "RecollectRetriever",
    "long_term_memory_tool",
    "message_fields",
    "to_langchain",
]
