"""Schemathesis over the whole schema: no 5xx, no answer that is not documented, nothing accepted that is invalid."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect
from serving import Served

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)


def _fuzz(url: str, folder: Path, key: str | None, examples: int) -> subprocess.CompletedProcess[str]:
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{url}/schema/openapi.json",
        "--checks",
        ",".join(CHECKS),
        "--max-examples",
        str(examples),
        "--phases",
        "examples,coverage,fuzzing",
        "--exclude-path-regex",
        "/api/admin/keys",  # it would revoke its own
        "--continue-on-failure",
        "--warnings",
        "off",
        "--seed",
        "1",
    ]
    if key is not None:
        command += ["--header", f"Authorization: Bearer {key}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["a user", "an administrator", "nobody"])
async def test_every_operation_keeps_its_word(served: Served, memory: Recollect, tmp_path: Path, who: str) -> None:
    user = await memory.create_key(scopes=["read", "write"], user="ana")
    admin = await memory.create_key(scopes=["read", "write", "admin"])
    await memory.conversation(user="ana", agent="cook")
    key = {"a user": user.text, "an administrator": admin.text, "nobody": None}[who]
    done = _fuzz(served.url, tmp_path, key, 3)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "Tested: " in done.stdout
    assert '"status":500' not in served.said
