from __future__ import annotations

import pytest

from recollect.text.function_words import without_function_words
from recollect.text.languages import language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Dónde vivo?", "es"),
        ("donde vivo", "es"),
        ("como me llamo", "es"),
        ("receta de jamón", "es"),
        ("CUAL es mi direccion", "es"),
        ("où est-ce que j'habite ?", "fr"),
        ("comment s'appelle mon chien ?", "fr"),
        ("wo wohne ich?", "de"),
        ("Was ist meine Lieblingsfarbe?", "de"),
        ("onde eu moro?", "pt"),
        ("qual é o nome do meu cachorro?", "pt"),
        ("dove abito io?", "it"),
        ("come si chiama il mio cane?", "it"),
    ],
)
def test_words_of_grammar_tell_the_language(text: str, expected: str) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "???",
        "what is my son's name?",
        "which era did we talk about, and who said so?",
        "come to me, no sin is too big for the man in the den",
        "El Paso trip",
        "hotels in Las Vegas and Los Angeles",
        "weather at Lake Como",
        "the films of Robert De Niro",
        "a degree from MIT",
        "order a la carte",
        "crème brûlée recipe",
        "my todo list for the fur coat, do me a favor",
        "music of the jazz era",
        "um, dove soap and hay",
        "ai tools for tai chi",
        "es cluster down",
        "mum's and dad's dog's name",
        "write to maria@firma.de or see https://example.de/la/en/de",
        "José and Núria moved",
        "what does 'mi casa es su casa' mean in English?",
        "user likes paella con pollo and café con leche",
        "у меня две кошки",
    ],
)
def test_in_doubt_it_is_english(text: str) -> None:
    assert language(text) == "en"


def test_mere_grammar_is_left_out_in_the_language_of_the_text_only() -> None:
    assert without_function_words("¿Cuál es mi número de teléfono?") == "número teléfono"
    assert without_function_words("is my son in the den?") == "is my son in the den?"
    assert without_function_words("¿qué son mis hijos?") == "hijos"


def test_general_words_stay_where_there_is_nothing_else() -> None:
    assert without_function_words("¿me gusta el brócoli?") == "brócoli"
    assert without_function_words("¿qué me gusta?") == "gusta"
