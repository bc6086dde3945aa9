"""``manage_long_term_memory``: an agent's notes about its user, as a tool of LangChain's."""

from __future__ import annotations

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.errors import Conflict, Invalid
from recollect.notes.records import Operation

DESCRIPTION = (
    "Read or edit your notes about this user: one markdown document that outlives the conversation. Use sections "
    "with headers. Returns the notes as they stand afterwards."
)


class Arguments(BaseModel):
    """What the model fills in."""

    operation: Operation = Field(description="What to do with the notes.")
    content: str | None = Field(
        default=None, description="Markdown, for overwrite, append, prepend and replace_section_by_header."
    )
    section_header: str | None = Field(
        default=None, description="The header of a section, for the two operations that have it in their names."
    )


def long_term_memory_tool(memory: AnyDoor, user: str, agent: str) -> BaseTool:
    """The tool for one user and agent. What the model got wrong it is told, so that it can try again."""
    bridge = Bridge(memory)

    async def edit(operation: str, content: str | None, section_header: str | None) -> str:
        try:
            notes = await bridge.door.edit_notes(
                operation, content, user=user, agent=agent, section_header=section_header
            )
        except (Invalid, Conflict) as error:
            return f"Not done. {error}"
        return notes.text or "(The notes are empty.)"

    def manage(operation: Operation, content: str | None = None, section_header: str | None = None) -> str:
        return bridge.wait(edit(operation, content, section_header))

    async def amanage(operation: Operation, content: str | None = None, section_header: str | None = None) -> str:
        return await bridge.run(edit(operation, content, section_header))

    return StructuredTool.from_function(
        manage,
        coroutine=amanage,
        name="manage_long_term_memory",
        description=DESCRIPTION,
        args_schema=Arguments,
    )
