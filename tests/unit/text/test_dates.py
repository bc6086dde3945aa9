from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.dates import Span, found, spans, tells_time, touches, undated

TODAY = date(2023, 5, 10)  # a Wednesday


def days(first: date, last: date | None = None, *, yearly: bool = False) -> Span:
    return Span(first.toordinal(), (last or first).toordinal(), yearly)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("on 7 May 2023", days(date(2023, 5, 7))),
        ("on the 7th of May, 2023", days(date(2023, 5, 7))),
        ("May 7th, 2023 was sunny", days(date(2023, 5, 7))),
        ("on May 7", days(date(2023, 5, 7), yearly=True)),
        ("2022-12-24", days(date(2022, 12, 24))),
        ("in June 2022", days(date(2022, 6, 1), date(2022, 6, 30))),
        ("from 3 to 10 May 2023", days(date(2023, 5, 3), date(2023, 5, 10))),
        ("the 3rd to the 10th of May", days(date(2023, 5, 3), date(2023, 5, 10), yearly=True)),
        ("between 3 and 10 May", days(date(2023, 5, 3), date(2023, 5, 10), yearly=True)),
        ("3-10 May", days(date(2023, 5, 3), date(2023, 5, 10), yearly=True)),
        ("May 3-10, 2024", days(date(2024, 5, 3), date(2024, 5, 10))),
        ("28 April", days(date(2023, 4, 28), yearly=True)),
        ("between 2023-05-03 and 2023-05-10", days(date(2023, 5, 3), date(2023, 5, 10))),
        ("entre el 2023-05-03 y el 2023-05-10", days(date(2023, 5, 3), date(2023, 5, 10))),
        ("from 28 to 3 May", days(date(2023, 4, 28), date(2023, 5, 3), yearly=True)),
        ("del 3 al 10 de mayo de 2023", days(date(2023, 5, 3), date(2023, 5, 10))),
        ("entre el 3 y el 10 de mayo", days(date(2023, 5, 3), date(2023, 5, 10), yearly=True)),
        ("last May", days(date(2022, 5, 1), date(2022, 5, 31))),
        ("last April", days(date(2023, 4, 1), date(2023, 4, 30))),
        ("next June", days(date(2023, 6, 1), date(2023, 6, 30))),
        ("in May", days(date(2023, 5, 1), date(2023, 5, 31), yearly=True)),
        ("last summer", days(date(2022, 6, 1), date(2022, 8, 31))),
        ("the summer of 2021", days(date(2021, 6, 1), date(2021, 8, 31))),
        ("in winter 2021", days(date(2021, 12, 1), date(2022, 2, 28))),
        ("in 2020", days(date(2020, 1, 1), date(2020, 12, 31))),
        ("yesterday", days(date(2023, 5, 9))),
        ("the day before yesterday", days(date(2023, 5, 8))),
        ("tomorrow", days(date(2023, 5, 11))),
        ("3 days ago", days(date(2023, 5, 7))),
        ("a couple of days ago", days(date(2023, 5, 8))),
        ("two weeks ago", days(date(2023, 4, 24), date(2023, 4, 30))),
        ("two weekends ago", days(date(2023, 4, 29), date(2023, 4, 30))),
        ("this past weekend", days(date(2023, 5, 6), date(2023, 5, 7))),
        ("five months ago", days(date(2022, 12, 1), date(2022, 12, 31))),
        ("last week", days(date(2023, 5, 1), date(2023, 5, 7))),
        ("last Friday", days(date(2023, 5, 5))),
        ("next Friday", days(date(2023, 5, 12))),
        ("last Wednesday", days(date(2023, 5, 3))),
        ("last month", days(date(2023, 4, 1), date(2023, 4, 30))),
        ("last year", days(date(2022, 1, 1), date(2022, 12, 31))),
        ("the other day", days(date(2023, 5, 3), date(2023, 5, 9))),
        ("the day after tomorrow", days(date(2023, 5, 12))),
        ("this evening", days(date(2023, 5, 10))),
        ("three weeks from now", days(date(2023, 5, 29), date(2023, 6, 4))),
        ("ayer", days(date(2023, 5, 9))),
        ("anteayer", days(date(2023, 5, 8))),
        ("anoche", days(date(2023, 5, 9))),
        ("hoy", days(date(2023, 5, 10))),
        ("esta mañana", days(date(2023, 5, 10))),
        ("nos vemos mañana", days(date(2023, 5, 11))),
        ("pasado mañana", days(date(2023, 5, 12))),
        ("el otro día", days(date(2023, 5, 3), date(2023, 5, 9))),
        ("la semana pasada", days(date(2023, 5, 1), date(2023, 5, 7))),
        ("la próxima semana", days(date(2023, 5, 15), date(2023, 5, 21))),
        ("el mes que viene", days(date(2023, 6, 1), date(2023, 6, 30))),
        ("el año pasado", days(date(2022, 1, 1), date(2022, 12, 31))),
        ("el viernes pasado", days(date(2023, 5, 5))),
        ("el próximo viernes", days(date(2023, 5, 12))),
        ("este verano", days(date(2023, 6, 1), date(2023, 8, 31))),
        ("el verano pasado", days(date(2022, 6, 1), date(2022, 8, 31))),
        ("hace dos meses", days(date(2023, 3, 1), date(2023, 3, 31))),
        ("hace 3 días", days(date(2023, 5, 7))),
        ("dentro de dos semanas", days(date(2023, 5, 22), date(2023, 5, 28))),
        ("el 5 de mayo", days(date(2023, 5, 5), yearly=True)),
        ("el 5 de mayo de 2021", days(date(2021, 5, 5))),
        ("en mayo", days(date(2023, 5, 1), date(2023, 5, 31), yearly=True)),
        ("en mayo de 2020", days(date(2020, 5, 1), date(2020, 5, 31))),
    ],
)
def test_what_is_a_date(text: str, span: Span) -> None:
    assert spans(text, TODAY) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "We went out",
        "I may go",
        "march on",
        "it cost $2000",
        "31 February 2023",
        "winter is coming",
        "2,023 people",
        "por la mañana",
        "a sandwich with mayo",
        "31 de febrero de 2023",
        "",
    ],
)
def test_what_is_not(text: str) -> None:
    assert spans(text, TODAY) == []


def test_several_dates_of_one_text_are_all_found() -> None:
    assert len(spans("I came on 3 March 2022, left last week, and come back tomorrow", TODAY)) == 3


def test_where_a_date_is_said() -> None:
    text = "I came on 3 March 2022 and left last week"
    assert sorted(text[one.start : one.end] for one in found(text, TODAY)) == ["3 March 2022", "last week"]


def test_the_rest_of_a_text_without_its_dates() -> None:
    assert undated("Where did I walk last May, and on 3 June 2021?").split() == [
        "Where",
        "did",
        "I",
        "walk",
        ",",
        "and",
        "on",
        "?",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "who is May?",
        "who is June?",
        "tell me about Jan",
        "what does April play?",
        "what did June give me?",
        "how old is April?",
        "when is June's birthday?",
        "lunch with June",
    ],
)
def test_a_name_may_be_that_of_a_month(text: str) -> None:
    assert (spans(text, TODAY), undated(text)) == ([], text)


@pytest.mark.parametrize("text", ["did she fall?", "plans for summer", "a hot spring", "this may be wrong"])
def test_what_is_no_date_stays_a_word(text: str) -> None:
    assert (spans(text, TODAY), undated(text)) == ([], text)


@pytest.mark.parametrize("text", ["this may", "this May we travel", "this may, as always"])
def test_a_month_may_be_written_small(text: str) -> None:
    assert spans(text, TODAY) == [days(date(2023, 5, 1), date(2023, 5, 31), yearly=True)]


def test_spans_touch_when_they_share_a_day() -> None:
    may = days(date(2023, 5, 1), date(2023, 5, 31))
    assert touches(may, days(date(2023, 5, 31), date(2023, 6, 9)))
    assert not touches(may, days(date(2023, 6, 1)))
    any_may = days(date(2026, 5, 1), date(2026, 5, 31), yearly=True)
    assert touches(any_may, days(date(2019, 5, 12)))
    assert touches(days(date(2019, 5, 12)), any_may)
    assert not touches(any_may, days(date(2019, 7, 12)))
    assert touches(days(date(2020, 1, 1), date(2020, 12, 31)), any_may)


def test_what_tells_a_time() -> None:
    assert tells_time("I moved here two years ago", TODAY)
    assert tells_time("we meet every Tuesday", TODAY)
    assert tells_time("stand-up is at 9:45", TODAY)
    assert tells_time("I am on call every sixth week", TODAY)
    assert tells_time("I get up at 6 o'clock", TODAY)
    assert not tells_time("I like it here", TODAY)
    assert not tells_time("everything in the dairy is fresh", TODAY)


@given(st.text(), st.dates())
def test_no_text_and_no_day_breaks_it(text: str, today: date) -> None:
    for span in spans(text, today):
        assert span.first <= span.last


@given(
    st.sampled_from(["last", "next", "this"]),
    st.sampled_from(["week", "month", "year", "winter", "Friday"]),
    st.dates(),
)
def test_the_ends_of_the_calendar_break_nothing(which: str, what: str, today: date) -> None:
    spans(f"{which} {what}, 999 years ago", today)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fıve days ago", []),
        ("hace ſeis días", []),
        ("on 5 ſept, may be", []),
    ],
)
def test_letters_that_only_look_like_others_make_no_date(text: str, said: list[Span]) -> None:
    """A pattern that takes capitals for small letters takes these for "i" and "s"."""
    assert spans(text, TODAY) == said
