"""Behind a pooler in transaction mode, connections to the server are others' before and after."""

from __future__ import annotations

import asyncpg
import pytest

from pooler import pooled
from recollect import Recollect, Settings, Unavailable
from recollect.cli.doctor import examine
from recollect.storage import embedded


@pytest.mark.parametrize("refuses", [True, False])
async def test_one_that_nobody_told_us_of(dsn: str, server: embedded.Server, refuses: bool) -> None:
    async with pooled(server, refuses=refuses) as pooler:
        address = f"postgresql://postgres@127.0.0.1:{pooler.port}/postgres?sslmode=disable"
        with pytest.raises(Unavailable, match="say so by `pgbouncer=true`"):
            await Recollect.open(address)
        problems = [one.detail for one in await examine(Settings(database=address), print) if not one.fine]
        assert len(problems) == 1
        assert "pgbouncer=true" in problems[0]


async def test_what_it_is_looked_at_with_is_not_left_behind(
    dsn: str, login: str, admin: asyncpg.Connection, server: embedded.Server, tenant: str
) -> None:
    await admin.execute(f"grant recollect_server to {login}")
    async with pooled(server) as pooler:
        address = f"postgresql://{login}@127.0.0.1:{pooler.port}/postgres?sslmode=disable"
        async with Recollect.open(f"{address}&pgbouncer=true", tenant=tenant) as memory:
            await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
        with pytest.raises(Unavailable):
            await Recollect.open(address)
        connection = await asyncpg.connect(address, statement_cache_size=0)
        left = await connection.fetchrow(
            "select current_user::text, array(select name from pg_prepared_statements)"
        )
        await connection.close()
        assert left is not None
        assert tuple(left) == (login, [])
