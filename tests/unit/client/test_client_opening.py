"""What a client refuses before it asks any server."""

from __future__ import annotations

from typing import Any

import pytest

from recollect import Invalid
from recollect.client import Recollect

URL = "http://127.0.0.1:8765"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        *(
            ({"url": url}, "url")
            for url in ("", "ftp://x", "127.0.0.1:8765", "http://", 5, f"{URL}\n/x", "http://\ud800")
        ),
        *(({"url": url}, "url") for url in ("http://[::1", "http://127.0.0.1:99999", "http://127.0.0.1:0")),
        *(({"url": url}, "url") for url in ("http://ana:secret@x", f"{URL}?key=x")),
        *(({"url": URL, "key": key}, "key") for key in ("", "a\nb", "é", 5)),
        *(({"url": URL, "user": user}, "user") for user in ("", "a\nb", 5)),
        *(({"url": URL, "timeout": seconds}, "timeout") for seconds in (0, -1, "60", float("nan"), True)),
        ({"url": URL, "turn_timeout": 0}, "turn_timeout"),
        ({"url": URL, "retrying": -1}, "retrying"),
        *(({"url": URL, "connections": many}, "connections") for many in (0, -1, "100", 1.5)),
    ],
)
def test_a_client_that_cannot_work_is_not_opened(given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        Recollect.open(**given)
    assert refused.value.field == field


def test_one_that_can_is() -> None:
    for url in (URL, "https://memory.example", "http://[::1]:8765", "http://localhost:8765/behind/a/proxy"):
        Recollect.open(url, key=" rk_x ", user="ana", timeout=0.5, retrying=0, connections=1)
