"""Who asks while one model follows another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.errors import Invalid, Unavailable
from recollect.models.generations import REST, Embedders
from recollect.ports import Embedder


class Fake:
    dimension = 1

    def __init__(self, name: str) -> None:
        self.name = name
        self.broken = False

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.broken:
            raise Unavailable("embedder", "gone")
        return np.ones((len(texts), 1), np.float32)

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return cosine


class Store:
    """Says which model serves, and keeps who asked."""

    def __init__(self, serving: str | None) -> None:
        self.serving = serving
        self.asked: list[str] = []

    async def told(self) -> str | None:
        return self.serving

    async def search(self, embedder: Embedder) -> tuple[str | None, str]:
        await embedder.embed(["question"])
        self.asked.append(embedder.name)
        return self.serving, embedder.name


async def test_with_one_generation_it_is_asked_once() -> None:
    embedders = Embedders(Fake("new"), lambda _: None)
    for serving in (None, "new"):
        store = Store(serving)
        assert (await embedders.ask("t", store.search))[0] == "new"
        assert store.asked == ["new"]


async def test_the_one_that_serves_is_asked_and_remembered_for_its_tenant() -> None:
    embedders = Embedders(Fake("new"), Fake)
    store = Store("old")
    for _ in range(2):
        found, embedder = await embedders.ask("t", store.search)
        assert found == embedder.name == "old"
    assert store.asked == ["new", "old", "old"]
    assert embedders.serving("other").name == "new"
    assert (await embedders.vector("t", "text", store.told))[0] == "old"
    store.serving = "new"
    assert (await embedders.ask("t", store.search))[0] == "new"
    assert embedders.serving("t").name == "new"


async def test_one_that_cannot_be_built_is_done_without() -> None:
    def missing(name: str) -> Embedder:
        raise Invalid("embedder", "not installed")

    for by_name in (missing, lambda _: None):
        store = Store("old")
        assert (await Embedders(Fake("new"), by_name).ask("t", store.search))[0] == "new"
        assert store.asked == ["new"]


async def test_one_that_does_not_answer_rests_for_a_while() -> None:
    old, now = Fake("old"), [0.0]
    embedders = Embedders(Fake("new"), lambda _: old, lambda: now[0])
    embedders.heard("t", "old")
    old.broken = True
    store = Store("old")
    assert (await embedders.ask("t", store.search))[0] == "new"
    assert (await embedders.vector("t", "text", store.told))[0] == "new"
    old.broken = False
    assert (await embedders.ask("t", store.search))[0] == "new"
    now[0] += REST
    assert (await embedders.ask("t", store.search))[0] == "old"
    old.broken = True
    assert (await embedders.vector("t", "text", store.told))[0] == "new"


async def test_the_failure_of_the_current_one_or_of_the_store_is_told() -> None:
    current = Fake("new")
    current.broken = True
    embedders = Embedders(current, Fake)
    with pytest.raises(Unavailable, match="gone"):
        await embedders.ask("t", Store(None).search)
    with pytest.raises(Unavailable, match="gone"):
        await embedders.vector("t", "text", Store(None).told)
    embedders.heard("t", "old")

    async def down(embedder: Embedder) -> tuple[str | None, str]:
        raise Unavailable("database", "down")

    with pytest.raises(Unavailable, match="down"):
        await embedders.ask("t", down)


async def test_where_the_model_of_the_settings_fails_the_store_is_asked_which_one_serves() -> None:
    current, old = Fake("new"), Fake("old")
    current.broken = True
    store = Store("old")
    assert (await Embedders(current, lambda _: old).vector("t", "text", store.told))[0] == "old"
    assert (await Embedders(current, lambda _: old).ask("t", store.search, store.told))[0] == "old"
    old.broken = True
    for embedders in (Embedders(current, lambda _: old), Embedders(current, lambda _: None)):
        with pytest.raises(Unavailable, match="gone"):
            await embedders.vector("t", "text", store.told)
