"""Settings of the server, sized to the memory of the machine or of the container."""

from __future__ import annotations

import os
from pathlib import Path

_MB = 2**20


def settings_for(memory: int) -> dict[str, str]:
    """Everything that is set on the server's command line, for this many bytes of memory."""
    megabytes = memory // _MB
    return {
        "listen_addresses": "",
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        "shared_buffers": f"{_within(megabytes // 16, 64, 1024)}MB",
        "effective_cache_size": f"{max(megabytes // 2, 64)}MB",
        "work_mem": f"{_within(megabytes // 512, 8, 16)}MB",
        "maintenance_work_mem": f"{_within(megabytes // 32, 64, 256)}MB",
        "jit": "off",
        # Plans are made once, and anew when a table is analysed. Those that were made for the few rows of a young
        # database would stand for a minute after a large import, and a recall take a hundred times as long.
        "autovacuum_naptime": "10s",
        "timezone": "UTC",
        "log_timezone": "UTC",
        # What people write to an agent must never reach a log, and the text of an error may quote it;
        # "log" keeps the server's own messages and leaves out the errors of statements.
        "log_min_messages": "log",
        "logging_collector": "off",
        "log_destination": "stderr",
        "log_error_verbosity": "terse",
        "log_statement": "none",
        "log_min_error_statement": "panic",
        "log_min_duration_statement": "-1",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
    }


def memory_of_machine() -> int:
    """Bytes of memory that this process may count on: the machine's, or less in a container."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = _limits(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))
    return min([physical, *limits])


def _limits(membership: Path, tree: Path) -> list[int]:
    """The memory limits of the control groups that we are in, of both versions of that interface."""
    try:
        lines = membership.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    found: list[int] = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        root = tree / "memory" if controllers else tree
        file = "memory.limit_in_bytes" if controllers else "memory.max"
        here = root / group.lstrip("/")
        # A limit may be set on any group above, and inside a container our own path may not be visible.
        for place in {root, here, *(p for p in here.parents if p.is_relative_to(root))}:
            try:
                found.append(int((place / file).read_text()))
            except (OSError, ValueError):
                continue
    return [limit for limit in found if limit > 0]


def _within(value: int, least: int, most: int) -> int:
    return max(least, min(value, most))
