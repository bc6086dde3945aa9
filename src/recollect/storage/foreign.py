"""A table in somebody else's database. Its name is the only part of any statement that comes from outside."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any

import asyncpg
import msgspec

from recollect.errors import Invalid, Unavailable
from recollect.storage.connecting import Address, connect

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,62}")
PAGE = 500


def quoted(table: str) -> str:
    """A table's name, with or without a schema, checked and quoted."""
    parts = table.split(".")
    if len(parts) > 2 or not all(_NAME.fullmatch(part) for part in parts):
        raise Invalid("table", "must be a name, or schema.name, of letters, digits and underscores")
    return ".".join(f'"{part}"' for part in parts)


async def rows_of_table(dsn: str, table: str, order: tuple[str, ...]) -> AsyncGenerator[dict[str, Any]]:
    """All rows as of one moment, read a page at a time."""
    name = quoted(table)
    by = ", ".join(f't."{column}"' for column in order)
    connection = await connect(Address(dsn=dsn))
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            statement = f"select to_jsonb(t)::text from {name} t order by {by}"  # noqa: S608 - checked and quoted
            async for row in connection.cursor(statement, prefetch=PAGE):
                yield msgspec.json.decode(row[0])
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.InvalidSchemaNameError):
        raise Invalid("table", f"there is no table {table} with the columns {', '.join(order)}") from None
    except asyncpg.PostgresError as error:
        raise Unavailable("source database", f"refused to be read ({error.sqlstate})") from None
    except (OSError, asyncpg.InterfaceError):
        raise Unavailable("source database", "the connection broke; start the import again") from None
    finally:
        connection.terminate()
