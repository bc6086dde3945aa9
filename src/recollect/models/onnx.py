"""A sentence model that is there as files, run in this process by ``onnxruntime``.

A folder as model hubs lay it out: the graph, its vocabulary, and how what it says of each piece becomes a vector.
Such a model knows far more of what is meant than static vectors do, and takes some milliseconds for a question.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.util
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.errors import Invalid, Unavailable, to_install
from recollect.observe.logs import say

T = TypeVar("T")

#: What its names begin with.
PREFIX = "onnx:"
#: Where the graph may be, in the folder.
GRAPHS = ("model.onnx", "onnx/model.onnx")
#: What a vector is made of, besides the pieces and how they are put together; it is always brought to length 1.
_MODULES = ("Transformer", "Pooling", "Normalize")
#: The beginning of a text, before it is cut to as many pieces as the model reads.
MOST_CHARACTERS = 20_000
MOST_PIECES = 512
#: Pieces that are read at once: attention takes room by the square of the length, for each text.
AT_ONCE = 4096
#: Bytes at each end of the graph that tell it from another one.
ENDS = 1 << 20


class _Config(msgspec.Struct):
    """What ``config.json`` says, by the names of the kinds of models."""

    hidden_size: int = 0
    dim: int = 0
    d_model: int = 0
    max_position_embeddings: int | None = None


class _Length(msgspec.Struct):
    max_seq_length: int | None = None


class _Pooling(msgspec.Struct):
    pooling_mode_cls_token: bool = False


class _Module(msgspec.Struct):
    type: str = ""


class Files(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder holds, as far as it is known without loading the model."""

    graph: Path
    vocabulary: Path
    name: str
    dimension: int
    first_piece: bool
    """Whether the first piece speaks for the text; otherwise the mean of all does."""
    most_pieces: int

    @classmethod
    def of(cls, place: str) -> Self:
        """What is in this folder, or beside this file of a graph; Invalid if something is missing."""
        given = Path(place).expanduser()
        folder = given if given.suffix != ".onnx" else given.parent
        if folder.name == "onnx" and not (folder / "tokenizer.json").exists():
            folder = folder.parent
        graphs = [given] if given.suffix == ".onnx" else [folder / name for name in GRAPHS]
        graph = next((one for one in graphs if one.is_file()), None)
        if graph is None:
            raise _wrong(place, f"has no {' or '.join(GRAPHS)}" if given.suffix != ".onnx" else "is not there")
        vocabulary = folder / "tokenizer.json"
        if not vocabulary.is_file():
            raise _wrong(str(folder), "has no tokenizer.json")
        settings = _read(folder / "config.json", _Config)
        if settings is None:
            raise _wrong(str(folder), "has no config.json")
        dimension = settings.hidden_size or settings.dim or settings.d_model
        if not 0 < dimension < 10_000:
            raise _wrong(str(folder / "config.json"), "has no hidden_size")
        kinds = [one.type.rpartition(".")[2] for one in _read(folder / "modules.json", list[_Module]) or ()]
        if other := [kind for kind in kinds if kind not in _MODULES]:
            raise _wrong(str(folder), f"needs a module that is not supported: {other[0]}")
        length = _read(folder / "sentence_bert_config.json", _Length) or _Length()
        pooling = _read(folder / "1_Pooling" / "config.json", _Pooling) or _Pooling()
        reads = (length.max_seq_length, settings.max_position_embeddings)
        return cls(
            graph=graph,
            vocabulary=vocabulary,
            name=f"{PREFIX}{folder.resolve().name}-{dimension}-{_fingerprint(graph)}",
            dimension=dimension,
            first_piece=pooling.pooling_mode_cls_token,
            most_pieces=min([MOST_PIECES, *(one for one in reads if one is not None and one > 2)]),
        )


class _Model(msgspec.Struct, frozen=True):
    """What is loaded."""

    session: Any
    reads: list[str]
    pieces: Any


class OnnxModel:
    """The model of a folder, loaded when it is first needed; a thread does that, and all that it reads."""

    def __init__(self, files: Files) -> None:
        self.name = files.name
        self.dimension = files.dimension
        self._files = files
        self._model: _Model | None = None
        self._loading = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text; zeros for one that says nothing."""
        return await asyncio.to_thread(lambda: self._rows(self._loaded(), list(texts)))

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                try:
                    self._model = self._load()
                except Exception as error:
                    say(logging.ERROR, "embedder.broken", model=self.name, error=type(error).__name__)
                    raise Unavailable(
                        "embedder",
                        f"{self.name} could not be loaded ({type(error).__name__}); are its files whole?",
                    ) from None
            return self._model

    def _load(self) -> _Model:
        runtime = importlib.import_module("onnxruntime")
        options: Any = runtime.SessionOptions()
        # Its threads would go round and round for a while after each text, and take the time of everybody else.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session: Any = runtime.InferenceSession(
            str(self._files.graph), options, providers=["CPUExecutionProvider"]
        )
        pieces: Any = importlib.import_module("tokenizers").Tokenizer.from_file(str(self._files.vocabulary))
        pieces.no_padding()
        pieces.enable_truncation(self._files.most_pieces)
        return _Model(session, [one.name for one in session.get_inputs()], pieces)

    def _rows(self, model: _Model, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        there = [place for place, text in enumerate(texts) if text.strip()]
        read: list[list[int]] = [
            one.ids for one in model.pieces.encode_batch([texts[place][:MOST_CHARACTERS] for place in there])
        ]
        for batch in _batches([len(one) for one in read]):
            rows[[there[one] for one in batch]] = self._vectors(model, [read[one] for one in batch])
        return rows

    def _vectors(self, model: _Model, read: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """What it makes of texts that are about as long."""
        ids = np.zeros((len(read), max(map(len, read))), np.int64)
        seen = np.zeros_like(ids)
        for row, mask, one in zip(ids, seen, read, strict=True):
            row[: len(one)] = one
            mask[: len(one)] = 1
        given = {"input_ids": ids, "attention_mask": seen, "token_type_ids": np.zeros_like(ids)}
        made: NDArray[np.float32] = model.session.run(None, {name: given[name] for name in model.reads})[0]
        if made.ndim == 3:
            made = made[:, 0] if self._files.first_piece else _mean(made, seen)
        if made.shape != (len(read), self.dimension) or not np.isfinite(made).all():
            raise Unavailable(
                "embedder", f"{self.name} gave vectors of shape {made.shape}, or that are no numbers"
            )
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return (made / np.maximum(lengths, 1e-12)).astype(np.float32)


def _mean(made: NDArray[np.float32], seen: NDArray[np.int64]) -> NDArray[np.float32]:
    """The mean of what it says of each piece."""
    weights = seen[..., None].astype(np.float32)
    return (made * weights).sum(axis=1) / weights.sum(axis=1)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts that are read together, those of about the same length, since the shorter are filled up."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > AT_ONCE:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _read(path: Path, kind: type[T]) -> T | None:
    """What a file of settings says; None if there is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise _wrong(str(path), f"cannot be read ({type(error).__name__})") from None


def _fingerprint(graph: Path) -> str:
    """Tells other weights in a folder of the same name: their vectors must not be compared."""
    size = graph.stat().st_size
    with graph.open("rb") as file:
        ends = [file.read(ENDS)]
        file.seek(max(0, size - ENDS), os.SEEK_SET)
        ends.append(file.read(ENDS))
    return hashlib.blake2b(b"".join([str(size).encode(), *ends]), digest_size=4).hexdigest()


def _wrong(place: str, problem: str) -> Invalid:
    return Invalid("embedder", f"{place} {problem}; onnx:<folder> names one with model.onnx and tokenizer.json")


def checked(place: str) -> Files:
    """The files of a model that can be run here; Invalid says what is missing."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise Invalid("embedder", f"onnxruntime is not installed; {to_install('onnx')}")
    return Files.of(place)


def beside(place: str, name: str) -> Files | None:
    """The files that stamp this name on their vectors, if they are in a folder beside this one."""
    folder, _, _ = name.removeprefix(PREFIX).rsplit("-", 2)
    files = checked(str(Path(place).expanduser().resolve().parent / folder))
    return files if files.name == name else None
