"""Run every suite of others and write its row into docs/faces.md."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "contract")]

from suites import SUITES  # noqa: E402
from upstream import row, run  # noqa: E402

from recollect import Recollect  # noqa: E402
from recollect.storage import embedded  # noqa: E402

TABLE = ROOT / "docs" / "faces.md"
HEAD = "| face | suite | passed | failed | why |"


async def main() -> int:
    """Each suite in a database of its own; returns how many failed where nobody expected it."""
    lines, surprises = [HEAD, "|---|---|---|---|---|"], 0
    with tempfile.TemporaryDirectory() as folder:
        server = await embedded.start(Path(folder) / "server")
        try:
            address = f"postgresql://postgres@/postgres?host={server.socket}&port={server.port}"
            async with Recollect.open(address, migrate=True):
                pass
            for suite in SUITES:
                place = Path(folder) / suite.plugin
                place.mkdir()
                outcome = await asyncio.to_thread(run, suite, place, address)
                lines.append(row(suite, outcome))
                surprises += len(set(outcome.failed) ^ set(suite.failures))
                print(lines[-1])
        finally:
            await server.close()
    before, _, rest = TABLE.read_text("utf-8").partition(HEAD)
    after = rest.partition("\n\n")[2]
    TABLE.write_text(before + "\n".join(lines) + "\n" + ("\n" + after if after else ""), "utf-8")
    return surprises


if __name__ == "__main__":
    sys.exit(asyncio.run(main()) > 0)
