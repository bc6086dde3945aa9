"""A conversation on paper, read back with another library."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.conversations.pdf.drawing import MOST_TEXT, Paper, paper
from recollect.conversations.pdf.fonts import Fonts, library
from recollect.conversations.pdf.wrapping import cleaned, from_the_right, wrapped
from recollect.errors import Invalid
from recollect.records import Conversation, Message

BEGUN = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def drawn(*texts: str, title: str | None = "Dinner", state: Any = None, **more: Any) -> bytes:
    talk = Conversation(
        id="c",
        user="ana",
        agent="cook",
        title=title,
        status="active",
        message_count=len(texts),
        last_seq=len(texts),
        created_at=BEGUN,
        updated_at=BEGUN,
        archived_at=None,
    )
    roles: Any = ("user", "assistant", "tool", "system")
    messages = [
        Message("c", seq, str(seq), roles[seq % 4 - 1], text, BEGUN + timedelta(minutes=seq), **more)
        for seq, text in enumerate(texts, 1)
    ]
    return paper(Paper(tenant="acme", conversation=talk, messages=messages, state=state))


def read(document: bytes) -> tuple[int, str]:
    reader = pypdf.PdfReader(io.BytesIO(document))
    return len(reader.pages), "\n".join(page.extract_text() for page in reader.pages)


def test_it_says_who_spoke_and_when() -> None:
    calls = [{"id": "c1", "function": {"name": "look_up", "arguments": "{}"}}]
    parts = [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {}}]
    document = drawn(
        "Where do I live? {nb}",
        "In Porto.",
        name="Ana Maria",
        tool_calls=calls,
        parts=parts,
        state=("rfp, step drafting", b'{"budget": 5000}'),
    )
    pages, text = read(document)
    assert pages == 1
    for said in (
        "Dinner",
        "ana with cook, tenant acme",
        "2 messages, begun 2026-01-31 09:30 UTC, last message 2026-01-31 09:32 UTC",
        "1. user (Ana Maria)",
        "2026-01-31 09:31 UTC",
        "Where do I live? {nb}",
        "2. assistant",
        "In Porto.",
        "look_up",
        "attachments that are not shown: 1",
        "rfp, step drafting",
        '{"budget": 5000}',
    ):
        assert said in text, said
    assert "no sign" not in text
    assert pypdf.PdfReader(io.BytesIO(document)).metadata.title == "Dinner"  # type: ignore[union-attr]
    assert "0 messages" in read(drawn(title=None))[1]


def test_what_cannot_be_drawn_is_counted() -> None:
    _, text = read(drawn("我住在波尔图", "plain", title="日本"))
    assert "8 characters have no sign in the fonts of this document" in text
    assert "plain" in text
    assert "1 character has no sign" in read(drawn("中"))[1]


SCRIPTS = {
    "Arabic": "مرحبا، أنا أعيش في بورتو",
    "Hebrew": "שלום, אני גר בפורטו",
    "Hindi": "नमस्ते, मैं पोर्टो में रहता हूँ",
    "Thai": "สวัสดีครับ",
    "Russian": "Привет, я живу в Порту",
    "Greek": "Γειά σου",
    "Korean": "한국어",
    "emoji": "👨‍👩‍👧 😀 ☑️ 🏳️‍🌈 ½ ﬁne",
    "Tamil": "வணக்கம்",
    "old": "𐌰𐌱 𒀀",
    "marks": "Z̵̧̛a͠l̷g̵o a\u0301",
    "control": "a\x07b\x1b[0m\x85c\u2028d\u202ee\ufefff",
    "private": "\ue000 \U0010fffd",
    "lines": "\n\n  \t x \r\n\r y",
    "empty": "",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_any_script_makes_a_document(script: str) -> None:
    pages, text = read(drawn(SCRIPTS[script], SCRIPTS[script] * 40, title=SCRIPTS[script] or None))
    assert pages >= 1
    assert "2. assistant" in text


@settings(max_examples=8)
@given(st.lists(st.text(max_size=300), max_size=6))
def test_whatever_people_write(texts: list[str]) -> None:
    writable = [text.encode("utf-8", "replace").decode() for text in texts]
    assert drawn(*writable).startswith(b"%PDF")


@pytest.mark.parametrize("text", ["x" * 50_000, "中" * 50_000, "word " * 10_000, "😀" * 50_000])
def test_a_long_message_goes_over_pages(text: str) -> None:
    pages, read_back = read(drawn(text))
    assert pages > 5
    letters = sum(read_back.count(letter) for letter in ("xword" if text.isascii() else "□▯?"))
    assert letters >= 40_000


@pytest.mark.slow
def test_five_thousand_messages() -> None:
    texts = [f"message number {number}, and what else there is to say about it" for number in range(1, 5001)]
    document = drawn(*texts)
    reader = pypdf.PdfReader(io.BytesIO(document))
    assert len(reader.pages) > 200
    last = reader.pages[-1].extract_text()
    assert "5000. system" in last
    assert "message number 5000," in last
    assert str(len(reader.pages)) in last


def test_what_is_too_long_for_paper_is_refused() -> None:
    with pytest.raises(Invalid, match="export json"):
        drawn("x" * (MOST_TEXT // 2), "y" * (MOST_TEXT // 2 + 1))


def test_without_the_extra_the_error_names_it() -> None:
    with pytest.raises(Invalid, match=r"\.\[pdf\]"):
        library("a_library_that_is_not_there")


@given(st.text(max_size=200), st.integers(3, 30))
def test_lines_fit_and_nothing_is_lost(text: str, most: int) -> None:
    lines = list(wrapped(text, lambda _: 1.0, most))
    assert all(len(line) <= most for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_words_stay_whole_where_they_fit() -> None:
    assert list(wrapped("one two three\n\nfour", lambda _: 1.0, 8)) == ["one two", "three", "", "four"]
    assert list(wrapped("abcdefghij kl", lambda _: 1.0, 4)) == ["abcd", "efgh", "ij", "kl"]


def test_letters_are_replaced_only_where_they_must_be() -> None:
    core = Fonts("Helvetica", None)
    assert cleaned("é€ ½ ﬁ", core.drawable, core.stand_in) == ("é€ ½ fi", 0)
    assert cleaned("a中b\u200d\x07\u00a0", core.drawable, core.stand_in) == ("a?b ", 1)
    assert all(from_the_right(text) == (script in ("Arabic", "Hebrew")) for script, text in SCRIPTS.items())
