"""The suites of others that our classes are tested with. A new face adds itself here, with its plugin."""

from __future__ import annotations

from upstream import Suite

#: Tests of the Agents SDK's SQLite session that are about SQLite, by what they look at.
_SQLITE = {
    "its connections to a file, thread by thread": (
        "close_closes_worker_thread_connections",
        "close_retries_quarantined_connection",
        "closes_retired_connections_before_the_next_allocation",
        "keeps_connections_of_live_worker_threads",
        "reaps_connections_from_exited_worker_threads",
        "rollback_failure_evicts_connection",
        "post_commit_cancellation_propagates_after_known_outcome[add]",
        "post_commit_cancellation_propagates_after_known_outcome[clear]",
        "post_commit_cancellation_propagates_after_known_outcome[pop]",
    ),
    "rows that it made unreadable in the file; ours are typed columns": (
        "get_items_limit_skips_corrupt_newest_rows",
        "get_items_session_settings_limit_skips_corrupt_rows",
        "pop_item_returns_none_after_dropping_only_corrupt_rows",
        "pop_item_skips_corrupt_most_recent",
    ),
    "the lock and the tables of the file": (
        "failed_clear_session_rolls_back",
        "failed_pop_item_releases_write_lock",
        "file_lock_is_shared_across_instances",
    ),
    "`TypeError` for what is not JSON; ours is `Invalid`, a `ValueError`": (
        "failed_add_items_releases_write_lock",
    ),
    "`close`, which ours has not: the door is closed, not a session": ("closed_rejects_empty_add_items",),
}

#: Tests of Anthropic's memory tool that are about files, of both its classes.
_FILES = {
    "files and links that the test itself puts into the folder": (
        "view_preserves_crlf_line_endings",
        "str_replace_preserves_crlf_line_endings",
        "insert_preserves_crlf_line_endings",
        "symlink_validation_reject_symlink_pointing_outside_memories",
        "symlink_validation_reject_creating_files_through_symlink_pointing_outside",
        "symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside",
    ),
    "a file of 5 MB; ours have at most 1 MiB": ("view_error_for_files_with_too_many_lines",),
    "the rights and the existence of the folder": (
        "mkdir_parents_not_world_writable_under_permissive_umask",
        *(f"delete_not_allow_deleting_memories_directory[/memories{rest}]" for rest in ("", "/", "/.", "/sub/..")),
    ),
}
_MEMORY_TOOL = "tests.lib.tools.memory_tools.test_filesystem.TestBeta"

SUITES = [
    Suite(
        name="LangGraph `BaseStore`",
        package="langgraph-checkpoint",
        tests=("tests/test_store.py",),
        plugin="swap_langgraph_store",
        needs=("pytest_mock",),
    ),
    Suite(
        name="OpenAI Agents SDK `Session`",
        package="openai-agents",
        tests=("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        plugin="swap_agents_session",
        failures={
            f"tests.memory.test_session::test_sqlite_session_{test}": reason
            for reason, tests in _SQLITE.items()
            for test in tests
        },
    ),
    Suite(
        name="Anthropic memory tool",
        package="anthropic",
        tests=("tests/lib/tools/memory_tools/test_filesystem.py",),
        plugin="swap_anthropic_memory",
        # Its conftest is about HTTP, and wants packages that these tests do not.
        options=("--noconftest", "-o", "addopts=", "-o", "asyncio_mode=auto"),
        failures={
            f"{_MEMORY_TOOL}{kind}LocalFilesystemMemoryTool::test_{test}": reason
            for reason, tests in _FILES.items()
            for test in tests
            for kind in ("", "Async")
        }
        | {
            f"{_MEMORY_TOOL}AsyncLocalFilesystemMemoryTool::"
            "test_validate_path_returns_resolved_path_not_symlink_target": next(iter(_FILES))
        },
    ),
]
