from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import Invalid
from recollect.cache import entries, keys
from recollect.cache.address import read_address
from recollect.cache.servers import slot
from recollect.records import Message

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def _messages(first: int, last: int) -> list[Message]:
    return [Message("c", seq, str(seq), "user", f"line\nbreak {seq}", NOW) for seq in range(first, last + 1)]


def test_a_tail_gives_its_newest_messages() -> None:
    stamp = entries.stamp("db", 1, "run")
    entry = stamp + entries.tail_of(_messages(5, 9), whole=False)
    assert entries.newest(entry, stamp, 3) == _messages(7, 9)
    assert entries.newest(entry, stamp, 5) == _messages(5, 9)
    assert entries.newest(entry, stamp, 6) is None, "there may be more"
    whole = stamp + entries.tail_of(_messages(1, 2), whole=True)
    assert entries.newest(whole, stamp, 6) == _messages(1, 2)
    longer = entry + entries.lines(_messages(10, 11))
    assert entries.newest(longer, stamp, 3) == _messages(9, 11)


@pytest.mark.parametrize("other", [("other", 1, "run"), ("db", 2, "run"), ("db", 1, "another run")])
def test_what_has_another_stamp_is_not_believed(other: tuple[str, int, str]) -> None:
    stamp = entries.stamp("db", 1, "run")
    assert entries.newest(stamp + entries.tail_of(_messages(1, 3), whole=True), entries.stamp(*other), 3) is None
    assert entries.document(stamp + entries.document_of(1, b"{}"), entries.stamp(*other)) is None
    assert entries.document(stamp + entries.document_of(1, b"{}"), stamp) == b"{}"
    assert entries.document(b"", stamp) is None


def test_keys_of_a_conversation_share_a_slot_and_no_two_tenants_share_a_key() -> None:
    id = "01970000-0000-7000-8000-000000000000"
    assert keys.key("acme", id, keys.MESSAGES) == f"{{acme:{id}}}:messages"
    for tenant in ("acme", "a}c{m:e", "}", "{", "ünïcode"):
        assert len({slot(name) for name in keys.all_of(tenant, id)}) == 1
    assert keys.key("a:b", "c", keys.MEMORY) != keys.key("a", "b:c", keys.MEMORY)
    assert len({keys.key(tenant, id, keys.MEMORY) for tenant in ("a", "a:", "a%3A", "{a", "a}")}) == 5


def test_addresses() -> None:
    one = read_address("rediss://me:p%40ss@cache.example:7000/3")
    assert (one.mode, one.tls, one.hosts, one.username, one.password, one.db) == (
        "single", True, (("cache.example", 7000),), "me", "p@ss", 3,
    )  # fmt: skip
    several = read_address("redis+sentinel://:secret@one,two:26380/main/1")
    assert (several.hosts, several.service, several.db) == ((("one", 26379), ("two", 26380)), "main", 1)
    assert read_address("redis+cluster://one:7001,two:7002").hosts == (("one", 7001), ("two", 7002))


def test_an_address_may_name_files_for_tls(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    with pytest.raises(Invalid, match="names a file as ssl_ca_certs that is not there"):
        read_address(f"rediss://host?ssl_ca_certs={file}")
    file.touch()
    assert read_address(f"rediss://host/1?ssl_ca_certs={file}").files == (("ssl_ca_certs", str(file)),)
    for wrong in (f"redis://host?ssl_ca_certs={file}", "rediss://host?ssl_cert_reqs=none"):
        with pytest.raises(Invalid, match="that is not known here"):
            read_address(wrong)


@pytest.mark.parametrize(
    "wrong", ["", "redis", "http://x", "redis://", "redis://h:x", "redis://a,b", "redis+cluster://h/1"]
)
def test_wrong_addresses_are_refused(wrong: str) -> None:
    with pytest.raises(Invalid, match="cache: must be like redis://"):
        read_address(wrong)


def test_a_wrong_address_does_not_show_its_password() -> None:
    with pytest.raises(Invalid) as raised:
        read_address("redis://:secret@host:port")
    assert "secret" not in str(raised.value)
