"""Recall over memories where the question and what answers it have no word in common, or are not near."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Recollect, Unavailable

TOLD = [
    "user is vegetarian",
    "user has two rabbits, Pip and Squeak",
    "user's manager is Priya",
    "user has asthma",
    "user prefers dark mode",
    "the staging server is called atlas",
    "la usuaria es enfermera",
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("dinner ideas", 0),
        ("what should I cook tonight?", 0),
        ("what must she not eat?", 0),
        ("what are my pets called?", 1),
        ("who is my boss?", 2),
        ("which medicines should I avoid?", 3),
        ("¿cuál es mi trabajo?", 6),
    ],
)
async def test_what_is_asked_for_is_known_by_other_words(memory: Recollect, query: str, best: int) -> None:
    for text in TOLD:
        await memory.remember(text, user="ana", agent="librarian")
    (hit,) = await memory.recall(query, user="ana", agent="librarian")
    assert hit.text == TOLD[best]
    assert hit.why.startswith("speaks of ")
    chat = await memory.conversation(user="ana", agent="librarian")
    assert [hit.text for hit in (await chat.context(query)).memories] == [TOLD[best]]
    assert await memory.recall(query, user="ana", agent="librarian", threshold=0.8) == []


MORE = [
    "user plays the oboe in an orchestra",
    "user is married to Tomas, a baker",
    "user is afraid of spiders",
    "user was diagnosed with arthritis",
    "user works as a surveyor",
    "user's aunt lives in Bergen",
    "user's grandfather is ninety",
    "user does not eat shellfish",
    "user writes everything in Emacs",
    "user takes the tram",
    "user is translating the Kalevala",
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("Which instrument do I play?", 0),
        ("What does my husband do?", 1),
        ("What am I scared of?", 2),
        ("What chronic disease do I have?", 3),
        ("What do I do for a living?", 4),
        ("How old is my grandpa?", 6),
        ("Which foods should I avoid?", 7),
        ("Which editor do I use?", 8),
        ("Which instrument am I learning?", 0),
        ("Do I have any medical conditions?", 3),
        ("Which text do I translate?", 10),
    ],
)
async def test_other_matters_are_known_by_other_words_too(memory: Recollect, query: str, best: int) -> None:
    for text in MORE:
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall(query, user="ana", agent="librarian")
    assert [hit.text for hit in hits] == [MORE[best]]


async def test_among_few_memories_less_near_is_as_related(memory: Recollect) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    editor = "user's editor is Neovim with the Catppuccin theme"
    graphs = "User monitors production with Prometheus and Grafana"
    budget = "User's family budget for groceries is $220 per week"
    for text in (editor, graphs, budget):
        await memory.remember(text, **who)
    for query in ("preferred text editor", "text editor"):
        (hit,) = await memory.recall(query, **who)
        assert (hit.text, hit.score) == (editor, 0.6)
        assert await memory.recall(query, **who, threshold=0.7) == []
        chat = await memory.conversation(**who)
        assert [one.text for one in (await chat.context(query)).memories] == [editor]
    # Small talk is about nothing, and of what is named nobody has heard.
    for query in ("thanks so much!", "Who painted the Mona Lisa?"):
        assert await memory.recall(query, **who) == []
    for number in range(300):
        await memory.remember(f"user saw comet {number} above the hills", **who)
    assert await memory.recall("preferred text editor", **who) == []
    assert await memory.recall("preferred text editor", **who, threshold=0.2) != []


LIKED = [
    "user was born on 2 February 1949",
    "user earns 60,000 euros a year",
    "user speaks some Norwegian",
    "user listens to jazz",
    "user is reading crime fiction",
    "user watches documentaries",
    "user hates cilantro",
    "user drives to Acme, the company of Bo",
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("How old am I?", 0),
        ("What's my date of birth?", 0),
        ("what is my salary?", 1),
        ("Which languages do I know?", 2),
        ("recommend some music", 3),
        ("Recommend me a book", 4),
        ("suggest a movie for tonight", 5),
        ("my likes and dislikes", 6),
        ("What do I dislike?", 6),
        ("which company employs me?", 7),
    ],
)
async def test_what_somebody_is_and_likes_is_known_by_other_words(
    memory: Recollect, query: str, best: int
) -> None:
    for text in LIKED:
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall(query, user="ana", agent="librarian")
    assert [hit.text for hit in hits] == [LIKED[best]]


KEPT = [
    "user's wife is called Sara",
    "user has a dog named Rex",
    "user's name is Alice",
    "user lives in Berlin",
    "user is vegetarian",
    "user's email is alice@example.com",
    "user is training for a marathon",
    "user studied physics in Munich",
    "user prefers short answers",
    "user wakes up at 6 am",
    "the cleaner comes on Fridays",
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("user name", 2),
        ("user location", 3),
        ("user's dietary preferences", 4),
        ("food dislikes", 4),
        ("contact info", 5),
        ("goals", 6),
        ("education background", 7),
        ("communication style preferences", 8),
        ("morning routine", 9),
        ("family members", 0),
    ],
)
async def test_a_few_keywords_as_agents_put_them(memory: Recollect, query: str, best: int) -> None:
    for text in KEPT:
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall(query, user="ana", agent="librarian")
    assert hits[0].text == KEPT[best]
    assert len(hits) == (2 if query == "user name" else 1)


@pytest.mark.parametrize(
    "query", ["user location", "dietary preferences", "marathon", "where is Berlin?", "thanks!"]
)
async def test_a_lower_threshold_only_adds(memory: Recollect, query: str) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    for text in KEPT:
        await memory.remember(text, **who)
    related = await memory.recall(query, **who)
    for threshold in (0.4, 0.2, 0.0):
        hits = await memory.recall(query, **who, threshold=threshold)
        assert hits[: len(related)] == related
        assert len({hit.text for hit in hits}) == len(hits) <= 5
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(await memory.recall("marathon", **who, threshold=0)) == 5


THEIRS = [
    "user is based in Harrogate",
    "user's son David lives in Vancouver",
    "user has sleep apnea",
    "user's wife has diabetes",
    "Theo is allergic to peanuts",
    "user's sister Lena is a pilot",
    "the flatmates are loud at night",
    "user's dissertation is about eels",
]


@pytest.mark.parametrize(
    ("query", "first", "others"),
    [
        ("home address", 0, [1]),
        ("health conditions", 2, [3, 4]),
        ("user's siblings", 5, []),
        ("who are my roommates?", 6, []),
        ("thesis topic", 7, []),
    ],
)
async def test_what_is_the_users_own_comes_first(
    memory: Recollect, query: str, first: int, others: list[int]
) -> None:
    for text in THEIRS:
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall(query, user="ana", agent="librarian")
    assert hits[0].text == THEIRS[first]
    assert sorted(hit.text for hit in hits[1:]) == sorted(THEIRS[place] for place in others)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    "query",
    [
        "who wrote the book Dune?",
        "what is the age of the universe?",
        "translate this to another language",
        "what is the average salary in Peru?",
        "who invented music?",
        "how does a film projector work?",
        "goal of the meeting",
        "is the contact form broken?",
    ],
)
async def test_what_the_world_is_and_likes_is_not(memory: Recollect, query: str) -> None:
    for text in LIKED:
        await memory.remember(text, user="ana", agent="librarian")
    assert await memory.recall(query, user="ana", agent="librarian") == []


@pytest.mark.parametrize(
    "query",
    [
        "write a recipe parser in Python",
        "which instrument measures wind?",
        "how do phones work?",
        "is my neighbour married?",
        "name three animals of Australia",
        "who invented the menu key?",
        "how do pets evolve?",
        "dinner in the film Titanic",
    ],
)
async def test_only_a_question_about_nothing_else_is_widened(memory: Recollect, query: str) -> None:
    for text in TOLD:
        await memory.remember(text, user="ana", agent="librarian")
    assert [hit.text for hit in await memory.recall(query, user="ana", agent="librarian")] == []


@pytest.mark.parametrize("as_of", [None, datetime.now(UTC) + timedelta(days=1)])
async def test_all_that_is_known_needs_no_vectors(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch, as_of: datetime | None
) -> None:
    """The offline model says nothing about other scripts, and an endpoint may be away."""
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    told = ["пользователь живёт в Осло", "у пользователя есть собака"]
    for text in told:
        await memory.remember(text, **who)
    asked = "what do you know about me?"
    assert {hit.text for hit in await memory.recall(asked, **who, as_of=as_of)} == set(told)
    chat = await memory.conversation(**who)
    assert {hit.text for hit in (await chat.context(asked)).memories} == set(told)

    async def away(*_: object) -> object:
        raise Unavailable("embedder", "it is away")

    monkeypatch.setattr("recollect.recall.search.vectors_of", away)
    assert {hit.text for hit in await memory.recall(asked, **who, as_of=as_of)} == set(told)


SAID = [
    "Heads up for the team lunch: I can't eat nuts.",
    "I'm a nurse on the night shift.",
    "My cat Marmalade sleeps all day.",
    "My brother is a lawyer.",
    "Which laptop should a vegetarian lawyer buy?",
    "I run the little choir by the river.",
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("What am I allergic to?", 0),
        ("food allergies", 0),
        ("dinner ideas", 0),
        ("occupation", 1),
        ("do I have any pets?", 2),
        ("hobbies", None),
        ("what do I wear?", None),
    ],
)
async def test_what_was_said_is_known_by_other_words(memory: Recollect, query: str, best: int | None) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    for text in SAID:
        await chat.extend([("user", text), ("assistant", "I see, my dear vegetarian nurse with asthma.")])
    hits = await memory.recall(query, user="ana", agent="librarian", over="messages")
    assert [hit.text for hit in hits] == ([] if best is None else [SAID[best]])
    assert all(hit.why.startswith("speaks of ") for hit in hits)
    assert await memory.recall(query, user="ana", agent="librarian", over="messages", threshold=0.7) == []


@pytest.mark.parametrize(
    "query", ["What am I allergic to?", "do I have any allergies?", "food allergies", "snack ideas"]
)
async def test_what_somebody_cannot_eat_is_as_good_as_an_allergy(memory: Recollect, query: str) -> None:
    for text in ("user can't eat nuts", "user likes jazz", "user takes ibuprofen for headaches"):
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall(query, user="ana", agent="librarian")
    assert [hit.text for hit in hits] == ["user can't eat nuts"]
    for text in ("user eats out on Fridays", "user is allergic to lilies", "user bought snack bars"):
        await memory.remember(text, user="ana", agent="librarian")
    hits = await memory.recall(query, user="ana", agent="librarian")
    assert "user can't eat nuts" in [hit.text for hit in hits]


COMMON = [
    ("what's my name?", "user wants to be called Abi", "Call me Abi please."),
    ("what time do I get up?", "user gets up at 6", "I get up at 6 most days."),
    ("where am I from?", "user was born in Oulu", "I was born in Oulu."),
    ("who do I report to?", "user's boss is Priya", "My boss is Priya."),
]


@pytest.mark.parametrize(("query", "told", "said"), COMMON)
async def test_what_is_told_in_common_words_is_found(memory: Recollect, query: str, told: str, said: str) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    for text in (told, "user gets migraines from bright light", "user likes jazz"):
        await memory.remember(text, user="ana", agent="librarian")
    await chat.extend(
        [("user", said), ("assistant", "I see."), ("user", "I get migraines."), ("assistant", "Oh.")]
    )
    assert [hit.text for hit in await memory.recall(query, "ana", "librarian")] == [told]
    assert [hit.text for hit in await memory.recall(query, "ana", "librarian", over="messages")] == [said]


async def test_what_is_said_in_passing_tells_nothing(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    said = ["how's it going?", "I go to school in Oulu.", "At 71 I can do what I like."]
    for text in said:
        await chat.extend([("user", text), ("assistant", "I see.")])

    async def found(query: str) -> list[str]:
        return [hit.text for hit in await memory.recall(query, "ana", "librarian", over="messages")]

    assert said[0] not in await found("where did I go to school?")
    assert (await found("where do I go to school?"))[0] == said[1]
    assert said[2] in await found("what can I do at 71?")


async def test_of_what_kind_the_answer_is_need_not_be_said(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    told = "My bike was stolen at the station last night, a green Gazelle"
    for text in (told, "We are in Lisbon in May", "The soup needs more salt"):
        await chat.append("user", text)
        await chat.append("assistant", "I see.")
    (hit,) = await memory.recall("what colour was my bike?", user="ana", agent="librarian", over="messages")
    assert hit.text == told
    assert hit.score <= 0.6
    for query in ("what colour is Vega's bike?", "what colour was my kite?"):
        assert await memory.recall(query, user="ana", agent="librarian", over="messages") == []
