"""What Anthropic's memory tool does to the text of a file, and how it words its answers. Pure.

The words are those of the SDK's own tool that keeps files: Claude was taught to read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.errors import Unavailable, to_install

try:
    from anthropic.lib.tools import ToolError
except ImportError:
    raise Unavailable("anthropic", f"the Anthropic SDK is not installed; {to_install('anthropic')}") from None

ROOT = "/memories"
MAX_LINES = 999_999
#: How deep a folder is listed.
LEVELS = 2


def names_of(path: str) -> tuple[str, ...]:
    """The names of a path below ``/memories``; none for ``/memories`` itself."""
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    names: list[str] = []
    for name in path[len(ROOT) :].split("/"):
        if name == "..":
            if not names:
                raise ToolError(f"Path {path} would escape {ROOT} directory")
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return tuple(names)


def shown(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """A file with the numbers of its lines; or those of a range, of which -1 is the end."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = 1, len(lines)
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        last = last if view_range[1] == -1 else view_range[1]
    return f"Here's the content of {path} with line numbers:\n" + _numbered(lines, first, last)


def listed(path: str, files: Iterable[tuple[Sequence[str], int]]) -> str:
    """A folder: what is in it, by name, and how large it is; a folder is as large as all that is in it."""
    sizes: dict[tuple[str, ...], int] = {}
    folders: set[tuple[str, ...]] = {()}
    for names, size in files:
        for depth in range(len(names) + 1):
            sizes[tuple(names[:depth])] = sizes.get(tuple(names[:depth]), 0) + size
            if depth < len(names):
                folders.add(tuple(names[:depth]))
    lines = [f"Here're the files and directories up to {LEVELS} levels deep in {path}, excluding hidden items:"]
    lines.append(f"{_size(sizes.get((), 0))}\t{path}")
    for names in sorted(sizes):
        if 0 < len(names) <= LEVELS and not any(name.startswith(".") for name in names):
            ending = "/" if names in folders else ""
            lines.append(f"{_size(sizes[names])}\t{path.rstrip('/')}/{'/'.join(names)}{ending}")
    return "\n".join(lines)


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """The text with the one occurrence of ``old`` replaced, and the answer that shows it."""
    places = _places(text, old)
    if not places:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    made = text[: places[0]] + new + text[places[0] + len(old) :]
    line = text.count("\n", 0, places[0]) + 1
    snippet = _numbered(made.split("\n"), max(1, line - 2), line + 2)
    answer = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return made, answer + snippet


def inserted(text: str, after: int, more: str) -> str:
    """The text with something put after a line; 0 is before the first one."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= after <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {after}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(after, more.rstrip("\n"))
    made = "\n".join(lines)
    return made if made.endswith("\n") else made + "\n"


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(f"{first + place:>6}\t{line}" for place, line in enumerate(lines[first - 1 : last]))


def _places(text: str, wanted: str) -> list[int]:
    places: list[int] = []
    place = text.find(wanted) if wanted else -1
    while place != -1:
        places.append(place)
        place = text.find(wanted, place + 1)
    return places


def _size(size: int) -> str:
    value, unit = float(size), "B"
    for larger in "KMG":
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{int(value)}{unit}" if value == int(value) else f"{value:.1f}{unit}"
