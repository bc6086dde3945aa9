"""A model of the kind that sentence embedders are, written as a file that the real runtime reads: small and random, or
from the weights of a real one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

Weights = Mapping[str, NDArray[np.float32]]


class _Graph:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def node(self, kind: str, *given: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(given), [name], **attributes))
        return name

    def weight(self, name: str, *, turned: bool = False) -> str:
        value = self.weights[name]
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value.T if turned else value), name)
        return name

    def number(self, name: str, value: Any, kind: type = np.float32) -> str:
        self.constants[name] = numpy_helper.from_array(np.array(value, kind), name)
        return name

    def linear(self, given: str, name: str) -> str:
        return self.node(
            "Add",
            self.node("MatMul", given, self.weight(f"{name}.weight", turned=True)),
            self.weight(f"{name}.bias"),
        )

    def normal(self, given: str, name: str, epsilon: float) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", given, scale, shift, epsilon=epsilon)


def as_onnx(weights: Weights, *, layers: int, heads: int, epsilon: float = 1e-12, types: bool = True) -> bytes:
    """BERT's encoder: what is read to the last hidden state."""
    graph = _Graph(weights)
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    each = width // heads
    graph.number("one", 1.0)
    graph.number("away", -1e9)
    graph.number("split", [0, 0, heads, each], np.int64)
    graph.number("whole", [0, 0, width], np.int64)
    graph.number("scale", 1 / np.sqrt(each))
    graph.number("half", 0.5)
    graph.number("root", 1 / np.sqrt(2))
    length = graph.node("Shape", "input_ids", start=1, end=2)
    places = graph.node(
        "Range",
        graph.number("zero", 0, np.int64),
        graph.node("Squeeze", length),
        graph.number("step", 1, np.int64),
    )
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    where = graph.node("Gather", graph.weight("embeddings.position_embeddings.weight"), places)
    kinds = graph.node(
        "Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids" if types else "zero"
    )
    state = graph.normal(
        graph.node("Add", graph.node("Add", words, where), kinds), "embeddings.LayerNorm", epsilon
    )
    seen = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = graph.node("Mul", graph.node("Sub", "one", seen), "away")
    mask = graph.node("Unsqueeze", hidden, graph.number("axes", [1, 2], np.int64))

    def split(given: str, order: list[int]) -> str:
        return graph.node("Transpose", graph.node("Reshape", given, "split"), perm=order)

    for number in range(layers):
        at = f"encoder.layer.{number}"
        query = split(graph.linear(state, f"{at}.attention.self.query"), [0, 2, 1, 3])
        key = split(graph.linear(state, f"{at}.attention.self.key"), [0, 2, 3, 1])
        value = split(graph.linear(state, f"{at}.attention.self.value"), [0, 2, 1, 3])
        scores = graph.node("Add", graph.node("Mul", graph.node("MatMul", query, key), "scale"), mask)
        heard = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
        joined = graph.node("Reshape", graph.node("Transpose", heard, perm=[0, 2, 1, 3]), "whole")
        told = graph.linear(joined, f"{at}.attention.output.dense")
        state = graph.normal(graph.node("Add", told, state), f"{at}.attention.output.LayerNorm", epsilon)
        wide = graph.linear(state, f"{at}.intermediate.dense")
        turned = graph.node("Add", graph.node("Erf", graph.node("Mul", wide, "root")), "one")
        bent = graph.node("Mul", graph.node("Mul", wide, turned), "half")
        state = graph.normal(
            graph.node("Add", graph.linear(bent, f"{at}.output.dense"), state), f"{at}.output.LayerNorm", epsilon
        )
    graph.nodes.append(helper.make_node("Identity", [state], ["last_hidden_state"]))
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    read = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    made = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", width])
    whole = helper.make_graph(graph.nodes, "bert", read, [made], list(graph.constants.values()))
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def random_weights(seed: int, words: int, width: int, layers: int, places: int) -> dict[str, NDArray[np.float32]]:
    """Such as before any training: texts with the same words are near to each other, and that is all it knows."""
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0, 0.1, shape).astype(np.float32)

    def normal(name: str) -> dict[str, NDArray[np.float32]]:
        return {f"{name}.weight": np.ones(width, np.float32), f"{name}.bias": np.zeros(width, np.float32)}

    made = {
        "embeddings.word_embeddings.weight": some(words, width),
        "embeddings.position_embeddings.weight": some(places, width) / 10,
        "embeddings.token_type_embeddings.weight": some(2, width),
        **normal("embeddings.LayerNorm"),
    }
    for number in range(layers):
        at = f"encoder.layer.{number}"
        for name, shape in (
            ("attention.self.query", (width, width)),
            ("attention.self.key", (width, width)),
            ("attention.self.value", (width, width)),
            ("attention.output.dense", (width, width)),
            ("intermediate.dense", (2 * width, width)),
            ("output.dense", (width, 2 * width)),
        ):
            made |= {f"{at}.{name}.weight": some(*shape), f"{at}.{name}.bias": some(shape[0])}
        made |= normal(f"{at}.attention.output.LayerNorm") | normal(f"{at}.output.LayerNorm")
    return made


def small_model(
    folder: Path,
    words: Sequence[str],
    *,
    seed: int = 1,
    width: int = 32,
    first_piece: bool = False,
    places: int = 64,
) -> Path:
    """A folder with a small random model that knows these words, as a hub would lay it out."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    weights = random_weights(seed, len(names), width, 2, places)
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(as_onnx(weights, layers=2, heads=4, types=not first_piece))
    pieces = Tokenizer(WordPiece({name: number for number, name in enumerate(names)}, unk_token="[UNK]"))
    pieces.normalizer, pieces.pre_tokenizer = BertNormalizer(lowercase=True), BertPreTokenizer()
    pieces.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    pieces.enable_padding(length=40)  # as the files of many models have it, which would make all texts as long
    pieces.save(str(folder / "tokenizer.json"))
    kinds = ["Transformer", "Pooling", "Normalize"]
    settings: dict[str, Any] = {
        "config.json": {"hidden_size": width, "max_position_embeddings": places},
        "modules.json": [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds],
        "sentence_bert_config.json": {"max_seq_length": 16},
        "1_Pooling/config.json": {"pooling_mode_cls_token": first_piece},
    }
    for name, value in settings.items():
        (folder / name).write_text(json.dumps(value))
    return folder
