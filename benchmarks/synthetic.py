"""A made-up world to search in: memories with random vectors that gather around topics, and questions near them.

Nothing here needs a model: whoever searches gets the vector of a question from a table.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import asyncpg
import numpy as np
from numpy.typing import NDArray

DIMENSION = 256
IN_SCOPE = 1000
#: A question is embedded in at most so many forms.
FORMS = 2
MODEL = "made-up-256"
TENANT = "default"
AGENT = "guide"

_VERBS, _LOOKS, _THINGS, _PLACES, _NAMES = (
    line.split()
    for line in (
        "bought sold found painted repaired borrowed photographed forgot described wanted",
        "red blue green wooden tiny heavy broken silver woollen secondhand",
        "bicycle violin lamp teapot kayak carpet camera bookshelf telescope jacket drum ladder clock tent "
        "suitcase mirror easel radio sofa compass kettle globe hammock wardrobe typewriter accordion",
        "Porto Ghent Turin Bergen Lyon Krakow Seville Graz Malmo Utrecht Trieste Cork",
        "Marta Ines Tom Anouk Piotr Greta Luca Sofia Emil Nora Jonas Clara Hugo Petra Ivan Lena Rui Elsa Oskar "
        "Mila Bruno Alma Felix Ida Pablo",
    )
)


class World:
    """Vectors around topics: those of one topic have a cosine of about 0.55, all others of about 0."""

    def __init__(self, seed: int = 7) -> None:
        self._topics = _unit(np.random.default_rng(seed).standard_normal((64, DIMENSION), np.float32))
        self._seed = seed

    def vectors(self, first: int, last: int) -> NDArray[np.float16]:
        """The vectors of these memories, as they are stored."""
        return self._around_topics(np.random.default_rng((self._seed, 1, first, last)), last - first)

    def _around_topics(self, rng: np.random.Generator, count: int) -> NDArray[np.float16]:
        noise = _unit(rng.standard_normal((count, DIMENSION), np.float32))
        near = self._topics[rng.integers(0, len(self._topics), count)]
        return _unit(0.75 * near + 0.66 * noise).astype(np.float16)

    def questions(self, count: int) -> dict[str, NDArray[np.float32]]:
        """Some questions that share a few words with memories, each with its vector."""
        rng = np.random.default_rng((self._seed, 2, count))
        vectors = self._around_topics(rng, count).astype(np.float32)
        found: dict[str, NDArray[np.float32]] = {}
        for number in range(count):
            thing, place, name = (str(rng.choice(words)) for words in (_THINGS, _PLACES, _NAMES))
            found[f"which {thing} did {name} see when we were in {place} {_code(number)}"] = vectors[number]
        return found

    def strange_questions(self, count: int) -> dict[str, NDArray[np.float32]]:
        """Questions without a single word that any memory has: only vectors can answer them."""
        return {_code(number): vector for number, vector in enumerate(self.questions(count).values())}


class LookUp:
    """An embedder that knows some texts, and charges nothing for them."""

    name = MODEL
    dimension = DIMENSION

    def __init__(self, known: dict[str, NDArray[np.float32]]) -> None:
        self.known = {text: np.stack([vector] * FORMS) for text, vector in known.items()}

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One question in its forms: what it says without its names, it also says by this vector."""
        return self.known[texts[0]][: len(texts)]

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return (1 / (1 + np.exp((0.374 - np.asarray(cosine, np.float32)) / 0.046))).astype(np.float32)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _code(number: int) -> str:
    return "qz" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def user_of(scope: int) -> str:
    return f"user{scope}"


async def fill(admin: asyncpg.Connection, world: World, first: int, last: int, keep: set[int]) -> dict[int, Kept]:
    """Put memories first…last into ``bench.stage``; returns the vectors of the scopes to keep.

    The scopes of one call take turns, as users do, so that the memories of one are spread over the whole table.
    """
    await admin.execute(_STAGE)
    scopes = (last - first) // IN_SCOPE
    kept: dict[int, list[NDArray[np.float16]]] = {scope: [] for scope in keep}
    for start in range(first, last, 20_000):
        stop = min(start + 20_000, last)
        vectors = world.vectors(start, stop)
        owners = first // IN_SCOPE + (np.arange(start, stop) - first) % scopes
        await admin.copy_to_table("vectors", schema_name="bench", source=_binary(start, vectors), format="binary")
        for scope in keep:
            kept[scope].append(vectors[owners == scope])
    await admin.execute(
        "insert into bench.stage select n, md5('memory' || n)::uuid, "
        f"'user' || {first // IN_SCOPE} + (n - {first}) % {scopes}, {_text_in_sql()}, embedding from bench.vectors"
    )
    return {scope: np.concatenate(parts) for scope, parts in kept.items()}


Kept = NDArray[np.float16]

_STAGE = f"""
create schema if not exists bench;
drop table if exists bench.vectors, bench.stage;
create unlogged table bench.vectors (n bigint, embedding halfvec({DIMENSION}));
create unlogged table bench.stage (n bigint, id uuid, user_id text, text text, embedding halfvec({DIMENSION}));
"""


def _binary(first: int, vectors: NDArray[np.float16]) -> io.BytesIO:
    """Rows of a number and a vector in the binary format of COPY."""
    row = np.dtype(
        [
            ("fields", ">i2"),
            ("n_length", ">i4"),
            ("n", ">i8"),
            ("vector_length", ">i4"),
            ("dimension", ">i2"),
            ("unused", ">i2"),
            ("vector", ">f2", DIMENSION),
        ]
    )
    rows = np.zeros(len(vectors), row)
    rows["fields"], rows["n_length"], rows["vector_length"] = 2, 8, 4 + 2 * DIMENSION
    rows["n"], rows["dimension"], rows["vector"] = np.arange(first, first + len(vectors)), DIMENSION, vectors
    return io.BytesIO(b"PGCOPY\n\xff\r\n\x00" + bytes(8) + rows.tobytes() + b"\xff\xff")


def _text_in_sql() -> str:
    """Like "user painted a wooden teapot in Bergen with Clara, 4711"."""

    def one_of(words: list[str], salt: int) -> str:
        listed = ",".join(f"'{word}'" for word in words)
        return f"(array[{listed}])[1 + (hashint8extended(n, {salt}) & 65535) % {len(words)}]"

    parts = [one_of(words, salt) for salt, words in enumerate((_VERBS, _LOOKS, _THINGS, _PLACES, _NAMES))]
    return "format('user %s a %s %s in %s with %s, %s', " + ", ".join(parts) + ", n)"


def sent(vector: NDArray[np.float32]) -> bytes:
    """A halfvec in the binary format of the protocol."""
    return DIMENSION.to_bytes(2) + bytes(2) + vector.astype(">f2").tobytes()


def number_in(text: str) -> int:
    """Which memory this is the text of."""
    return int(text.rpartition(" ")[2])
