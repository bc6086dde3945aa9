"""The statements that are shipped, as they are read from their files."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from recollect.storage.migrations import shipped
from recollect.storage.queries import named_queries

READ = """
import locale
from recollect.storage.migrations import shipped
from recollect.storage.queries import named_queries
print(ascii((locale.getpreferredencoding(False), sorted(named_queries().items()), [step.sql for step in shipped()])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere this environment is not enough to be without UTF-8")
def test_statements_are_the_same_where_texts_are_not_in_utf_8_as_a_rule() -> None:
    # Letters with accents stand in them; read otherwise, they are an error, or other letters.
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", READ], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    encoding, *told = eval(done.stdout)
    assert encoding.lower() not in ("utf-8", "utf8")
    assert told == [sorted(named_queries().items()), [step.sql for step in shipped()]]
