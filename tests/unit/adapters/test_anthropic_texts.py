"""What Claude's memory tool does to texts."""

from __future__ import annotations

import pytest
from anthropic.lib.tools import ToolError

from recollect.adapters.anthropic_texts import inserted, listed, names_of, replaced, shown


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/memories", ()),
        ("/memories/", ()),
        ("/memories/a.md", ("a.md",)),
        ("/memories//a/./b/../c.md", ("a", "c.md")),
    ],
)
def test_a_path_is_the_names_below_the_root(path: str, names: tuple[str, ...]) -> None:
    assert names_of(path) == names


@pytest.mark.parametrize(
    "path",
    [
        "",
        "memories/a",
        "/etc/passwd",
        "/memoriesx/a",
        "/memories/..",
        "/memories/a/../../b",
        "/memories/../memories",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(ToolError):
        names_of(path)


def test_lines_keep_their_endings() -> None:
    text = "one\r\ntwo\r\nthree\r\n"
    assert shown("/memories/f", text, [2, -1]).endswith("\n     2\ttwo\r\n     3\tthree\r\n     4\t")
    made, answer = replaced("/memories/f", text, "two", "2")
    assert made == "one\r\n2\r\nthree\r\n"
    assert answer.endswith("     1\tone\r\n     2\t2\r\n     3\tthree\r\n     4\t")
    assert inserted(text, 1, "more\n") == "one\r\nmore\ntwo\r\nthree\r\n"


def test_what_overlaps_occurs_twice() -> None:
    with pytest.raises(ToolError, match="in lines: 1, 1"):
        replaced("/memories/f", "aaa", "aa", "b")
    with pytest.raises(ToolError, match="did not appear"):
        replaced("/memories/f", "aaa", "", "b")


def test_a_folder_is_shown_two_levels_deep_without_what_is_hidden() -> None:
    files = [(("b", "c", "d.md"), 2048), (("a.md",), 1), ((".hidden",), 5), (("b", ".x", "y"), 5)]
    assert listed("/memories", files).splitlines()[1:] == [
        "2.0K\t/memories",
        "1B\t/memories/a.md",
        "2.0K\t/memories/b/",
        "2K\t/memories/b/c/",
    ]
