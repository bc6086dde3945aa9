"""A sentence model that is there as files, by the real runtime."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from bert import small_model
from recollect.errors import Invalid, Unavailable
from recollect.models import onnx
from recollect.models.onnx import Files, OnnxModel, beside, checked

WORDS = ["tea", "coffee", "likes", "user", "the", "in", "porto", "lives", "a", "b", "c", "d", "e", "f", "g", "h"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("models") / "small", WORDS)


async def test_a_text_has_one_vector_of_length_one_whatever_stands_beside_it(folder: Path) -> None:
    model = OnnxModel(checked(str(folder)))
    texts = ["user likes tea", "", "user lives in porto", "tea", " ", "the coffee"]
    rows = await model.embed(texts)
    assert rows.shape == (6, 32)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert lengths.tolist() == pytest.approx([1, 0, 1, 1, 0, 1], abs=1e-5)
    for text, row in zip(texts, rows, strict=True):
        (alone,) = await model.embed([text])
        assert np.allclose(alone, row, atol=1e-5), "what a text is filled up with does not count"
    assert not np.allclose(rows[0], rows[2], atol=0.05)
    assert (await model.embed([])).shape == (0, 32)


async def test_texts_with_the_same_words_are_near(folder: Path) -> None:
    one, same, other = await OnnxModel(checked(str(folder))).embed(["user likes tea", "tea likes user", "b c d e"])
    assert one @ same > one @ other + 0.02


async def test_what_the_first_piece_says_counts_where_the_folder_says_so(folder: Path, tmp_path: Path) -> None:
    by_first = OnnxModel(checked(str(small_model(tmp_path / "first", WORDS, first_piece=True))))
    assert by_first.name.startswith("onnx:first-32-")
    other = tmp_path / "mean"
    shutil.copytree(tmp_path / "first", other)
    (other / "1_Pooling" / "config.json").write_text("{}")
    (first,), (mean,) = (
        await by_first.embed(["user likes tea"]),
        await OnnxModel(checked(str(other))).embed(["user likes tea"]),
    )
    assert not np.allclose(first, mean, atol=0.01)


async def test_a_long_text_is_cut_to_what_the_model_reads(folder: Path) -> None:
    files = checked(str(folder))
    assert files.most_pieces == 16
    long, cut = await OnnxModel(files).embed(["a b c d e f g h " * 5000, "a b c d e f g h a b c d e f"])
    assert np.allclose(long, cut, atol=1e-5), "14 words between the beginning and the end"


async def test_many_texts_are_read_in_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = OnnxModel(checked(str(folder)))
    texts = [" ".join(WORDS[: 1 + number % 12]) for number in range(50)]
    at_once = await model.embed(texts)
    monkeypatch.setattr(onnx, "AT_ONCE", 20)
    assert np.allclose(await model.embed(texts), at_once, atol=1e-5)


async def test_it_works_beside_the_loop(folder: Path) -> None:
    model = OnnxModel(checked(str(folder)))
    threads: set[str] = set()
    model._rows = lambda *_: threads.add(threading.current_thread().name) or np.zeros((1, 32), np.float32)  # type: ignore
    await asyncio.gather(*(model.embed(["tea"]) for _ in range(4)))
    assert threading.main_thread().name not in threads
    assert threads


def test_a_graph_can_be_named_itself(folder: Path, tmp_path: Path) -> None:
    assert Files.of(str(folder / "onnx" / "model.onnx")) == Files.of(str(folder))
    smaller = tmp_path / "small"
    shutil.copytree(folder, smaller)
    (smaller / "onnx" / "model.onnx").rename(smaller / "model.onnx")
    assert Files.of(str(smaller)).name == Files.of(str(folder)).name, "wherever it is in the folder"


def test_other_weights_have_another_name(folder: Path, tmp_path: Path) -> None:
    other = small_model(tmp_path / "small", WORDS, seed=2)
    assert Files.of(str(other)).name != Files.of(str(folder)).name
    assert Files.of(str(other)).name.rpartition("-")[0] == "onnx:small-32"


def test_a_model_is_found_beside_another_by_its_name(folder: Path) -> None:
    other = small_model(folder.parent / "with-dashes-v1.5", WORDS, seed=3)
    name = Files.of(str(other)).name
    found = beside(str(folder), name)
    assert found is not None
    assert found.name == name
    assert beside(str(folder), name[:-1] + ("0" if name[-1] != "0" else "1")) is None, "weights have changed"
    with pytest.raises(Invalid):
        beside(str(folder), "onnx:gone-32-00000000")


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("onnx/model.onnx", None, "has no model.onnx or onnx/model.onnx"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("config.json", None, "has no config.json"),
        ("config.json", "{}", "has no hidden_size"),
        ("config.json", "{", "cannot be read"),
        ("modules.json", json.dumps([{"type": "sentence_transformers.models.Dense"}]), "not supported: Dense"),
    ],
)
def test_what_is_missing_is_said(folder: Path, tmp_path: Path, file: str, content: str | None, said: str) -> None:
    shutil.copytree(folder, tmp_path / "m")
    (tmp_path / "m" / file).unlink()
    if content is not None:
        (tmp_path / "m" / file).write_text(content)
    with pytest.raises(Invalid, match=said) as raised:
        checked(str(tmp_path / "m"))
    assert raised.value.field == "embedder"


def test_a_folder_that_is_not_there_and_a_graph_that_is_not(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="has no model"):
        checked(str(tmp_path / "nowhere"))
    with pytest.raises(Invalid, match="is not there"):
        checked(str(tmp_path / "nowhere" / "model_quantized.onnx"))


def test_without_the_runtime_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Invalid, match=r"\.\[onnx\]"):
        checked(str(folder))


async def test_a_broken_graph_is_unavailable_and_says_nothing_of_the_texts(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    (tmp_path / "m" / "onnx" / "model.onnx").write_bytes(b"no graph at all")
    model = OnnxModel(checked(str(tmp_path / "m")))
    with pytest.raises(Unavailable, match="could not be loaded") as raised:
        await model.embed(["a secret"])
    assert raised.value.part == "embedder"
    assert "secret" not in str(raised.value)


async def test_a_graph_of_another_width_is_unavailable(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    (tmp_path / "m" / "config.json").write_text(json.dumps({"hidden_size": 48}))
    with pytest.raises(Unavailable, match="shape"):
        await OnnxModel(checked(str(tmp_path / "m"))).embed(["tea"])
