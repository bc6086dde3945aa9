"""What is said when a server starts, or does not."""

from __future__ import annotations

import socket

import httpx
import pytest
from litestar import Litestar

from recollect import Invalid
from recollect.server.problems import on_error
from recollect.server.routes import mcp
from recollect.server.serve import listen
from recollect.settings import Settings


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Invalid, match=rf"listens on 127\.0\.0\.1:{port} already") as caught:
            listen(Settings(port=port))
    assert caught.value.field == "port"
    with pytest.raises(Invalid, match=rf"192\.0\.2\.1:{port}") as caught:
        listen(Settings(host="192.0.2.1", port=port))
    assert caught.value.field == "host"


@pytest.mark.parametrize("host", ["a..b", "x" * 70])
def test_a_host_that_no_machine_can_have(host: str) -> None:
    with pytest.raises(Invalid, match="host: is no address or name of a machine"):
        listen(Settings(host=host))


async def test_without_the_extra_mcp_says_how_to_install_it() -> None:
    app = Litestar([mcp.missing], exception_handlers={Exception: on_error})
    transport = httpx.ASGITransport(app=app)  # pyright: ignore[reportArgumentType]
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for answer in (await client.post("/mcp", json={}), await client.get("/mcp")):
            assert (answer.status_code, answer.json()["type"]) == (501, "urn:recollect:problem:not-installed")
            assert "pip install '.[mcp]'" in answer.json()["detail"]
