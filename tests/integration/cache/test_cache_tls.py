"""``rediss://``: through a proxy that ends TLS in front of a real Valkey, with a certificate of our own."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from caches import believed, levels
from recollect import Recollect
from valkeys import Proxy, Valkey


class TlsProxy(Proxy):
    """Speaks TLS to clients."""

    def __init__(self, port: int, certificate: Path) -> None:
        super().__init__(port)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1, signed by itself, and its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "cache of a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return file


async def test_a_cache_behind_tls(cached_dsn: str, cache_server: Valkey, tenant: str, certificate: Path) -> None:
    async with TlsProxy(cache_server.port, certificate) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}/0?ssl_ca_certs={certificate}"
        async with Recollect.open(cached_dsn, tenant=tenant, cache=url) as memory:
            await believed(memory)
            assert len((await memory.cache_stats())["servers"]) == 1
            assert (await memory.verify_cache()).differences == []


async def test_a_server_whose_certificate_nobody_vouches_for_is_not_used(
    cached_dsn: str, cache_server: Valkey, tenant: str, certificate: Path
) -> None:
    async with TlsProxy(cache_server.port, certificate) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}/0"
        async with Recollect.open(cached_dsn, tenant=tenant, cache=url) as memory:
            chat = await memory.new_conversation("ana", "cook")
            await chat.append("user", "hello")
            assert len(await chat.window()) == 1
            assert (await levels(memory).facts())["breaker"] == "open"
