"""What the README tells people to type works as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_first_program_runs_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    program = next(
        block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "recollect.sync" in block
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert "allergic to peanuts" in runs[0].stdout
    assert "1 user I moved to Porto" in runs[1].stdout
    assert "5 user I moved to Porto" in runs[1].stdout, "the second run goes on"
    prompts = [line for line in runs[1].stdout.splitlines() if line.startswith("[{")]
    assert "user is allergic to peanuts" in prompts[-1], "and the prompt knows it"
    assert "extractor:rules" in runs[0].stdout, "it has learned by itself"


def test_the_agent_of_langchain_remembers(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "langchain.md").read_text(), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['Is there something with peanuts?', 'No satay then.']\n"


def test_every_table_has_its_line() -> None:
    steps = "".join(file.read_text() for file in (ROOT / "src").rglob("migrations/*.sql"))
    tables = set(re.findall(r"create table recollect\.(\w+)", steps))
    tables -= set(re.findall(r"drop table recollect\.(\w+)", steps))
    house = (ROOT / "ARCHITECTURE.md").read_text()
    assert not [table for table in tables if f"`{table}`" not in house]


def test_a_key_in_a_program_is_one_that_can_be_sent() -> None:
    for file in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for block in re.findall(r"```python\n(.*?)```", file.read_text(), re.DOTALL):
            assert all(key.isascii() for key in re.findall(r'key="([^"]*)"', block)), file.name


def test_links_lead_somewhere() -> None:
    for file in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text()):
            assert (file.parent / target).exists(), f"{file.name}: {target}"
