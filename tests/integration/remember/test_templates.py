from __future__ import annotations

from typing import Any

import pytest

from recollect import Invalid, NotFound, Recollect


async def test_a_template_is_filled_and_remembered(memory: Recollect) -> None:
    kept = await memory.remember_as("allergy", {"what": "peanuts"}, user="ana", agent="cook")
    assert (kept.text, kept.category, kept.importance) == ("user is allergic to peanuts", "health", 0.9)
    assert kept.context == {"template": "allergy"}
    job = await memory.remember_as("job", {"role": "nurse", "where": "{role}"}, user="ana", agent="cook")
    assert job.text == "user works as nurse at {role}", "braces in a value are only text"


async def test_a_tenants_own(memory: Recollect, dsn: str) -> None:
    await memory.define_template("hobby", "user collects {what}", category="hobby", importance=0.3)
    await memory.define_template("allergy", "user must not eat {what}")
    patterns = {template.name: template.pattern for template in await memory.templates()}
    assert patterns["hobby"] == "user collects {what}"
    assert patterns["allergy"] == "user must not eat {what}"
    assert patterns["home"] == "user lives in {where}"
    kept = await memory.remember_as("hobby", {"what": "stamps"}, user="ana", agent="cook")
    assert (kept.text, kept.category, kept.importance) == ("user collects stamps", "hobby", 0.3)
    async with Recollect.open(dsn, tenant=memory.tenant + "-b") as other:
        assert "hobby" not in {template.name for template in await other.templates()}


async def test_what_is_wrong_is_named(memory: Recollect) -> None:
    wrong: list[tuple[Any, str]] = [
        (None, "fields"),
        (["what"], "fields"),
        ("what", "fields"),
        ({"what": None}, "fields.what"),
        ({5: "x"}, "fields.what"),
        ({}, "fields.what"),
        ({"what": " "}, "fields.what"),
        ({"what": "x", "why": "y"}, "fields"),
    ]
    for fields, field in wrong:
        with pytest.raises(Invalid) as caught:
            await memory.remember_as("allergy", fields, user="ana", agent="cook")
        assert caught.value.field == field
    with pytest.raises(NotFound, match="nonsense"):
        await memory.remember_as("nonsense", {}, user="ana", agent="cook")
    for pattern in ("no field", "user {What}", "user {} x", "{what.__class__}", "user {what", "x" * 2000):
        with pytest.raises(Invalid, match="pattern"):
            await memory.define_template("t", pattern)


async def test_fields_are_counted_as_memories_are(memory: Recollect) -> None:
    kept = await memory.remember_as("allergy", {"what": "花" * 400}, user="ana", agent="cook")
    assert kept.text == f"user is allergic to {'花' * 400}"
    with pytest.raises(Invalid) as refused:
        await memory.remember_as("allergy", {"what": "花" * 1001}, user="ana", agent="cook")
    assert str(refused.value) == "fields.what: has 1001 characters; at most 1000 are allowed"
    await memory.define_template("bouquet", "花" * 400 + "{what}")
