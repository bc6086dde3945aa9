"""Tokens: what they must say, and who may sign them."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from recollect import Settings
from recollect.errors import Invalid, Unauthorized, Unavailable
from recollect.server.tokens import LOOK_AGAIN, TRY_AGAIN, Tokens, holder_from

SECRET = "0123456789abcdef0123456789abcdef"
PLACE: dict[str, Any] = {"jwt_audience": "app", "jwt_issuer": "https://issuer.example"}


def claims(**more: Any) -> dict[str, Any]:
    usual = {"sub": "ana", "aud": "app", "iss": "https://issuer.example", "exp": time.time() + 60}
    return usual | {"app_metadata": {"tenant": "acme"}} | more


def jwks(path: Path, **keys: Any) -> None:
    written = []
    for id, (key, algorithm) in keys.items():
        kind = RSAAlgorithm if algorithm.startswith("RS") else ECAlgorithm
        written.append({**json.loads(kind.to_jwk(key.public_key())), "kid": id, "alg": algorithm, "use": "sig"})
    path.write_text(json.dumps({"keys": written}))


async def test_public_keys_of_a_file_and_no_confusion_of_algorithms(tmp_path: Path) -> None:
    first, second = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
    file = tmp_path / "keys.json"
    jwks(file, one=(first, "ES256"), two=(second, "RS256"))
    tokens = Tokens(Settings(jwt_jwks=str(file), **PLACE))
    for key, algorithm, id in ((first, "ES256", "one"), (second, "RS256", "two")):
        holder = await tokens.holder_of(jwt.encode(claims(), key, algorithm, headers={"kid": id}))
        assert (holder.tenant, holder.user, holder.scopes) == ("acme", "ana", {"read", "write"})
    stranger = ec.generate_private_key(ec.SECP256R1())
    for bad in (
        jwt.encode(claims(), stranger, "ES256", headers={"kid": "one"}),
        jwt.encode(claims(), first, "ES256", headers={"kid": "two"}),
        jwt.encode(claims(), first, "ES256", headers={"kid": "three"}),
        jwt.encode(claims(), first, "ES256"),
        jwt.encode(claims(), SECRET, "HS256", headers={"kid": "one"}),
    ):
        with pytest.raises(Unauthorized):
            await tokens.holder_of(bad)


def test_all_that_is_lacking_is_said_at_once_by_the_names_of_the_variables() -> None:
    with pytest.raises(Invalid) as caught:
        Tokens(Settings(jwt_secret="short"))
    for name in ("jwt_audience", "jwt_issuer", "jwt_secret"):
        assert f"RECOLLECT_{name.upper()}" in str(caught.value)
    with pytest.raises(Invalid) as caught:
        Tokens(Settings(jwt_secret=SECRET, jwt_audience="app"))
    assert caught.value.field == "jwt_issuer"
    assert "RECOLLECT_JWT_AUDIENCE" not in str(caught.value)


async def test_a_new_key_is_found_but_not_looked_for_at_every_request(tmp_path: Path) -> None:
    first, second = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    file = tmp_path / "keys.json"
    jwks(file, one=(first, "ES256"))
    tokens = Tokens(Settings(jwt_jwks=str(file), **PLACE))
    new = jwt.encode(claims(), second, "ES256", headers={"kid": "new"})
    with pytest.raises(Unauthorized):
        await tokens.holder_of(new)
    jwks(file, one=(first, "ES256"), new=(second, "ES256"))
    with pytest.raises(Unauthorized):
        await tokens.holder_of(new)
    ring = tokens._ring  # pyright: ignore[reportPrivateUsage]
    assert ring is not None
    ring._looked -= LOOK_AGAIN  # pyright: ignore[reportPrivateUsage]
    assert (await tokens.holder_of(new)).user == "ana"
    file.unlink()
    ring._looked -= 10 * LOOK_AGAIN  # pyright: ignore[reportPrivateUsage]
    assert (await tokens.holder_of(new)).user == "ana", "the keys that were read last still serve"


@pytest.mark.parametrize("held", [None, "", "[]", "null", "5", "{}", '{"keys": [5]}', '{"keys": 5}', "\xff"])
async def test_keys_that_cannot_be_read_are_not_the_users_fault(tmp_path: Path, held: str | None) -> None:
    file = tmp_path / "keys.json"
    if held is not None:
        file.write_text(held, "latin-1")
    tokens = Tokens(Settings(jwt_jwks=str(file), **PLACE))
    key = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(Unavailable):
        await tokens.holder_of(jwt.encode(claims(), key, "ES256", headers={"kid": "one"}))


async def test_those_who_wait_for_keys_share_one_look_that_fails() -> None:
    looks = 0

    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal looks
        looks += 1
        writer.write(b"nonsense\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        tokens = Tokens(Settings(jwt_jwks=f"http://127.0.0.1:{port}/keys", **PLACE))
        token = jwt.encode(claims(), ec.generate_private_key(ec.SECP256R1()), "ES256", headers={"kid": "one"})
        told = await asyncio.gather(*(tokens.holder_of(token) for _ in range(4)), return_exceptions=True)
        assert [type(one) for one in told] == [Unavailable] * 4
        assert looks == 1
        ring = tokens._ring  # pyright: ignore[reportPrivateUsage]
        assert ring is not None
        ring._looked -= TRY_AGAIN  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(Unavailable):
            await tokens.holder_of(token)
        assert looks == 2, "and soon there is another"


@pytest.mark.parametrize("missing", ["exp", "aud", "iss", "sub"])
async def test_what_a_token_must_say(missing: str) -> None:
    tokens = Tokens(Settings(jwt_secret=SECRET, **PLACE))
    said = claims()
    assert (await tokens.holder_of(jwt.encode(said, SECRET, "HS256"))).actor == "user:ana"
    del said[missing]
    with pytest.raises(Unauthorized):
        await tokens.holder_of(jwt.encode(said, SECRET, "HS256"))
    for algorithm in ("HS384", "HS512"):
        with pytest.raises(Unauthorized):
            await tokens.holder_of(jwt.encode(claims(), SECRET * 2, algorithm))


def test_roles_scopes_and_tenants() -> None:
    def holder(claim: str = "app_metadata.tenant", usual: str | None = None, **more: Any) -> Any:
        return holder_from(claims(**more), claim, usual)

    assert holder(role="service_role").scopes == {"read", "write", "admin"}
    assert holder(role="service_role").user is None
    assert holder(scope="read admin").scopes == {"read"}
    assert holder(scope="").scopes == set()
    assert holder(claim="org", org="other").tenant == "other"
    assert holder(claim="org", usual="single").tenant == "single"
    bad: dict[str, Any]
    for bad in ({"role": "anon"}, {"app_metadata": {}}, {"app_metadata": "acme"}, {"app_metadata": {"tenant": 5}},
                {"sub": "a\nb"}, {"sub": 5}):  # fmt: skip
        with pytest.raises((Unauthorized, Invalid)):
            holder(**bad)
