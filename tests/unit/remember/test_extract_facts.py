"""What is learned from sentences in the midst of chatter, and how it is said afterwards."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import Message, Role
from recollect.remember.extract import extract
from recollect.remember.extract.english import statements
from recollect.remember.extract.topics import CATEGORIES
from recollect.remember.gate import refusal
from recollect.remember.learning import MAX_LEARNED

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)  # a Thursday

ENGLISH = [
    ("I moved to Porto yesterday", "user moved to Porto on 2026-03-04"),
    ("I love foxes!", "user loves foxes"),
    ("my sister Ana lives in Lyon", "user's sister Ana lives in Lyon"),
    ("We adopted a dog last week.", "user adopted a dog in the week of 2026-02-23"),
    ("I'm allergic to peanuts.", "user is allergic to peanuts"),
    ("I am a retired pilot.", "user is a retired pilot"),
    ("I've been vegetarian since 2019.", "user has been vegetarian since 2019"),
    ("I don't eat pork.", "user doesn't eat pork"),
    ("I have two daughters and a son.", "user has two daughters and a son"),
    ("Yes, I work as a nurse at the city hospital.", "user works as a nurse at the city hospital"),
    ("I was born in Chile.", "user was born in Chile"),
    ("I grew up on a small farm.", "user grew up on a small farm"),
    ("My wife and I live in Ghent.", "user and their wife live in Ghent"),
    ("Well, I study marine biology.", "user studies marine biology"),
    ("I can't stand coriander.", "user can't stand coriander"),
    ("Knitting is my passion.", "knitting is user's passion"),
    ("My favourite colour is teal.", "user's favourite colour is teal"),
    ("I speak Dutch and Italian.", "user speaks Dutch and Italian"),
    ("I play the cello in an orchestra.", "user plays the cello in an orchestra"),
    ("I'm 34 years old and live in Berlin.", "user is 34 years old and lives in Berlin"),
    ("Last month I started a new job at a bakery.", "user started a new job at a bakery in 2026-02"),
    ("I got married two years ago.", "user got married in 2024"),
    ("I broke my ankle three weeks ago.", "user broke their ankle in the week of 2026-02-09"),
    ("I'm flying to Osaka next Friday.", "user is flying to Osaka on 2026-03-06"),
    ("I have a dentist appointment tomorrow.", "user has a dentist appointment on 2026-03-06"),
    ("I'm going to visit my parents next month.", "user is going to visit their parents in 2026-04"),
    ("I used to be a firefighter.", "user used to be a firefighter"),
    ("I collect old maps.", "user collects old maps"),
    ("I hate early meetings.", "user hates early meetings"),
    ("I prefer tea to coffee.", "user prefers tea to coffee"),
    ("Actually, I'm from New Zealand.", "user is from New Zealand"),
    ("My brother is a plumber.", "user's brother is a plumber"),
    ("My dog is called Biscuit.", "user's dog is called Biscuit"),
    ("I quit smoking in 2021.", "user quit smoking in 2021"),
    ("I teach maths at a primary school.", "user teaches maths at a primary school"),
    ("I own a small bookshop, but business is slow.", "user owns a small bookshop"),
    ("I drive an old tractor.", "user drives an old tractor"),
    ("I bought a sailing boat in May 2025.", "user bought a sailing boat in May 2025"),
    ("Thunder scares me.", "Thunder scares user"),
    ("I'm a data engineer at Acme in Oslo, been there 4 years.", "user is a data engineer at Acme in Oslo"),
    ("I work night shifts so don't schedule anything before noon.", "user works night shifts"),
    ("I have a son.", "user has a son"),
    ("I bought a boat in Brest and sold the house in Kent.", "user bought a boat in Brest and sold the house in Kent"),
    ("My daughter Rose has asthma.", "user's daughter Rose has asthma"),
    ("My left knee hurts when I run downhill.", "user's left knee hurts when they run downhill"),
    ("I'm terrified of spiders.", "user is terrified of spiders"),
    ("I've lived in Malmö for ten years.", "user has lived in Malmö for ten years"),
    ("I volunteer at an animal shelter.", "user volunteers at an animal shelter"),
    ("I want to become a pilot.", "user wants to become a pilot"),
    ("We're expecting a baby in June 2026.", "user is expecting a baby in June 2026"),
]  # fmt: skip
SPANISH = [
    ("Vivo en Oporto.", "usuario vive en Oporto"),
    ("Me mudé a Lisboa la semana pasada.", "usuario se mudó a Lisboa en la semana del 2026-02-23"),
    ("Soy alérgico a los cacahuetes.", "usuario es alérgico a los cacahuetes"),
    ("Mi hermana Ana vive en Lyon.", "la hermana de usuario, Ana, vive en Lyon"),
    ("Me gusta el té verde.", "a usuario le gusta el té verde"),
    ("No me gustan los champiñones.", "a usuario no le gustan los champiñones"),
    ("Trabajo como enfermera en Sevilla.", "usuario trabaja como enfermera en Sevilla"),
    ("Tengo dos hijos y un perro.", "usuario tiene dos hijos y un perro"),
    ("Ayer compré una bicicleta.", "usuario compró una bicicleta el 2026-03-04"),
    ("Nací en Bogotá.", "usuario nació en Bogotá"),
    ("Bueno, soy vegetariana.", "usuario es vegetariana"),
    ("Empecé un trabajo nuevo hace dos meses.", "usuario empezó un trabajo nuevo en 2026-01"),
    ("Estoy aprendiendo alemán.", "usuario está aprendiendo alemán"),
    ("Toco la guitarra en una banda.", "usuario toca la guitarra en una banda"),
    ("Me encanta el senderismo.", "a usuario le encanta el senderismo"),
    ("Hemos adoptado un gato.", "usuario ha adoptado un gato"),
    ("Mi color favorito es el verde.", "el color favorito de usuario es el verde"),
    ("El ajedrez es mi pasión.", "el ajedrez es la pasión de usuario"),
    ("Hablo inglés y francés.", "usuario habla inglés y francés"),
    ("No como carne.", "usuario no come carne"),
    ("Voy a viajar a Japón el próximo mes.", "usuario va a viajar a Japón en 2026-04"),
    ("Mañana voy al dentista.", "usuario va al dentista el 2026-03-06"),
    ("Mi hijo tiene cinco años.", "el hijo de usuario tiene cinco años"),
    ("Me casé el 5 de mayo de 2020.", "usuario se casó el 5 de mayo de 2020"),
    ("Tengo miedo a volar.", "usuario tiene miedo a volar"),
    ("Me operaron de la rodilla en 2019.", "a usuario le operaron de la rodilla en 2019"),
    ("Mi vuelo a Roma sale el 3 de diciembre.", "el vuelo a Roma de usuario sale el 3 de diciembre"),
    ("Acabo de empezar un máster en Madrid.", "usuario acaba de empezar un máster en Madrid"),
    ("Usamos Django en el trabajo.", "usuario usa Django en el trabajo"),
    ("Mi madre vive con nosotros.", "la madre de usuario vive con usuario"),
    ("Uso Linux en el trabajo.", "usuario usa Linux en el trabajo"),
    ("Leo novelas policíacas en el tren.", "usuario lee novelas policíacas en el tren"),
]  # fmt: skip
CHATTER = [
    "Hi there!", "Haha, that's great.", "What do you think?", "Sounds good, thanks a lot!", "I agree.", "Really?",
    "I'm glad to hear that.", "You too!", "Hola, ¿qué tal?",
]  # fmt: skip


def message(seq: int, content: str, role: Role = "user", name: str | None = None) -> Message:
    return Message(
        conversation="c",
        seq=seq,
        id=str(seq),
        role=role,
        content=content,
        created_at=SAID,
        name=name,
    )


def among_chatter(fact: str, place: int) -> list[Message]:
    texts = [*CHATTER[:place], fact, *CHATTER[place:]]
    return [message(seq, text) for seq, text in enumerate(texts, 21)]


@pytest.mark.parametrize(("fact", "learned"), ENGLISH + SPANISH)
def test_a_fact_is_learned_in_the_third_person(fact: str, learned: str) -> None:
    messages = among_chatter(fact, len(fact) % 9)
    (candidate,) = extract(messages)
    assert candidate.text == learned
    assert candidate.category in CATEGORIES
    (cited,) = [one for one in messages if candidate.first <= one.seq <= candidate.last]
    assert cited.content == fact
    assert refusal(candidate, [cited]) is None


def told(*texts: str, limit: int = 3) -> list[str]:
    return [one.text for one in extract([message(seq, text) for seq, text in enumerate(texts, 1)], limit)]


def test_named_people_are_named() -> None:
    messages = [
        message(1, "Hey Omar! I adopted a parrot yesterday.", name="Ines"),
        message(2, "Lovely, Ines! My mother breeds parrots.", role="assistant", name="Omar"),
    ]
    assert [one.text for one in extract(messages)] == [
        "Ines adopted a parrot on 2026-03-04",
        "Omar's mother breeds parrots",
    ]


def test_only_people_are_listened_to() -> None:
    fact = "I live in Porto and I love foxes."
    roles: tuple[Role, ...] = ("tool", "system")
    for role in roles:
        assert extract([message(1, fact, role=role)]) == []
    assert extract([message(1, fact, role="assistant", name="Helper"), message(2, "Hi")]) == []


def test_of_an_assistant_only_what_it_is_like_is_kept_and_after_what_it_is_told() -> None:
    said = [
        message(1, "I live in Porto and I love foxes.", role="assistant"),
        message(2, "I have updated the file. I ran the tests. I can help you. I'm an AI.", role="assistant"),
        message(3, "I'm allergic to nuts. My son is a pilot."),
    ]
    assert [one.text for one in extract(said)] == [
        "agent lives in Porto", "user is allergic to nuts", "user's son is a pilot",
    ]  # fmt: skip


def test_the_best_few_are_kept_in_the_order_they_were_said() -> None:
    texts = [
        "I like jazz.",
        "I live in Ghent.",
        "I'm allergic to nuts.",
        "My son is a pilot.",
        "I collect stamps.",
    ]
    learned = told(*texts)
    assert len(learned) == 3
    assert learned == sorted(
        learned, key=lambda text: next(i for i, one in enumerate(texts) if one.split()[-1] in text + ".")
    )
    assert len(told(*texts, limit=1)) == 1
    assert told(*texts, limit=0) == []


def test_the_same_thing_twice_is_one() -> None:
    assert told("I live in Ghent.", "Yes, I live in Ghent now.") == ["user lives in Ghent"]


@pytest.mark.parametrize(
    "text",
    [
        "If I lived in Rome, I would be happy.",
        "Maybe I'll move to Rome.",
        "I might buy a house.",
        "I wish I had a dog.",
        "I think she lives in Rome.",
        "Do I live in Rome?",
        "I love this place.",
        "I have it.",
        "You said I live in Rome.",
        "Si viviera en Roma, tendría un perro.",
        "Quizás me mude a Roma.",
    ],
)
def test_what_is_uncertain_or_points_elsewhere_is_not_learned(text: str) -> None:
    assert told(text) == []


def test_what_a_change_of_state_is_valid_from_and_when_a_plan_is_over() -> None:
    moved, plan, likes = (
        extract([message(1, text)])[0]
        for text in ("I moved to Porto yesterday.", "I have a dentist appointment tomorrow.", "I love foxes.")
    )
    assert moved.valid_from == datetime(2026, 3, 4, tzinfo=UTC)
    assert (plan.valid_from, plan.expires_at) == (SAID, datetime(2026, 3, 14, tzinfo=UTC))
    assert (likes.valid_from, likes.expires_at, moved.expires_at) == (SAID, None, None)


def test_what_matters_most() -> None:
    allergy, family, taste = (
        extract([message(1, text)])[0]
        for text in ("I'm allergic to nuts.", "I have two sons.", "I visited Rome last week.")
    )
    assert (allergy.category, family.category, taste.category) == ("health", "family", "event")
    assert allergy.importance > family.importance > taste.importance


@given(st.lists(st.text(max_size=300), max_size=10))
def test_any_text_is_survived_and_what_is_learned_is_short(texts: list[str]) -> None:
    for one in extract([message(seq, text) for seq, text in enumerate(texts, 1)]):
        assert 0 < len(one.text) <= MAX_LEARNED
        assert 0 <= one.importance <= 1


@given(
    st.permutations(
        ["I", "my", "we", "live", "in", "Rome", "and", "have", "been", "to", "the", "yesterday", "is", "'m"]
    )
)
def test_any_order_of_words_is_survived(words: list[str]) -> None:
    extract([message(1, " ".join(words))])


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My dad died.", "user's dad died"),
        ("Our dog Biscuit passed away.", "user's dog Biscuit passed away"),
        ("Tom and I broke up.", "user broke up with Tom"),
        ("Sara and I got engaged!", "user got engaged to Sara"),
        ("Ben and I are separated.", "user is separated from Ben"),
        ("I dropped out of the marathon.", "user dropped out of the marathon"),
        ("I had to drop out of college.", "user had to drop out of college"),
    ],
)
def test_what_is_over_is_learned(said: str, known: str) -> None:
    assert known in [one.text for one in extract([message(1, said)])]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I was born in Recife but grew up in Lisbon.", ["user was born in Recife", "user grew up in Lisbon"]),
        (
            "Mi hermano Iker, que vive en Londres, es cocinero.",
            ["el hermano de usuario, Iker, vive en Londres", "el hermano de usuario, Iker, es cocinero"],
        ),
        ("I'm Ben, 29, from Leeds", ["user is Ben", "user is 29", "user is from Leeds"]),
        ("Hi, I'm Ana, 34, a nurse from Vigo.", ["user is Ana", "user is 34", "user is a nurse from Vigo"]),
        ("I'm from Egypt but living in Toronto.", ["user is from Egypt", "user is living in Toronto"]),
        ("im from egypt but living in toronto rn", ["user is from egypt", "user is living in toronto"]),
    ],
)
def test_who_says_several_things_of_themselves_at_once_is_known_by_each(said: str, known: list[str]) -> None:
    assert {one.text for one in extract([message(1, said)])} == set(known)


def test_a_name_is_no_verb_in_english() -> None:
    (asthma,) = statements("My daughter Rose has asthma.", "user")
    assert (asthma.verb, asthma.tense, asthma.rest) == ("have", "present", "daughter rose | asthma")


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I've booked a flight to Rome on August 4", "user has booked a flight to Rome on 2026-08-04"),
        ("I decided to leave Acme on February 20", "user decided to leave Acme on 2026-02-20"),
        ("I decided to sell the boat on January 2", "user decided to sell the boat on 2027-01-02"),
        ("We decided to move on September 3", "user decided to move on 2026-09-03"),
        ("I decided to go vegan on Friday", "user decided to go vegan on Friday"),
        ("We bought tickets for the opera on 2 November", "user bought tickets for the opera on 2026-11-02"),
        ("My operation was scheduled for July 9", "user's operation was scheduled on 2026-07-09"),
        ("he reservado un vuelo a Roma el 4 de agosto", "usuario ha reservado un vuelo a Roma el 2026-08-04"),
        ("decidí dejar el trabajo el 15 de julio", "usuario decidió dejar el trabajo el 2026-07-15"),
        ("I bought a boat on 3 August", "user bought a boat on 2025-08-03"),
        ("me mudé a Sevilla el 3 de octubre", "usuario se mudó a Sevilla el 2025-10-03"),
    ],
)
def test_what_was_arranged_lies_ahead(said: str, known: str) -> None:
    (candidate,) = extract([message(30, said)])
    assert candidate.text == known
    assert refusal(candidate, [message(30, said)]) is None


def test_in_spanish_what_we_did_or_shall_do_on_some_day_is_not_told() -> None:
    assert extract([message(30, "nos casamos el 8 de octubre")]) == []
    assert extract([message(30, "nos mudamos a Sevilla en octubre")]) == []
    (known,) = extract([message(30, "nos casamos el 8 de octubre de 2020")])
    assert known.text == "usuario se casó el 8 de octubre de 2020"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("me and my gf broke up last week :(", ["user and their gf broke up in the week of 2026-02-23"]),
        (
            "me and my best friend run a podcast about bees",
            ["user and their best friend run a podcast about bees"],
        ),
        ("I'm a baker and me and my wife live in Leeds", ["user is a baker", "user and their wife live in Leeds"]),
        ("My brother and my sister live in Oslo", ["user's brother and their sister live in Oslo"]),
        ("My grandmother and my uncle came from Turin", ["user's grandmother and their uncle came from Turin"]),
        ("My wife is vegan and my son is vegetarian", ["user's wife is vegan", "user's son is vegetarian"]),
        ("I live in Porto <3", ["user lives in Porto"]),
        ("I'm an uncle now :)", ["user is an uncle"]),
    ],
)
def test_of_two_who_share_a_verb_none_is_lost(said: str, known: list[str]) -> None:
    assert sorted(told("Hi!", said)) == sorted(known)


@pytest.mark.parametrize(
    ("said", "known", "category"),
    [
        ("mi novia Ada vive en Lugo, nos vemos los lunes", "la novia de usuario, Ada, vive en Lugo", "family"),
        ("trabajo con Ada, nos repartimos los turnos", "usuario trabaja con Ada", "work"),
        ("me fui a vivir con Ada a Lugo", "usuario se fue a vivir con Ada a Lugo", "home"),
        ("me he ido a vivir a Jaén", "usuario se ha ido a vivir a Jaén", "home"),
    ],
)
def test_in_spanish_what_we_do_is_not_done_to_somebody_and_who_goes_to_live_moves(
    said: str, known: str, category: str
) -> None:
    assert [(one.text, one.category) for one in extract([message(30, said)])] == [(known, category)]


@pytest.mark.parametrize(
    "said",
    [
        "In the novel I'm writing, I live on Mars.",
        "In my dream I lived in Tokyo.",
        "In the game we own a castle in Leeds.",
        "in this story my brother is a pilot",
        "En mi novela vivo en Marte.",
        "En el juego tengo un castillo.",
    ],
)
def test_what_is_so_in_a_story_is_not_learned(said: str) -> None:
    assert told("Hi!", said) == []


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I play in a musical and I live in Oslo.", ["user plays in a musical", "user lives in Oslo"]),
        ("I'm in a book club and I love Austen.", ["user is in a book club", "user loves Austen"]),
        ("Trabajo en una película y vivo en Lugo.", ["usuario trabaja en una película", "usuario vive en Lugo"]),
        ("my birthday's on May 3rd", ["user's birthday is on May 3rd"]),
        ("my brother's in Oslo", ["user's brother is in Oslo"]),
        ("I turn 40 next month", ["user turns 40 in 2026-04"]),
        ("I weigh 82 kilos", ["user weighs 82 kilos"]),
    ],
)
def test_what_only_looks_like_a_story_and_figures_of_somebody_are(said: str, known: list[str]) -> None:
    assert sorted(told("Hi!", said)) == sorted(known)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My uncle Arthur died four years ago in February.", "user's uncle Arthur died in 2022-02"),
        ("I got married two years ago on 3 May", "user got married on 2024-05-03"),
        ("Me mudé a Lugo hace dos años en junio", "usuario se mudó a Lugo en 2024-06"),
        ("Me mudé a Lugo hace dos años, en junio", "usuario se mudó a Lugo en 2024-06"),
        ("I moved to Rome in June, two years ago", "user moved to Rome in 2024-06"),
        ("I moved to Rome in 2021, in June", "user moved to Rome in 2021, in 2021-06"),
        ("I moved to Rome in June", "user moved to Rome in 2025-06"),
    ],
)
def test_a_month_is_of_the_year_beside_it(said: str, known: str) -> None:
    assert [one.text for one in extract([message(30, said)])] == [known]


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("two years ago on 29 February", "in 2022 on 29 February"),
        ("in 2022 on 29 February", "in 2022 on 29 February"),
        ("two years ago on 28 February", "on 2022-02-28"),
    ],
)
def test_a_day_that_a_year_does_not_have(said: str, when: str) -> None:
    on_leap_day = datetime(2024, 2, 29, tzinfo=UTC)
    told = msgspec.structs.replace(message(30, f"I sold my car {said}"), created_at=on_leap_day)
    assert [one.text for one in extract([told])] == [f"user sold their car {when}"]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I carry an EpiPen in my bag.", "user carries an EpiPen in their bag"),
        ("I owe my cousin 80 euros.", "user owes their cousin 80 euros"),
        ("I can't tolerate wheat.", "user can't tolerate wheat"),
        ("I inject heparin every evening.", "user injects heparin every evening"),
        ("I despise liquorice.", "user despises liquorice"),
        ("I lease a van from Hertz.", "user leases a van from Hertz"),
        ("I homeschool my twins.", "user homeschools their twins"),
        ("I resigned from Globex yesterday.", "user resigned from Globex on 2026-03-04"),
        ("I borrowed 500 euros from my uncle in January.", "user borrowed 500 euros from their uncle in 2026-01"),
        ("I need crutches since my fall.", "user needs crutches since their fall"),
        ("I'd like you to call me Bea.", "user is called Bea"),
        ("I have epilepsy and carry an alarm.", "user has epilepsy and carries an alarm"),
        ("I own a mill and bake bread at weekends.", "user owns a mill and bakes bread at weekends"),
        ("I hate celery and love radishes.", "user hates celery and loves radishes"),
        ("I'm a midwife and work nights.", "user is a midwife and works nights"),
        ("I bought a loft in Ghent and work from home.", "user bought a loft in Ghent and works from home"),
        ("I knit and sew.", "user knits and sews"),
        ("I have a parrot and teach it songs.", "user has a parrot and teaches it songs"),
        ("It's my birthday on June 9.", "user's birthday is on June 9"),
        ("I'll be in Turin from 8 to 12 May.", "user will be in Turin between 2026-05-08 and 2026-05-12"),
        ("I'll be in Turin from May 8 to June 2.", "user will be in Turin from 2026-05-08 to 2026-06-02"),
        ("I gained 6 kilos over the winter.", "user gained 6 kilos over winter 2025"),
        ("I found a cottage in Devon.", "user found a cottage in Devon"),
        ("I found out I'm anaemic.", "user is anaemic"),
        ("The doctor says I have high blood pressure.", "user has high blood pressure"),
        ("Both my sisters are pilots.", "both of user's sisters are pilots"),
        ("One of my cats is diabetic.", "one of user's cats is diabetic"),
        ("Gout runs in my family.", "Gout runs in user's family"),
        ("There's a history of stroke in my family.", "there is a history of stroke in user's family"),
        ("Nora, my colleague, is vegan.", "user's colleague Nora is vegan"),
        ("Every morning I swim a mile.", "user swims a mile every morning"),
        ("Twice a week I see a physio.", "user sees a physio twice a week"),
        ("As it happens I speak Welsh.", "user speaks Welsh"),
        ("I manage the data team.", "user manages the data team"),
        ("I work on the database team.", "user works on the database team"),
        ("I play the cello.", "user plays the cello"),
        ("Our repo is a monorepo.", "user's repo is a monorepo"),
        ("I bought a server for my home lab.", "user bought a server for their home lab"),
        ("We store sessions in Postgres.", "user stores sessions in Postgres"),
        ("The booking reference is QT-7719.", "user's booking reference is QT-7719"),
        ("Le debo 80 euros a mi primo.", "usuario le debe 80 euros a su primo"),
        ("Me han diagnosticado TDAH.", "a usuario le han diagnosticado TDAH"),
        ("I sing alto in a choir.", "user sings alto in a choir"),
        ("Brief context: I'm a roofer.", "user is a roofer"),
        ("can't do gluten", "user can't do gluten"),
        ("not a fan of jazz", "user is not a fan of jazz"),
        ("never been to Africa", "user has never been to Africa"),
        ("I'm trying to lose weight.", "user is trying to lose weight"),
        ("I like lemons and cheese boards.", "user likes lemons and cheese boards"),
        ("I went to Turin and read a novel.", "user went to Turin and read a novel"),
    ],
)
def test_whatever_one_does_or_is_and_when(said: str, known: str) -> None:
    assert told(said) == [known]


@pytest.mark.parametrize(
    "said",
    [
        "I owe you an apology.",
        "I carry on as before.",
        "I need help with my insulin pump.",
        "I need a summary of my diabetes report.",
        "I suspect a leak in the parser.",
        "I removed the file from the repository.",
        "I include the log of the server below.",
        "I met Tom and envy him a lot.",
        "Don't drink the water.",
        "I found a bug in the parser.",
        "Muevo el archivo a otra carpeta.",
        "Prefiero la segunda opción.",
        "Le debo una disculpa.",
        "Le debo llamar mañana.",
        "I slept like a log.",
        "My street looks like a river.",
        "I moved the button to the left.",
        "I merged the branch yesterday.",
        "I store the tokens in Redis.",
        "I use a dictionary to count the words.",
        "I prefer the second option.",
        "I get a TypeError when I call the function.",
        "I double checked the docs.",
        "My test fails on CI.",
        "Our API returns 500.",
        "All my hard work paid off.",
        "Every time I run I get shin pain.",
        "There's a bug in my code.",
        "never mind",
        "I'm trying to learn how this works.",
    ],
)
def test_what_goes_on_in_the_talk_is_not_learned(said: str) -> None:
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My uncle lost his licence.", ["user's uncle lost his licence"]),
        ("my niece hurt her knee", ["user's niece hurt her knee"]),
        ("My cousin moved to Bonn with her husband.", ["user's cousin moved to Bonn with her husband"]),
        ("My brother and his wife live in Cork.", ["user's brother and his wife live in Cork"]),
        ("My parrot broke its wing.", ["user's parrot broke its wing"]),
        ("My doctor put me on warfarin.", ["user's doctor put user on warfarin"]),
        ("My niece met his boss in Rome.", []),
        ("My uncle met her in Rome.", []),
        ("My mum cooks and his dad eats.", []),
    ],
)
def test_of_somebody_of_theirs_what_is_his_or_hers(said: str, known: list[str]) -> None:
    assert told(said) == known


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Skip the cheese, since I'm vegan.", ["user is vegan"]),
        ("Can you suggest a dessert, because I'm allergic to almonds?", ["user is allergic to almonds"]),
        ("As a diabetic I have to watch what I eat.", ["user is a diabetic"]),
        ("The reason I'm asking is that my mother has dementia.", ["user's mother has dementia"]),
        ("I can't come because I have a meeting.", []),
        ("As a user I want to log in.", []),
        ("If I stayed because I'm vegan, what would you cook?", []),
        ("Como soy celíaca, recomiéndame un restaurante.", ["usuario es celíaca"]),
        ("Como tengo hambre, dime algo rápido.", []),
    ],
)
def test_why_tells_who_somebody_is(said: str, known: list[str]) -> None:
    assert told(said) == known


def test_of_two_in_a_sentence_the_later_comes_later() -> None:
    assert told("I was vegetarian but now I eat fish.") == ["user was vegetarian", "user eats fish"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("I let my kids eat sweets and drink soda.", ["user lets their kids eat sweets and drink soda"]),
        ("I help people buy and sell houses.", ["user helps people buy and sell houses"]),
        ("I see clients and teach yoga.", ["user sees clients and teaches yoga"]),
        ("Never eat raw chicken.", []),
    ],
)
def test_what_others_are_let_or_told_to_do_is_not_done_by_the_speaker(said: str, shown: list[str]) -> None:
    assert [one.text for one in statements(said, "user")] == shown
