from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import asyncpg
import pytest


@pytest.fixture
async def login(admin: asyncpg.Connection, dsn: str) -> AsyncIterator[str]:
    """A login role without any rights."""
    name = f"login_{uuid.uuid4().hex[:8]}"
    await admin.execute(f"create role {name} login")
    yield name
    await admin.execute(f"drop owned by {name}; drop role {name}")
