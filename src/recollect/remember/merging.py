"""Consolidation: memories that say one thing become one; of two that cannot both be, the newer stays. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from recollect.records import Memory
from recollect.remember.compare import BY_FIGURES, Comparison, Reading, contains, is_list, judge, read
from recollect.remember.insight import fingerprint
from recollect.remember.learning import MAX_LEARNED, Merge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Below this cosine only what fills the same slot is compared.
POSSIBLE = 0.7
#: How many neighbours of a memory are compared: in a pool of one topic all are near each other.
MOST_NEIGHBOURS = 64
BLOCK = 512


def merges(
    memories: Sequence[Memory], vectors: NDArray[np.float32], protected: Collection[str] = ()
) -> list[Merge]:
    """One merge for each group. Whatever is retired says the same as, or is contradicted by, the one that is kept.

    ``protected`` are the ids of what a person wrote or corrected: they take in others, and stay as they are.
    """
    pool = _Pool(memories, vectors, frozenset(protected))
    return [merge for place in pool.order() if (merge := pool.gather(place)) is not None]


def joined(merge: Merge, memories: Mapping[str, Memory]) -> Memory:
    """The kept one as it is to be: with the group's text, and pin, weight and category of what says the same."""
    same = _same(merge, memories)
    return msgspec.structs.replace(
        memories[merge.keep],
        text=merge.text,
        pinned=any(one.pinned for one in same),
        importance=max(one.importance for one in same),
        category=next((one.category for one in same if one.category is not None), None),
    )


def ended(merge: Merge, memories: Mapping[str, Memory], old: Memory) -> datetime | None:
    """Until when a retired one held: until what contradicts it was first said. None if nothing does."""
    if old.id not in merge.contradicted:
        return None
    began = [one.valid_from for one in _same(merge, memories)]
    return min(at for at in began if at >= old.valid_from)


def _same(merge: Merge, memories: Mapping[str, Memory]) -> list[Memory]:
    """The kept one, and those that say the same."""
    return [memories[merge.keep], *(memories[id] for id in merge.retire if id not in merge.contradicted)]


class _Pool:
    """The memories of one call: what they say, which are near each other, and which are already spoken for."""

    def __init__(
        self, memories: Sequence[Memory], vectors: NDArray[np.float32], protected: frozenset[str]
    ) -> None:
        self.memories = memories
        self.vectors = vectors
        self.kept = {
            place
            for place, one in enumerate(memories)
            if one.id in protected or one.author.partition(":")[0] == "user"
        }
        self.live = [
            place for place, one in enumerate(memories) if one.status == "active" and one.valid_to is None
        ]
        self.readings = {place: read(memories[place].text) for place in self.live}
        self.prints = {place: fingerprint(memories[place].text) for place in self.live}
        self.similar = self._similar()
        self.said = self._said()
        self.filled = self._filled()
        self.taken: set[int] = set()
        self.listed: dict[int, bool] = {}

    def order(self) -> list[int]:
        """Those that may take in others, best first: a person's, pinned, lasting, newest, most specific."""
        return sorted(self.live, key=self._worth, reverse=True)

    def _worth(self, place: int) -> tuple[object, ...]:
        one = self.memories[place]
        said = len(self.readings[place].words) + len(self.readings[place].figures)
        lasting = one.expires_at is None, one.expires_at or one.valid_from
        return place in self.kept, one.pinned, lasting, one.valid_from, said, one.updated_at, one.id

    def gather(self, place: int) -> Merge | None:
        """Take in all that this one makes needless."""
        if place in self.taken:
            return None
        text, reading, retired = self.memories[place].text, self.readings[place], dict[int, str]()
        for other in self._near(place):
            if other in self.taken or other in self.kept:
                continue
            verdict = self._absorbs(place, reading, other)
            if verdict == "more":
                text, reading = self.memories[other].text, self.readings[other]
            if verdict:
                retired[other] = verdict
        if not retired:
            return None
        self.taken.update(retired, [place])
        return Merge(
            keep=self.memories[place].id,
            text=text,
            retire=tuple(self.memories[other].id for other in retired),
            contradicted=tuple(self.memories[other].id for other, how in retired.items() if how == "update"),
        )

    def _absorbs(self, place: int, reading: Reading, other: int) -> str:
        """Whether one may go in favour of another as that reads by now; "more" if its text is the better one."""
        if self._outlives(other, place):
            return ""
        mine, theirs = self.readings[place], self.readings[other]
        if self.prints[place] == self.prints[other]:
            return "same"
        found = self._judged(place, other)
        if found.relation == "same":
            return "same"
        if found.relation == "update":
            ends = self._is_newer(place, other) and not self.memories[other].pinned
            return "update" if ends and not (found.why in BY_FIGURES and self._is_listed(place)) else ""
        if contains(mine, theirs):
            return "same"
        longer = place not in self.kept and len(self.memories[other].text) <= MAX_LEARNED
        if not longer or self._outlives(place, other):
            return ""
        return "more" if contains(theirs, mine) and contains(theirs, reading) else ""

    def _outlives(self, place: int, other: int) -> bool:
        """Whether one still holds when another has expired: it would be gone too soon with it."""
        mine, theirs = self.memories[place].expires_at, self.memories[other].expires_at
        return theirs is not None and (mine is None or mine > theirs)

    def _judged(self, place: int, other: int) -> Comparison:
        mine, theirs = self.readings[place], self.readings[other]
        cosine = float(self.vectors[place] @ self.vectors[other])
        return judge(*((theirs, mine) if self._is_newer(place, other) else (mine, theirs)), cosine)

    def _is_listed(self, place: int) -> bool:
        """Whether it is one of several that differ only in a figure, the older and the newer ones."""
        if place not in self.listed:
            found = ((other, self._judged(place, other).why) for other in self._near(place))
            self.listed[place] = is_list(self.readings[other] for other, why in found if why in BY_FIGURES)
        return self.listed[place]

    def _is_newer(self, place: int, other: int) -> bool:
        return self._since(place) >= self._since(other)

    def _since(self, place: int) -> tuple[object, ...]:
        one = self.memories[place]
        return one.valid_from, one.created_at, one.id

    def _near(self, place: int) -> list[int]:
        """Those of the same scope that are near, or fill the same slot, or say the same; best first."""
        found = {*self.similar[place], *self.said[self.prints[place]]}
        for slot in self.readings[place].slots:
            for value, others in self.filled[slot.key].items():
                if value != slot.value or len(others) <= MOST_NEIGHBOURS:
                    found.update(others)
        scope = self._scope(place)
        others = [other for other in found if other != place and self._scope(other) == scope]
        return sorted(others, key=self._worth, reverse=True)

    def _similar(self) -> dict[int, set[int]]:
        import numpy as np

        near: dict[int, set[int]] = {place: set() for place in self.live}
        rows = np.asarray(self.vectors, np.float32)[self.live]
        for start in range(0, len(self.live), BLOCK):
            for row, values in enumerate(rows[start : start + BLOCK] @ rows.T):
                places = np.flatnonzero(values >= POSSIBLE)
                if len(places) > MOST_NEIGHBOURS:
                    places = places[np.argsort(-values[places], kind="stable")[:MOST_NEIGHBOURS]]
                one = self.live[start + row]
                for other in (self.live[int(place)] for place in places):
                    near[one].add(other)
                    near[other].add(one)
        return near

    def _said(self) -> dict[bytes, list[int]]:
        groups: defaultdict[bytes, list[int]] = defaultdict(list)
        for place in self.live:
            groups[self.prints[place]].append(place)
        return groups

    def _filled(self) -> dict[str, dict[tuple[str, ...], list[int]]]:
        """For each slot, what is in it, and which memories say so."""
        groups: defaultdict[str, defaultdict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
        for place in self.live:
            for slot in self.readings[place].slots:
                groups[slot.key][slot.value].append(place)
        return {key: dict(values) for key, values in groups.items()}

    def _scope(self, place: int) -> tuple[str, str]:
        return self.memories[place].user, self.memories[place].pool
