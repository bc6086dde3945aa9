"""What the README tells people to type works as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent.parent / "README.md").read_text()


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


def test_links_lead_somewhere() -> None:
    root = Path(__file__).parent.parent.parent
    for file in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text()):
            assert (file.parent / target).exists(), f"{file.name}: {target}"
