"""Levels in front of the database: in this process, then a Valkey or Redis. What may be cached is in ``rules``."""
