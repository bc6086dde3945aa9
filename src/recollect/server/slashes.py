"""A slash inside of a name: ``%2F`` in an address belongs to the name, and must not end it.

Servers decode a path before it is matched to a route, and then nobody can tell the two apart. So the path of such
a request keeps its ``%2F`` (and, to be exact, its ``%25``) until the route is found; then the names are decoded.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import unquote

KEPT = "recollect.slashes"
_LEFT = re.compile("%2F|%25")


def keep(scope: MutableMapping[str, Any]) -> None:
    """Before the route is looked for."""
    raw: bytes = scope.get("raw_path") or b""
    if b"%2" not in raw or b"%2f" not in raw.lower():
        return
    path = raw.partition(b"?")[0].replace(b"%25", b"%2525").replace(b"%2F", b"%252F").replace(b"%2f", b"%252F")
    scope["path"] = unquote(path.decode("latin-1"))
    scope[KEPT] = True


def give_back(scope: MutableMapping[str, Any]) -> None:
    """When the route is found."""
    if scope.pop(KEPT, False):
        names: dict[str, Any] = scope["path_params"]  # the router keeps it for the next request of this path
        scope["path_params"] = {name: _decoded(value) for name, value in names.items()}


def _decoded(value: Any) -> Any:
    return _LEFT.sub(lambda found: "/" if found[0] == "%2F" else "%", value) if isinstance(value, str) else value
