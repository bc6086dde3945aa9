"""Where the Redis is: one server, the primary that Sentinels name, or a Cluster, by the scheme of the address."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from recollect.errors import Invalid

_FORM = (
    "must be like redis://host:6379/0, rediss://… for TLS, redis+sentinel://host:26379,host2:26379/service or "
    "redis+cluster://host:6379,host2:6379; or memory, to keep things in this process only"
)
SCHEMES = {
    "redis": ("single", False),
    "rediss": ("single", True),
    "redis+sentinel": ("sentinel", False),
    "rediss+sentinel": ("sentinel", True),
    "redis+cluster": ("cluster", False),
    "rediss+cluster": ("cluster", True),
}

#: Files that an address with TLS may name: who signs the servers' certificates, and what we show them.
FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")

Host = tuple[str, int]


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """What an address says."""

    mode: str
    hosts: tuple[Host, ...]
    tls: bool
    username: str | None
    password: str | None
    service: str
    db: int
    files: tuple[tuple[str, str], ...] = ()
    """For TLS, by their names."""


def read_address(url: str) -> Address:
    """The parts of an address; Invalid if it cannot be one. Passwords are not quoted."""
    scheme, there, rest = url.partition("://")
    if scheme not in SCHEMES or not there:
        raise Invalid("cache", _FORM)
    mode, tls = SCHEMES[scheme]
    parts = urlsplit(f"//{rest}")
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    usual = 26379 if mode == "sentinel" else 6379
    names = [name for name in parts.path.split("/") if name]
    service = names.pop(0) if mode == "sentinel" and names else "mymaster"
    try:
        db = int(names[0]) if names else 0
        listed = tuple(_host(one, usual) for one in hosts.split(","))
    except ValueError:
        raise Invalid("cache", _FORM) from None
    if (mode == "single" and len(listed) > 1) or (mode == "cluster" and db):
        raise Invalid("cache", _FORM)
    return Address(
        mode=mode,
        hosts=listed,
        tls=tls,
        username=unquote(user) or None,
        password=unquote(password) or None,
        service=service,
        db=db,
        files=_files(parts.query, tls=tls),
    )


def _files(query: str, *, tls: bool) -> tuple[tuple[str, str], ...]:
    """What follows the question mark. What is not understood is refused: it would be taken for protection."""
    named = tuple(parse_qsl(query, keep_blank_values=True))
    for name, file in named:
        if name not in FILES or not tls:
            options = ", ".join(FILES) if tls else "none without TLS"
            raise Invalid("cache", f"has an option {name!r} that is not known here; there are {options}")
        if not Path(file).is_file():
            raise Invalid("cache", f"names a file as {name} that is not there: {file}")
    return named


def _host(text: str, usual: int) -> Host:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(text)
    return parts.hostname, parts.port or usual
