from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Invalid
from recollect.notes.blocks import Blocks
from recollect.notes.sections import MAX_NOTES, OPERATIONS, edited, headers
from steps import calls_of

NOTES = """\
About Ana.

# Home
Porto

## Diet ##
vegetarian

```sh
# no header
```

### Likes
figs
## Work
none

Travel
======
Lisbon
"""


def _section(text: str, title: str) -> str:
    [header] = [header for header in headers(text) if header.title == title]
    return text[header.start : header.end]


def test_the_seven_operations_and_no_other() -> None:
    assert list(OPERATIONS) == [
        "read", "overwrite", "append", "prepend", "delete_section_by_header", "replace_section_by_header",
        "delete_all_notes",
    ]  # fmt: skip
    assert edited("a", "read", None, None) == "a"
    assert edited("a", "overwrite", "b", None) == "b"
    assert edited("a", "append", "b", None) == "a\nb"
    assert edited("a", "prepend", "b", None) == "b\na"
    assert edited("a", "delete_all_notes", None, None) == ""
    assert edited("", "append", "b", None) == edited("", "prepend", "b", None) == "b"
    assert edited("a\n", "append", "", None) == edited("a\n", "prepend", "", None) == "a\n"


def test_headers_of_every_kind_and_where_their_sections_end() -> None:
    assert [(header.level, header.title) for header in headers(NOTES)] == [
        (1, "Home"), (2, "Diet"), (3, "Likes"), (2, "Work"), (1, "Travel"),
    ]  # fmt: skip
    assert _section(NOTES, "Diet").endswith("figs\n")
    assert _section(NOTES, "Home").endswith("none\n\n")
    assert _section(NOTES, "Travel") == "Travel\n======\nLisbon\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# a", [(1, "a")]),
        ("###### a ######", [(6, "a")]),
        ("####### a", []),
        ("#a", []),
        ("#", [(1, "")]),
        ("#\ta", [(1, "a")]),
        ("   # a", [(1, "a")]),
        ("    # a", []),
        ("# C#", [(1, "C#")]),
        ("# a \\#", [(1, "a \\#")]),
        ("a\r\n===\r\nb", [(1, "a")]),
        ("a\n---", [(2, "a")]),
        ("a\nb\n  ---  ", [(2, "a b")]),
        ("- a\n---", []),
        ("- a\nb\n---", []),
        ("> a\n---", []),
        ("1. a\n===", []),
        ("a\n\n---", []),
        ("***\n---", []),
        ("    code\n---", []),
        ("# a\n---", [(1, "a")]),
        ("```\n# a\n```\n# b", [(1, "b")]),
        ("````\n```\n# a\n````\n# b", [(1, "b")]),
        ("~~~ sh\n# a\n```\n# b\n~~~~\n# c", [(1, "c")]),
        ("   ```\n# a\n  ```  \n# b", [(1, "b")]),
        ("    ```\n# a", [(1, "a")]),
        ("``` a`b\n# a", [(1, "a")]),
        ("```\n# a", []),
        ("```\n# a\n``` b\n# c", []),
        ("a\n```\n===\n```", []),
        ("<!--\n# a\n\n# b\n-->\n# c", [(1, "c")]),
        ("<!-- # a -->\n# b", [(1, "b")]),
        ("<!-->\n# b", [(1, "b")]),
        ("a\n   <!-- x\n# a\nx --> # b\n# c", [(1, "c")]),
        ("    <!--\n# a", [(1, "a")]),
        ("a <!--\n# a", [(1, "a")]),
        ("<!--\n# a", []),
        ("a\n<!-- x -->\n---", []),
        ("```\n<!--\n```\n# a", [(1, "a")]),
        ("<!--\n```\n-->\n# a", [(1, "a")]),
        ("<pre>\n\n# a\n</pre>\n# b", [(1, "b")]),
        ("<PRE class='x'>\n# a\nx</Pre>y\n# b", [(1, "b")]),
        ("<script\n# a\n</style>\n# b", [(1, "b")]),
        ("<style\ttype='x'>\n# a\n</style>\n# b", [(1, "b")]),
        ("<textarea>\r\n# a\r\n</textarea>\r\n# b", [(1, "b")]),
        ("<prefix\n# a", [(1, "a")]),
        ("<?php\n# a\n\n?>\n# b", [(1, "b")]),
        ("<!DOCTYPE\n# a\n>\n# b", [(1, "b")]),
        ("<! x\n# a", [(1, "a")]),
        ("<![CDATA[\n# a\n>\n# b\n]]>\n# c", [(1, "c")]),
        ("<![cdata[\n# a", [(1, "a")]),
        ("[a]: https://x/y\n---", []),
        ("[a]: <x y> 'z'\n[b c]: /d (e)\n===", []),
        ("[a]: /x_(y)\n---", []),
        ("[a]: /x\nb\n---", [(2, "b")]),
        ("b\n[a]: /x\n---", [(2, "b [a]: /x")]),
        ("[a]: /x y\n---", [(2, "[a]: /x y")]),
        ("[ ]: /x\n---", [(2, "[ ]: /x")]),
        ("[a](/x)\n---", [(2, "[a](/x)")]),
    ],
)
def test_what_is_a_header(line: str, expected: list[tuple[int, str]]) -> None:
    assert [(header.level, header.title) for header in headers(line)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- ```sh\n  # x\n  make\n  ```\n\n# a", ["a"]),
        ("1. ```\n   # x\n   ```\n# a", ["a"]),
        ("* ~~~\n  # x\n  ~~~\n# a", ["a"]),
        ("- ```\n  # x\n\n  ```\n  # y\n# a", ["a"]),
        ("- ```\n# a", ["a"]),
        ("- x\n\n  ```\n  # x\n# a\n```\n# b", ["a"]),
        ("- ```\n  - ```\n# a", ["a"]),
        ("- - ```\n    # x\n  # y\n# a", ["a"]),
        ("> ```\n> # x\n# a", ["a"]),
        ("> - ```\n>   # x\n> # y\n# a", ["a"]),
        ("- > ```\n  > # x\n# a", ["a"]),
        ("- <!--\n  # x\n# a", ["a"]),
        ("- x\n  # x\n# a", ["a"]),
        ("- x\n # a", ["a"]),
        ("10. x\n   # a", ["a"]),
        ("10. x\n    # x", []),
        ("- x\n\n  # x\n\n\n  # y", []),
        ("-\n  # x\n", []),
        ("-\n\n  # a\n", ["a"]),
        ("- -\n\n\n  # x\n", []),
        ("-\t# x\n\t# y\n  # a", ["a"]),
        ("-     # x\n\n  # x\n# a", ["a"]),
        ("- a\nb\n===", []),
        ("- a\n  b\n  ===", []),
        ("- a\n\nb\n===", ["b"]),
        ("> a\nb\n> ===\n", []),
        ("a\n2. b\n===", ["a 2. b"]),
        ("a\n1. b\n===", []),
        ("a\n*\n===", ["a *"]),
        ("> a\n2. b\n   # x", []),
    ],
)
def test_what_stands_in_a_list_item_or_a_quotation_ends_with_it(text: str, expected: list[str]) -> None:
    assert [header.title for header in headers(text)] == expected


def test_sections_behind_a_list_with_code_are_found() -> None:
    setup = "# Setup\n\n- ```sh\n  # install\n  make\n  ```\n\n"
    text = setup + "# Diet\nVegan.\n\n# Travel\nNo planes.\n"
    assert edited(text, "delete_section_by_header", None, "Diet") == setup + "# Travel\nNo planes.\n"
    with pytest.raises(Invalid, match="no such section among the 3"):
        edited(text, "delete_section_by_header", None, "install")


def test_a_list_does_not_take_in_the_header_that_comes_to_stand_after_it() -> None:
    ended = "- a\n\n<!-- -->\n  # b\n"
    assert edited("- a\n# x\n  # b\n", "delete_section_by_header", None, "x") == ended
    assert edited("  # b\n", "prepend", "- a", None) == edited("- a\n", "append", "  # b\n", None) == ended
    assert edited("# b\n", "prepend", "- ```\n  x", None) == "- ```\n  x\n# b\n"


def test_a_section_goes_with_its_subsections() -> None:
    after = edited(NOTES, "delete_section_by_header", None, "Diet")
    assert after == NOTES.replace(_section(NOTES, "Diet"), "")
    assert edited("# a\nx", "delete_section_by_header", None, "a") == ""


@pytest.mark.parametrize(
    "wanted", ["Diet", "## Diet", "  diet ", "##diet", "## DIET ##", " ##   Diet", "\t## diet"]
)
def test_a_header_is_found_with_or_without_its_marks(wanted: str) -> None:
    after = edited(NOTES, "replace_section_by_header", "vegan", wanted)
    assert _section(after, "Diet") == "## Diet ##\nvegan\n"
    assert after.replace("## Diet ##\nvegan\n", "") == NOTES.replace(_section(NOTES, "Diet"), "")


@pytest.mark.parametrize(("one", "other"), [("Caf\u00e9", "cafe\u0301"), ("\ud55c", "\u1112\u1161\u11ab")])
def test_a_header_is_found_however_its_accents_are_written(one: str, other: str) -> None:
    assert edited(f"# {one}\nx\n", "replace_section_by_header", "y", other) == f"# {one}\ny\n"
    assert edited(f"# {other}\nx\n", "replace_section_by_header", f"# {one}\ny", one) == f"# {other}\ny\n"


def test_the_mark_that_a_file_of_windows_begins_with_hides_no_header() -> None:
    file = "\ufeff# Diet\r\nvegan\r\n\r\n# Tone\r\nshort\r\n"
    assert edited(file, "delete_section_by_header", None, "Diet") == "# Tone\r\nshort\r\n"
    assert edited(file, "replace_section_by_header", "\ufeff# Diet\nfigs", "Diet") == file.replace("vegan", "figs")
    appended = edited("Porto", "append", file, None)
    assert [header.title for header in headers(appended)] == ["Diet", "Tone"]
    assert [header.title for header in headers("\ufeffDiet\n----\n")] == ["Diet"]


@pytest.mark.parametrize("title", ["**Diet**", "*diet*", "_Diet_", "***Diet***", "__DIET__"])
def test_a_header_is_found_without_its_emphasis(title: str) -> None:
    for wanted in ("Diet", "## diet", title, "**diet**"):
        assert edited(f"## {title}\nx\n", "replace_section_by_header", "y", wanted) == f"## {title}\ny\n"
    assert edited(f"## {title}\nx\n", "replace_section_by_header", "## Diet\ny", "Diet") == f"## {title}\ny\n"
    assert edited(f"## {title}\nx\n## Diet\n", "delete_section_by_header", None, "Diet") == f"## {title}\nx\n"
    with pytest.raises(Invalid, match="no such section"):
        edited("## **\n## __\n## *a\n## _b\n## c_d_\n", "delete_section_by_header", None, "a")


def test_a_header_that_occurs_twice_needs_its_level() -> None:
    text = "# Diet\na\n## Diet\nb\n# Home\n## Home\n"
    with pytest.raises(Invalid, match=r"2 sections have this header; give it with its #s"):
        edited(text, "delete_section_by_header", None, "diet")
    assert edited(text, "delete_section_by_header", None, "## diet") == "# Diet\na\n# Home\n## Home\n"
    with pytest.raises(Invalid, match="3 sections have this header at the same level"):
        edited("# a\n# a\n# A\n", "delete_section_by_header", None, "# a")


def test_a_header_that_begins_with_a_mark_itself() -> None:
    assert edited("# #tag\nx\n", "replace_section_by_header", "y", "#tag") == "# #tag\ny\n"
    assert edited("# C#\nx\n", "replace_section_by_header", "y", "c#") == "# C#\ny\n"


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        ("# a", "x", "# a\nx\n"),
        ("# a\n", "x", "# a\nx\n"),
        ("# a\nold", "x\n", "# a\nx"),
        ("# a\n\nold\n\n\n# b\n", "x\n\n", "# a\n\nx\n\n\n# b\n"),
        ("# a\nold\n", "", "# a\n"),
        ("# a\nold\n", "# A #\nx", "# a\nx\n"),
        ("# a\nold\n", "\n# a\n\nx", "# a\nx\n"),
        ("# a\nold\n", "## a\nx", "# a\n## a\nx\n"),
        ("# a\nold\n", "x\n# a\ny", "# a\nx\n# a\ny\n"),
        ("a\n===\nold\n", "# a\nx", "a\n===\nx\n"),
        ("a\n===\nold\n# b\nb", "x", "a\n===\nx\n# b\nb"),
        ("# a\n- old\nb\n---\n", "x", "# a\nx\n"),
        ("# a\nold\n\nb\n===\n", "x", "# a\nx\n\nb\n===\n"),
        ("# a\n```\nold\n```\nb\n===\n", "x", "# a\nx\n\nb\n===\n"),
        ("# a\r\nold\r\n# b\r\n", "x", "# a\r\nx\r\n# b\r\n"),
    ],
)
def test_replacing_keeps_the_header_and_the_layout(before: str, content: str, after: str) -> None:
    assert edited(before, "replace_section_by_header", content, "a") == after


def test_an_edit_makes_no_header_out_of_what_was_none() -> None:
    assert edited("a", "append", "---", None) == "a\n\n---"
    assert edited("b\n---\n", "prepend", "a", None) == "a\n\nb\n---\n"
    assert edited("a\n# x\ny\n```\n```\nb\n---\n", "delete_section_by_header", None, "x") == "a\n", "b is below x"
    assert headers(edited("p\n# x\nq\n\nb\n===\n", "delete_section_by_header", None, "x"))[0].title == "b"


@pytest.mark.parametrize("operation", ["prepend", "replace_section_by_header"])
@pytest.mark.parametrize("start", ["```", "<!--", "<pre>"])
def test_what_is_left_open_must_not_swallow_what_follows(operation: str, start: str) -> None:
    with pytest.raises(Invalid, match="not closed"):
        edited("# a\n# b\n", operation, f"{start}\nx", "a" if operation.startswith("replace") else None)
    assert edited("# a\n", "replace_section_by_header", f"{start}\nx", "a") == f"# a\n{start}\nx\n"


def test_a_section_with_a_comment_goes_as_a_whole() -> None:
    text = "# a\nx\n<!--\n# old\n-->\ny\n# b\nz\n"
    assert edited(text, "delete_section_by_header", None, "a") == "# b\nz\n"
    assert edited(text, "replace_section_by_header", "new", "a") == "# a\nnew\n# b\nz\n"
    with pytest.raises(Invalid, match="no such section among the 2"):
        edited(text, "delete_section_by_header", None, "old")


@pytest.mark.parametrize(
    ("before", "operation", "content", "header", "after"),
    [
        (
            "# A\r\none\r\n\r\n## B\r\ntwo\r\n\r\n## C\r\n", "replace_section_by_header", "TWO\r\nmore", "B",
            "# A\r\none\r\n\r\n## B\r\nTWO\r\nmore\r\n\r\n## C\r\n",
        ),
        ("# a\r\nx\r\n# b", "replace_section_by_header", "y\nz", "b", "# a\r\nx\r\n# b\r\ny\r\nz\r\n"),
        ("a\r\nb", "append", "c\nd\n", None, "a\r\nb\r\nc\r\nd\r\n"),
        ("b\r\n", "prepend", "a", None, "a\r\nb\r\n"),
        ("b\r\n---\r\n", "prepend", "a", None, "a\r\n\r\nb\r\n---\r\n"),
        ("p\r\n# x\r\nq\r\n\r\nb\r\n===\r\n", "delete_section_by_header", None, "x", "p\r\n\r\nb\r\n===\r\n"),
        ("a\rb", "append", "c", None, "a\rb\rc"),
        ("a\r\nb\nc\n", "append", "d\r\n", None, "a\r\nb\nc\nd\n"),
        ("a\r\nb\nc", "append", "d", None, "a\r\nb\nc\r\nd"),
        ("a", "append", "b\r\nc", None, "a\r\nb\r\nc"),
        ("a\r\n", "overwrite", "b\nc\n", None, "b\nc\n"),
    ],
)  # fmt: skip
def test_what_comes_in_takes_on_the_line_ending(
    before: str, operation: str, content: str | None, header: str | None, after: str
) -> None:
    assert edited(before, operation, content, header) == after


@pytest.mark.parametrize(
    ("operation", "content", "header", "field"),
    [
        ("erase", None, None, "operation"),
        ("", None, None, "operation"),
        ("append", None, None, "content"),
        ("replace_section_by_header", None, "a", "content"),
        ("replace_section_by_header", "x", None, "section_header"),
        ("delete_section_by_header", None, "  ", "section_header"),
        ("delete_section_by_header", "x", "a", "content"),
        ("read", "x", None, "content"),
        ("overwrite", "x", "a", "section_header"),
        ("delete_all_notes", None, "a", "section_header"),
        ("delete_section_by_header", None, "secret", "section_header"),
        ("delete_section_by_header", None, "a" * 2000, "section_header"),
        ("append", "secret\0", None, "content"),
        (["append"], "x", None, "operation"),
        ({}, "x", None, "operation"),
        (None, "x", None, "operation"),
        ("append", 5, None, "content"),
        ("append", ["secret"], None, "content"),
        ("delete_all_notes", [], None, "content"),
        ("delete_section_by_header", None, 5, "section_header"),
        ("replace_section_by_header", "x", ["secret"], "section_header"),
        ("append", "x", 0, "section_header"),
    ],
)
def test_an_error_names_the_field_and_quotes_nothing(
    operation: Any, content: Any, header: Any, field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        edited("# a\nsecret\n", operation, content, header)
    assert refused.value.field == field
    assert "secret" not in str(refused.value)


def test_a_missing_section_says_how_many_there_are() -> None:
    with pytest.raises(Invalid, match="there is no such section among the 5 of these notes"):
        edited(NOTES, "delete_section_by_header", None, "Sports")


def test_empty_arguments_that_do_not_apply_are_let_through() -> None:
    assert edited("a", "delete_all_notes", "", "") == ""


def test_the_size_is_limited_in_bytes() -> None:
    assert len(edited("", "append", "é" * (MAX_NOTES // 2), None)) == MAX_NOTES // 2
    with pytest.raises(Invalid, match="65,537 bytes long; at most 65,536"):
        edited("a" * (MAX_NOTES - 1), "append", "b", None)
    with pytest.raises(Invalid, match="131,072 bytes"):
        edited("", "overwrite", "é" * MAX_NOTES, None)
    full = "# a\n" + "b" * (MAX_NOTES - 4)
    assert edited(full, "replace_section_by_header", "c", "a") == "# a\nc"


def test_a_large_document_is_parsed_in_no_time() -> None:
    for line in ("# a\n", "a\n", "-", " ", "`", "`\n", "#", "- a\n", "=\n", "\n", "_ ", "* ", ">", "- ", "1. "):
        headers(line * (MAX_NOTES // len(line)))
    for container in ("- ", "> "):
        deep = container * (MAX_NOTES // 4)
        headers(deep + "\n" * (MAX_NOTES - len(deep)))


# Properties ---------------------------------------------------------------------------------------

_LINES = st.sampled_from(
    [
        "", "text", "more text", "- item", "> quote", "    code", "# One", "## Two", "## Two ##", "### three", "One",
        "===", "---", "```", "````", "~~~", "   ```", "``` py", "#", "#hash", "1. x", "***", "\tx", "é ü", "  # Four",
        "<!--", "-->", "<!-- x -->", "<pre>", "</pre>", "<?x", "?>", "<!X", "<![CDATA[", "]]>",
        "- ```", "1. ~~~", "> ```", "  ```", "  text", "- # Five", "- - x", "-", "2. y", ">", "- > q", "-\tx",
    ]
)  # fmt: skip
_ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
DOCUMENTS = st.builds(
    lambda lines, last: "".join(line + end for line, end in lines) + last,
    st.lists(st.tuples(_LINES, _ENDS), max_size=14),
    _LINES,
)


def _unique(text: str) -> list[str]:
    titles = [" ".join(header.title.split()).casefold() for header in headers(text)]
    return [
        header.title for header in headers(text) if header.title and titles.count(header.title.casefold()) == 1
    ]


@given(DOCUMENTS)
def test_sections_nest_and_cover_everything_after_the_first_header(text: str) -> None:
    found = headers(text)
    for header in found:
        assert 0 <= header.start < header.body <= header.end <= len(text)
        inner = [other for other in found if header.start < other.start < header.end]
        assert all(other.level > header.level and other.end <= header.end for other in inner)
        after = [other for other in found if other.start == header.end]
        assert header.end == len(text) or after[0].level <= header.level


@given(DOCUMENTS, st.data())
def test_what_is_not_named_stays_byte_for_byte(text: str, data: st.DataObject) -> None:
    titles = _unique(text)
    if not titles:
        return
    title = data.draw(st.sampled_from(titles))
    [header] = [header for header in headers(text) if header.title == title]
    before, rest = text[: header.start], text[header.end :]

    deleted = edited(text, "delete_section_by_header", None, title)
    assert re.fullmatch(
        re.escape(before) + r"(?:(?:\r\n|\r|\n)(?:<!-- -->(?:\r\n|\r|\n))?)?" + re.escape(rest), deleted
    )
    assert _names(deleted) == [
        (one.level, one.title) for one in headers(text) if not header.start <= one.start < header.end
    ]

    replaced = edited(text, "replace_section_by_header", "new body", title)
    assert replaced.startswith(text[: header.body])
    assert replaced.endswith(rest)
    assert "new body" in replaced[header.body : len(replaced) - len(rest)]
    assert _names(replaced) == [
        (one.level, one.title) for one in headers(text) if not header.start < one.start < header.end
    ]


@given(DOCUMENTS, st.data())
def test_replacing_a_section_with_itself_changes_nothing(text: str, data: st.DataObject) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    titles = _unique(text)
    if not titles:
        return
    title = data.draw(st.sampled_from(titles))
    [header] = [header for header in headers(text) if header.title == title]
    body = text[header.body : header.end]
    assert edited(text, "replace_section_by_header", text[header.start : header.end], title) == text
    other = edited(text, "replace_section_by_header", "something else", title)
    assert _filled(edited(other, "replace_section_by_header", body, title)) == _filled(text)


def _filled(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


@given(DOCUMENTS, DOCUMENTS)
def test_append_and_prepend_keep_both_texts_and_all_headers(text: str, content: str) -> None:
    appended = edited(text, "append", content, None)
    assert appended.startswith(text)
    assert _plain(appended[len(text) :]).endswith(_plain(content))
    try:
        prepended = edited(text, "prepend", content, None)
    except Invalid:
        return
    assert _plain(prepended[: len(prepended) - len(text)]).startswith(_plain(content))
    assert prepended.endswith(text)
    if text.strip():
        assert _names(prepended) == _names(content) + _names(text)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_notes_of_one_line_ending_keep_to_it(text: str, content: str, end: str, data: st.DataObject) -> None:
    text = _plain(text).replace("\n", end)
    edits: list[tuple[str, str | None, str | None]] = [("append", content, None), ("prepend", content, None)]
    if titles := _unique(text):
        title = data.draw(st.sampled_from(titles))
        edits += [("replace_section_by_header", content, title), ("delete_section_by_header", None, title)]
    for operation, given_content, title in edits:
        try:
            after = edited(text, operation, given_content, title)
        except Invalid:
            continue
        if end in text:
            assert after == _plain(after).replace("\n", end)


def _names(text: str) -> list[tuple[int, str]]:
    return [(header.level, header.title) for header in headers(text)]


@given(st.integers(3, 8), st.sampled_from("`~"), st.integers(0, 3), st.lists(_LINES, max_size=6))
def test_nothing_inside_a_fence_is_a_header(length: int, mark: str, indent: int, lines: list[str]) -> None:
    inside = [line for line in lines if mark * 3 not in line]
    fence = " " * indent + mark * length
    text = "\n".join(["# Real", fence, *inside, "# Fake", fence, "# After", ""])
    assert [header.title for header in headers(text)] == ["Real", "After"]
    with pytest.raises(Invalid, match="no such section"):
        edited(text, "delete_section_by_header", None, "Fake")


@given(st.text(), st.sampled_from(list(OPERATIONS)), st.text(), st.text())
def test_any_text_is_either_edited_or_refused(text: str, operation: str, content: str, header: str) -> None:
    try:
        after = edited(text, operation, content, header)
    except (Invalid, UnicodeEncodeError):
        return
    assert isinstance(after, str)


@pytest.mark.parametrize("line", ["a", "# a", "- a", "> a", "", "a\n==="])
@pytest.mark.parametrize(
    ("operation", "content", "header"),
    [
        ("append", "x\n---\n", None),
        ("prepend", "# x\n", None),
        ("replace_section_by_header", "x", "Diet"),
        ("delete_section_by_header", None, "Diet"),
    ],
)
def test_notes_are_read_once_for_an_edit(
    line: str, operation: str, content: str | None, header: str | None
) -> None:
    text = f"{line}\n" * 100 + "# Home\nPorto\n# Diet\nvegan\n# Work\n" + f"{line}\n" * 100
    with calls_of(Blocks._read) as lines:  # pyright: ignore[reportPrivateUsage]
        edited(text, operation, content, header)
    assert len(lines) <= text.count("\n") + 20
