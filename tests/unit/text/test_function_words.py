"""What is mere grammar in other scripts."""

from __future__ import annotations

import pytest

from recollect.text.function_words import without_function_words


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("什么时候生日?", "生日"),
        ("什麼時候生日?", "生日"),
        ("你还记得我的生日吗?", "生日"),
        ("你還記得我的生日嗎?", "生日"),
        ("告诉我火锅", "火锅"),
        ("你知道火锅吗?", "火锅"),
    ],
)
def test_how_one_asks_in_chinese_is_not_looked_for(question: str, rest: str) -> None:
    assert without_function_words(question).strip(" ?") == rest


def test_a_sign_of_it_alone_may_be_anything() -> None:
    assert "时" in without_function_words("我们的时钟坏了")
