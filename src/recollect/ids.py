"""Ids that are made here, before anything is sent, so that a retry can be told from a new request."""

from __future__ import annotations

import os
import time
from uuid import UUID


def new_id() -> UUID:
    """A UUID (version 7) that sorts by time, so that the index of ids grows at its end."""
    milliseconds = time.time_ns() // 1_000_000
    noise = int.from_bytes(os.urandom(10))
    high, low = noise >> 62, noise & ((1 << 62) - 1)
    return UUID(int=milliseconds << 80 | 7 << 76 | (high & 0xFFF) << 64 | 2 << 62 | low)
