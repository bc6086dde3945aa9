"""Supabase's tables as views over Recollect, and how a token opens them. Runs offline.

On a Supabase project, an application writes

    memory = SupabaseChatMemory("https://….supabase.co", key)  # recollect.adapters.supabase
    await memory.add_user_message(session, "I moved to Porto")
    await memory.load_context(session, max_messages=12)

and PostgREST, between the two, does for each request what `request` does here.
"""

import asyncio
import json
import tempfile
import uuid
from importlib.resources import files
from pathlib import Path

import asyncpg

from recollect import Recollect
from recollect.storage import embedded

SQL = (files("recollect") / "adapters" / "supabase.sql").read_text("utf-8")  # what `recollect supabase sql` prints


async def main() -> None:
    """A message of Ana, written through the view; who sees it?"""
    with tempfile.TemporaryDirectory() as folder:
        server = await embedded.start(Path(folder) / "server")
        address = f"postgresql://postgres@/postgres?host={server.socket}&port={server.port}"
        async with Recollect.open(address, migrate=True, tenant="acme") as memory:
            admin = await asyncpg.connect(address)
            await admin.execute(SQL)
            await admin.close()
            login = await asyncpg.connect(address.replace("postgres@", "authenticator@"))

            async def request(user: str, statement: str, *values: object) -> list[asyncpg.Record]:
                claims = {"role": "authenticated", "sub": user, "app_metadata": {"tenant": "acme"}}
                async with login.transaction():
                    await login.execute("set local role authenticated")
                    await login.execute("select set_config('request.jwt.claims', $1, true)", json.dumps(claims))
                    return await login.fetch(statement, *values)

            session = uuid.uuid4()
            insert = "insert into api.conversation_messages (session_id, role, content) values ($1, 'user', $2)"
            await request("ana", insert, session, "I moved to Porto")
            for user in ("ana", "ben"):
                rows = await request(user, "select content from api.conversation_messages")
                print(user, "sees", len(rows))
            chat = await memory.conversation(id=str(session))
            print("Recollect:", [message.content for message in await chat.window()])
            await login.close()
        await server.close()


asyncio.run(main())
