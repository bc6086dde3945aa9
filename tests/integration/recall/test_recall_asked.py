"""Ordinary questions about oneself: what one has, likes and does at a time, where one lived, and who one is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Recollect

WHO: dict[str, Any] = {"user": "u-1", "agent": "librarian"}
START = datetime(2024, 3, 4, 9, tzinfo=UTC)


async def tell(memory: Recollect, *texts: str) -> None:
    for place, text in enumerate(texts):
        await memory.remember(text, **WHO, valid_from=START + timedelta(days=place))


async def found(memory: Recollect, question: str) -> list[str]:
    hits = await memory.recall(question, **WHO)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    chat = await memory.conversation(**WHO)
    assert [hit.text for hit in (await chat.context(question)).memories] == [hit.text for hit in hits]
    return [hit.text for hit in hits]


async def said(memory: Recollect, question: str, *texts: str) -> list[str]:
    chat = await memory.conversation(**WHO)
    for place, text in enumerate(texts):
        await chat.append("user", text, at=START + timedelta(days=place))
    return [hit.text for hit in await memory.recall(question, **WHO, over="messages")]


@pytest.mark.parametrize(
    ("question", "known", "beside"),
    [
        ("where do I live?", "user lives in Graz", "user moved to the Pro plan"),
        ("where do I live?", "user lives in Graz", "user moved to a vegan diet"),
        ("where do I work?", "user works at the zoo", "user hired a nanny"),
        ("where do I work?", "user works at the zoo", "user started working on a new novel"),
        ("where do I work?", "user works at the zoo", "user started working out"),
    ],
)
async def test_not_every_move_is_one_of_house_or_work(
    memory: Recollect, question: str, known: str, beside: str
) -> None:
    await tell(memory, known, beside)
    assert (await found(memory, question))[0] == known


async def test_a_change_of_work_comes_before_what_is_no_work(memory: Recollect) -> None:
    await tell(memory, "user works at the zoo", "user was hired by the aquarium", "user works on a novel")
    assert (await found(memory, "where do I work?"))[0] == "user was hired by the aquarium"


async def test_not_every_move_that_is_spoken_of(memory: Recollect) -> None:
    texts = ["I live in Graz", "We moved into Chapter 3 of the audiobook"]
    assert (await said(memory, "where do I live?", *texts))[0] == texts[0]
    texts = ["I work at the zoo", "I started working on a novel yesterday"]
    assert (await said(memory, "where do I work?", *texts))[0] == texts[0]


@pytest.mark.parametrize(
    "question", ["what pets do I have?", "do I have pets?", "how many pets do I have?", "what animals do I have?"]
)
async def test_what_one_has_may_have_a_name(memory: Recollect, question: str) -> None:
    pets = ["user's dog Selkie is 3 years old", "user's cat Miso likes tuna"]
    await tell(memory, *pets, "user's brother Aksel lives on a boat")
    assert sorted(await found(memory, question)) == sorted(pets)


async def test_all_of_what_one_has(memory: Recollect) -> None:
    names = ["Aksel", "Berit", "Carsten", "Dagny", "Eivind", "Frida", "Gro"]
    await tell(memory, *(f"user's contact {name} is reached in room {name[0]}" for name in names))
    assert len(await found(memory, "which contacts do I have?")) == 5
    await tell(memory, "user's dog Selkie is 3 years old")
    assert await found(memory, "what dogs do I own?") == ["user's dog Selkie is 3 years old"]


async def test_who_asks_what_they_like_is_not_told_what_they_hate(memory: Recollect) -> None:
    liked = "user loves hiking"
    hated = ["user hates mornings", "user dislikes loud music", "user does not enjoy opera"]
    await tell(memory, liked, *hated)
    assert await found(memory, "what do I like?") == [liked]
    assert sorted(await found(memory, "what do I hate?")) == sorted(hated)
    assert sorted(await found(memory, "what do I dislike?")) == sorted(hated)
    assert sorted(await found(memory, "my likes and dislikes")) == sorted([liked, *hated])


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what do I have on 3 March?", 0),
        ("do I have anything on 3 March 2027?", 0),
        ("what do I have in December?", 1),
        ("any plans for 12 December?", 1),
        ("what's planned for December?", 1),
        ("¿qué tengo el 3 de marzo?", 0),
        ("what do I have on 4 April?", None),
        ("what did I buy in December?", None),
    ],
)
async def test_what_is_at_a_time(memory: Recollect, question: str, told: int | None) -> None:
    texts = ["user has a dentist appointment on 3 March 2027", "user flies to Rome on 12 December 2026"]
    for text in [*texts, "user likes tea", "user is insured with Gjensidige"]:
        await memory.remember(text, **WHO)
    assert await found(memory, question) == ([] if told is None else [texts[told]])


async def test_a_season_may_be_a_word(memory: Recollect) -> None:
    await tell(memory, "user plans to sail in summer", "user likes tea")
    assert await found(memory, "what are my plans for summer?") == ["user plans to sail in summer"]


async def test_whose_name_is_that_of_a_month(memory: Recollect) -> None:
    await tell(memory, "June's birthday is on 3 March", "user's brother's birthday is on 5 June")
    assert (await found(memory, "when is June's birthday?"))[0] == "June's birthday is on 3 March"
    assert (await found(memory, "whose birthday is in June?"))[0] == "user's brother's birthday is on 5 June"


async def test_what_happened_lately(memory: Recollect) -> None:
    now = datetime.now(UTC)
    await memory.remember("user plays chess", **WHO, valid_from=now - timedelta(days=400))
    await memory.remember("user broke a leg", **WHO, valid_from=now - timedelta(days=7))
    assert await found(memory, "what happened last week?") == ["user broke a leg"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where did I live before?", 0),
        ("where did I live previously?", 0),
        ("where did I live earlier?", 0),
        ("where do I live right now exactly?", 1),
        ("where do I live again?", 1),
    ],
)
async def test_where_one_lived_and_lives(memory: Recollect, question: str, first: int) -> None:
    texts = ["user lived in Madrid until 2020", "user lives in Lisbon"]
    await tell(memory, *texts, "user's mother lives in Voss")
    hits = await found(memory, question)
    assert (hits[0], sorted(hits)) == (texts[first], sorted(texts))
    assert [hit.text for hit in await memory.recall(question, **WHO, limit=1)] == hits[:1]


async def test_who_moved_from_somewhere_lived_there(memory: Recollect) -> None:
    await tell(memory, "user lives in Oslo", "user moved from Bergen to Oslo in 2019", "user likes tea")
    for question in ("where did I live before?", "where did I use to live?"):
        assert (await found(memory, question))[0] == "user moved from Bergen to Oslo in 2019"


async def test_what_is_known_of_somebody_by_name_follows_who_they_are(memory: Recollect) -> None:
    await tell(memory, "user's boyfriend is called Omri", "Omri works at Intel", "Tamar works at the post office")
    assert await found(memory, "what does my boyfriend do?") == [
        "user's boyfriend is called Omri",
        "Omri works at Intel",
    ]


async def test_what_is_due_at_a_time(memory: Recollect) -> None:
    told = "user has a deadline for the book cover on 3 December 2027"
    await tell(memory, told, "user likes tea")
    assert await found(memory, "what's due in December?") == [told]


async def test_how_old_somebody_is_comes_before_what_else_is_known_of_them(memory: Recollect) -> None:
    told = "user has a daughter named Lana who is 6"
    await tell(memory, told, "user's daughter plays the violin", "user's daughter is at school on Mondays")
    assert (await found(memory, "how old is my daughter?"))[0] == told
    assert (await found(memory, "what does my daughter play?"))[0] == "user's daughter plays the violin"


async def test_what_tells_a_time_comes_first_where_one_is_asked_for(memory: Recollect) -> None:
    told = "user visits their father every other Sunday"
    await tell(memory, told, "user's father has dementia", "user's mother died in 2019")
    assert (await found(memory, "when do I see my father?"))[0] == told
    assert (await found(memory, "how is my father?"))[0] == "user's father has dementia"


async def test_a_day_in_the_midst_of_several(memory: Recollect) -> None:
    told = "user will be in Madrid between 2031-12-03 and 2031-12-10"
    await tell(memory, told, "user will be in Oslo on 2031-11-02", "user plays the flute")
    assert await found(memory, "where will I be on 5 December 2031?") == [told]
    assert told not in await found(memory, "what happens on 12 December 2031?")


@pytest.mark.parametrize("question", ["what gives me headaches?", "do I have headaches?"])
async def test_a_headache_may_be_a_migraine(memory: Recollect, question: str) -> None:
    told = {"user gets migraines from red wine", "user takes sumatriptan for migraines"}
    await tell(memory, *told, "user's head of department is Bo")
    assert set(await found(memory, question)) == told


@pytest.mark.parametrize("question", ["what is FL-231?", "what is FL-231 about?", "is FL-231 open?", "FL-231"])
async def test_a_code_is_nobody(memory: Recollect, question: str) -> None:
    text = "user reported bug FL-231 about duplicate invoices"
    await tell(memory, text, "user fixed bug FL-198 with a lock", "user's manager is Priya")
    assert await found(memory, question) == [text]
    assert await found(memory, "what is FL-777?") == []
    assert await found(memory, "who's my boss?") == ["user's manager is Priya"]


async def test_who_one_is(memory: Recollect) -> None:
    who = ["user's name is Ana Ferreira", "user moved to Porto", "user works as a nurse"]
    others = [
        *("user hates cilantro", "user runs 10 km every Sunday", "user is allergic to peanuts"),
        *("user is afraid of heights", "user pays 850 euros of rent", "user's bank is Millennium"),
        *("user drives a Yaris", "user's sister Marta lives in Berlin", "user is learning German"),
    ]
    await tell(memory, "user lives in Braga", *others, *who)
    for question in ("who am I?", "what do you know about me?"):
        hits = await found(memory, question)
        assert (hits[:3], len(hits)) == (who, 5)


async def test_who_one_is_among_many_others(memory: Recollect) -> None:
    who = ["user's name is Ana Ferreira", "user lives in Braga", "user works as a nurse"]
    names = ["Aksel", "Berit", "Carsten", "Dagny", "Eivind", "Frida"]
    await tell(memory, *who, *(f"{name} is called by that name and works where {name} lives" for name in names))
    assert (await found(memory, "what do you know about me?"))[:3] == who


async def test_who_has_moved_lives_there_though_both_are_found(memory: Recollect) -> None:
    await tell(memory, "user lives in Lisbon with two cats", "user moved to Oslo to live by the sea")
    assert (await found(memory, "where do I live?"))[0] == "user moved to Oslo to live by the sea"


async def test_who_has_moved_does_not_live_where_somebody_of_theirs_does(memory: Recollect) -> None:
    texts = ["I live in Lisbon", "I moved to Oslo", "My mother lives in Porto"]
    assert (await said(memory, "where do I live?", *texts))[0] == "I moved to Oslo"


@pytest.mark.parametrize("question", ["who is Will?", "tell me about Will"])
async def test_a_name_may_be_a_word_among_messages(memory: Recollect, question: str) -> None:
    texts = ["My son Will starts school in September", "Will you help me?", "I will, it may take long"]
    assert (await said(memory, question, *texts))[0] == texts[0]


@pytest.mark.parametrize("question", ["who is May?", "tell me about May"])
async def test_a_name_may_be_that_of_a_month(memory: Recollect, question: str) -> None:
    texts = ["My daughter May plays the violin", "It may rain in May", "Will it be long?"]
    assert await said(memory, question, *texts) == texts[:1]


async def test_what_gives_a_name_among_messages(memory: Recollect) -> None:
    texts = ["I bought a boat called Kittiwake", "The engine of the boat is old", "I keep the boat in Oban"]
    assert (await said(memory, "what is my boat called?", *texts))[0] == texts[0]


@pytest.mark.parametrize("over", ["memories", "messages"])
async def test_who_wants_one_gets_the_first(memory: Recollect, over: str) -> None:
    texts = ["I have a boat called Kittiwake", "The engine of the boat is old", "I keep the boat in Oban"]
    await said(memory, "where?", *texts)
    await tell(memory, *texts)
    for limit in (1, 2, 5):
        hits = await memory.recall("what is my boat called?", **WHO, limit=limit, over=over)
        assert (len(hits) <= limit, hits[0].text) == (True, texts[0])


async def test_a_question_in_chinese(memory: Recollect) -> None:
    text = "我的生日是五月二十日,我喜欢吃火锅"
    assert await said(memory, "什么时候生日?", text, "I like tea") == [text]
    assert await said(memory, "你还记得我的生日吗?") == [text]


async def test_what_one_likes_by_that_word(memory: Recollect) -> None:
    await tell(memory, "user likes sushi", "user hates mornings", "user does not like olives")
    assert await found(memory, "what do I like?") == ["user likes sushi"]
    disliked = ["user does not like olives", "user hates mornings"]
    assert sorted(await found(memory, "what do I dislike?")) == disliked


@pytest.mark.parametrize("question", ["who is {}?", "tell me about {}"])
@pytest.mark.parametrize("name", ["Will", "May"])
async def test_a_name_may_be_a_word_among_memories(memory: Recollect, question: str, name: str) -> None:
    about = f"user's eldest child {name} starts school soon"
    await tell(memory, about, "user will fly to Rome in May", "user may move")
    assert await found(memory, question.format(name)) == [about]
    assert await found(memory, "who is Tom?") == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what's my name again?", "user is called Ivo"),
        ("do you know what my name is?", "user is called Ivo"),
        ("how old am I?", "user is 52"),
        ("hourly wage", "user earns 14 dollars at the quay"),
        ("how much do I give my mum?", "user sends his mother 500 dollars"),
        ("how should I be contacted?", "user prefers WhatsApp"),
        ("which football club do I support?", "user roots for Sporting"),
    ],
)
async def test_however_it_is_put(memory: Recollect, question: str, answer: str) -> None:
    await tell(
        memory,
        "user is called Ivo",
        "user is 52",
        "user collects old postcards",
        "user earns 14 dollars at the quay",
        "user sends his mother 500 dollars",
        "user prefers WhatsApp",
        "user roots for Sporting",
    )
    assert (await found(memory, question))[0] == answer


@pytest.mark.parametrize("over", ["memories", "messages"])
async def test_a_matter_of_somebody_of_theirs(memory: Recollect, over: str) -> None:
    await tell(memory, "user's mother has high blood pressure", "user has asthma", "user's mother grows leeks")
    texts = ["My mother has high blood pressure", "I have asthma", "My mother grows leeks"]
    await said(memory, "where?", *texts)
    hits = await memory.recall("how is my mum's health?", **WHO, over=over)
    assert [hit.text.replace("user's", "My") for hit in hits] == texts[:1]


async def test_what_is_told_in_other_words_follows(memory: Recollect) -> None:
    own, other = "user works from home on Fridays", "user is a beekeeper near Lublin"
    await tell(memory, own, other, "user's aunt is a beekeeper", "user plays the oboe")
    assert await found(memory, "where do I work?") == [own, other]
    hits = await memory.recall("where do I work?", **WHO, limit=1)
    assert [hit.text for hit in hits] == [own]


async def test_a_favourite_of_another_kind_is_none(memory: Recollect) -> None:
    await tell(memory, "user's favourite dish is laksa", "user paints boats")
    assert await found(memory, "what's my favourite colour?") == []
    assert await found(memory, "what's my favourite food?") == ["user's favourite dish is laksa"]
    assert await said(memory, "what's my favourite colour?", "My favourite dish is laksa", "I paint boats") == []
    assert await said(memory, "what's my favourite dish?") == ["My favourite dish is laksa"]


async def test_where_a_son_lives_is_not_where_the_user_does(memory: Recollect) -> None:
    assert (
        await said(memory, "where does my son live now?", "I live in a row house in Risskov", "I like tea") == []
    )


async def test_a_brother_is_no_sister(memory: Recollect) -> None:
    await tell(memory, "user's younger brother is in the army", "user plays the oboe")
    assert await found(memory, "do I have a sister?") == []
    assert await found(memory, "do I have a brother?") == ["user's younger brother is in the army"]


async def test_the_kids_have_names(memory: Recollect) -> None:
    named = "user has two sons, Rui and Ivo"
    await tell(memory, named, "user watches westerns with his sons on Friday nights", "user's son sails")
    assert (await found(memory, "what are my kids called?"))[0] == named


async def test_what_has_another_word_for_it_shares_none(memory: Recollect) -> None:
    await tell(memory, "user sends his mother 500 dollars", "user plays the oboe")
    (hit,) = await memory.recall("how much do I give my mum?", **WHO)
    assert "speaks of mum" in hit.why
    (hit,) = await memory.recall("oboe", **WHO)
    assert "shares obo" in hit.why
