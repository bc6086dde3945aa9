"""What is learned of people who speak Spanish as it is spoken in Spain and in America."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.records import Message, Role
from recollect.remember.extract import extract
from recollect.remember.extract.own_words import asks_for_text
from recollect.remember.gate import refusal

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)  # a Thursday


def learned(*texts: str, limit: int = 9) -> list[str]:
    messages = [message(20 + place, text) for place, text in enumerate(texts)]
    found = extract(messages, limit)
    return [
        one.text
        for one in found
        if refusal(one, [each for each in messages if one.first <= each.seq <= one.last]) is None
    ]


def message(seq: int, text: str, role: Role = "user") -> Message:
    return Message("c", seq, str(seq), role, text, SAID + timedelta(minutes=seq), None, {}, None, None, None, None)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Alquilo una pieza en Córdoba.", ["usuario alquila una pieza en Córdoba"]),
        ("Laburo de mozo en una parrilla.", ["usuario labura de mozo en una parrilla"]),
        ("Manejo un camión de reparto.", ["usuario maneja un camión de reparto"]),
        ("Peso 70 kilos y mido 1,68.", ["usuario pesa 70 kilos", "usuario mide 1,68"]),
        ("Tejo y bordo manteles.", ["usuario teje y borda manteles"]),
        ("No aguanto el ruido de las motos.", ["usuario no aguanta el ruido de las motos"]),
        ("Mi cuñado Iván maneja un colectivo.", ["el cuñado de usuario, Iván, maneja un colectivo"]),
        ("Mi abuelo falleció el año pasado.", ["el abuelo de usuario falleció en 2025"]),
        (
            "Mi profesora, Irma, me atiende los lunes.",
            ["la profesora de usuario, Irma, le atiende los lunes"],
        ),
        ("Mi mejor amiga, Sol, vive en Salta.", ["la mejor amiga de usuario, Sol, vive en Salta"]),
        ("A mi hija le encanta el teatro.", ["a la hija de usuario le encanta el teatro"]),
        (
            "A mi abuela le recetaron enalapril.",
            ["a la abuela de usuario le recetaron enalapril"],
        ),
        ("El apio no me gusta.", ["a usuario no le gusta el apio"]),
        ("Las nueces me dan alergia.", ["a usuario le dan alergia las nueces"]),
        ("Me chifla el ajedrez.", ["a usuario le chifla el ajedrez"]),
        ("Todos me dicen Pancho.", ["a usuario le dicen Pancho"]),
        ("Por eso nos mudamos a Denia.", ["usuario se mudó a Denia"]),
        ("Che, vivo en Mendoza.", ["usuario vive en Mendoza"]),
        ("Fíjese que trabajo de sastre en Oaxaca.", ["usuario trabaja de sastre en Oaxaca"]),
        ("Somos vegetarianos.", ["usuario es vegetariano"]),
        ("Mi abuelo, que en paz descanse, era marinero.", ["el abuelo de usuario era marinero"]),
        (
            "Los lunes y los jueves voy a natación y luego ceno con mi madre.",
            ["usuario va a natación los lunes y los jueves", "usuario cena con su madre"],
        ),
        (
            "Dejé la banda, desde enero trabajo en Correos.",
            ["usuario dejó la banda", "usuario trabaja en Correos desde 2026-01"],
        ),
    ],
)
def test_verbs_and_turns_of_everyday(said: str, known: list[str]) -> None:
    assert sorted(learned(said)) == sorted(known)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Soy alergico a las nueces.", ["usuario es alérgico a las nueces"]),
        ("Mi mama esta enferma de cancer.", ["la mamá de usuario está enferma de cáncer"]),
        ("Si, tengo dos hijos.", ["usuario tiene dos hijos"]),
        ("me mude a Quito hace 3 anos", ["usuario se mudó a Quito en 2023"]),
        ("Empece un curso de cocina en Lugo.", ["usuario empezó un curso de cocina en Lugo"]),
    ],
)
def test_accents_may_be_left_out(said: str, known: list[str]) -> None:
    assert learned(said) == known


@pytest.mark.parametrize(
    "said",
    ["Que me case o no es cosa mía.", "No tengo donde dormir hacia el sur.", "Si tengo suerte, vivo en Lima."],
)
def test_but_what_is_another_word_stays(said: str) -> None:
    assert not [text for text in learned(said) if "casé" in text or "hacía" in text or "vive" in text]


@pytest.mark.parametrize(
    "said",
    [
        "Cambié de trabajo en enero.",
        "Estudié derecho en Salamanca.",
        "Me divorcié en 2019.",
    ],
)
def test_a_past_that_keeps_the_i_of_its_stem_is_said_of_it(said: str) -> None:
    assert len(learned(said)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Gracias, era para una vecina mía.",
        "Era broma.",
        "Somos quince invitados.",
        "Mi jefa me preguntó por el informe.",
        "Mi hermana dice que vive en una nube.",
        "Trabajo en el banco.",
    ],
)
def test_what_was_meant_otherwise_is_not_learned_so(said: str) -> None:
    assert learned(said) in ([], ["usuario trabaja en el banco"])


def test_what_a_request_follows_from_holds() -> None:
    assert learned("Necesito un postre sin leche porque mi hijo Leo es intolerante.") == [
        "el hijo de usuario, Leo, es intolerante"
    ]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Vivo en Lima hace tres años.", "usuario vive en Lima desde 2023"),
        ("Trabajo en Correos desde el lunes.", "usuario trabaja en Correos desde el 2026-03-02"),
        ("Me caso el 4 de mayo en Ávila.", "usuario se casa el 2026-05-04 en Ávila"),
        ("Tengo cita con el dentista el jueves 12.", "usuario tiene cita con el dentista el 2026-03-12"),
        ("Me mudé a León el sábado 14 de febrero.", "usuario se mudó a León el 2026-02-14"),
        ("I moved to Leeds on Saturday the 14th of February.", "user moved to Leeds on 2026-02-14"),
    ],
)
def test_days_are_told_as_they_were_meant(said: str, known: str) -> None:
    assert learned(said) == [known]


def test_the_year_of_a_model_is_not_when_it_was_bought() -> None:
    (bought,) = extract([message(20, "Compré un carro usado, un Toyota Yaris 2015.")])
    assert bought.valid_from is not None
    assert bought.valid_from.date() == SAID.date()


@pytest.mark.parametrize(
    ("said", "corrected", "known"),
    [
        (
            "Voy a correr una maratón el 12 de abril.",
            "Perdón, no es el 12 de abril, es el 19.",
            "usuario va a correr una maratón el 2026-04-19",
        ),
        ("Compré una moto roja.", "Perdón, no es roja, es gris.", "usuario compró una moto gris"),
        (
            "En abril vamos a viajar a Cuzco, del 3 al 9.",
            "Perdón, quise decir del 5 al 9.",
            "usuario va a viajar a Cuzco, del 5 al 9 en 2026-04",
        ),
    ],
)
def test_what_is_put_right_takes_the_place_of_what_it_was(said: str, corrected: str, known: str) -> None:
    assert learned(said, corrected) == [known]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Respondeme siempre en español y no uses emojis.", "usuario lo quiere en español y no quiere emojis"),
        ("Háblame de usted, por favor.", "usuario lo quiere de usted"),
        ("Prefiero que me hables de tú.", "usuario lo quiere de tú"),
        ("No me tutee.", "usuario no quiere que le tuteen"),
        ("Y contestame cortito.", "usuario lo quiere cortito"),
        ("No me des respuestas muy largas.", "usuario no quiere respuestas muy largas"),
        ("Llámame Pancho.", "usuario es Pancho"),
    ],
)
def test_how_to_answer(said: str, known: str) -> None:
    assert learned(said) == [known]


@pytest.mark.parametrize(
    "said",
    [
        "No uses emojis en este texto.",
        "Responde en inglés este correo.",
        "Si te escribo en inglés, responde en inglés.",
        "Responde en español y borra mis datos.",
        "Dime Pedro qué hizo.",
        "Escríbeme un poema corto.",
    ],
)
def test_what_is_about_one_answer_is_not(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Corregime este correo: Hola, soy Ana y vivo en Jaén.",
        "Traducime esto: Tengo tres hijos y vivo en Lima.",
        "Corríjame este párrafo. Vivo en Quito.",
        "¿Me corriges esta carta? Vivo en Lugo.",
        "Resumí esto: Trabajo como contador en Bilbao.",
    ],
)
def test_a_text_to_work_on_is_nobodys_life(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "asked",
    [
        "¿Me escribes una carta para el casero?",
        "¿Podés redactarme un correo?",
        "Escribime un mensaje para mi jefa.",
    ],
)
def test_a_letter_that_is_asked_for_is_not_about_who_writes_it(asked: str) -> None:
    assert asks_for_text(asked)


def test_where_somebody_lives_now_is_not_left_out_for_what_is_new() -> None:
    told = [
        "Ahora vivo en Teruel, en un piso con terraza.",
        "He adoptado un perro que se llama Trasto.",
        "Tengo dos hijas, Alba y Noa.",
        "Trabajo como soldador en Teruel.",
    ]
    assert "usuario vive en Teruel, en un piso con terraza" in learned(*told, limit=3)
