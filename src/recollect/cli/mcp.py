"""``recollect mcp``."""

from __future__ import annotations

import asyncio
import signal
from typing import Annotated

import typer

from recollect.cli.options import Database, DataDir, Tenant
from recollect.errors import Unavailable, to_install
from recollect.opening import Recollect
from recollect.settings import Settings


def mcp_command(
    user: Annotated[str, typer.Option(help="Whose memory.")] = "local",
    agent: Annotated[str, typer.Option(help="Which assistant's.")] = "assistant",
    tenant: Tenant = None,
    database: Database = None,
    data_dir: DataDir = None,
) -> None:
    """Memory as tools, over standard input and output: for hosts like Claude, Cursor and VS Code."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # A thread waits for the host's next line, and Python would wait for the thread.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(_serve(settings, user, agent))


async def _serve(settings: Settings, user: str, agent: str) -> None:
    from recollect.access.records import SCOPES, Holder
    from recollect.who import Who

    try:
        from recollect.adapters.mcp.seat import Seat
        from recollect.adapters.mcp.serving import serve_stdio
    except ModuleNotFoundError:
        raise Unavailable("mcp", f"the package mcp is not installed; {to_install('mcp')}") from None
    async with Recollect.open(settings=settings, actor="mcp") as memory:
        # The whole connection is of one user: a call that names somebody else finds nothing.
        holder = Holder(tenant=settings.tenant, actor="mcp", scopes=frozenset(SCOPES), user=user)
        await serve_stdio(Seat(who=Who(holder, memory), user=user, agent=agent))
