"""Opening a folder: hold a share, see that a keeper lives, wait until its server answers."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from recollect.errors import Unavailable

from .accounts import choose_account
from .binaries import find_binaries
from .keeper import locks
from .keeper.account import Account
from .keeper.main import Orders
from .keeper.postmaster import answers
from .keeper.status import Status, read_status
from .places import check_place, explain
from .server import PART
from .share import Share
from .sockets import socket_directory
from .tuning import memory_of_machine, settings_for

_MOST_SPAWNS = 5
_PROGRAM = "import sys; sys.path.append(sys.argv.pop()); from keeper.main import main; sys.exit(main())"


class Opening:
    """One try to open a folder; ``run`` blocks, and belongs into a thread."""

    def __init__(
        self,
        folder: Path,
        binaries: str,
        run_as: str | None,
        tell: Callable[[str], None],
        patience: float,
        abandoned: threading.Event,
    ) -> None:
        if "\0" in str(folder):
            raise Unavailable(PART, f"the path {str(folder)!r} has a zero byte; choose another data folder")
        self.folder = Path(os.path.realpath(folder))
        self.share = Share()
        self._binaries = binaries
        self._run_as = run_as
        self._tell = tell
        self._patience = patience
        self._abandoned = abandoned

    def run(self) -> Status:
        """Return when the server takes connections; the share is held then, and else it is released."""
        try:
            orders = self.share.orders = self._prepare()
            self.share.take(self.folder, self._patience, self._abandoned)
            status = self._wait(orders)
        except OSError as error:
            self.share.release()
            raise Unavailable(PART, explain(error, self.folder)) from error
        except BaseException:
            self.share.release()
            raise
        if self._abandoned.is_set():
            self.share.release()
        return status

    def _prepare(self) -> Orders:
        check_place(self.folder)
        binaries = find_binaries(self._binaries)
        account = choose_account(self.folder, self._run_as)
        _make_folder(self.folder, account)
        return Orders(
            folder=self.folder,
            binaries=binaries,
            socket=socket_directory(self.folder, account),
            settings=settings_for(memory_of_machine()),
            account=(account.uid, account.gid) if account else None,
            token=uuid.uuid4().hex,
        )

    def _wait(self, orders: Orders) -> Status:
        deadline = time.monotonic() + self._patience
        spawned, told = 0, ""
        while not self._abandoned.is_set():
            # First the lock, then the status: a keeper that has let go of its lock has said its last word.
            free = locks.is_free(self.folder / locks.KEEPER, exclusive=False)
            status = read_status(orders.folder)
            mine = status is not None and status.token == orders.token
            if status and status.state == "ready" and not free and answers(Path(status.socket)):
                return status
            if status and mine and status.state == "failed":
                raise Unavailable(PART, status.message)
            if free:
                if spawned == _MOST_SPAWNS:
                    raise Unavailable(
                        PART,
                        f"the keeper of {self.folder} ended {spawned} times without a word; "
                        f"see {self.folder / 'postgres.log'}",
                    )
                spawned += 1
                spawn_keeper(orders)
                continue
            if status and status.state != told:
                told = status.state
                self._tell_progress(told)
            if time.monotonic() > deadline:
                raise Unavailable(
                    PART,
                    f"the server of {self.folder} was not ready within {self._patience:g} s "
                    f"(it is {status.state if status else 'silent'}); recovery after a crash can take "
                    f"longer: see {self.folder / 'postgres.log'}, and open it with more patience",
                )
            self._abandoned.wait(0.02)
        raise Unavailable(PART, f"opening {self.folder} was cancelled")

    def _tell_progress(self, state: str) -> None:
        if state == "initdb":
            self._tell(f"Creating the database in {self.folder} (first start)")
        elif state == "starting":
            self._tell("Starting PostgreSQL")


def revive(folder: Path, share: Share) -> None:
    """Start a keeper if there is none; it restarts or adopts the server."""
    if share.orders is not None and locks.is_free(folder / locks.KEEPER, exclusive=False):
        spawn_keeper(share.orders)


def spawn_keeper(orders: Orders) -> None:
    """Start a keeper; it has its lock, or is not needed, when this returns."""
    if not sys.executable:
        raise Unavailable(PART, "this interpreter does not know its own program; use a PostgreSQL by its address")
    # The same way to decode file names as here, or a path could mean two different folders.
    encoding = f"utf8={sys.flags.utf8_mode}"
    neighbours = str(Path(__file__).parent)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-I", "-S", "-X", encoding, "-c", _PROGRAM, orders.dumps(), neighbours],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
        raise Unavailable(PART, said[-1])


def _make_folder(folder: Path, account: Account | None) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
        made = [folder]
    except FileExistsError:
        made = []
    if made:
        # So that a project which holds the folder does not commit it. In a folder of somebody else, it would hide
        # what is theirs.
        made.append(folder / ".gitignore")
        made[-1].write_text("*\n")
    for name in (locks.OWNERS, locks.KEEPER):
        try:
            # Closed to others, since anyone who can read a lock file can hold its lock.
            (folder / name).touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        made.append(folder / name)
    if account:
        for path in made:
            os.chown(path, account.uid, account.gid, follow_symlinks=False)
