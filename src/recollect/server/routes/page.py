"""The page and its elements, from the package: compressed once, and sent again only when they have changed."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath

from recollect.errors import NotFound
from recollect.server.rules import rule

KINDS = {
    "html": "text/html",
    "js": "text/javascript",
}
#: Nothing from other hosts, no script or style inside of the page, and no text that becomes markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class File(msgspec.Struct, frozen=True):
    """A file as it is sent."""

    kind: str
    plain: bytes
    packed: bytes
    tag: str


@cache
def web() -> dict[str, File]:
    """Every file of the page by its path; read once."""
    root = files("recollect") / "web"
    found: dict[str, File] = {}
    folders = [("", root)]
    while folders:
        before, folder = folders.pop()
        for one in folder.iterdir():
            path = f"{before}{one.name}"
            if one.is_dir():
                folders.append((f"{path}/", one))
            elif (kind := KINDS.get(one.name.rsplit(".", 1)[-1])) is not None:
                plain = one.read_bytes()
                tag = f'"{hashlib.sha256(plain).hexdigest()[:20]}"'
                found[path] = File(kind, plain, gzip.compress(plain, 9, mtime=0), tag)
    return found


def sent(request: Request[Any, Any, Any], path: str) -> Response[bytes]:
    """A file; without its content if the browser has it already."""
    file = web().get(path)
    if file is None:
        raise NotFound("file", path)
    headers = {"etag": file.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if file.kind == KINDS["html"]:
        headers["content-security-policy"] = POLICY
    if request.headers.get("if-none-match") == file.tag:
        return Response(b"", status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.plain, media_type=file.kind, headers=headers)
    return Response(file.packed, media_type=file.kind, headers={**headers, "content-encoding": "gzip"})


@get("/", opt=rule("public"), include_in_schema=False)
async def page(request: Request[Any, Any, Any]) -> Response[bytes]:
    """The page."""
    return sent(request, "index.html")


@get("/web/{path:path}", opt=rule("public"), include_in_schema=False)
async def part(request: Request[Any, Any, Any], path: FromPath[str]) -> Response[bytes]:
    """A script or a style of the page, which other pages may use too."""
    answer = sent(request, path.lstrip("/"))
    # A module is public, and a page of another origin that puts our elements in must be able to load it.
    answer.headers["cross-origin-resource-policy"] = "cross-origin"
    answer.headers["access-control-allow-origin"] = "*"
    return answer


ROUTES = [page, part]
