"""Remember, recall, memories, forget and notes, run as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Recollect

WHO = ("--user", "ana", "--agent", "cook")
Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(dsn: str, tenant: str, tmp_path: Path) -> Run:
    """Runs a command over the tenant of this test; gives what it printed, and what it said beside."""

    def one(*arguments: str, code: int = 0, given: bytes | None = None) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *arguments],
            cwd=tmp_path,
            env=os.environ | {"RECOLLECT_DATABASE": dsn, "RECOLLECT_TENANT": tenant},
            input=given or b"",
            capture_output=True,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == code, out + err
        assert "Traceback" not in err
        return out, err

    return one


async def test_what_is_remembered_is_recalled_listed_and_forgotten(run: Run, memory: Recollect) -> None:
    told = ("--category", "food", "--importance", "0.8", "--pin", "--expires", "2099-12-31")
    said, beside = run("remember", "user is vegetarian", *WHO, *told)
    assert beside == "remembered:\n"
    (kept,) = (await memory.memories("ana", "cook")).items
    assert said == f"{kept.id}\n"
    assert (kept.text, kept.author, kept.trust) == ("user is vegetarian", "user", "trusted")
    assert (kept.category, kept.importance, kept.pinned) == ("food", 0.8, True)
    assert kept.expires_at == datetime(2099, 12, 31, 23, 59, 59, 999_999, UTC), "to the end of that day"
    again, beside = run("remember", "User is vegetarian.", *WHO)
    assert (again, beside) == (said, "known already, and fresh again:\n")
    assert (await memory.memory(kept.id)).pinned, "what is not named stays"

    found, beside = run("recall", "dinner ideas for a vegetarian", *WHO)
    assert found.split("  ", 1)[1] == f"{kept.valid_from:%Y-%m-%d} - user is vegetarian\n"
    assert 0.5 <= float(found.split()[0]) <= 1
    assert beside == ""
    listed, _ = run("memories", *WHO)
    assert listed == f"{kept.id}  {kept.created_at:%Y-%m-%d} - user is vegetarian\n"
    assert run("forget", kept.id) == (f"memory {kept.id} is forgotten\n", "")
    assert run("memories", *WHO) == ("", "nothing is remembered\n")
    assert run("recall", "dinner ideas for a vegetarian", *WHO) == ("", "nothing is known about that\n")
    assert run("forget", kept.id, code=1)[1] == f"error: there is no memory '{kept.id}' in this tenant\n"


async def test_what_has_expired_already_is_not_said_to_be_fresh(run: Run, memory: Recollect) -> None:
    for _ in range(2):
        _, beside = run("remember", "user is in Lyon", *WHO, "--expires", "2020-01-01")
        assert beside == "stored, but it has expired already and is not recalled:\n"
    assert (await memory.memories("ana", "cook")).items == []
    assert run("remember", "user is in Lyon", *WHO)[1] == "known already, and fresh again:\n"


async def test_a_wrong_id_lets_all_stay(run: Run, memory: Recollect) -> None:
    one, other = [(await memory.remember(f"user likes {what}", "ana", "cook")).id for what in ("tea", "figs")]
    ghost = "00000000-0000-4000-8000-000000000000"
    for wrong, said in (("nonsense", "id: must be a UUID"), (ghost, f"there is no memory '{ghost}'")):
        printed, beside = run("forget", one, wrong, other, code=1)
        assert (printed, said in beside) == ("", True)
        assert len((await memory.memories("ana", "cook")).items) == 2
    assert run("forget", one, other, one) == (f"memory {one} is forgotten\nmemory {other} is forgotten\n", "")


async def test_what_goes_with_another_one_keeps_none_of_the_rest(run: Run, memory: Recollect) -> None:
    one, other = [
        (await memory.remember(text, "ana", "cook", author="agent")).id
        for text in ("user lives in Porto", "the user lives in Porto")
    ]
    assert (await memory.consolidate("ana", "cook")).retired == 1
    last = (await memory.remember("user likes figs", "ana", "cook")).id
    printed, beside = run("forget", other, one, last)
    assert (printed, beside) == ("".join(f"memory {id} is forgotten\n" for id in (other, one, last)), "")
    assert (await memory.memories("ana", "cook")).items == []


async def test_recall_over_messages_and_as_at_another_time(run: Run, memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    then = datetime(2020, 5, 4, 12, tzinfo=UTC)
    await chat.append("user", "My sister lives\nin Lisbon", at=then)
    await memory.remember("user likes figs", user="ana", agent="cook", valid_from=then)
    line, _ = run("recall", "where does my sister live?", *WHO, "--over", "messages")
    assert line.endswith("  2020-05-04 - user: My sister lives in Lisbon\n")
    assert run("recall", "where does my sister live?", *WHO)[0] == ""
    assert run("recall", "figs", *WHO, "--as-of", "2020-05-03")[0] == ""
    assert "user likes figs" in run("recall", "figs", *WHO, "--as-of", "2020-05-04")[0], "at the end of that day"
    assert run("memories", *WHO, "--as-of", "2020-05-04T11:59Z")[0] == ""
    assert "user likes figs" in run("memories", *WHO, "--as-of", "2020-05-04T12:01Z")[0]


async def test_json_has_all_there_is(run: Run, memory: Recollect) -> None:
    await memory.remember("user likes figs \x1b[31mred", user="ana", agent="cook", category="food")
    made = json.loads(run("remember", "user likes tea", *WHO, "--json")[0])
    lines = [json.loads(line) for line in run("memories", *WHO, "--json")[0].splitlines()]
    assert [line["text"] for line in lines] == ["user likes tea", "user likes figs \x1b[31mred"]
    assert lines[0] == made
    (hit,) = map(json.loads, run("recall", "tea", *WHO, "--json")[0].splitlines())
    assert (hit["memory"], hit["text"]) == (made, "user likes tea")
    assert set(hit) >= {"score", "why", "at", "message"}


async def test_lists_are_narrowed_and_say_that_there_is_more(run: Run, memory: Recollect) -> None:
    for what, kind in (("tea", "drink"), ("figs", "food"), ("bread", "food")):
        await memory.remember(f"user likes {what}", user="ana", agent="cook", category=kind)
    await memory.remember("user hides gold", user="ana", agent="cook", author="tool")
    said, beside = run("memories", *WHO, "--category", "food", "--limit", "1")
    assert said.endswith(" - user likes bread\n")
    assert beside == "these are the newest 1; raise --limit, or `recollect export` everything\n"
    assert run("memories", *WHO, "--text", "figs")[0].endswith(" - user likes figs\n")
    said, beside = run("memories", *WHO, "--status", "quarantined")
    assert (said.endswith(" - user hides gold\n"), beside) == (True, "")
    assert run("recall", "likes", *WHO, "--limit", "2", "--threshold", "0")[0].count("\n") == 2


async def test_text_from_standard_input(run: Run, memory: Recollect) -> None:
    run("remember", "-", *WHO, given="user lives in\n São Paulo\n".encode())
    assert "user lives in São Paulo" in run("recall", "-", *WHO, given=b"Where does the user live?")[0]
    run("notes", "append", "-", *WHO, given=b"# Tone\nShort.\n")
    assert "Short." in (await memory.notes("ana", "cook")).text
    for given, problem in (
        (b"\xff\xfe", "is not text in UTF-8"),
        (b"x" * (1 << 20) + b"x", "has more than 1,048,576 bytes"),
        (b"  \n", "must not be empty"),
        (b"x" * 1001, "has 1001 characters; a memory has at most 1000"),
    ):
        assert run("remember", "-", *WHO, given=given, code=1) == ("", f"error: text: {problem}\n")


def test_a_standard_input_that_is_closed(dsn: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -m recollect remember - {' '.join(WHO)} <&-"],
        cwd=tmp_path,
        env=os.environ | {"RECOLLECT_DATABASE": dsn},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (1, "error: text: the standard input is closed\n")


async def test_what_was_said_does_not_steer_the_terminal(run: Run, memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "figs \x1b]0;title\x07 and\x9b2J\r\n[bold]bread[/bold] " + "and tea " * 100)
    line, _ = run("recall", "figs", *WHO, "--over", "messages")
    assert line.count("\n") == 1
    assert "figs \\x1b]0;title\\x07 and\\x9b2J [bold]bread[/bold] and tea" in line
    assert line.endswith("…\n")


async def test_what_looks_like_an_emoji_is_printed_as_it_stands(run: Run, memory: Recollect) -> None:
    kept = await memory.remember("user calls it app:key:42", user="ana", agent="cook")
    assert run("memories", *WHO)[0] == f"{kept.id}  {kept.created_at:%Y-%m-%d} - user calls it app:key:42\n"
    missing = "export", "--user", "ana", "--output", "no:key:folder/file"
    assert "no:key:folder" in run(*missing, code=1)[1]


async def test_notes(run: Run, memory: Recollect) -> None:
    assert run("notes", *WHO) == ("", "there are no notes yet\n")
    assert run("notes", "append", "# Tone\nShort.", *WHO) == ("the notes are at version 1\n", "")
    run("notes", "prepend", "# Name\nAna", *WHO)
    run("notes", "replace_section_by_header", "# Tone\nLong.\x1b[0m", "--section", "# Tone", *WHO)
    text = (await memory.notes("ana", "cook")).text
    assert "Long." in text
    assert "Short." not in text
    assert run("notes", "read", *WHO) == (text + "\n", ""), "in a pipe as they are"
    run("notes", "delete_section_by_header", "--section", "# Tone", *WHO)
    assert run("notes", *WHO)[0].strip() == "# Name\nAna"
    run("notes", "overwrite", "all new", *WHO)
    assert (await memory.notes("ana", "cook")).text == "all new"
    run("notes", "delete_all_notes", *WHO)
    assert run("notes", *WHO)[0] == ""


async def test_a_text_may_begin_with_a_list(run: Run, memory: Recollect) -> None:
    run("notes", "append", "- likes tea = chai\n- lives in Porto", *WHO)
    run("notes", *WHO, "append", "---\n# Tone\nShort.")
    run("notes", "replace_section_by_header", "- Long.", *WHO, "--section", "# Tone")
    text = (await memory.notes("ana", "cook")).text
    assert text.startswith("- likes tea = chai\n- lives in Porto\n")
    assert text.endswith("---\n# Tone\n- Long.")
    run("remember", "- user likes figs", *WHO, "--category", "food")
    assert "- user likes figs" in run("recall", "- user likes figs", *WHO)[0]
    run("notes", "append", "--sektion", "# Tone", *WHO, code=2)


CANARY = "zanzibar"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("remember", "user", "likes", CANARY, *WHO), "text: came as 3 arguments; put it in quotes"),
        (("recall", "what", CANARY, *WHO), "query: came as 2 arguments; put it in quotes"),
        (("notes", "append", "likes", CANARY, *WHO), "content: came as 2 arguments; put it in quotes"),
        (("notes", "append", f"- {CANARY}", "--sektion", "x", *WHO), "content: came as 3 arguments"),
        (("notes", "--sektion", "append", f"- {CANARY}", *WHO), "content: came as 2 arguments"),
        (("remember", "--kind", f"- {CANARY}", *WHO), "text: came as 2 arguments"),
        (("notes", f"likes {CANARY}", *WHO), "operation: must be one of read, "),
        (("notes", "append", *WHO), "content: is missing"),
        (("remember", f"{CANARY} \udcff", *WHO), "text: contains a lone surrogate"),
        (("remember", CANARY, "--user", "", "--agent", "cook"), "user: must not be empty"),
        (("remember", CANARY, *WHO, "--expires", "soon"), "expires: must be a time like 2026-01-31"),
        (("remember", CANARY, *WHO, "--expires", "9999-12-31"), "expires: is outside of the calendar"),
        (("recall", CANARY, *WHO, "--as-of", "0001-01-01T00:00+14:00"), "as-of: is outside of the calendar"),
        (("notes", "delete_section_by_header", *WHO), "section: is missing"),
        (("notes", "append", CANARY, "--section", "# Tone", *WHO), "section: must not be given"),
        (("recall", CANARY, *WHO, "--as-of", CANARY), "as-of: must be a time like 2026-01-31"),
        (("recall", "", *WHO), "query: must not be empty"),
        (("forget", f"likes {CANARY}"), "id: must be a UUID\n"),
    ],
)
def test_errors_are_one_line_without_the_text(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    said, beside = run(*arguments, code=1)
    assert said == ""
    assert beside.startswith(f"error: {problem}")
    assert beside.count("\n") == 1
    assert CANARY not in beside


@pytest.fixture
async def coloured(memory: Recollect) -> None:
    """Notes that would colour a terminal."""
    await memory.edit_notes("append", "Long.\x1b[31m", user="ana", agent="cook")


@pytest.mark.usefixtures("coloured")
def test_notes_on_a_terminal_do_not_steer_it(dsn: str, tenant: str, tmp_path: Path) -> None:
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "notes", *WHO],
        stdout=inner,
        stderr=inner,
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm-256color", "RECOLLECT_DATABASE": dsn, "RECOLLECT_TENANT": tenant},
    )
    process.wait()
    os.close(inner)
    shown = os.read(outer, 100_000).decode()
    os.close(outer)
    assert "Long.\\x1b[31m" in shown


async def test_an_embedded_database_from_the_first_command_on(tmp_path: Path) -> None:
    def one(*arguments: str) -> str:
        command = [sys.executable, "-m", "recollect", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    one("remember", "user is vegetarian", *WHO)
    assert "user is vegetarian" in one("recall", "is she a vegetarian?", *WHO)
    async with Recollect.open(data_dir=tmp_path / ".recollect") as memory:
        (kept,) = (await memory.memories("ana", "cook")).items
        assert datetime.now(UTC) - kept.created_at < timedelta(minutes=5)


async def test_work_that_waits_for_its_time_is_not_called_due(run: Run, memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.")
    heads, line = run("work", "list")[0].splitlines()
    assert heads.split() == ["kind", "subject", "user", "due", "tries", "state", "error"]
    assert line.startswith(f"settle  {chat.id}  ana ")
    assert line.endswith("  0      waits")


async def test_who_does_not_want_to_wait_learns_now(run: Run, memory: Recollect, tenant: str) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto, and I am allergic to peanuts.")
    said, beside = run("work", "--everything", "--tenant", tenant)
    assert said.startswith("learned from 1 messages: ")
    assert beside == ""
    assert any("Porto" in one.text for one in (await memory.memories("ana", "cook")).items)
    again, _ = run("work", "--everything")
    assert again == ("learned from 0 messages: 0 memories added, 0 refreshed, 0 replaced; 0 insights refused\n")
    assert "goes with --everything" in run("work", "--tenant", tenant, code=1)[1]
