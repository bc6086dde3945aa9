"""Which server holds a key: the only one, the primary that a Sentinel names, or the one with the key's slot."""

from __future__ import annotations

import asyncio
import hashlib
from binascii import crc_hqx
from collections.abc import Sequence
from typing import Any, NamedTuple

from recollect.cache.address import Address, Host
from recollect.cache.lines import FAILURES, Command, Lines, ResponseError

SLOTS = 16384
#: Errors that say that another server holds the key now.
ELSEWHERE = {"MovedError", "AskError", "ClusterDownError", "MasterDownError", "ReadOnlyError", "TryAgainError"}


class Reply(NamedTuple):
    """What a server answered."""

    server: str
    """Tells this Redis from every other, and from itself after a restart or a failover."""
    run: str
    """The run of the server that answered."""
    answers: list[Any]


class Servers:
    """All servers behind an address."""

    def __init__(self, address: Address, patience: float) -> None:
        self._address = address
        self._patience = patience
        self._lines: dict[Host, Lines] = {}
        self._slots: list[Host] = []
        self._map = ""

    async def ask(self, key: str, commands: Sequence[Command]) -> Reply:
        """What the server that holds the key answers."""
        if not self._slots:
            await self.find()
        host, known = self._slots[slot(key) if len(self._slots) > 1 else 0], self._map
        try:
            run, answers = await self._of(host).ask(commands, self._patience)
        except FAILURES:
            self._lost()
            raise
        if any(isinstance(one, ResponseError) and type(one).__name__ in ELSEWHERE for one in answers):
            self._lost()
            raise ConnectionError("the key is elsewhere now")
        return Reply(known or run, run, answers)

    async def ask_many(self, asked: Sequence[tuple[str, Command]]) -> list[Reply]:
        """One pipeline for each server; the answer for each key, in order."""
        if not self._slots:
            await self.find()
        several = len(self._slots) > 1
        by_host: dict[Host, list[int]] = {}
        for place, (key, _) in enumerate(asked):
            by_host.setdefault(self._slots[slot(key) if several else 0], []).append(place)
        pipelines = [
            self.ask(asked[places[0]][0], [asked[place][1] for place in places]) for places in by_host.values()
        ]
        # One server is the usual case, and needs no tasks.
        replies = [await pipelines[0]] if len(pipelines) == 1 else await asyncio.gather(*pipelines)
        found: dict[int, Reply] = {}
        for places, reply in zip(by_host.values(), replies, strict=True):
            for place, answer in zip(places, reply.answers, strict=True):
                found[place] = Reply(reply.server, reply.run, [answer])
        return [found[place] for place in range(len(asked))]

    def run_of(self, key: str) -> str:
        """The run of the server that holds a key, as last seen."""
        if not self._slots:
            return ""
        return self._of(self._slots[slot(key) if len(self._slots) > 1 else 0]).run

    async def find(self) -> None:
        """Look again at which servers there are."""
        find = {"single": self._find_one, "sentinel": self._find_primary, "cluster": self._find_slots}
        slots, known = await find[self._address.mode]()
        for host in set(self._lines) - set(slots):
            await self._lines.pop(host).close()
        self._slots, self._map = slots, known

    async def probe(self) -> str:
        """Ask every server that holds keys whether it is there; returns what tells this Redis from others."""
        await self.find()
        runs = [(await self._of(host).ask([("PING",)], self._patience))[0] for host in sorted(set(self._slots))]
        return self._map or runs[0]

    async def facts(self) -> list[tuple[Host, str]]:
        """What each server says of its memory and its use."""
        if not self._slots:
            await self.find()
        found: list[tuple[Host, str]] = []
        for host in sorted(set(self._slots)):
            _, answers = await self._of(host).ask(
                [("INFO", "memory"), ("INFO", "stats"), ("DBSIZE",)], self._patience
            )
            size = f"\r\ndbsize:{answers[2]}"
            found.append((host, b"\r\n".join(one for one in answers[:2]).decode() + size))
        return found

    async def _find_one(self) -> tuple[list[Host], str]:
        return [self._address.hosts[0]], ""

    async def _find_primary(self) -> tuple[list[Host], str]:
        question: Command = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.service)
        (name, port) = await self._first_answer(question, login=False)
        host = (name.decode(), int(port))
        _, (role,) = await self._of(host).ask([("ROLE",)], self._patience)
        if role[0] != b"master":
            raise ConnectionError("the sentinels name a server that is not the primary")
        return [host], ""

    async def _find_slots(self) -> tuple[list[Host], str]:
        slots: list[Host] = [("", 0)] * SLOTS
        answer = await self._first_answer(("CLUSTER", "SLOTS"), login=True)
        for first, last, primary, *_ in answer:
            slots[first : last + 1] = [(primary[0].decode(), primary[1])] * (last + 1 - first)
        if ("", 0) in slots:
            raise ConnectionError("the cluster does not serve all slots")
        primaries = sorted((first, last, primary[2]) for first, last, primary, *_ in answer)
        return slots, hashlib.blake2b(repr(primaries).encode(), digest_size=20).hexdigest()

    async def _first_answer(self, command: Command, *, login: bool) -> Any:
        """Of whichever server answers first, in the order of the address; then of those that we have met since."""
        problem: BaseException = ConnectionError("no server answers")
        for host in dict.fromkeys((*self._address.hosts, *(self._lines if login else ()))):
            lines = self._of(host) if login else Lines(self._address, host, login=False)
            try:
                _, (answer,) = await lines.ask([command], self._patience)
                if answer and not isinstance(answer, ResponseError):
                    return answer
            except FAILURES as error:
                problem = error
            finally:
                if not login:
                    await lines.close()
        raise problem

    def _lost(self) -> None:
        self._slots = []

    def _of(self, host: Host) -> Lines:
        lines = self._lines.get(host)
        if lines is None:
            lines = self._lines[host] = Lines(self._address, host)
        return lines

    async def close(self) -> None:
        """Close all connections."""
        for lines in self._lines.values():
            await lines.close()


def slot(key: str) -> int:
    """The slot of a key: of what is in braces, as all our keys have some."""
    data = key.encode()
    start, end = data.find(b"{"), data.find(b"}")
    return crc_hqx(data[start + 1 : end] if 0 <= start < end - 1 else data, 0) % SLOTS
