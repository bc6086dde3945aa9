"""Claude's memory tool (``memory_20250818``): its files under ``/memories`` are documents of ours, versioned."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from recollect import inputs
from recollect.adapters import anthropic_texts as texts
from recollect.adapters.anthropic_texts import ROOT, ToolError
from recollect.adapters.bridge import AnyDoor, Bridge
from recollect.documents.records import DeleteDocument, Document, PutDocument
from recollect.errors import Conflict, Invalid, Unavailable, to_install

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        BetaFunctionToolResultType,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError:
    raise Unavailable("anthropic", f"the Anthropic SDK is not installed; {to_install('anthropic')}") from None

#: The first name of the namespaces; the user and the agent follow, then the folders.
NAMESPACE = "anthropic-memory"
AT_ONCE = 1000
#: How often an edit is begun anew because somebody else changed the file meanwhile.
TRIES = 10
T = TypeVar("T")
Names = tuple[str, ...]


class Files:
    """The files of one user and agent: the folders of a path are names of a namespace, its last name the key."""

    def __init__(self, memory: AnyDoor, user: str, agent: str) -> None:
        self.bridge = Bridge(memory)
        self._user = inputs.identifier("user", user)
        self._root = (NAMESPACE, self._user, inputs.identifier("agent", agent))

    async def view(self, path: str, view_range: Sequence[int] | None) -> str:
        """A file, or what is in a folder."""
        names = texts.names_of(path)
        file = await self._file(names)
        if file is not None:
            return texts.shown(path, _text(file), view_range)
        below = await self._below(names)
        if names and not below:
            raise _no_path(path)
        depth = len(self._root) + len(names)
        sizes = [((*one.namespace[depth:], one.key), len(_text(one).encode())) for one in below]
        return texts.listed(path, sizes)

    async def create(self, path: str, text: str) -> str:
        """A new file; one that is there already stays as it is."""
        names = texts.names_of(path)
        taken = ToolError(f"File {path} already exists")
        if not names or await self._is_folder(names):
            raise taken
        await self._no_file_above(names)
        try:
            await self._change([self._put(names, text, 0)])
        except Conflict:
            raise taken from None
        return f"File created successfully at: {path}"

    async def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace what occurs once."""

        async def edit() -> str:
            names, file = await self._editable(path)
            made, answer = texts.replaced(path, _text(file), old, new)
            await self._change([self._put(names, made, file.version)])
            return answer

        return await _steadily(edit)

    async def insert(self, path: str, after: int, more: str) -> str:
        """Put text after a line."""

        async def edit() -> str:
            names, file = await self._editable(path)
            await self._change([self._put(names, texts.inserted(_text(file), after, more), file.version)])
            return f"The file {path} has been edited."

        return await _steadily(edit)

    async def delete(self, path: str) -> str:
        """Delete a file, or a folder with all that is in it."""
        names = texts.names_of(path)
        if not names:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        file = await self._file(names)
        found = [file] if file is not None else await self._below(names)
        if not found:
            raise ToolError(f"The path {path} does not exist")
        await self._delete(found)
        return f"Successfully deleted {path}"

    async def rename(self, old: str, new: str) -> str:
        """Move a file, or a folder with all that is in it."""
        source, target = texts.names_of(old), texts.names_of(new)
        if not source:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")

        async def move() -> str:
            if not target or await self._file(target) is not None or await self._is_folder(target):
                raise ToolError(f"The destination {new} already exists")
            file = await self._file(source)
            found = [file] if file is not None else await self._below(source)
            if not found:
                raise ToolError(f"The path {old} does not exist")
            if target[: len(source)] == source:
                raise ToolError(f"The path {old} cannot be moved into itself")
            if 2 * len(found) > AT_ONCE:
                raise ToolError(f"The path {old} holds more than {AT_ONCE // 2} files; move them in parts")
            await self._no_file_above(target)
            depth = len(self._root) + len(source)
            changes: list[PutDocument | DeleteDocument] = []
            for one in found:
                rest = (*one.namespace, one.key)[depth:]
                changes.append(DeleteDocument(namespace=one.namespace, key=one.key, version=one.version))
                changes.append(self._put((*target, *rest), _text(one), 0))
            await self._change(changes)
            return f"Successfully renamed {old} to {new}"

        return await _steadily(move)

    async def clear(self) -> str:
        """Delete every file."""
        await self._delete(await self._below(()))
        return "All memory cleared"

    async def _editable(self, path: str) -> tuple[Names, Document]:
        names = texts.names_of(path)
        file = await self._file(names)
        if file is not None:
            return names, file
        if not names or await self._is_folder(names):
            raise ToolError(f"The path {path} is not a file.")
        raise _no_path(path)

    async def _file(self, names: Names) -> Document | None:
        if not names:
            return None
        (file,) = await _allowed(self.bridge.door.documents_at([((*self._root, *names[:-1]), names[-1])]))
        return file

    async def _is_folder(self, names: Names) -> bool:
        return bool(await _allowed(self.bridge.door.documents((*self._root, *names), limit=1)))

    async def _below(self, names: Names) -> list[Document]:
        found: list[Document] = []
        while True:
            read = self.bridge.door.documents((*self._root, *names), limit=AT_ONCE, offset=len(found))
            page = await _allowed(read)
            found += page
            if len(page) < AT_ONCE:
                return found

    async def _no_file_above(self, names: Names) -> None:
        for depth in range(1, len(names)):
            if await self._file(names[:depth]) is not None:
                raise ToolError(f"The path {ROOT}/{'/'.join(names[:depth])} is not a directory.")

    def _put(self, names: Names, text: str, version: int) -> PutDocument:
        namespace = (*self._root, *names[:-1])
        return PutDocument(
            namespace=namespace, key=names[-1], value={"text": text}, user=self._user, version=version
        )

    async def _delete(self, found: Sequence[Document]) -> None:
        changes = [DeleteDocument(namespace=one.namespace, key=one.key) for one in found]
        for start in range(0, len(changes), AT_ONCE):
            await self._change(changes[start : start + AT_ONCE])

    async def _change(self, changes: Sequence[PutDocument | DeleteDocument]) -> None:
        await _allowed(self.bridge.door.change_documents(changes))


class RecollectMemoryTool(BetaAbstractMemoryTool):
    """For ``client.beta.messages.tool_runner(tools=[RecollectMemoryTool(memory, "ana", "helpdesk")], …)``.

    Each user and agent have files of their own, which are exported and erased with the user, and whose earlier
    versions ``memory.document_history(("anthropic-memory", user, agent, …folders), name)`` tells.
    """

    def __init__(self, memory: AnyDoor, user: str, agent: str, **options: Any) -> None:
        super().__init__(**options)
        self._files = Files(memory, user, agent)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> BetaFunctionToolResultType:
        """Show a file or a folder."""
        return self._files.bridge.wait(self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> BetaFunctionToolResultType:
        """Write a new file."""
        return self._files.bridge.wait(self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> BetaFunctionToolResultType:
        """Replace text that occurs once."""
        return self._files.bridge.wait(self._files.str_replace(command.path, command.old_str, command.new_str))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> BetaFunctionToolResultType:
        """Put text after a line."""
        work = self._files.insert(command.path, command.insert_line, command.insert_text)
        return self._files.bridge.wait(work)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> BetaFunctionToolResultType:
        """Delete a file or a folder."""
        return self._files.bridge.wait(self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> BetaFunctionToolResultType:
        """Move a file or a folder."""
        return self._files.bridge.wait(self._files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> BetaFunctionToolResultType:
        """Delete every file of this user and agent."""
        return self._files.bridge.wait(self._files.clear())


class AsyncRecollectMemoryTool(BetaAsyncAbstractMemoryTool):
    """``RecollectMemoryTool`` for the asynchronous client."""

    def __init__(self, memory: AnyDoor, user: str, agent: str, **options: Any) -> None:
        super().__init__(**options)
        self._files = Files(memory, user, agent)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> BetaFunctionToolResultType:
        """Show a file or a folder."""
        return await self._files.bridge.run(self._files.view(command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> BetaFunctionToolResultType:
        """Write a new file."""
        return await self._files.bridge.run(self._files.create(command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> BetaFunctionToolResultType:
        """Replace text that occurs once."""
        work = self._files.str_replace(command.path, command.old_str, command.new_str)
        return await self._files.bridge.run(work)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> BetaFunctionToolResultType:
        """Put text after a line."""
        work = self._files.insert(command.path, command.insert_line, command.insert_text)
        return await self._files.bridge.run(work)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> BetaFunctionToolResultType:
        """Delete a file or a folder."""
        return await self._files.bridge.run(self._files.delete(command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> BetaFunctionToolResultType:
        """Move a file or a folder."""
        return await self._files.bridge.run(self._files.rename(command.old_path, command.new_path))

    async def clear_all_memory(self) -> BetaFunctionToolResultType:
        """Delete every file of this user and agent."""
        return await self._files.bridge.run(self._files.clear())


async def _steadily(change: Callable[[], Awaitable[T]]) -> T:
    """Read and write until nobody else has written in between."""
    for _ in range(TRIES - 1):
        try:
            return await change()
        except Conflict:
            continue
    return await change()


async def _allowed(work: Awaitable[T]) -> T:
    """What the store does not let in is an answer that the model can act on."""
    try:
        return await work
    except Invalid as error:
        raise ToolError(f"Not allowed: {error.problem}") from None


def _text(file: Document) -> str:
    return str(file.value.get("text", ""))


def _no_path(path: str) -> ToolError:
    return ToolError(f"The path {path} does not exist. Please provide a valid path.")
