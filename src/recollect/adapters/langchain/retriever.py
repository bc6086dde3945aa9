"""What is remembered, as LangChain's retriever."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr

from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.records import Hit


class RecollectRetriever(BaseRetriever):
    """Finds memories of a user, messages, or both; nothing when nothing belongs to the question."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    user: str
    agent: str
    over: Literal["memories", "messages", "both"] = "memories"
    limit: int = 5
    threshold: float | None = None
    _bridge: Bridge = PrivateAttr()

    def __init__(self, memory: AnyDoor, **given: Any) -> None:
        super().__init__(**given)
        self._bridge = Bridge(memory)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return self._bridge.wait(self._found(query))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return await self._bridge.run(self._found(query))

    async def _found(self, query: str) -> list[Document]:
        hits = await self._bridge.door.recall(
            query, self.user, self.agent, limit=self.limit, threshold=self.threshold, over=self.over
        )
        return [_document(hit) for hit in hits]


def _document(hit: Hit) -> Document:
    about: dict[str, Any] = {"score": hit.score, "why": hit.why, "at": hit.at.isoformat()}
    id = None
    if hit.memory is not None:
        id = hit.memory.id
        about |= {"kind": "memory", "category": hit.memory.category, "importance": hit.memory.importance}
    elif hit.message is not None:
        message = hit.message
        id = message.id
        about |= {
            "kind": "message",
            "role": message.role,
            "conversation": message.conversation,
            "seq": message.seq,
        }
    return Document(page_content=hit.text, metadata=about, id=id)
