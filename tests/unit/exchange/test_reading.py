"""Large files are read piece by piece, and what is wrong with them is said with its place."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Invalid
from recollect.exchange.reading import entries

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _read(text: bytes) -> list[tuple[str, int, object]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given.json"
        path.write_bytes(text)
        return list(entries(path))


@given(st.lists(plain) | st.dictionaries(st.text(), plain), st.sampled_from([None, 2]), st.booleans())
def test_a_file_has_the_same_entries_as_what_is_in_it(value: Any, indent: int | None, ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii).encode(errors="surrogatepass")
    assert _read(text) == list(entries(value))


def test_a_mark_at_the_beginning_is_no_part_of_it() -> None:
    assert _read(b'\xef\xbb\xbf [1, {"a": "]"}] \n') == [("", 0, 1), ("", 1, {"a": "]"})]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "is empty"),
        (b"hello", "is not a JSON list"),
        (b'[1, {"a": 2', "ends in the middle"),
        (b'{"a": [1, 2', "ends in the middle"),
        (b'["unclosed', "ends in the middle"),
        (b'["unclosed], [', "ends in the middle"),
        (b'{"a": "unclosed\\', "ends in the middle"),
        (b"[1] [2]", "goes on after its end"),
        (b"[1, nonsense]", r"\[1\]: is not valid JSON"),
        (b'{"a": [1, 2 3]}', r"a\[1\]: is not valid JSON"),
        (b'{"a": 01}', "a: is not valid JSON"),
    ],
)
def test_what_is_wrong_with_a_file(text: bytes, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        _read(text)


def test_a_file_that_was_cut_off_in_a_long_string_is_known_at_once() -> None:
    text = json.dumps([{"content": '{"a": "b"}, ' * 5000}]).encode()

    def took(text: bytes) -> float:
        begun = time.thread_time()
        with suppress(Invalid):
            _read(text)
        return time.thread_time() - begun

    assert took(text[:-20]) < 20 * (took(text) + 0.001)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="cannot be read: No such file"):
        list(entries(tmp_path / "nowhere.json"))


def test_memory_is_bounded_by_the_largest_entry(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write("[")
        file.writelines(("," if number else "") + json.dumps({"text": "x" * 10_000}) for number in range(3000))
        file.write("]")
    tracemalloc.start()
    assert sum(1 for _ in entries(path)) == 3000
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 30_000_000
    assert most < 1_000_000
