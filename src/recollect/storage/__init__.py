"""Postgres: the pool, named queries, migrations, and the embedded server."""
