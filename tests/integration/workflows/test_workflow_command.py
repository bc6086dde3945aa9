"""`recollect workflow`, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

OWN = """
start = "todo"
[[steps]]
name = "todo"
moves = ["done"]
[[steps]]
name = "done"
"""


def run(*arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "workflow", *arguments],
        cwd=cwd,
        env=os.environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_our_workflows_are_shown_without_a_database(tmp_path: Path) -> None:
    listed = run("list", cwd=tmp_path)
    assert "rfp " in listed
    assert "support_ticket" in listed
    shown = run("show", "rfp", "--step", "sent", cwd=tmp_path)
    assert "* sent (status sent)\n    to waiting_for_proposals\n" in shown
    assert "action send_rfp: at ready_to_send, leads to sent" in shown
    assert run("show", "rfp", "--mermaid", cwd=tmp_path).startswith("flowchart TD\n")
    root = ElementTree.fromstring(run("show", "rfp", "--svg", "--step", "sent", cwd=tmp_path))
    assert len(list(root.iter("{http://www.w3.org/2000/svg}g"))) == 10
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_drawn_before_it_is_defined(tmp_path: Path) -> None:
    (tmp_path / "tasks.toml").write_text(OWN)
    run("show", "tasks.toml", "--svg", "-o", "tasks.svg", cwd=tmp_path)
    assert 'data-step="done"' in (tmp_path / "tasks.svg").read_text()
    (tmp_path / "bad.toml").write_text(OWN.replace('"done"]', '"dome"]'))
    wrong = "error: workflow.steps[0].moves: there is no step 'dome'; the steps are todo, done\n"
    assert run("show", "bad.toml", cwd=tmp_path, code=1) == wrong
    assert run("define", "tasks", "bad.toml", cwd=tmp_path, code=1) == wrong
    assert "cannot be read" in run("show", "nothing.toml", cwd=tmp_path, code=1)
    assert "there is no workflow 'nothing'" in run("show", "nothing", cwd=tmp_path, code=1)
    assert "has no step 'x'; the steps are todo, done" in run(
        "show", "tasks.toml", "--step", "x", cwd=tmp_path, code=1
    )
    assert "either" in run("show", "rfp", "--svg", "--mermaid", cwd=tmp_path, code=1)
    assert "cannot be written" in run("show", "rfp", "--svg", "-o", "no/such/folder.svg", cwd=tmp_path, code=1)
    assert not (tmp_path / ".recollect").exists()


def test_a_workflow_is_defined_from_a_file(tmp_path: Path, dsn: str, tenant: str) -> None:
    (tmp_path / "tasks.toml").write_text(OWN)
    where = ("--database", dsn, "--tenant", tenant)
    assert "defined errands with 2 steps" in run("define", "errands", "tasks.toml", *where, cwd=tmp_path)
    assert "errands" in run("list", *where, cwd=tmp_path)
    assert "- todo\n    to done\n" in run("show", "errands", *where, cwd=tmp_path)
    assert "errands" not in run("list", "--database", dsn, "--tenant", f"not-{tenant}", cwd=tmp_path)
