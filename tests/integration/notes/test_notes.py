from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import asyncpg
import pytest

from recollect import Conflict, Invalid, NotFound, Recollect, Refused
from recollect.notes import store
from recollect.notes.records import Notes
from recollect.notes.sections import edited
from recollect.paging import write_cursor
from recollect.records import Caller
from recollect.storage.database import Database
from steps import calls_of

WRITERS = 32


class Book:
    """The notes of one user and agent, as one tenant sees them."""

    def __init__(self, database: Database, caller: Caller) -> None:
        self.database = database
        self.caller = caller

    async def read(self, version: int | None = None) -> Notes:
        return await store.read(self.database, self.caller, "ana", "librarian", version)

    async def edit(
        self, operation: str, content: str | None = None, header: str | None = None, version: int | None = None
    ) -> Notes:
        return await store.edit(
            self.database, self.caller, operation, content, "ana", "librarian", header, version
        )

    async def undo(self, version: int | None = None) -> Notes:
        return await store.undo(self.database, self.caller, "ana", "librarian", version)

    async def diff(self, old: int, new: int) -> str:
        return await store.diff(self.database, self.caller, "ana", "librarian", old, new)

    async def versions(self) -> list[tuple[int, str, str]]:
        page = await store.history(self.database, self.caller, "ana", "librarian", limit=1000)
        assert page.cursor is None
        return [(one.version, one.operation, one.actor) for one in page.items]


@pytest.fixture
async def book(memory: Recollect) -> Book:
    return Book(memory._database, Caller(memory.tenant, "agent:librarian"))  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
async def stranger(dsn: str, tenant: str) -> AsyncIterator[Book]:
    async with Recollect.open(dsn, tenant=f"not-{tenant}") as other:
        yield Book(other._database, Caller(other.tenant, "mallory"))  # pyright: ignore[reportPrivateUsage]


async def test_every_operation_makes_a_version_that_says_who_made_it(book: Book) -> None:
    assert await book.read() == Notes(text="", version=0, updated_at=None, user="ana", agent="librarian")
    assert (await book.edit("overwrite", "# Diet\nvegetarian\n")).version == 1
    assert (await book.edit("append", "# Home\nPorto\n", version=1)).text == "# Diet\nvegetarian\n# Home\nPorto\n"
    await book.edit("prepend", "About Ana.\n")
    await book.edit("replace_section_by_header", "vegan", "diet")
    last = await book.edit("delete_section_by_header", None, "# Home")
    assert last.text == "About Ana.\n# Diet\nvegan\n"
    assert await book.read() == last == await book.edit("read")
    assert (await book.edit("delete_all_notes")).text == ""
    operations = [
        "overwrite",
        "append",
        "prepend",
        "replace_section_by_header",
        "delete_section_by_header",
        "delete_all_notes",
    ]
    expected = [(number, name, "agent:librarian") for number, name in enumerate(operations, start=1)]
    assert await book.versions() == expected[::-1]


async def test_what_changes_nothing_makes_no_version(book: Book, admin: asyncpg.Connection) -> None:
    for operation, content in (("append", ""), ("overwrite", ""), ("delete_all_notes", None), ("read", None)):
        assert (await book.edit(operation, content)).version == 0
    count = "select count(*) from recollect.notes where tenant = $1"
    assert await admin.fetchval(count, book.caller.tenant) == 0
    await book.edit("overwrite", "same")
    assert (await book.edit("overwrite", "same", version=1)).version == 1
    assert len(await book.versions()) == 1


async def test_a_stale_version_is_a_conflict_that_names_both(book: Book) -> None:
    with pytest.raises(Conflict, match="at version 0, not 3"):
        await book.edit("append", "x", version=3)
    await book.edit("append", "first", version=0)
    await book.edit("append", "second")
    for operation in ("append", "read"):
        with pytest.raises(Conflict, match="at version 2, not 1"):
            await book.edit(operation, "third" if operation == "append" else None, version=1)
    assert (await book.read()).text == "first\nsecond"


async def test_a_refused_edit_changes_nothing_and_quotes_nothing(book: Book) -> None:
    await book.edit("overwrite", "# Canary\nsecret")
    for operation, content, header, field in (
        ("shred", None, None, "operation"),
        ("append", None, None, "content"),
        ("append", "canary" * 20_000, None, "content"),
        ("append", "canary\0", None, "content"),
        ("append", "canary \ud800", None, "content"),
        ("delete_section_by_header", None, "secret canary", "section_header"),
        ("delete_all_notes", "canary", None, "content"),
    ):
        with pytest.raises(Invalid) as refused:
            await book.edit(operation, content, header)
        assert refused.value.field == field
        assert "canary" not in str(refused.value).lower()
    for version in (-1, 1 << 63, True):
        with pytest.raises(Invalid, match="version"):
            await book.edit("append", "x", version=version)
    assert (await book.read()).version == 1


async def test_undo_goes_back_without_losing_anything(book: Book) -> None:
    with pytest.raises(Refused):
        await book.undo()
    with pytest.raises(NotFound):
        await book.undo(4)
    for text in ("one", "two", "three"):
        await book.edit("overwrite", text)
    undone = await book.undo()
    assert (undone.text, undone.version) == ("two", 4)
    assert (await book.undo(1)).text == "one"
    assert (await book.undo(0)).text == ""
    assert [(await book.read(version)).text for version in range(7)] == [
        "", "one", "two", "three", "two", "one", "",
    ]  # fmt: skip
    assert (await book.undo(0)).version == 6
    with pytest.raises(NotFound):
        await book.undo(7)
    with pytest.raises(NotFound):
        await book.read(7)


async def test_the_difference_of_two_versions(book: Book) -> None:
    await book.edit("overwrite", "# Diet\nvegetarian\n")
    await book.edit("replace_section_by_header", "vegan", "Diet")
    assert (await book.diff(1, 2)).split("\n") == [
        "--- version 1", "+++ version 2", "@@ -1,2 +1,2 @@", " # Diet", "-vegetarian", "+vegan",
    ]  # fmt: skip
    assert "+# Diet" in await book.diff(0, 1)
    await book.edit("overwrite", "one\n")
    await book.edit("overwrite", "one")
    assert (await book.diff(0, 3)).split("\n")[2:] == ["@@ -0,0 +1 @@", "+one"]
    assert (await book.diff(3, 4)).split("\n")[3:] == ["-one", "+one", "\\ No newline at end of file"]
    assert await book.diff(2, 2) == ""
    with pytest.raises(NotFound):
        await book.diff(1, 5)


async def test_others_go_on_while_long_notes_are_edited(book: Book) -> None:
    text = "- " * 20 + "a\n" + "\n" * 60_000
    await book.edit("overwrite", text)
    started = time.perf_counter()
    edited(text, "append", "x", None)
    alone = time.perf_counter() - started

    async def longest_pause() -> float:
        writing = asyncio.create_task(book.edit("append", "x"))
        longest, last = 0.0, time.perf_counter()
        while not writing.done():
            await asyncio.sleep(0.001)
            last, before = time.perf_counter(), last
            longest = max(longest, last - before)
        await writing
        return longest

    # Who edits in the loop stops it for as long as that takes, every time; a busy machine may do so once.
    assert min([await longest_pause() for _ in range(3)]) < alone / 2


async def test_first_notes_are_decided_on_once(book: Book) -> None:
    with calls_of(edited) as decisions:
        await book.edit("append", "first")
    assert len(decisions) == 1


async def test_history_comes_in_pages(book: Book) -> None:
    for number in range(5):
        await book.edit("append", str(number))
    seen: list[int] = []
    cursor: str | None = None
    while True:
        page = await store.history(book.database, book.caller, "ana", "librarian", 2, cursor)
        seen += [one.version for one in page.items]
        if (cursor := page.cursor) is None:
            break
    assert seen == [5, 4, 3, 2, 1]
    for forged in ("x", write_cursor(-1), write_cursor(1 << 70), write_cursor("5")):
        with pytest.raises(Invalid, match="cursor"):
            await store.history(book.database, book.caller, "ana", "librarian", 2, forged)


async def test_no_append_of_32_writers_is_lost(book: Book) -> None:
    rounds = 5

    async def write(writer: int) -> None:
        for turn in range(rounds):
            await book.edit("append", f"- {writer}/{turn}")

    await asyncio.gather(*(write(writer) for writer in range(WRITERS)))
    notes = await book.read()
    assert notes.version == WRITERS * rounds
    lines = notes.text.split("\n")
    assert sorted(lines) == sorted(f"- {writer}/{turn}" for writer in range(WRITERS) for turn in range(rounds))
    assert len(await book.versions()) == notes.version


async def test_with_versions_successes_are_the_version_delta(book: Book) -> None:
    rounds = 5
    conflicts = 0

    async def write(writer: int) -> int:
        nonlocal conflicts
        successes = 0
        for turn in range(rounds):
            notes = await book.read()
            try:
                await book.edit("overwrite", f"{notes.text}- {writer}/{turn}\n", version=notes.version)
                successes += 1
            except Conflict:
                conflicts += 1
        return successes

    successes = sum(await asyncio.gather(*(write(writer) for writer in range(WRITERS))))
    notes = await book.read()
    assert notes.version == successes == len(notes.text.splitlines())
    assert conflicts == WRITERS * rounds - successes
    assert conflicts > 0, "this must have been a race"


async def test_with_and_without_versions_together(book: Book) -> None:
    async def careful(writer: int) -> int:
        notes = await book.read()
        try:
            await book.edit("append", f"careful {writer}", version=notes.version)
        except Conflict:
            return 0
        return 1

    async def plain(writer: int) -> int:
        await book.edit("append", f"plain {writer}")
        return 1

    writers = [plain(n) if n % 2 else careful(n) for n in range(WRITERS)]
    successes = sum(await asyncio.gather(*writers))
    notes = await book.read()
    assert notes.version == successes == len(notes.text.split("\n"))
    assert sum(line.startswith("plain") for line in notes.text.split("\n")) == WRITERS // 2


async def test_undo_while_others_write_takes_back_one_edit_only(book: Book) -> None:
    await book.edit("overwrite", "start")
    await asyncio.gather(*(book.edit("append", f"line {n}") for n in range(8)), book.undo(), book.undo())
    texts = [(await book.read(version)).text for version in range(12)]
    operations = {version: operation for version, operation, _ in await book.versions()}
    assert len(operations) == 11
    for version, operation in operations.items():
        if operation == "undo":
            assert texts[version] == texts[version - 2]


async def test_each_user_and_agent_has_notes_of_its_own(book: Book) -> None:
    await book.edit("overwrite", "ana's")
    for user, agent in (("ben", "librarian"), ("ana", "cook")):
        assert (await store.read(book.database, book.caller, user, agent)).version == 0
    with pytest.raises(Invalid, match="user"):
        await store.read(book.database, book.caller, "", "librarian")


async def test_another_tenant_sees_and_changes_nothing(book: Book, stranger: Book) -> None:
    await book.edit("overwrite", "# Secret\nx")
    assert (await stranger.read()).version == 0
    assert await stranger.versions() == []
    with pytest.raises(NotFound):
        await stranger.read(1)
    with pytest.raises(NotFound):
        await stranger.diff(0, 1)
    with pytest.raises(NotFound):
        await stranger.undo(1)
    with pytest.raises(Invalid):
        await stranger.edit("delete_section_by_header", None, "Secret")
    assert (await stranger.edit("append", "theirs")).text == "theirs"
    assert (await book.read()).text == "# Secret\nx"


async def test_the_database_itself_shows_notes_of_the_set_tenant_only(
    book: Book, admin: asyncpg.Connection
) -> None:
    await book.edit("overwrite", "secret")
    async with admin.transaction():
        await admin.execute("set local role recollect_server")
        for tenant in ("", "somebody else", book.caller.tenant):
            await admin.execute("select set_config('recollect.tenant', $1, true)", tenant)
            for table in ("notes", "note_versions"):
                seen = await admin.fetchval(f"select count(*) from recollect.{table}")
                assert seen == (1 if tenant == book.caller.tenant else 0), (table, tenant)


async def test_every_change_is_in_the_audit_without_its_text(book: Book, admin: asyncpg.Connection) -> None:
    await book.edit("overwrite", "canary")
    await book.edit("append", "canary")
    await book.edit("append", "")
    await book.undo()
    rows = await admin.fetch("select * from recollect.audit where tenant = $1 order by id", book.caller.tenant)
    assert [(row["actor"], row["action"], row["user_id"], row["subject"]) for row in rows] == [
        ("agent:librarian", f"notes.{name}", "ana", "librarian") for name in ("overwrite", "append", "undo")
    ]
    assert "canary" not in str(rows)
