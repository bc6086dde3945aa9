"""PostgresChatMessageHistory of langchain-postgres, unchanged, on Recollect's database. Runs offline.

Give the address of a database, as an administrator: `python examples/postgres_history.py postgresql://…`. It
makes a login for the tenant `default`, and drops it again.
"""

import sys
import uuid

import psycopg
from langchain_core.messages import AIMessage, HumanMessage
from langchain_postgres import PostgresChatMessageHistory

from recollect.sync import Recollect

if len(sys.argv) != 2:
    sys.exit("usage: python examples/postgres_history.py postgresql://…  (as an administrator of the database)")
address, role = sys.argv[1], f"lc_{uuid.uuid4().hex[:8]}"
with Recollect.open(address, tenant="default", migrate=True) as memory:
    with psycopg.connect(address, autocommit=True) as admin:
        admin.execute(f"create role {role} login in role recollect_server")
    try:
        settings = f"-c role={role} -c recollect.tenant=default -c search_path=api"
        session = str(uuid.uuid4())
        with psycopg.connect(address, options=settings) as connection:
            history = PostgresChatMessageHistory("chat_message_history", session, sync_connection=connection)
            history.add_messages([HumanMessage("I moved to Porto"), AIMessage("How nice!")])
            chat = memory.conversation(id=session)
            chat.append("user", "Yes, by the river")
            print([message.content for message in history.messages])
        print([(message.role, message.content) for message in chat.window()])
    finally:
        with psycopg.connect(address, autocommit=True) as admin:
            admin.execute(f"drop role {role}")
