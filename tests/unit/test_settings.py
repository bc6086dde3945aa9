from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Invalid, Recollect, Settings
from recollect.settings import unknown_variables


def test_defaults_need_nothing() -> None:
    settings = Settings.read({})
    assert (settings.database, settings.tenant, settings.pool_size) == (None, "default", 10)
    assert settings.folder == Path.cwd() / ".recollect"


def test_the_environment_and_what_overrides_it() -> None:
    environment = {"RECOLLECT_DATABASE": "postgresql://x", "RECOLLECT_POOL_SIZE": "3", "RECOLLECT_POOLER": "true"}
    settings = Settings.read(environment, pool_size=None, tenant="acme")
    assert (settings.database, settings.pool_size, settings.pooler, settings.tenant) == (
        "postgresql://x",
        3,
        True,
        "acme",
    )
    assert Settings.read(environment, pool_size=7).pool_size == 7
    assert Settings.read({"RECOLLECT_DATABASE": ""}).database is None


def test_an_endpoint_for_vectors() -> None:
    settings = Settings.read(
        {"RECOLLECT_EMBEDDER": "openai:bge-small:384", "OPENAI_BASE_URL": "http://x", "OPENAI_API_KEY": "k"}
    )
    assert (settings.embedder, settings.openai_base_url, settings.openai_api_key) == (
        "openai:bge-small:384",
        "http://x",
        "k",
    )
    for wrong in ("openai", "openai:m", "openai:m:0", "openai:m:x", "bert", "openai::3", "openai:a:b"):
        with pytest.raises(Invalid, match="embedder"):
            Settings.read({"RECOLLECT_EMBEDDER": wrong})
    tagged = "openai:nomic-embed-text:v1.5:768"
    assert Settings.read({"RECOLLECT_EMBEDDER": tagged}).embedder == tagged


def test_a_language_model() -> None:
    assert Settings.read({}).model is None
    settings = Settings.read({"RECOLLECT_MODEL": "openai:llama3:8b", "RECOLLECT_MODEL_TOKENS_PER_DAY": "50000"})
    assert (settings.model, settings.model_timeout, settings.model_tokens_per_day) == (
        "openai:llama3:8b",
        30.0,
        50_000,
    )
    for wrong in ("gpt-4o-mini", "openai:", "openai: x", "other:model"):
        with pytest.raises(Invalid, match="model"):
            Settings.read({"RECOLLECT_MODEL": wrong})


@pytest.mark.parametrize("size", ["many", "0", "-1", "1.5"])
def test_a_wrong_value_names_the_setting(size: str) -> None:
    with pytest.raises(Invalid, match="pool_size"):
        Settings.read({"RECOLLECT_POOL_SIZE": size})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("patience", float("nan")),
        ("patience", -1.0),
        ("statement_timeout", 0.0),
        ("statement_timeout", 1e9),
        ("pool_size", 0),
        ("model_timeout", 0.0),
        ("model_timeout", float("inf")),
        ("model_tokens_per_day", -1),
    ],
)
def test_values_out_of_range_are_refused_however_they_come(name: str, value: float) -> None:
    with pytest.raises(Invalid, match=name):
        Settings(**{name: value})  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match=name):
        Settings.read({f"RECOLLECT_{name.upper()}": str(value)})


def test_a_refused_value_says_where_it_came_from() -> None:
    with pytest.raises(Invalid) as given:
        Settings.read({"RECOLLECT_POOL_SIZE": "3"}, pool_size=0)
    assert str(given.value) == "pool_size: must be between 1 and 1000, not 0"
    with pytest.raises(Invalid) as found:
        Settings.read({"RECOLLECT_POOL_SIZE": "0"})
    assert str(found.value) == "pool_size: must be between 1 and 1000, not 0; check RECOLLECT_POOL_SIZE"


def test_a_data_folder_that_cannot_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Invalid, match="data_dir: is empty"):
        Settings.read({}, data_dir="")
    with pytest.raises(Invalid, match="data_dir: there is no home folder for '~nobody-here/x'"):
        _ = Settings(data_dir="~nobody-here/x").folder
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(Invalid, match="data_dir: the current folder was removed"):
        _ = Settings().folder


@pytest.mark.parametrize("wrong", [5, b"data", ["data"], True])
def test_a_data_folder_that_is_no_path(wrong: object) -> None:
    with pytest.raises(Invalid, match="data_dir: must be the path of a folder"):
        Recollect.open(data_dir=wrong)  # pyright: ignore[reportArgumentType]


def test_a_mistyped_setting_is_named_with_the_one_that_is_meant() -> None:
    environment = {"RECOLLECT_PORTT": "1", "RECOLLECT_PORT": "2", "RECOLLECT_FOO": "3", "RECOLLECT_TENAN": ""}
    assert unknown_variables({**environment, "PATH": "/bin"}) == [
        "RECOLLECT_FOO is no setting of Recollect",
        "RECOLLECT_PORTT is no setting of Recollect; is RECOLLECT_PORT meant?",
    ]
