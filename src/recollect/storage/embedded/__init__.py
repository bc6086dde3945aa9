"""A PostgreSQL of our own in a folder, shared by all processes that open it; the last one out stops it.

Every process that uses the folder holds a shared lock on it. One keeper per folder (see ``keeper``)
runs PostgreSQL for as long as it cannot take that lock for itself.
"""

from __future__ import annotations

from .server import Server, start

__all__ = ["Server", "start"]
