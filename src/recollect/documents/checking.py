"""What is let in as a document, a namespace or a filter. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.documents.records import PutDocument
from recollect.errors import Invalid

MAX_VALUE = 1 << 20
MAX_DEPTH = 16
#: All names of a namespace together, in bytes: an entry of an index has to hold it with the key.
MAX_NAMESPACE = 800
MAX_TEXTS = 1000
MAX_DIMENSIONS = 16_000
#: A thousand years, in seconds.
MAX_TTL = 3.2e10
MAX_VERSION = (1 << 63) - 1
OPERATORS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")


def namespace(given: object, field: str = "namespace") -> list[str]:
    """A path of 1 to 16 names."""
    names = path(given, field)
    if not names:
        raise Invalid(field, "must have at least one name")
    return names


def path(given: object, field: str) -> list[str]:
    """A path that may be empty."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise Invalid(field, f"must be a list of names, not {type(given).__name__}")
    names = [inputs.identifier(field, name) for name in cast("Sequence[object]", given)]
    if len(names) > MAX_DEPTH:
        raise Invalid(field, f"has {len(names)} names; at most {MAX_DEPTH} are allowed")
    size = sum(len(name.encode()) for name in names)
    if size > MAX_NAMESPACE:
        raise Invalid(field, f"has {size} bytes in all of its names; at most {MAX_NAMESPACE} are allowed")
    return names


def below(given: object) -> tuple[list[str], list[str]] | tuple[None, None]:
    """The range of a namespace and all below it: from here, until there; none for everything."""
    names = path(given, "namespace")
    return (names, [*names[:-1], names[-1] + "\x01"]) if names else (None, None)


def value(given: object) -> str:
    """The value as JSON."""
    if not isinstance(given, Mapping):
        raise Invalid("value", f"must be a mapping, not {type(given).__name__}")
    return inputs.json_text("value", dict(cast("Mapping[str, Any]", given)), MAX_VALUE)


def filter(given: object) -> str | None:
    """A filter as JSON: values of fields, or operators on them; deeper fields by mappings in mappings."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise Invalid("filter", f"must be a mapping, not {type(given).__name__}")
    plain = dict(cast("Mapping[str, Any]", given))
    if not plain:
        return None
    text = inputs.json_text("filter", plain)
    for name in _keys(plain):
        if name.startswith("$") and name not in OPERATORS:
            raise Invalid("filter", f"has an operator that there is not; there are {', '.join(OPERATORS)}")
    return text


def _keys(given: Any) -> Iterator[str]:
    if isinstance(given, Mapping):
        for name, part in cast("Mapping[str, Any]", given).items():
            yield name
            yield from _keys(part)
    elif isinstance(given, list | tuple):
        for part in cast("Sequence[Any]", given):
            yield from _keys(part)


def texts(put: PutDocument) -> list[str]:
    """What the document is found by."""
    if put.texts is None:
        whole = "\n".join(_strings(put.value))
        return [inputs.text("value", whole, MAX_VALUE)] if whole.strip() else []
    if isinstance(put.texts, str) or not isinstance(cast("object", put.texts), Sequence):
        raise Invalid("texts", f"must be a list of texts, not {type(put.texts).__name__}")
    if len(put.texts) > MAX_TEXTS:
        raise Invalid("texts", f"are {len(put.texts)}; at most {MAX_TEXTS} are allowed")
    return [inputs.text("texts", text, MAX_VALUE) for text in put.texts]


def _strings(given: Any) -> Iterator[str]:
    match given:
        case str():
            yield given
        case Mapping():
            for part in cast("Mapping[str, Any]", given).values():
                yield from _strings(part)
        case list() | tuple():
            for part in cast("Sequence[Any]", given):
                yield from _strings(part)
        case _:
            return


def vector(given: Sequence[float], field: str) -> list[float]:
    """A vector of a caller's own model."""
    made = [float(part) for part in given]
    if not 0 < len(made) <= MAX_DIMENSIONS or not all(map(math.isfinite, made)):
        raise Invalid(field, f"must have 1 to {MAX_DIMENSIONS} dimensions, all of them numbers")
    return made


def seconds(given: float | None) -> float | None:
    """How long something is kept."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(cast("object", given), int | float) or not 0 < given <= MAX_TTL:
        raise Invalid("ttl", f"must be a number of seconds between 0 and {MAX_TTL:.0f}")
    return float(given)


def version(given: int | None) -> int | None:
    """A version; 0 stands for none yet."""
    return None if given is None else inputs.amount("version", given, most=MAX_VERSION, least=0)


def decoded(text: str) -> dict[str, Any]:
    """A value as it is stored. Postgres writes out a large number with all of its digits: it was a float."""
    return cast("dict[str, Any]", _floats(msgspec.json.decode(text)))


def _floats(given: Any) -> Any:
    match given:
        case int() if inputs.is_long(given):
            return float(given)
        case list():
            return [_floats(item) for item in cast("list[Any]", given)]
        case dict():
            return {key: _floats(item) for key, item in cast("dict[str, Any]", given).items()}
        case _:
            return given
