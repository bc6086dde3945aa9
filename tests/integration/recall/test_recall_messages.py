"""Recall over messages, against a real PostgreSQL and with the offline embedder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import numpy as np
import pytest
from numpy.typing import NDArray

from recollect import Hit, Invalid, Recollect, Unavailable
from recollect.models.generations import Embedders
from recollect.models.wordllama import WordLlama
from recollect.ports import Embedder
from recollect.recall.messages import recall_messages

START = datetime(2024, 3, 4, 9, tzinfo=UTC)


class Counting(WordLlama):
    """Remembers what it was asked to embed."""

    def __init__(self, name: str = "wordllama-l2-256") -> None:
        self.name = name
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return await super().embed(texts)


class Broken(WordLlama):
    error: Exception = Unavailable("embedder", "it does not answer")

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise self.error


async def recall(
    memory: Recollect,
    query: str,
    *,
    embedder: Embedder | None = None,
    user: str = "ana",
    agent: str | None = None,
    limit: int = 5,
    **more: Any,
) -> list[Hit]:
    database, caller = memory._database, memory._caller  # pyright: ignore[reportPrivateUsage]
    embedders = Embedders(embedder or WordLlama(), lambda _: None)
    return await recall_messages(database, caller, embedders, query, user, agent, limit, **more)


async def say(
    memory: Recollect, *turns: str, user: str = "ana", agent: str = "guide", at: datetime = START
) -> None:
    """One conversation: "user text", "assistant text", or "Ben: text" for someone with a name."""
    chat = await memory.new_conversation(user, agent)
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        speaker, _, text = turn.partition(" ")
        named = speaker.endswith(":")
        role = ("user", "assistant")[number % 2] if named else speaker
        messages.append(
            {
                "role": role,
                "content": text,
                "name": speaker[:-1] if named else None,
                "at": at + timedelta(minutes=number),
            }
        )
    await chat.extend(messages)


SMALL_TALK = (
    "user Good morning, how are you today?",
    "assistant Very well, thank you. What can I do for you?",
    "user My bicycle has a flat tyre, I ran over some glass on the way to the bakery",
    "assistant That is a pity. A patch kit costs about five euros.",
    "user I am allergic to walnuts, so no walnut cake for me",
    "assistant Noted, I will suggest something without nuts.",
    "user My sister plays the cello in an orchestra in Ghent",
    "assistant How wonderful! Does she tour a lot?",
)


async def test_a_message_is_found_as_soon_as_it_is_stored(memory: Recollect) -> None:
    await say(memory, *SMALL_TALK)
    hits = await recall(memory, "What instrument does my sister play?")
    assert hits[0].text == "My sister plays the cello in an orchestra in Ghent"
    assert hits[0].why == "matches 'sister' and 'play', said by user, March 2024"
    assert hits[0].message is not None
    assert (hits[0].message.seq, hits[0].at) == (7, START + timedelta(minutes=6))
    assert hits[0].score > 0.5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    await (await memory.conversation("ana", "guide")).append("user", "My sister now plays the viola too")
    assert "viola" in (await recall(memory, "What instrument does my sister play?"))[0].text


async def test_meaning_is_found_without_a_common_word(memory: Recollect) -> None:
    await say(memory, *SMALL_TALK)
    hits = await recall(memory, "Which nut am I reacting to, almonds or pecans?")
    assert "walnuts" in hits[0].text


@pytest.mark.parametrize(
    "query",
    [
        "What is the boiling point of liquid nitrogen?",
        "Explain the offside rule",
        "compile the kernel module",
        "???",
    ],
)
async def test_a_question_about_nothing_known_finds_nothing(memory: Recollect, query: str) -> None:
    await say(memory, *SMALL_TALK)
    assert await recall(memory, query) == []


@pytest.mark.parametrize("matter", ["quantum chromodynamics", "the tax law of Peru", "a submarine reactor"])
async def test_to_name_a_speaker_is_not_enough(memory: Recollect, matter: str) -> None:
    await say(
        memory,
        "Ines: I planted tomatoes behind the shed on Sunday",
        "Omar: Nice! My sister just moved to Lagos for her new job",
        "Ines: Is she happy there?",
        "Omar: Very, she found a flat near the harbour",
    )
    assert await recall(memory, f"What did Ines say about {matter}?") == []
    assert (await recall(memory, "What did Ines plant behind the shed?"))[0].text.startswith("I planted")
    assert "Lagos" in (await recall(memory, "Where did Omar's sister move?"))[0].text


async def test_a_code_of_the_question_is_enough(memory: Recollect) -> None:
    await say(
        memory,
        "user Our CI is GitHub Actions, and the repo is a monorepo.",
        "user We use SQLAlchemy with async sessions.",
    )
    (first, *_) = await recall(memory, "what CI do we use?")
    assert first.text.startswith("Our CI")
    assert await recall(memory, "what GPU did they buy?") == []


async def test_nothing_was_said_yet(memory: Recollect) -> None:
    assert await recall(memory, "Where is my bicycle?") == []
    await memory.new_conversation("ana", "guide")
    assert await recall(memory, "Where is my bicycle?") == []


async def test_only_the_user_and_the_agent_that_were_asked_for(memory: Recollect, dsn: str) -> None:
    await say(memory, "user My bicycle is green")
    await say(memory, "user My bicycle is red", user="ben")
    await say(memory, "user My bicycle is blue", agent="other")
    assert {hit.text for hit in await recall(memory, "What colour is my bicycle?")} == {
        "My bicycle is green",
        "My bicycle is blue",
    }
    assert [hit.text for hit in await recall(memory, "What colour is my bicycle?", agent="other")] == [
        "My bicycle is blue"
    ]
    async with Recollect.open(dsn, tenant="somebody-else") as other:
        assert await recall(other, "What colour is my bicycle?") == []


async def test_instructions_are_not_memories(memory: Recollect) -> None:
    await say(memory, "system You sell bicycles", "user My bicycle is green")
    assert [hit.text for hit in await recall(memory, "bicycles", threshold=0.0)] == ["My bicycle is green"]


async def test_whoever_is_named_is_the_one_who_speaks(memory: Recollect) -> None:
    await say(
        memory,
        "Ines: Omar, your garden is lovely",
        "Omar: Thanks Ines! I grow beans in it",
        "Ines: I grow tomatoes and basil on the balcony",
        "Omar: Ines, you should send me a photo",
    )
    assert "tomatoes" in (await recall(memory, "What does Ines grow?"))[0].text
    assert "I grow beans" in (await recall(memory, "What does Omar grow?"))[0].text


async def test_an_answer_is_found_by_the_question_before_it(memory: Recollect) -> None:
    await say(memory, *SMALL_TALK, "assistant What is the name of your new puppy?", "user Biscuit!")
    assert (
        "Biscuit!"
        in [hit.text for hit in await recall(memory, "What is my puppy called? What name did I give it?")][:2]
    )


async def test_what_changed_is_told_as_it_is_now(memory: Recollect) -> None:
    await say(memory, "user I keep my old skis in the cellar next to the boiler", "assistant Mind the damp.")
    later = START + timedelta(days=60)
    await say(memory, "user By the way, I keep my old skis in the attic now", "assistant Good idea.", at=later)
    hits = await recall(memory, "Where do I keep my old skis?")
    assert "attic" in hits[0].text
    assert "cellar" in hits[1].text


async def test_a_date_in_the_question_prefers_its_days(memory: Recollect) -> None:
    await say(memory, "user I walked along the river", at=datetime(2024, 1, 10, tzinfo=UTC))
    await say(memory, "user I walked along the river", at=datetime(2024, 5, 20, tzinfo=UTC))
    await say(memory, "user I walked along the river last month", at=datetime(2024, 8, 3, tzinfo=UTC))
    now = datetime(2025, 2, 1, tzinfo=UTC)
    for asked, month in (("in January 2024", 1), ("last May", 5), ("in July 2024", 8)):
        hits = await recall(memory, f"Where did I walk {asked}?", as_of=now)
        assert hits[0].at.month == month, asked


async def test_when_prefers_what_tells_a_time(memory: Recollect) -> None:
    await say(
        memory,
        "user I love my guitar lessons",
        "user My guitar lessons are every Tuesday",
        "user My guitar needs strings",
    )
    assert "Tuesday" in (await recall(memory, "When are my guitar lessons?"))[0].text


async def test_what_others_said_of_themselves_is_not_of_somebody_whom_nobody_named(memory: Recollect) -> None:
    await say(
        memory,
        "Ines: I play the drums, and I used to play the piano",
        "Omar: Cool! I bake bread at the weekend",
        "Ines: My cousin Rui plays the violin",
    )
    assert "drums" in (await recall(memory, "What instruments does Ines play?"))[0].text
    assert "Rui" in (await recall(memory, "What instruments does Rui play?"))[0].text
    assert await recall(memory, "What instruments does Wout play?") == []
    assert (await recall(memory, "Is Rui a musician?"))[0].score > 0.85, "who was named is at home here"


async def test_the_threshold_and_the_limit_are_the_callers(memory: Recollect) -> None:
    await say(memory, *SMALL_TALK)
    everything = await recall(memory, "my sister's orchestra", threshold=0.0, limit=100)
    assert len(everything) == len(SMALL_TALK)
    assert len(await recall(memory, "my sister's orchestra", threshold=0.0, limit=3)) == 3
    few = await recall(memory, "my sister's orchestra", threshold=0.9)
    assert few
    assert all(hit.score >= 0.9 for hit in few)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Fui a la estación con Jesús", "estacion"),
        ("我住在北京", "北京"),
        ("我住在成都", "成都"),
        ("我住在北京", "我住在哪里？"),
        ("犬を二匹飼っています", "犬"),
        ("the k8s cluster is down", "k8s"),
        ("to be or not to be", "to be"),
    ],
)
async def test_words_of_any_kind_are_found(memory: Recollect, stored: str, asked: str) -> None:
    await say(memory, *SMALL_TALK, f"user {stored}")
    assert (await recall(memory, asked, embedder=Broken()))[0].text == stored


async def test_odd_input(memory: Recollect) -> None:
    await say(memory, "user it's 'quoted' \\ and: <odd> & | ! words?", "user 🙂🙂")
    for query in ("'quoted' \\ <odd> | & !", "🙂", "a" * 10_000, "\n\t x", "' OR 1=1 --"):
        await recall(memory, query)
    for wrong in ("", "  ", "x" * 10_001):
        with pytest.raises(Invalid, match="query"):
            await recall(memory, wrong)
    with pytest.raises(Invalid, match="limit"):
        await recall(memory, "x", limit=0)


# Vectors -----------------------------------------------------------------------------------------


async def vectors(admin: asyncpg.Connection, memory: Recollect) -> int:
    return await admin.fetchval("select count(*) from recollect.message_vectors where tenant = $1", memory.tenant)


async def test_each_message_is_embedded_once_with_its_speaker(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    await say(memory, "Ines: Tomatoes and basil", "Omar: Beans")
    embedder = Counting()
    await recall(memory, "What grows here?", embedder=embedder)
    assert sorted(embedder.texts[1:]) == ["Ines: Tomatoes and basil", "Omar: Beans"]
    assert await vectors(admin, memory) == 2
    embedder.texts.clear()
    await recall(memory, "What grows here?", embedder=embedder)
    assert embedder.texts == ["What grows here?"]


async def test_vectors_of_two_models_are_never_compared(memory: Recollect, admin: asyncpg.Connection) -> None:
    await say(memory, "user Tomatoes and basil")
    await recall(memory, "tomatoes")

    class Reversed(Counting):
        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return -(await super().embed(texts))

    other = Reversed("reversed")
    assert (await recall(memory, "tomatoes", embedder=other))[0].score > 0.5
    assert "Tomatoes and basil" in other.texts
    assert await vectors(admin, memory) == 2


async def test_stored_vectors_are_the_embedders(memory: Recollect, admin: asyncpg.Connection) -> None:
    texts = [f"thing number {number} of the {number % 7}th kind" for number in range(50)]
    await say(memory, *(f"user {text}" for text in texts))
    await recall(memory, "thing")
    rows = await admin.fetch(
        "select seq, embedding::real[] as vector from recollect.message_vectors where tenant = $1 order by seq",
        memory.tenant,
    )
    stored = np.array([row["vector"] for row in rows])
    assert np.allclose(stored, await WordLlama().embed(texts), atol=1e-3)


async def test_a_failing_embedder_leaves_the_words(memory: Recollect, caplog: pytest.LogCaptureFixture) -> None:
    await say(memory, *SMALL_TALK)
    with caplog.at_level(logging.INFO, "recollect"):
        hits = await recall(memory, "Is the walnut cake for me, with my allergies?", embedder=Broken())
    assert "walnuts" in hits[0].text
    assert "recall.words_only" in caplog.text
    assert "walnut" not in caplog.text


async def test_a_mistake_in_an_embedder_is_not_hidden(memory: Recollect) -> None:
    await say(memory, *SMALL_TALK)
    mistaken = Broken()
    mistaken.error = TypeError("not a vector")
    with pytest.raises(TypeError):
        await recall(memory, "Is the walnut cake for me?", embedder=mistaken)


async def test_a_conversation_deleted_meanwhile_breaks_nothing(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    await say(memory, "user My bicycle is green")
    await say(memory, "user My bicycle is blue", agent="other")
    doomed = await memory.conversation("ana", "other")

    class Deleting(WordLlama):
        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(texts) > 1:
                await doomed.delete()
            return await super().embed(texts)

    hits = await recall(memory, "What colour is my bicycle?", embedder=Deleting())
    assert [hit.text for hit in hits] == ["My bicycle is green"]
    assert await vectors(admin, memory) == 1


async def test_whoever_recalls_does_not_wait_for_whoever_deletes(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    """They would wait for each other: the one has locked some of the messages, and the other the rest."""
    await say(memory, *(f"user My bicycle is number {number}" for number in range(3)))
    chat = await memory.conversation("ana", "guide")
    async with admin.transaction():
        await admin.execute("delete from recollect.messages where conversation = $1 and seq = 2", chat.id)
        asked = asyncio.create_task(recall(memory, "What number is my bicycle?"))
        await asyncio.wait([asked], timeout=2)
        await admin.execute("delete from recollect.messages where conversation = $1", chat.id)
    assert len(await asked) == 3
    assert await vectors(admin, memory) == 0


async def test_vectors_go_with_their_messages(memory: Recollect, admin: asyncpg.Connection) -> None:
    await say(memory, *SMALL_TALK)
    await recall(memory, "bicycle")
    assert await vectors(admin, memory) == len(SMALL_TALK)
    await (await memory.conversation("ana", "guide")).clear()
    assert await vectors(admin, memory) == 0
    assert await recall(memory, "bicycle") == []


async def test_many_at_once_agree(memory: Recollect, admin: asyncpg.Connection) -> None:
    await say(memory, *(f"user the {number}th sheep jumps over the fence" for number in range(300)))
    await say(memory, "user The wolf sleeps behind the barn")
    answers = await asyncio.gather(*(recall(memory, "Where does the wolf sleep?") for _ in range(8)))
    assert {one[0].text for one in answers} == {"The wolf sleeps behind the barn"}
    assert len({len(one) for one in answers}) == 1
    assert await vectors(admin, memory) == 301


async def test_long_conversations_are_searched_whole(memory: Recollect) -> None:
    """Every message counts, however many there are, and those of one moment stay in order."""
    chat = await memory.new_conversation("ana", "guide")
    for start in range(0, 3000, 1000):
        await chat.extend(
            [("user", f"note {number}: nothing of importance") for number in range(start, start + 1000)]
        )
    await chat.append("user", "The safe opens with the code 4711")
    for start in range(0, 2000, 1000):
        await chat.extend(
            [("user", f"note {number}: nothing of importance") for number in range(start, start + 1000)]
        )
    for _ in range(3):  # the first calls embed what they can
        assert (await recall(memory, "How does the safe open?"))[0].text == "The safe opens with the code 4711"


async def _said_over_the_years(memory: Recollect) -> None:
    for text, at in (
        ("We painted the kitchen yellow", datetime(2023, 5, 9, tzinfo=UTC)),
        ("The roof leaks since the storm", datetime(2024, 1, 20, tzinfo=UTC)),
        ("I have a new dentist, Dr. Okafor", datetime(2024, 2, 19, tzinfo=UTC)),
    ):
        await say(memory, f"user {text}", at=at)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("what did we talk about last May?", "kitchen"),
        ("What did I tell you in January 2024?", "roof"),
        ("what happened two weeks ago?", "dentist"),
        ("¿de qué hablamos en mayo de 2023?", "kitchen"),
    ],
)
async def test_what_was_said_at_a_time_is_found_by_the_time_alone(
    memory: Recollect, query: str, text: str
) -> None:
    await _said_over_the_years(memory)
    hits = await recall(memory, query, as_of=START)
    assert len(hits) == 1
    assert text in hits[0].text
    assert hits[0].score >= 0.5
    assert await recall(memory, "what did we talk about in June 2021?", as_of=START) == []


LATELY = {
    "cake": (timedelta(days=9), ["How long does a sponge cake bake?", "About half an hour"]),
    "tax": (timedelta(hours=5), ["My tax return is due in June", "Shall I remind you?"]),
    "poem": (timedelta(minutes=20), ["Let us write a poem about herons", "Gladly"]),
}


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ("What did we talk about last time?", "tax"),
        ("summarize our previous conversation", "tax"),
        ("do you remember what we discussed last time?", "tax"),
        ("¿de qué hablamos la última vez?", "tax"),
        ("What have we talked about so far?", "poem"),
        ("what did I say?", "poem"),
    ],
)
@pytest.mark.parametrize("conversations", [1, 3])
async def test_what_was_said_lately_is_asked_for(
    memory: Recollect, query: str, about: str, conversations: int
) -> None:
    now = datetime.now(UTC)
    for number, (ago, texts) in enumerate(LATELY.values()):
        chat = await (memory.new_conversation if number < conversations else memory.conversation)("ana", "guide")
        for place, text in enumerate(texts):
            role = ("user", "assistant")[place]
            await chat.append(role, text, at=now - ago + timedelta(minutes=place))
    hits = await memory.recall(query, "ana", "guide", over="messages")
    assert sorted(hit.text for hit in hits) == sorted(LATELY[about][1])
    assert hits[0].score == 0.7
    earlier = await memory.recall(query, "ana", "guide", over="messages", as_of=now - timedelta(days=3))
    assert sorted(hit.text for hit in earlier) == sorted(LATELY["cake"][1])


@pytest.mark.parametrize(
    "query", ["tell me more", "say that again", "what did we say about owls?", "write it down"]
)
async def test_what_was_said_lately_is_not_asked_for(memory: Recollect, query: str) -> None:
    chat = await memory.conversation("ana", "guide")
    for role, text in (("user", "My tax return is due in June"), ("assistant", "Shall I remind you?")):
        await chat.append(role, text, at=datetime.now(UTC) - timedelta(hours=5))
    assert await memory.recall(query, "ana", "guide", over="messages") == []


async def test_nothing_comes_that_was_said_after_the_day_that_is_asked_as_of(memory: Recollect) -> None:
    await say(memory, "user I live in Leeds", at=START - timedelta(days=90))
    await say(memory, "user I live in Bristol", at=START + timedelta(days=60))
    assert "Bristol" in (await recall(memory, "where do I live?"))[0].text
    assert [hit.text for hit in await recall(memory, "where do I live?", as_of=START)] == ["I live in Leeds"]
    assert await recall(memory, "where do I live?", as_of=START - timedelta(days=200)) == []
    with pytest.raises(Invalid, match="as_of"):
        await recall(memory, "where do I live?", as_of="yesterday")


@pytest.mark.parametrize("query", ["moved", "did I move?", "when did we move?"])
async def test_the_very_word_is_enough(memory: Recollect, query: str) -> None:
    await say(memory, "user Tom and I moved to Bristol")
    assert [hit.text for hit in await recall(memory, query)] == ["Tom and I moved to Bristol"]


@pytest.mark.parametrize("threshold", ["0.5", [], True, 2])
async def test_a_threshold_is_a_number(memory: Recollect, threshold: Any) -> None:
    for over in ("memories", "messages"):
        with pytest.raises(Invalid, match="threshold"):
            await memory.recall("tea", "ana", "guide", threshold=threshold, over=over)


FILLER = tuple(
    f"user The {thing} is fine today" for thing in ("weather", "traffic", "coffee", "garden", "radio", "lamp")
)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Who did I teach to juggle?", "I taught my nephew how to keep three balls in the air"),
        ("Which wife of a colleague did I meet?", "Colleagues brought their wives along, Greta was the nicest"),
        ("What did I choose for the hallway?", "For that corridor I chose a pale green"),
    ],
)
async def test_a_word_is_found_by_another_that_it_changes_into(memory: Recollect, query: str, told: str) -> None:
    await say(memory, *FILLER, f"user {told}", "user My nephew keeps bees", "user The hallway is long and dark")
    hits = await recall(memory, query, threshold=0.0, limit=3)
    asked = {"taught": "teach", "wives": "wife", "chose": "choose"}
    word = next(base for form, base in asked.items() if form in told)
    found = next(hit for hit in hits if hit.text == told)
    assert f"'{word}'" in found.why


async def test_what_happened_on_a_day_is_found_where_it_is_told_the_day_after(memory: Recollect) -> None:
    day = datetime(2024, 5, 16, 18, tzinfo=UTC)
    await say(memory, "user Lovely evening on the porch", at=day - timedelta(days=30))
    await say(memory, "user Yesterday I repainted the shed", at=day + timedelta(days=1))
    await say(memory, "user I am off to the dentist", at=day + timedelta(days=2))
    now = datetime(2024, 9, 1, tzinfo=UTC)
    hits = await recall(memory, "What was I doing on May 16, 2024?", as_of=now)
    assert [hit.text for hit in hits] == ["Yesterday I repainted the shed"]
    assert await recall(memory, "What did we talk about on May 16, 2024?", as_of=now) == []
    hits = await recall(memory, "What did we talk about on May 17, 2024?", as_of=now)
    assert [hit.text for hit in hits] == ["Yesterday I repainted the shed"]


async def test_of_a_talk_that_is_asked_by_the_last_turn_counts_most(memory: Recollect) -> None:
    skis, kiln = "My skis are in the attic, behind the sledge", "The kiln is at the potter's workshop in Ghent"
    await say(memory, *FILLER, f"user {skis}", f"user {kiln}")
    talk = "Ana: I wonder where the {} is these days", "Guide: Tell me more", "Ana: Or rather, where is the {}?"
    for first, last, told in (("sledge", "kiln", kiln), ("kiln", "sledge", skis)):
        asked = "\n".join(talk).format(first, last)
        hits = await recall(memory, asked, threshold=0.0)
        assert hits[0].text == told, last


async def test_what_was_told_beside_it_does_not_come_along(memory: Recollect) -> None:
    """A user tells an assistant one thing and another; two people who chat go on about one."""
    await say(
        memory,
        "user I run a bakery in Lucca",
        "assistant Thanks!",
        "user Two cooks work for me, Abel and Rosa",
        "assistant Okay, noted.",
        "user Every month I have to send in the accounts",
        "assistant I see.",
        "user Give me short lists, not essays",
    )
    hits = await recall(memory, "Who works for me?")
    assert [hit.text for hit in hits] == ["Two cooks work for me, Abel and Rosa"]
    await say(memory, "assistant Which wool do you knit with?", "user Merino", at=START + timedelta(days=1))
    assert "Merino" in [hit.text for hit in await recall(memory, "Which wool do I knit with?")]


async def test_who_asks_what_somebody_does_for_a_living_does_not_ask_who_lives_where(memory: Recollect) -> None:
    await say(memory, "user My aunt lives in Bergen", "assistant Nice.", "user I paint boats, that is my job")
    assert [hit.text for hit in await recall(memory, "What do I do for a living?")] == [
        "I paint boats, that is my job"
    ]


async def test_somebody_is_found_by_another_name_for_them(memory: Recollect) -> None:
    await say(memory, *FILLER, "user My mother lives in Bergen", "assistant Nice.", "user My aunt lives in Ulm")
    assert (await recall(memory, "Where does my mum live?"))[0].text == "My mother lives in Bergen"


async def test_that_somebody_has_a_name_need_not_be_said(memory: Recollect) -> None:
    await say(memory, *FILLER, "user My sister Signe is an architect", "assistant Nice.")
    later = START + timedelta(days=1)
    await say(memory, "user Just call me by my first name", "assistant Fine.", at=later)
    assert (await recall(memory, "What's my sister's name?"))[0].text == "My sister Signe is an architect"
    await say(memory, "user We live in Oslo by now", "assistant Good.", at=later)
    assert (await recall(memory, "Which city do I live in?"))[0].text == "We live in Oslo by now"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which restaurant did you recommend in Lisbon?", 1),
        ("what did you say about the tram?", 3),
        ("what did you suggest for my tomatoes?", 5),
        ("what did I tell you about my tomatoes?", 4),
        ("where do I want to go in June?", 0),
    ],
)
async def test_what_was_answered_is_told_by_who_answered(memory: Recollect, question: str, first: int) -> None:
    said = [
        *("I want to visit Lisbon in June, any tips?", "Stay in Alfama, and eat at Taberna das Flores."),
        *("Thanks! And how do I get around?", "Buy a card; the 28 tram is crowded, so take it before nine."),
        *("My tomatoes have yellow leaves.", "That may be magnesium; a spoon of Epsom salt helps."),
    ]
    for start in range(0, len(said), 2):
        chat = await memory.new_conversation(user="ana", agent="cook")
        await chat.extend([("user", said[start]), ("assistant", said[start + 1])])
    hits = await memory.recall(question, user="ana", agent="cook", over="messages")
    assert hits[0].text == said[first]
