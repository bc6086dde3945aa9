"""The Spanish page says in Spanish what comes from the server in English. The lists are the server's own, so that
what is added there and not translated here fails."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.async_api import Page, expect

from browsing import Browse, messages
from recollect import Recollect
from recollect.forget.erase import DISOWNED, LONG, SHORT
from recollect.notes.sections import OPERATIONS
from recollect.recall import pack
from recollect.remember.extract.topics import IMPORTANCE
from recollect.remember.extract_by_model import CATEGORIES
from recollect.remember.templates import BUILT_IN
from recollect.server.problems import KINDS, TITLES
from recollect.work.jobs import Jobs

#: Every type of problem; the last is for whatever has no type of its own.
TYPES = sorted({kind for _, _, kind, _ in KINDS} | {kind for kind, _ in TITLES.values()} | {"request"})
#: What a problem may tell besides.
TOLD = {"field": "limit", "what": "memory", "key": "7", "part": "database", "retry_after": 3, "request": "r1"}


def workflows() -> Iterator[dict[str, Any]]:
    for file in files("recollect.workflows").joinpath("definitions").iterdir():
        yield tomllib.loads(file.read_text())


def fields(schema: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The names of the fields of a draft, and what is said about them."""
    for name, kind in schema.get("properties", {}).items():
        yield name, kind.get("description")
        yield from fields(kind)
        yield from fields(kind.get("items", {}))


def names() -> set[str]:
    """What is written as people write it, before it is looked up."""
    found: set[str] = set()
    for one in workflows():
        found |= {step["name"] for step in one["steps"] if "title" not in step}
        found |= {step["status"] for step in one["steps"] if "status" in step}
        found |= {action["name"] for action in one.get("actions", [])}
        found |= {name for name, _ in fields(one["draft"])}
    return found


def texts() -> set[str]:
    """What is looked up as it is."""
    found = {*CATEGORIES, *IMPORTANCE, *Jobs.__new__(Jobs).by_kind()}
    found |= {name for one in BUILT_IN for name in (one.name, one.category or "", *one.fields)} - {""}
    found |= {name.replace("_", " ") for name in (*OPERATIONS, *LONG, *SHORT, *DISOWNED, "signed")} - {"read"}
    found |= {pack.NO_ROOM, pack.MORE_THAN_HALF, pack.BEFORE_A_GAP, pack.NO_CALL, pack.NEW}
    for one in workflows():
        found |= {one["title"]}
        for step in one["steps"]:
            found |= {step[name] for name in ("title", "description") if name in step}
        found |= {about for _, about in fields(one["draft"]) if about}
    return found


READ = """async ([texts, names, types, told]) => {
  const { explained, learned, readable, said, speak } = await import('/web/words.js');
  const { Problem } = await import('/web/api.js');
  const { TERMS } = await import('/web/spanish.js');
  const known = new Set(Object.keys(TERMS));
  const english = names.map((name) => [name, readable(name)]);
  speak('es');
  await learned();
  const problem = (type, given) => explained(new Problem({ type: `urn:recollect:problem:${type}`, title: 'T', ...given }, 400));
  return {
    unknown: [...texts.filter((text) => !known.has(text)), ...english.filter(([, text]) => !known.has(text)).map(([name]) => name)],
    problems: types.map((type) => [type, problem(type, {}), problem(type, { detail: 'limit: must not be empty', ...told })]),
    other: problem('of-tomorrow', { detail: 'Not known here' }),
    filled: [said('memory 3 of 7'), said("the move to 'sent' needs title, budget first"), said('nobody has translated this')],
  };
}"""


async def test_whatever_the_server_calls_by_a_name_has_one_in_spanish(browse: Browse) -> None:
    page = await browse()
    found = await page.evaluate(READ, [sorted(texts()), sorted(names()), TYPES, TOLD])
    assert found["unknown"] == []
    for kind, bare, full in found["problems"]:
        assert bare not in ("", "T"), kind
        assert "undefined" not in bare + full, kind
        assert kind == "refused" or "must not" not in full, kind
    told = {kind: full for kind, _, full in found["problems"]}
    assert told["invalid"] == "No se acepta «limit»: no puede estar vacío."
    assert told["not-found"] == "No se encuentra el recuerdo 7."
    assert told["unavailable"] == "No responde la base de datos. Vuelve a intentarlo en 3 s."
    # What is not known here is better in English than not at all.
    assert found["other"] == "Not known here"
    assert found["filled"] == [
        "recuerdo 3 de 7",
        "para pasar a 'sent' hace falta antes: title, budget",
        "nobody has translated this",
    ]


@pytest.fixture
async def spanish(browse: Browse, door: Recollect, user: str) -> Page:
    await door.configure_agent("buyer", workflow="rfp")
    await door.remember("user is allergic to peanuts", user, "buyer", category="health", pinned=True)
    await door.edit_notes("append", "Short answers.", user=user, agent="buyer")
    return await browse(agent="buyer", locale="es-ES")


async def test_names_from_the_server_are_spanish_on_the_screens(spanish: Page, door: Recollect, user: str) -> None:
    page = spanish
    await page.get_by_label("Escribe un mensaje").fill("Am I allergic to peanuts?")
    await page.get_by_label("Enviar").click()
    await expect(messages(page)).to_have_count(1)
    await expect(page.locator("recollect-chat .chip").first).to_have_text("Paso: Inicio")
    await page.get_by_text("Lo que sabía").click()
    await expect(page.locator("recollect-context")).to_contain_text("cercano en significado")
    await expect(page.locator("recollect-context")).to_contain_text("fijado")
    await page.get_by_role("link", name="Estado").click()
    state = page.locator("recollect-state")
    await expect(state.locator(".now")).to_have_text("Inicio")
    await expect(state).to_contain_text("Averiguar qué se quiere comprar.")
    await expect(state.locator("label", has_text="Presupuesto")).to_contain_text("falta")
    await expect(state.get_by_role("heading", name="Solicitud de propuestas")).to_be_visible()
    await page.get_by_role("link", name="Notas").click()
    await expect(page.locator("recollect-notes .versions li")).to_contain_text(["añadido al final"])
    await page.get_by_role("link", name="Análisis").click()
    await expect(page.locator("recollect-analytics .bars").last).to_contain_text("salud")
    await page.get_by_role("link", name="Recuerdos").click()
    row = page.locator("recollect-memories li")
    await expect(row).to_contain_text("salud")
    # What somebody calls by its Spanish name is kept under the server's.
    await row.get_by_label("Editar").click()
    await expect(row.get_by_label("Categoría")).to_have_value("salud")
    await row.get_by_label("Categoría").fill("Hogar")
    await row.get_by_role("button", name="Guardar").click()
    await expect(row).to_contain_text("hogar")
    assert [one.category for one in (await door.memories(user, "buyer")).items] == ["home"]
    await page.get_by_role("button", name="Añadir").click()
    await page.get_by_label("Plantilla").select_option(label="alergia: user is allergic to {what}")
    await expect(page.get_by_label("qué", exact=True)).to_be_visible()


async def test_what_goes_wrong_is_said_in_spanish(spanish: Page) -> None:
    page = spanish
    await page.get_by_role("link", name="Admin").click()
    await page.get_by_label("Modelo").fill("nonsense")
    await page.get_by_role("button", name="Guardar").click()
    said = "No se acepta «modelo»: debe ser openai:<modelo>, como openai:gpt-4o-mini."
    await expect(page.get_by_role("alert")).to_have_text(said)
