"""What the next prompt gets, packed into a token budget. Pure.

Sections are taken in the order of their priority, each whole or not at all: instructions, notes, memories, state,
summary, window. One that does not fit beside those above it is dropped and reported, and those below it get the
room that is left. The newest user message comes before all of them: without it there is nothing to answer. The
summary stands in for what is older than the window, so it comes before it, but takes at most half of the room:
what was said last says more. The window is cut from its oldest end, and never between a tool call and its results,
in whichever shape they were stored.

In the prompt, what stands longest comes first: while instructions and notes stand, the beginning of two prompts is
the same byte for byte, and providers can cache it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter as Multiset
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, get_args

import msgspec

from recollect import inputs
from recollect.ports import Counter
from recollect.recall import render
from recollect.records import Hit, Message
from recollect.text.fence import defused, escaped, fence, one_line

Section = Literal["instructions", "notes", "memories", "state", "summary", "window"]
SECTIONS: tuple[Section, ...] = get_args(Section)

PLACEHOLDER = "{long_term_memory_notes}"
STATE_PLACEHOLDER = "{state}"
_BRACES = re.compile(r"\{[a-z_]+\}")
NOTES_HEAD = "Your notes about this user:\n\n"
STATE_HEAD = "State of this conversation:\n"

MOST_BUDGET = 1 << 30
MOST_MEMORIES = 5
MOST_MEMORY_TOKENS = 199
#: A key point is short; of each longer one this much is shown first, and then more of the best as far as it fits.
MOST_KEY_POINT = 300
#: A memory has no more characters.
MOST_TEXT = 1000

#: What a message costs besides its text, and more than what stands between two sections.
FRAME = 4
#: What an image, a sound or a file is taken to cost; the text of its data says nothing about that.
OTHER_PART = 1500

NO_ROOM = "it does not fit into what the sections above it leave of the budget"
MORE_THAN_HALF = "it would take more than half of the room, and the newest messages say more"
UNDER = f"memories stay under {MOST_MEMORY_TOKENS + 1} tokens"
NEW = "the new message"
NO_CALL = "its tool call is not in the window"
BEFORE_A_GAP = "a newer message did not fit, and what is older than a gap would mislead"


class Sections(msgspec.Struct, frozen=True, kw_only=True):
    """What could go into a prompt, before anybody has counted it."""

    instructions: str = ""
    notes: str = ""
    memories: Sequence[Hit] = ()
    """The best first."""
    state: str = ""
    summary: str = ""
    window: Sequence[Message] = ()
    """The oldest first."""
    message: str | None = None
    """What the user says now; it comes once, whether it is stored already or not."""
    names: Mapping[str, str] = {}
    """Other placeholders that the instructions may have in braces, such as ``user``, and what stands for them."""


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not in the prompt, and why. It holds no text."""

    section: Section
    what: str
    tokens: int
    why: str


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What the next prompt gets."""

    messages: list[dict[str, Any]]
    """Ready for any OpenAI-style client: one system message, then the window."""
    tokens: dict[str, int]
    """For each section, and in "total"."""
    dropped: list[Dropped]
    memories: list[Hit]
    """Those that are in the prompt."""
    whole: list[dict[str, Any]] | None = None
    """The messages with what OpenAI has no place for, such as thoughts of other models and images that a tool
    brought: the other formats are made of it. None where there is nothing like that."""

    def to_openai(self) -> list[dict[str, Any]]:
        """``messages`` of a chat completion, to be changed at will."""
        return [dict(message) for message in self.messages]

    def to_anthropic(self) -> dict[str, Any]:
        """``system`` and ``messages`` of a request to Anthropic's Messages API."""
        return render.anthropic_request(self.whole or self.messages)

    def to_langchain(self) -> list[Any]:
        """Messages of langchain-core; Unavailable if it is not installed."""
        return render.langchain_messages(self.whole or self.messages)


def pack(sections: Sections, budget: int, counter: Counter) -> Context:
    """What fits into the budget, by priority; ``tokens["total"]`` is never above it."""
    room = _Room(inputs.amount("budget", budget, most=MOST_BUDGET, least=0), counter)
    window = _Window(sections, room)
    shown = room.take("instructions", _filled(sections, "", ""))
    # The agent's own words, to be followed: only a tag of ours must not stand in them.
    notes, beside = _placed(sections, "notes", PLACEHOLDER, defused(sections.notes), NOTES_HEAD, shown, room)
    used, block = _memories(sections.memories, room)
    # Values of a draft are what people said.
    state, below = _placed(sections, "state", STATE_PLACEHOLDER, escaped(sections.state), STATE_HEAD, shown, room)
    instructions = _filled(sections, notes, state) if shown else ""
    system = [instructions, beside, block, below, _summary(sections.summary, room)]
    messages = window.filled(room)
    joined = "\n\n".join(part for part in system if part)
    if joined:
        messages.insert(0, {"role": "system", "content": joined})
    ready = _ready(messages) if window.has_parts else messages
    return Context(
        messages=ready,
        tokens=room.tokens | {"total": sum(room.tokens.values())},
        dropped=room.dropped,
        memories=used,
        whole=None if ready == messages else messages,
    )


def _ready(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages as OpenAI takes them, without those of which nothing is left."""
    told = [render.ready(one) for one in messages]
    return [one for one in told if not render.is_silent(one)]


class _Room:
    """What is left of the budget, and the account of what was taken and dropped."""

    def __init__(self, budget: int, counter: Counter) -> None:
        self.left = budget
        self.counter = counter
        self.tokens: dict[str, int] = dict.fromkeys(SECTIONS, 0)
        self.dropped: list[Dropped] = []

    def cost(self, text: str) -> int:
        return FRAME + self.counter.count(text) if text else 0

    def spend(self, section: Section, tokens: int) -> bool:
        if tokens > self.left:
            return False
        self.left -= tokens
        self.tokens[section] += tokens
        return True

    def drop(self, section: Section, what: str, tokens: int, why: str) -> None:
        self.dropped.append(Dropped(section=section, what=what, tokens=tokens, why=why))

    def take(self, section: Section, text: str, times: int = 1) -> bool:
        """Make room for a whole section, or report that there is none."""
        tokens = self.cost(text) * times
        if self.spend(section, tokens):
            return True
        self.drop(section, "all of it", tokens, NO_ROOM)
        return False


def _filled(sections: Sections, notes: str, state: str) -> str:
    """The instructions with their placeholders filled in, in one pass: what stands for one is never read as
    another. Braces that mean nothing here stay as they are. A name is data: on one line, and escaped.
    """
    if "{" not in sections.instructions:
        return sections.instructions
    values = {"{" + name + "}": escaped(one_line(value, MOST_KEY_POINT)) for name, value in sections.names.items()}
    values |= {PLACEHOLDER: notes, STATE_PLACEHOLDER: state}
    return _BRACES.sub(lambda found: values.get(found[0], found[0]), sections.instructions)


def _placed(
    sections: Sections, section: Section, placeholder: str, text: str, head: str, shown: bool, room: _Room
) -> tuple[str, str]:
    """A section inside of the instructions, wherever they have a place for it, or else beside them under a head;
    the other of the two is empty, and both are if there is no room.
    """
    text = text if text.strip() else ""
    places = sections.instructions.count(placeholder) if shown else 0
    whole = text if places or not text else head + text
    if not room.take(section, whole, times=places or 1):
        return "", ""
    return (whole, "") if places else ("", whole)


def _memories(hits: Sequence[Hit], room: _Room) -> tuple[list[Hit], str]:
    """The best memories that fit, as lines of a date and a key point, fenced as the data that they are."""
    whole = [_line(hit, MOST_TEXT) for hit in hits]
    if hits and len(hits) <= MOST_MEMORIES:  # usually all of them fit, and are counted once
        block = _block(whole)
        if (tokens := room.cost(block)) <= min(MOST_MEMORY_TOKENS, room.left):
            room.spend("memories", tokens)
            return list(hits), block
    taken, missing = _taken(hits, room)
    lines = _lengthened(taken, whole, room)
    block = _block(lines.values()) if lines else ""
    tokens = room.cost(block)
    missing |= _ends(lines, whole, tokens, room)
    room.dropped += [dropped for _, dropped in sorted(missing.items())]
    room.spend("memories", tokens)
    return [hits[place] for place in lines], block


def _taken(hits: Sequence[Hit], room: _Room) -> tuple[dict[int, str], dict[int, Dropped]]:
    """By their places, the lines of those that fit beside better ones while each is short, and what does not."""
    taken: dict[int, str] = {}
    missing: dict[int, Dropped] = {}
    tokens = 0
    for place, hit in enumerate(hits):
        line = _line(hit, MOST_KEY_POINT)
        cost = room.cost(_block([*taken.values(), line]))
        if place == 0 and cost > MOST_MEMORY_TOKENS and (shorter := _cut(hit, room)):
            line, cost = shorter, room.cost(_block([shorter]))
        if len(taken) == MOST_MEMORIES:
            why = f"a prompt gets at most {MOST_MEMORIES} memories"
        elif cost > MOST_MEMORY_TOKENS:
            why = UNDER
        elif cost > room.left:
            why = NO_ROOM
        else:
            taken[place] = line
            tokens = cost
            continue
        what = f"memory {place + 1} of {len(hits)}"
        missing[place] = Dropped(section="memories", what=what, tokens=max(cost - tokens, 0), why=why)
    return taken, missing


def _lengthened(taken: Mapping[int, str], whole: Sequence[str], room: _Room) -> dict[int, str]:
    """The same lines, those that were cut with as much more of them as there is room for, the best first."""
    lines = dict(taken)
    for place, line in taken.items():
        if line != whole[place]:
            lines[place] = _longest(lines, place, whole[place], room)
    return lines


def _longest(lines: Mapping[int, str], place: int, whole: str, room: _Room) -> str:
    """As much of a line as fits beside the others, and no less than there is."""
    most = min(MOST_MEMORY_TOKENS, room.left)

    def cost(length: int) -> int:
        return room.cost(_block({**lines, place: one_line(whole, length)}.values()))

    lengths = range(len(lines[place]) + 1, len(whole) + 1)
    fitting = bisect_right(lengths, most, key=cost)
    longer = fitting and cost(lengths[fitting - 1]) <= most  # a longer text may cost less
    return one_line(whole, lengths[fitting - 1]) if longer else lines[place]


def _ends(lines: Mapping[int, str], whole: Sequence[str], tokens: int, room: _Room) -> dict[int, Dropped]:
    """What is missing of the lines that are still cut, by their places."""
    why = NO_ROOM if room.left < MOST_MEMORY_TOKENS else UNDER
    return {
        place: Dropped(
            section="memories",
            what=f"the end of memory {place + 1} of {len(whole)}",
            tokens=max(room.cost(_block({**lines, place: whole[place]}.values())) - tokens, 0),
            why=why,
        )
        for place, line in lines.items()
        if line != whole[place]
    }


def _block(lines: Iterable[str]) -> str:
    return fence("\n".join(lines), "memories")


def _line(hit: Hit, most: int) -> str:
    return f"{hit.at.date().isoformat()} - {one_line(hit.text, most)}"


def _cut(hit: Hit, room: _Room) -> str:
    """As much of the line of the best memory as may stand alone, if anything: a key point is short in letters, but
    in some scripts a letter costs more than a token."""

    def cost(most: int) -> int:
        return room.cost(_block([_line(hit, most)]))

    most = bisect_right(range(MOST_KEY_POINT), MOST_MEMORY_TOKENS, key=cost) - 1
    return _line(hit, most) if most > 1 else ""


def _summary(text: str, room: _Room) -> str:
    """What went before the window, fenced: it is made of what people said, and is data like a memory."""
    block = fence(text, "summary") if text.strip() else ""
    tokens = room.cost(block)
    if room.left // 2 < tokens <= room.left:
        room.drop("summary", "all of it", tokens, MORE_THAN_HALF)
        return ""
    return block if room.take("summary", block) else ""


class _Said(msgspec.Struct, frozen=True):
    """A message as it is sent; of a stored one there can be several."""

    seq: int | None
    """None if it is said now, and has no number yet."""
    text: str
    """All the text of the stored one."""
    message: dict[str, Any]
    tokens: int

    @property
    def calls(self) -> list[str]:
        return [call["id"] for call in self.message.get("tool_calls", ())]


class _Unit(msgspec.Struct, frozen=True):
    """Messages that stay together: one alone, or a call of tools with all of its results."""

    said: list[_Said]
    tokens: int
    why_not: str = ""


class _Window:
    """The window in units; the newest user message is given its room at once."""

    def __init__(self, sections: Sections, room: _Room) -> None:
        said = [_said(stored, message, room) for stored, message in render.openai_messages(sections.window)]
        now = sections.message
        if now is not None and not _said_already(said, now):
            message = {"role": "user", "content": now}
            said.append(_Said(None, now, message, _cost(message, room)))
        self.units = _grouped(said)
        self.has_parts = any(one.parts is not None for one in sections.window)
        self.kept: set[int] = set()
        places = reversed(range(len(self.units)))
        asked = next((place for place in places if self.units[place].said[0].message["role"] == "user"), None)
        if asked is not None and room.spend("window", self.units[asked].tokens):
            self.kept.add(asked)

    def filled(self, room: _Room) -> list[dict[str, Any]]:
        """The messages that fit, oldest first, as far back as the room reaches."""
        reasons = [unit.why_not for unit in self.units]
        if not any(reasons):  # as a rule, and then all of them fit
            tokens = sum([unit.tokens for place, unit in enumerate(self.units) if place not in self.kept])
            if room.spend("window", tokens):
                return [one.message for unit in self.units for one in unit.said]
        no_room = ""
        for place in reversed(range(len(self.units))):
            if place in self.kept or reasons[place]:
                continue
            if no_room or not room.spend("window", self.units[place].tokens):
                reasons[place] = no_room = BEFORE_A_GAP if no_room else NO_ROOM
        # Neighbours that are missing for the same reason make one line of the report.
        for why, run in groupby(zip(self.units, reasons, strict=True), lambda item: item[1]):
            units = [unit for unit, _ in run]
            if why:
                room.drop("window", _named(units), sum(unit.tokens for unit in units), why)
        return [one.message for unit, why in zip(self.units, reasons, strict=True) for one in unit.said if not why]


def _said(stored: Message, message: dict[str, Any], room: _Room) -> _Said:
    """A message as it is sent, and what it costs."""
    content = message["content"]
    if len(message) == len(("role", "content")) and isinstance(content, str):  # as nearly all are
        return _Said(stored.seq, stored.content, message, FRAME + room.counter.count(content))
    message = render.with_short_ids(message)
    return _Said(stored.seq, stored.content, message, _cost(message, room))


def _named(units: Sequence[_Unit]) -> str:
    """What a report calls them; what is said now is never missing for the same reason as something before it."""
    numbers = [one.seq for unit in units for one in unit.said if one.seq is not None]
    if not numbers:
        return NEW
    first, last = min(numbers), max(numbers)
    return f"message {first}" if first == last else f"messages {first} to {last}"


def _said_already(said: Sequence[_Said], now: str) -> bool:
    """Whether the turn that begins with this message is going on: it is the newest of the user's, and nothing but
    calls of tools and their results has followed, what the system noted beside them, and what says nothing."""
    used_tools = noted = False
    for one in reversed(said):
        role = one.message["role"]
        if role == "user":
            return one.text == now and (used_tools or not noted)
        if role == "tool" or one.calls:
            used_tools = True
        elif role == "system":
            noted = True
        elif one.message["content"] and not render.is_silent(one.message):
            return False
    return False


def _grouped(said: Sequence[_Said]) -> list[_Unit]:
    """Messages that must stay together, and why a group cannot be shown: models refuse half of an exchange."""
    units: list[_Unit] = []
    place = 0
    while place < len(said):
        first = said[place]
        place += 1
        if first.message["role"] != "tool" and "tool_calls" not in first.message:
            units.append(_Unit([first], first.tokens))  # as nearly all are
            continue
        if first.message["role"] == "tool":
            units.append(_Unit([first], first.tokens, NO_CALL))
            continue
        group, waiting, others = [first], Multiset(first.calls), list[_Said]()
        while place < len(said) and said[place].message["role"] == "tool":
            result = said[place]
            if waiting[id := result.message.get("tool_call_id", "")]:
                waiting[id] -= 1
                group.append(result)
            else:
                others.append(result)
            place += 1
        tokens = sum(one.tokens for one in group)
        units.append(_Unit(group, tokens, "a tool call in it has no result" if waiting.total() else ""))
        units += [_Unit([other], other.tokens, NO_CALL) for other in others]
    return units


def _cost(message: dict[str, Any], room: _Room) -> int:
    count = room.counter.count
    content = message["content"] or ""
    if isinstance(content, str):
        tokens = FRAME + count(content)
    else:
        parts: list[dict[str, Any]] = content
        tokens = FRAME + count("\n".join(part["text"] for part in parts if render.is_text(part)))
        tokens += sum(_cost_of_part(part, room) for part in parts if not render.is_text(part))
    if "tool_calls" in message:
        tokens += count(msgspec.json.encode(message["tool_calls"]).decode())
    for field in ("name", "tool_call_id"):
        if field in message:
            tokens += count(message[field])
    return tokens


def _cost_of_part(part: dict[str, Any], room: _Room) -> int:
    return OTHER_PART if render.has_flat_price(part) else room.counter.count(msgspec.json.encode(part).decode())
