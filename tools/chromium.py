"""Find a Chromium for the browser tests; with ``--install``, get one if there is none. Prints where it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HELP = (
    "No Chromium was found, and none could be installed: install your system's package (Debian: apt-get install "
    "chromium) or run `.venv/bin/playwright install --with-deps chromium`, then try again."
)


def find() -> str | None:
    """The browser on the path, or the one that Playwright has downloaded."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or downloaded()


def downloaded() -> str | None:
    """Playwright's own, if it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> str | None:
    """Debian's package where we may, else Playwright's own."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)
        if (found := find()) is not None:
            return found
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    return find()


if __name__ == "__main__":
    browser = find()
    if browser is None and "--install" in sys.argv:
        print("Installing Chromium for the browser tests ...", file=sys.stderr)
        browser = install()
    if browser is None:
        sys.exit(HELP)
    print(browser)
