"""What fields of a draft are called, in English and Spanish. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from recollect.chat.offline.values import type_of

Language = Literal["en", "es"]


class Field(msgspec.Struct, frozen=True):
    """A field of a draft that can be filled in by itself."""

    path: str
    schema: dict[str, Any]

    @property
    def name(self) -> str:
        """Its own name, without those of the objects around it."""
        return self.path.rsplit(".", 1)[-1]

    @property
    def labels(self) -> tuple[str, ...]:
        """What people may call it."""
        return tuple(dict.fromkeys((*_KNOWN.get(self.name, ((), ()))[0], *_KNOWN.get(self.name, ((), ()))[1],
                                    spoken(self.name), *_title(self.schema))))  # fmt: skip

    def label(self, language: Language) -> str:
        """What it is called when we ask for it."""
        known = _KNOWN.get(self.name)
        return (
            known[0 if language == "en" else 1][0] if known else next(iter(_title(self.schema)), spoken(self.name))
        )


def fields(schema: Mapping[str, Any], before: str = "") -> Iterator[Field]:
    """The fields of a draft, those of objects inside by their paths. Each has one type, so that it can be read."""
    for name, inner in schema.get("properties", {}).items():
        kind = type_of(inner)
        if kind == "object":
            yield from fields(inner, f"{before}{name}.")
        else:
            yield Field(before + name, {**inner, "type": kind})


def spoken(name: str) -> str:
    """A name in words: ``deliveryDays`` is delivery days."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", name).lower()


def _title(schema: Mapping[str, Any]) -> tuple[str, ...]:
    title = schema.get("title")
    return (title.lower(),) if isinstance(title, str) else ()


#: For names that drafts often have: what people call them in English, and in Spanish.
_KNOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "title": (("title",), ("título", "titulo", "nombre")),
    "subject": (("subject", "topic"), ("asunto", "tema")),
    "description": (("description",), ("descripción", "descripcion")),
    "budget": (("budget",), ("presupuesto",)),
    "deadline": (("deadline", "due date"), ("fecha límite", "fecha limite", "plazo")),
    "items": (("items", "products"), ("artículos", "articulos", "productos")),
    "vendorsSelected": (("vendors", "vendor", "suppliers"), ("proveedores", "proveedor")),
    "deliveryDays": (("delivery days", "delivery time", "delivery"), ("días de entrega", "entrega")),
    "paymentTerms": (("payment terms", "payment"), ("condiciones de pago", "pago")),
    "warranty": (("warranty",), ("garantía", "garantia")),
    "otherRequirements": (("other requirements",), ("otros requisitos",)),
    "product": (("product",), ("producto",)),
    "severity": (("severity", "priority"), ("gravedad", "prioridad")),
    "contact": (("contact", "email", "e-mail"), ("contacto", "correo")),
    "steps_to_reproduce": (("steps to reproduce", "steps"), ("pasos para reproducirlo", "pasos")),
    "solution": (("solution",), ("solución", "solucion")),
    "satisfied": (("satisfied", "satisfaction"), ("satisfacción", "satisfecho")),
}  # fmt: skip
