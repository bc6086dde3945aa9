"""Recall in Spanish with the offline model, which has learned English only: what is related comes, and nothing else."""

from __future__ import annotations

import pytest

from recollect import Recollect

#: What is known, and questions for it.
KNOWN = {
    "usuario vive en Valencia desde 2021": ["¿Dónde vivo?", "¿En qué ciudad vivo ahora?"],
    "usuario trabaja como farmacéutico en el hospital": ["¿En qué trabajo?", "¿dónde trabaja el usuario?"],
    "la usuaria odia las aceitunas": ["¿me gustan las aceitunas?"],
    "el perro de la usuaria se llama Bruno": ["¿cómo se llama mi perro?"],
    "usuario es alérgico al polen": ["¿a qué soy alérgica?", "¿qué alergia tengo?"],
    "el cumpleaños de la usuaria es el 9 de noviembre": ["¿cuándo es mi cumpleaños?"],
    "usuario juega al ajedrez los jueves": ["¿qué día juego al ajedrez?"],
    "usuario está aprendiendo japonés": ["¿qué idioma estoy aprendiendo?", "¿estudio japonés?"],
    "la hermana de la usuaria se llama Lucía": ["¿cómo se llama mi hermana?"],
    "usuario prefiere respuestas cortas": ["¿qué tipo de respuestas prefiero?"],
    "usuario conduce un Toyota híbrido": ["¿qué coche conduzco?"],
    "usuario corre maratones": ["¿cuántos maratones he corrido?"],
    "la boda de la usuaria será en septiembre": ["¿cuándo es la boda?"],
    "usuario no come carne": ["¿puedo comer carne?"],
    "el médico de la usuaria es el doctor Pardo": ["¿quién es mi médico?"],
    "usuario ahorra para comprar un piso": ["¿para qué estoy ahorrando?"],
    "usuario toca el violonchelo en una orquesta": ["¿qué instrumento toco en la orquesta?"],
    "la usuaria nació en Cuenca": ["¿dónde nací?"],
    "usuario tiene miedo a las alturas": ["¿de qué tengo miedo?"],
    "usuario tiene dos hijos, Pablo y Nuria": ["¿cuántos hijos tengo?"],
    "la usuaria estudió derecho en Salamanca": ["¿qué estudié?"],
    "usuario quiere viajar a Islandia en verano": ["¿adónde quiero viajar?"],
    "usuario bebe té verde por las mañanas": ["¿qué bebo por la mañana?"],
    "usuario colecciona sellos antiguos": ["¿qué colecciono?"],
    "la usuaria fundó una editorial pequeña": ["¿cómo va mi editorial?"],
}
#: What was said, and questions for it.
SAID = {
    "Me he apuntado a un curso de cerámica los martes": ["¿qué curso hago los martes?", "¿cuándo tengo cerámica?"],
    "Mi vuelo a Lisboa sale el viernes a las siete": ["¿a qué hora sale mi vuelo?"],
    "Vivo en un ático en el centro de Bilbao": ["¿dónde vivo?"],
    "Trabajo de fontanero por mi cuenta": ["¿en qué trabajo?"],
    "Mi hija Carla empieza el colegio en septiembre": ["¿cuándo empieza el colegio mi hija?"],
    "Se me ha roto la lavadora otra vez": ["¿qué se me ha roto?", "¿arreglé la lavadora?"],
    "Soy intolerante a la lactosa": ["¿a qué soy intolerante?"],
    "Ayer vendí la moto a mi vecino": ["¿a quién vendí la moto?"],
    "El sábado cenamos con los padres de Irene": ["¿con quién ceno el sábado?"],
    "Estoy leyendo una novela de Benito Pérez Galdós": ["¿qué novela estoy leyendo?", "¿qué leo?"],
    "Quiero aprender a tocar el acordeón": ["¿qué instrumento quiero aprender a tocar?"],
    "Mi contraseña del wifi la cambié en enero": ["¿cuándo cambié la contraseña del wifi?"],
    "El dentista me ha puesto dos empastes": ["¿qué me hizo el dentista?"],
    "Estamos pintando la cocina de azul": ["¿de qué color pintamos la cocina?"],
    "Mi abuela cumple noventa años en mayo": ["¿cuántos años cumple mi abuela?"],
    "Prefiero el café sin azúcar": ["¿cómo prefiero el café?"],
    "El alquiler me ha subido cien euros": ["¿cuánto ha subido el alquiler?"],
    "Voy al gimnasio tres veces por semana": ["¿cuántas veces voy al gimnasio?"],
    "Me operaron de la rodilla hace un mes": ["¿de qué me operaron?", "¿qué me pasa en la rodilla?"],
    "Mi jefe se llama Ramiro": ["¿cómo se llama mi jefe?"],
}
#: What neither has anything to say about.
ELSEWHERE = [
    "¿quién escribió el Lazarillo?",
    "¿cuál es la capital de Mongolia?",
    "¿cuál es mi número de pasaporte?",
    "¿cómo se calcula la raíz de un polinomio?",
    "¿qué tiempo hace en Oslo?",
    "explícame la fotosíntesis",
    "¿cuánto mide la torre Eiffel?",
    "¿por qué el cielo es azulado?",
    "¿quién ganó el mundial de fútbol?",
    "traduce esta frase al alemán, por favor",
    "¿qué es un agujero negro?",
    "escríbeme un poema sobre la nieve",
    "¿cómo se instala una impresora?",
    "¿cuántos planetas hay en el sistema solar?",
    "¿me puedes ayudar con esto?",
    "¿cuál es el río más largo del mundo?",
    "¿quién es el presidente de Chile?",
    "¿cómo funciona un motor diésel?",
    "muchas gracias por todo",
    "¿qué significa la palabra efímero?",
    "¿cuándo terminó la guerra de los cien años?",
    "dime un chiste de gatos",
    "¿cuál es la velocidad de la luz?",
    "¿cómo se hace un nudo de corbata?",
    "¿qué opinas de la inflación?",
]


#: So many of these may find something all the same.
MOST_NOISE = 2


async def test_what_is_known_is_found_and_nothing_else(memory: Recollect) -> None:
    for text in KNOWN:
        await memory.remember(text, user="ana", agent="guía")
    await compare(memory, KNOWN, "memories")


async def test_what_was_said_is_found_and_nothing_else(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guía")
    for text in SAID:
        await chat.append("user", text)
        await chat.append("assistant", "Entendido.")
    await compare(memory, SAID, "messages")


async def compare(memory: Recollect, told: dict[str, list[str]], over: str) -> None:
    questions = {question: text for text, all_of_it in told.items() for question in all_of_it}
    found = {question: await texts(memory, question, over) for question in [*questions, *ELSEWHERE]}
    missed = [question for question, text in questions.items() if found[question][:1] != [text]]
    assert len(missed) <= len(questions) // 20, missed
    assert len(noise := [question for question in ELSEWHERE if found[question]]) <= MOST_NOISE, noise


async def texts(memory: Recollect, question: str, over: str) -> list[str]:
    return [hit.text for hit in await memory.recall(question, "ana", "guía", over=over)]


async def test_what_says_why_names_the_word_of_the_question(memory: Recollect) -> None:
    await memory.remember("usuario trabaja en una panadería", user="ana", agent="guía")
    (hit,) = await memory.recall("¿en qué trabajo?", "ana", "guía")
    assert hit.why == "shares trabajo"


async def test_what_somebody_else_does_is_not_what_one_does_oneself(memory: Recollect) -> None:
    for text in ("usuario es profesora de primaria", "el marido de usuario, Pau, trabaja en el puerto"):
        await memory.remember(text, user="ana", agent="guía")
    assert await texts(memory, "¿en qué trabajo?", "memories") == ["usuario es profesora de primaria"]
    assert await texts(memory, "¿dónde trabaja mi marido?", "memories") == [
        "el marido de usuario, Pau, trabaja en el puerto"
    ]
    await memory.remember("Teodora vive con usuario", user="ana", agent="guía")
    assert "Teodora vive con usuario" in await texts(memory, "¿con quién vivo?", "memories")


async def test_what_was_answered_need_not_say_that_it_is_recommended(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guía")
    await chat.append("user", "¿Qué vino va bien con el bacalao?")
    told = await chat.append("assistant", "Un albariño frío, por ejemplo Terras Gauda.")
    await chat.append("user", "El sábado cocino paella")
    rice = await chat.append("assistant", "Usa arroz bomba.")
    for question in ("¿qué vino me recomendaste?", "¿qué vino me has recomendado?"):
        assert (await texts(memory, question, "messages"))[0] == told.content
    assert await texts(memory, "¿qué arroz me dijiste?", "messages") == [rice.content]
    for question in ("¿qué libro me recomendaste?", "¿qué película me dijiste que viera?"):
        assert await texts(memory, question, "messages") == []


@pytest.mark.parametrize("turned", [False, True])
async def test_who_says_it_is_who_it_is_about_where_no_word_tells(memory: Recollect, turned: bool) -> None:
    own, his = "Empecé a trabajar en Globex en marzo", "Mi marido trabaja en el puerto"
    chat = await memory.conversation("ana", "guía")
    for text in (his, own) if turned else (own, his):
        await chat.append("user", text)
        await chat.append("assistant", "Entendido.")
    assert (await texts(memory, "¿en qué trabajo?", "messages"))[0] == own
    assert (await texts(memory, "¿dónde trabaja mi marido?", "messages"))[0] == his


async def test_a_name_is_enough(memory: Recollect) -> None:
    await memory.remember("Teodora presta libros a la usuaria", user="ana", agent="guía")
    await memory.remember("the user's aunt Casilda paints", user="ana", agent="guía")
    assert await texts(memory, "¿qué sabes de mi amiga Teodora y de su familia?", "memories") == [
        "Teodora presta libros a la usuaria"
    ]
    assert await texts(memory, "¿quién es Casilda?", "memories") == ["the user's aunt Casilda paints"]


async def test_who_is_named_is_who_spoke(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guía")
    await chat.append("user", "Esta tarde he plantado un limonero", name="Teodora")
    await chat.append("user", "Yo he plantado un ciruelo", name="Casilda")
    assert (await texts(memory, "¿qué ha plantado Casilda?", "messages"))[0] == "Yo he plantado un ciruelo"
    assert (await texts(memory, "¿qué ha plantado Teodora?", "messages"))[
        0
    ] == "Esta tarde he plantado un limonero"


OTHERS = {
    "fr": (
        {"l'utilisateur habite à Lyon": "où est-ce que j'habite ?", "il déteste le céleri": "j'aime le céleri ?"},
        ["qui a écrit Les Misérables ?", "quelle est la capitale du Pérou ?", "merci pour tout"],
    ),
    "de": (
        {"Benutzer wohnt in Bonn": "wo wohne ich?", "sein Hund heißt Rex": "wie heißt mein Hund?"},
        ["wer hat den Faust geschrieben?", "was ist die Hauptstadt von Peru?", "danke für alles"],
    ),
    "pt": (
        {"usuário mora em Braga": "onde eu moro?", "ela odeia coentro": "eu gosto de coentro?"},
        ["quem escreveu Os Lusíadas?", "qual é a capital do Peru?", "muito obrigado por tudo"],
    ),
    "it": (
        {"utente abita a Torino": "dove abito io?", "suona il flauto": "suono il flauto?"},
        ["chi ha scritto la Divina Commedia?", "qual è la capitale del Perù?", "grazie mille di tutto"],
    ),
}


@pytest.mark.parametrize("tongue", OTHERS)
async def test_other_languages_in_latin_letters(memory: Recollect, tongue: str) -> None:
    told, elsewhere = OTHERS[tongue]
    chat = await memory.conversation("ana", "guía")
    for text in told:
        await memory.remember(text, user="ana", agent="guía")
        await chat.append("user", text)
    for over in ("memories", "messages"):
        assert [await texts(memory, question, over) for question in told.values()] == [[text] for text in told]
        assert [await texts(memory, question, over) for question in elsewhere] == [[], [], []]


#: As it is said in Spain and in America, and at home.
CALLED_OTHERWISE = {
    "Compré un carro usado, un Versa rojo": ["¿qué coche compré?", "¿qué auto tengo?"],
    "Tengo un celular Nokia con la pantalla rota": ["¿qué móvil tengo?"],
    "Adoptamos una perrita que se llama Canela": ["¿cómo se llama mi perra?"],
    "A mi vieja la operan de la cadera en marzo": ["¿cuándo operan a mi mamá?"],
    "Rento un departamento en Puebla": ["¿qué piso alquilo?"],
    "Empecé a tomar Eutirox en ayunas": ["¿qué medicación tomo?"],
}


async def test_what_is_called_otherwise_elsewhere_is_found(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guía")
    for text in CALLED_OTHERWISE:
        await chat.append("user", text)
        await chat.append("assistant", "Entendido.")
    for text, questions in CALLED_OTHERWISE.items():
        assert [await texts(memory, question, "messages") for question in questions] == [[text]] * len(questions)


async def test_who_married_does_not_say_house(memory: Recollect) -> None:
    await memory.remember("usuario vive en una casa con jardín", user="ana", agent="guía")
    assert await texts(memory, "¿cuándo me casé?", "memories") == []
    await memory.remember("usuario se casó en Ávila", user="ana", agent="guía")
    assert await texts(memory, "¿cuándo me casé?", "memories") == ["usuario se casó en Ávila"]


async def test_whoever_is_addressed_formally_answered_too(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guía")
    await chat.append("user", "¿Qué vino va bien con el bacalao?")
    told = await chat.append("assistant", "Un albariño frío, por ejemplo Terras Gauda.")
    assert (await texts(memory, "¿qué vino me recomendó?", "messages"))[0] == told.content
    assert told.content not in await texts(memory, "¿qué libro me recomendó?", "messages")
