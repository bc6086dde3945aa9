from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models import tokens
from recollect.models.tokens import BundledCounter, default_counter

#: Texts of ours, with their number of o200k tokens.
O200K = {
    "hello": 1,
    "I moved to Porto last summer, and I still can't believe how good the fish is there!": 19,
    "Sure! Here's a quick plan: boil the pasta for 9 minutes, then add garlic, olive oil, and a pinch of salt.": 28,
    "Haha yeah lol, that was sooo funny 😂": 9,
    "My flight UA-1532 leaves at 07:45 on 2024-06-12 from gate B22.": 25,
    "def total(items):\n    return sum(item.price for item in items)\n": 14,
    '{"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}': 29,
    "¿Dónde queda la estación de trenes más cercana?": 11,
    "我去年夏天搬到了北京。": 8,
    "Thanks, talk to you soon.": 7,
}


@pytest.fixture
def counter() -> BundledCounter:
    return BundledCounter()


@pytest.mark.parametrize(("text", "exact"), O200K.items())
def test_the_count_is_on_the_safe_side_of_o200k_and_not_far_above(
    counter: BundledCounter, text: str, exact: int
) -> None:
    assert exact <= counter.count(text) <= 2 * exact + 2


def test_nothing_costs_nothing(counter: BundledCounter) -> None:
    assert counter.count("") == 0
    assert counter.count(" ") > 0


def test_a_special_token_in_a_text_is_text(counter: BundledCounter) -> None:
    assert counter.count("<s></s><unk>") == 8


@given(
    st.lists(st.sampled_from([" ", "  ", "    ", "\n", "\t", "the", "house", "é", ".", "x", "北京", "-"])).map(
        "".join
    )
)
def test_counting_word_by_word_is_counting_the_whole(text: str) -> None:
    whole = tokens._bundled_vocabulary()(text)  # pyright: ignore[reportPrivateUsage]
    assert whole <= BundledCounter().count(text) <= whole + 2


@given(st.text(alphabet="ab \n", max_size=200), st.integers(2, 20))
def test_slices_make_up_the_text(text: str, size: int) -> None:
    parts = list(tokens._slices(text, size))  # pyright: ignore[reportPrivateUsage]
    assert "".join(parts) == text
    assert all(0 < len(part) <= size for part in parts)


@pytest.mark.parametrize("piece", ["I moved to Porto last summer. ", "x", " ", "北京", "\n", "a\n", "😂"])
def test_a_long_text_does_not_take_seconds(counter: BundledCounter, piece: str) -> None:
    counter.count("warm")
    began = time.process_time()
    assert counter.count(piece * ((1 << 20) // len(piece.encode()))) > 1000
    assert time.process_time() - began < 5


def test_without_the_exact_package_the_bundled_one_counts() -> None:
    code = "import sys; sys.modules['bpe_openai'] = None; from recollect.models.tokens import *\n"
    code += "try: print(type(default_counter()).__name__)\nexcept ValueError: print('BundledCounter')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "BundledCounter"
    assert default_counter().count("hello") >= 1


def test_nothing_is_loaded_before_the_first_count() -> None:
    code = "import sys, recollect.models.tokens; print({'tokenizers', 'wordllama', 'numpy'} & set(sys.modules))"
    code += (
        "; recollect.models.tokens.BundledCounter().count('x'); print({'wordllama', 'numpy'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["set()", "set()"]
