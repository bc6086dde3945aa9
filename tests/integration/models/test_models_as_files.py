"""A sentence model that is there as files, as an installation uses it."""

from __future__ import annotations

import shutil
from pathlib import Path

import asyncpg
import pytest

from bert import small_model
from recollect import Invalid, Recollect, Settings
from recollect.cli.doctor import examine
from recollect.models.onnx import Files

WORDS = ["user", "likes", "tea", "lives", "in", "porto", "does", "what", "drink", "where"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_model(tmp_path / "models" / "small-v1.5", WORDS)


def using(folder: Path, dsn: str, tenant: str) -> Settings:
    return Settings(database=dsn, tenant=tenant, embedder=f"onnx:{folder}")


async def test_its_vectors_are_kept_under_its_name(
    dsn: str, tenant: str, folder: Path, admin: asyncpg.Connection
) -> None:
    async with Recollect.open(settings=using(folder, dsn, tenant)) as memory:
        assert memory.model == Files.of(str(folder)).name
        kept = await memory.remember("user likes tea", user="ana", agent="cook")
        (hit,) = await memory.recall("user likes tea", user="ana", agent="cook")
        assert hit.memory == kept
        assert "close in meaning (1.00)" in hit.why
        chat = await memory.conversation(user="ana", agent="cook")
        assert [one.text for one in (await chat.context("user likes tea")).memories] == ["user likes tea"]
        await chat.append("user", "I live in Porto")
        (said,) = await memory.recall("I live in Porto", user="ana", agent="cook", over="messages")
        assert said.text == "I live in Porto"
        name = memory.model
    rows = await admin.fetch(
        "select model, vector_dims(embedding) as size from recollect.memories where tenant = $1 union all "
        "select model, vector_dims(embedding) from recollect.message_vectors where tenant = $1",
        tenant,
    )
    assert [tuple(row) for row in rows] == [(name, 32), (name, 32)]


async def test_from_one_model_to_the_next(dsn: str, tenant: str, folder: Path) -> None:
    async with Recollect.open(dsn, tenant=tenant) as memory:
        await memory.remember("user likes tea", user="ana", agent="cook")
    async with Recollect.open(settings=using(folder, dsn, tenant)) as memory:
        (hit,) = await memory.recall("user likes tea", user="ana", agent="cook")
        assert "close in meaning" in hit.why, "what comes along serves until the others are made"
        await memory.reembed()
    other = small_model(folder.parent / "other", WORDS, seed=5, width=48)
    async with Recollect.open(settings=using(other, dsn, tenant)) as memory:
        (hit,) = await memory.recall("user likes tea", user="ana", agent="cook")
        assert "close in meaning (1.00)" in hit.why, "the old files lie beside the new ones, and serve"
        await memory.reembed()
        shutil.rmtree(folder)
        (hit,) = await memory.recall("user likes tea", user="ana", agent="cook")
        assert "close in meaning (1.00)" in hit.why


async def test_files_that_cannot_be_loaded_leave_the_words(
    dsn: str, tenant: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Recollect.open(settings=using(folder, dsn, tenant)) as memory:
        await memory.remember("user likes tea", user="ana", agent="cook")
    (folder / "onnx" / "model.onnx").write_bytes(b"half of it")
    async with Recollect.open(settings=using(folder, dsn, tenant)) as memory:
        hits = await memory.recall("tea?", user="ana", agent="cook")
        assert [hit.why for hit in hits] == ["shares tea"]
        chat = await memory.conversation(user="ana", agent="cook")
        assert (await chat.context("tea?")).memories
    assert "embedder.broken" in caplog.text
    assert "likes" not in caplog.text


async def test_what_is_missing_is_said_at_once(dsn: str, tenant: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="has no model") as raised:
        await Recollect.open(settings=using(tmp_path / "nowhere", dsn, tenant))
    assert raised.value.field == "embedder"


async def test_the_doctor_looks_at_it(dsn: str, tenant: str, folder: Path) -> None:
    settings = using(folder, dsn, tenant)
    found = {one.what: one for one in await examine(settings, lambda _: None)}
    assert (found["embedder"].fine, found["embedder"].detail) == (True, Files.of(str(folder)).name)
    (folder / "tokenizer.json").unlink()
    found = {one.what: one for one in await examine(settings, lambda _: None)}
    assert not found["embedder"].fine
    assert "tokenizer.json" in found["embedder"].detail
    assert found["database"].fine
