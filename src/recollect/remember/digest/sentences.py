"""What a message says in sentences of any script, without what is no speech: code, logs, quotes, tables. Pure."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from recollect.text.fence import strip_fences

#: Of one message, this many sentences are looked at.
MOST_SENTENCES = 40

_FENCED_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*+•·]|\d{1,3}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")

#: The full stops of most scripts. Those without a following space end a sentence by themselves.
_END = re.compile(r"[。！？｡…]+[”’」』）]*|(?<![.!?؟।॥։።])[.!?؟।॥։።]+[\"'”’»)\]]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Za-z]|mr|mrs|ms|dr|prof|st|vs|no|approx|fig|jr|sr|sra|srta|dra|ud|uds|av|núm|pág|aprox|"
    r"e\.g|i\.e|p\.ej|ee\.uu|a\.m|p\.m)\.$",
    re.IGNORECASE,
)

_LOG_LINE = re.compile(
    r"^\W*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d)|"  # a time stamp comes first
    r"^\W*(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b[\s:\]]|"
    r"^\s*(?:at [\w.$<>]+\(|File \"|Traceback \(most|Caused by:|\w+(?:Error|Exception)\b\s*(?::|$))"
)
_CODE_LINE = re.compile(
    r"^\s*(?:>>> |\$ |import \w+[\w., ]*$|from [\w.]+ import |def \w+\(|class \w+[(:]|(?:const|let|var) \w+ =|"
    r"function \w*\(|#include|</?\w+[^>]*>\s*$)"
)
#: What a line is shows at its beginning.
_HEAD = 300
_SYMBOLS = re.compile(r"[{}\[\]()<>=;|\\/_^~@#$%&*+]")
_ENDLESS = re.compile(r"[!-~]{80,}")


def sentences(text: str) -> list[str]:
    """What somebody said, sentence by sentence, each on one line."""
    spoken = _FENCED_CODE.sub("\n\n", strip_fences(text))
    found = (sentence for line in _paragraphs(spoken) for sentence in _split(line))
    return list(islice(found, MOST_SENTENCES))


def spaceless(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces between words."""
    code = ord(character)
    return (
        0x3040 <= code <= 0x30FF
        or 0x3400 <= code <= 0x9FFF
        or 0x0E00 <= code <= 0x0EFF
        or 0x1000 <= code <= 0x109F
        or 0x1780 <= code <= 0x17FF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def words(text: str) -> list[str]:
    """The words in small letters; of scripts without spaces, every two neighbouring characters."""
    found: list[str] = []
    for word in re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()):
        if not any(map(spaceless, word)):
            found.append(word)
            continue
        for run in re.findall(r"[0-9a-zà-ÿ_]+|[^0-9a-zà-ÿ_]+", word):
            pairs = [run[place : place + 2] for place in range(len(run) - 1)] if spaceless(run[0]) else []
            found += pairs or [run]
    return found


def _paragraphs(text: str) -> list[str]:
    """Lines of speech; a sentence that was wrapped at the end of a line is put together again."""
    lines: list[str] = []
    wrapped = False
    for line in text.splitlines():
        bare = line.strip()
        if not bare or not _is_speech(line):
            wrapped = False
            continue
        if wrapped and bare[0].islower():
            lines[-1] += " " + bare
        else:
            lines.append(_BULLET.sub("", bare))
        wrapped = len(bare) >= 60 and bare[-1].isalnum() | (bare[-1] == ",")
    return lines


def _is_speech(line: str) -> bool:
    if line.startswith(("    ", "\t")) and not _BULLET.match(line):
        return False
    if line.lstrip().startswith((">", "|")):
        return False
    if _LOG_LINE.match(line[:_HEAD]) or _CODE_LINE.match(line[:_HEAD]) or _ENDLESS.search(line):
        return False
    if line.rstrip().endswith((";", "{", "}")):
        return False
    return len(_SYMBOLS.findall(_EMPHASIS.sub("", line))) <= max(3, len(line) // 8)


def _split(line: str) -> list[str]:
    found: list[str] = []
    start = 0
    for end in _END.finditer(line):
        after = line[end.end() : end.end() + 3].lstrip()
        before = line[max(start, end.start() - 12) : end.start() + 1]
        if end.group()[0] == "." and (after[:1].islower() or _ABBREVIATION.search(before)):
            continue
        found.append(line[start : end.end()])
        start = end.end()
    found.append(line[start:])
    clean = (" ".join(_EMPHASIS.sub("", sentence).split()) for sentence in found)
    return [sentence for sentence in clean if any(map(str.isalnum, sentence))]
