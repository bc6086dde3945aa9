"""Run a test suite of somebody else against a class of ours.

The source of the installed version is downloaded from the package index into a temporary folder, never committed. Its
tests run in a process of their own, with a plugin that puts our class in the place of theirs before they are collected.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import msgspec

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LONGEST = 900


class Unreachable(Exception):
    """The package index does not answer."""


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's test suite, and what of it may fail."""

    name: str
    """What it shows of us."""
    package: str
    tests: tuple[str, ...]
    """Paths in the source of the package, with what may follow them for pytest."""
    plugin: str
    """A module of this folder."""
    failures: Mapping[str, str] = {}
    """Tests that fail, with the reason of each."""
    options: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Packages that the tests import and that are not among ours: module names."""

    @property
    def version(self) -> str:
        """The version that is installed, and so is tested."""
        return version(self.package)


class Outcome(msgspec.Struct, frozen=True):
    """How a suite went; the names of failed tests are as pytest shows them."""

    passed: int
    failed: tuple[str, ...]
    skipped: int
    output: str = ""


def run(suite: Suite, folder: Path, database: str) -> Outcome:
    """Download, unpack and run it on a migrated database, in tenants of its own."""
    source = _unpacked(_downloaded(suite.package, suite.version, folder), folder)
    needed = [name for name in suite.needs if importlib.util.find_spec(name) is None]
    if needed:
        _pip("install", "--quiet", "--target", str(folder / "needs"), "--no-deps", *needed)
    paths = [str(ROOT / "src"), str(HERE), str(folder / "needs"), str(source)]
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "RECOLLECT_", "CI"))
    }
    env |= {"PYTHONPATH": os.pathsep.join(paths), "CONTRACT_DATABASE": database}
    report = folder / f"{suite.plugin}.xml"
    command = [sys.executable, "-m", "pytest", "-p", suite.plugin, "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += [f"--junitxml={report}", "-o", "junit_family=xunit2", *suite.options, *suite.tests]
    done = subprocess.run(command, cwd=source, env=env, capture_output=True, text=True, timeout=LONGEST)
    if not report.exists():
        raise AssertionError(f"{suite.name} did not run:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return _outcome(report, done.stdout)


def row(suite: Suite, outcome: Outcome) -> str:
    """The line of the table for a suite that went like this."""
    reasons = Counter(suite.failures.get(test, f"not explained: {test}") for test in outcome.failed)
    why = "; ".join(f"{times} × {reason}" for reason, times in reasons.most_common())
    files = ", ".join(f"`{path}`" for path in suite.tests)
    numbers = f"{outcome.passed} | {len(outcome.failed)}"
    return f"| {suite.name} | `{suite.package}` {suite.version}, {files} | {numbers} | {why or '–'} |"


def _outcome(report: Path, output: str) -> Outcome:
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed, skipped = [], 0
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname')}::{case.get('name')}")
        elif case.find("skipped") is not None:
            skipped += 1
    return Outcome(len(cases) - len(failed) - skipped, tuple(sorted(set(failed))), skipped, output)


def _downloaded(package: str, wanted: str, folder: Path) -> Path:
    """The source distribution, by the index that pip would ask; pip itself would build it as well."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    page = f"{index}/{re.sub(r'[-_.]+', '-', package).lower()}/"
    stem = f"{re.sub(r'[-_.]+', '_', package).lower()}-{wanted}.tar.gz"
    for link in re.findall(r'href="([^"]+)"', _fetched(page).decode()):
        address, _, check = urllib.parse.urljoin(page, link.replace("&amp;", "&")).partition("#")
        name = urllib.parse.unquote(address.rsplit("/", 1)[-1])
        if re.sub(r"[-_.]+(?=.*\d)", "_", name.lower()) == re.sub(r"[-_.]+(?=.*\d)", "_", stem):
            data = _fetched(address)
            if check.startswith("sha256=") and hashlib.sha256(data).hexdigest() != check[7:]:
                raise AssertionError(f"{name} is not what the index says it is")
            target = folder / name
            target.write_bytes(data)
            return target
    raise AssertionError(f"the index has no source distribution of {package} {wanted}")


def _fetched(address: str) -> bytes:
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()
    except OSError as error:
        raise Unreachable(f"{urllib.parse.urlsplit(address).hostname} does not answer ({error})") from None


def _unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
        return folder / files.getnames()[0].split("/")[0]


def _pip(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise Unreachable(f"pip {arguments[0]} failed: {done.stderr[-500:]}")
