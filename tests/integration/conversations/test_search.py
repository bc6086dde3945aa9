from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator

import asyncpg
import pytest

from recollect import Chat, Invalid, Recollect

SAID = [
    "I am allergic to peanuts, sadly.",
    "To be or not to be, that is the question.",
    "Me mudé a Bogotá y escuché una canción en el corazón de la ciudad.",
    "我昨天搬到了北京,喜欢吃饺子。",
    "東京タワーに行きました",
    "Я переехал в Москву.",
    "The config is in /etc/app.conf and/or ~/.config, see https://example.com/docs?x=1",
    "My card ends in 4242, version 3.14 of k8s",
    "พรุ่งนี้ไปเชียงใหม่",
    "한국어를 공부해요",
    "ذهبت إلى المَدْرَسَة مَدْرَسَة",
]


@pytest.fixture
async def chat(memory: Recollect) -> AsyncIterator[Chat]:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", text) for text in SAID])
    return chat  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("peanut", [0]),
        ("ALLERGIC peanuts", [0]),
        ("peanuts Porto", []),
        ("to be or not to be", [1]),
        ("the", [1, 6]),
        ('"not to be"', [1]),
        ('"be not to"', []),
        ("cancion bogota", [2]),
        ("CANCIÓN", [2]),
        ("corazón", [2]),
        ("北京", [3]),
        ("饺子", [3]),
        ("京北", []),
        ("東京タワー", [4]),
        ("москву", [5]),
        ("app.conf", [6]),
        ("config", [6]),
        ("example", [6]),
        ("4242", [7]),
        ("k8s", [7]),
        ("3.14", [7]),
        ("เชียงใหม่", [8]),
        ("한국어를", [9]),
        ("한국어", [9]),
        ("مدرسة", [10]),
        ("peanuts or饺子", []),
        ("peanuts or 饺子", [0, 3]),
        ("in -k8s", [6]),
        ("!!! ???", []),
        ("' ; drop table -- & | ! <->", []),
        ('"', []),
    ],
)
async def test_found(memory: Recollect, chat: Chat, query: str, found: list[int]) -> None:
    hits = await memory.search(query, user="ana")
    assert sorted(SAID.index(hit.text) for hit in hits) == found


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("I love pizza🍕", "pizza"),
        ("❤️Maria❤️", "maria"),
        ("Great👍🏽Thanks", "thanks"),
        ("→Berlin→Paris", "paris"),
        ("the rent is 500€", "500"),
        ("we buy it from Acme™", "acme"),
        ("press 1️⃣", "1"),
        ("أنا أحب القهوة، كثيرا", "القهوة"),
        ("أين أعيش؟", "أعيش"),
        ("मैं दिल्ली में रहता हूँ।", "हूँ"),
        ("בית־ספר", "ספר"),
        ("佐々木さん", "佐々木"),
    ],
)
async def test_what_touches_a_sign_is_found(memory: Recollect, said: str, word: str) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", said)
    assert [hit.text for hit in await memory.search(word, user="ana")] == [said]
    hits = await memory.recall(word, user="ana", agent="librarian", over="messages")
    assert [hit.text for hit in hits] == [said]


#: Signs that Unicode has since 15.1 or later, beside those that lie among others: nobody writes them in words.
LATER = "\u1b4e\u1b4f\u1b7f\u31e4\u31e5\u31ef" + "".join(map(chr, range(0x1FBCB, 0x1FC00)))


async def test_no_sign_is_a_letter(admin: asyncpg.Connection) -> None:
    """Of every script that is written today; what stands for letters, as "㎏" does, is read as those."""
    signs = [
        sign
        for sign in map(chr, (*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x1EC00, 0x1FC00)))
        if unicodedata.category(sign)[0] in "PSZ"
        and sign not in LATER
        and not any(map(str.isalnum, unicodedata.normalize("NFKC", sign)))
    ]
    assert len(signs) > 5000
    hidden = await admin.fetch(
        "select sign from unnest($1::text[]) as sign "
        "where not recollect.words_of('pizza' || sign || 'kiwi') @@ 'pizza & kiwi'::tsquery",
        signs,
    )
    assert [hex(ord(row["sign"])) for row in hidden] == []


async def test_a_hit_says_what_it_is(memory: Recollect, chat: Chat) -> None:
    (hit,) = await memory.search("peanuts", user="ana")
    assert hit.message == (await chat.window(20))[0]
    assert hit.message is not None
    assert (hit.text, hit.at) == (SAID[0], hit.message.created_at)
    assert 0 < hit.score < 1
    assert hit.why


async def test_only_in_what_was_asked_for(memory: Recollect, chat: Chat) -> None:
    other = await memory.conversation(user="ana", agent="cook")
    await other.append("user", "No peanuts in my kitchen")
    theirs = await memory.conversation(user="ben", agent="librarian")
    await theirs.append("user", "Peanuts for everyone")
    assert len(await memory.search("peanuts", user="ana")) == 2
    assert [h.text for h in await memory.search("peanuts", user="ana", agent="cook")] == [
        "No peanuts in my kitchen"
    ]
    assert len(await memory.search("peanuts", user="ana", limit=1)) == 1
    assert await memory.search("peanuts", user="nobody") == []


async def test_findable_at_once_and_gone_with_its_message(memory: Recollect, chat: Chat) -> None:
    await chat.append("tool", "the zeppelin has landed")
    assert len(await memory.search("zeppelin", user="ana")) == 1
    await chat.clear()
    assert await memory.search("zeppelin", user="ana") == []


async def test_bad_queries(memory: Recollect) -> None:
    for wrong in ("", "  ", "a\0", "x" * 1001, None):
        with pytest.raises(Invalid, match="query"):
            await memory.search(wrong, user="ana")  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="limit"):
        await memory.search("x", user="ana", limit=0)
