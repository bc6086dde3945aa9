"""Whether one text says that what another tells is over: who has sold a Golf does not drive it. Pure."""

from __future__ import annotations

import re

from recollect.remember.compare.words import words_in

_I = re.IGNORECASE
_GONE = re.compile(
    r"user (?:has |have |just |had to )*"
    r"(?:(?:dropped|drop|pulled|pull) out of|left|leave|sold|sell|cancell?ed|cancel|returned|dropped|"
    r"gave away|given away|got rid of|resigned from|"
    r"(?:was )?(?:fired|laid off) (?:by|from)|(?:switched|changed|migrated) from|moved (?:away )?from|"
    r"unsubscribed from|withdrew from|quit|stopped|finished|completed|"
    r"(?:gave|given|give) up(?: on)?|(?:broke|broken|split) up with|(?:is |got )?(?:divorced|separated) from|"
    r"dejo|vendio|cancelo) "
    r"(?:(?:the|their|an?|user's|el|la|su|un|una) )?"
    r"(?P<what>.+?)(?:,| (?:and|to|for|in|on|at|last|because|y|en|por)\b|$)",
    _I,
)
_DOING = r"(?=(?:training|learning|studying|preparing|practi[cs]ing|reading|writing|taking|doing) )"
_HELD = re.compile(
    r"user (?:(?:works? (?:at|for|in)|is (?:employed|working) (?:at|by|for)|lives? in|drives?|rides?|owns?|has|"
    r"have|uses?|is using|studies at|plays (?:for|in)|subscribes to|pays for|is (?:engaged|married) to|"
    rf"is (?:dating|seeing)) |is {_DOING})(?P<what>.+)",
    _I,
)
#: Who has found work looks for none.
_HIRED = re.compile(
    r"user (?:has |have |just |finally )*(?:got|found|landed|accepted|starts?|started) "
    r"(?:(?:the|an?|their|working|work)\b.{0,20}? ?\b(?:job|position|role|offer|at|as|for)\b|(?:at|as) )",
    _I,
)
_JOBLESS = re.compile(
    r"user is (?:(?:still |currently )*(?:looking|searching|hunting|applying) for (?:an? |their )?"
    r"(?:new |first |better )?(?:jobs?|work|position|role)\b|"
    r"(?:currently )?(?:unemployed|out of work|between jobs|job hunting|jobless))",
    _I,
)
#: Whose life it is: of what kind, and with what name.
_WHO = (
    r"(?:(?:older|younger|elder|big|little|late|old) )?(?P<kind>[\w-]+)"
    r"(?:,? (?P<name>(?-i:[A-Z])[\w-]+))?,?"
)
_DEAD = re.compile(
    rf"user's {_WHO} (?:has |have |just |sadly |recently |had to be |was |were )*"
    r"(?:died|passed away|dead|put down|put to sleep)\b",
    _I,
)
_ONE_OF = re.compile(
    r"user (?:has|owns) (?:got )?an? (?:[\w-]+ ){0,3}?(?P<kind>[\w-]+)"
    r"(?:,? (?:(?:called|named) )?(?P<name>(?-i:[A-Z])[\w-]+))?$",
    _I,
)
#: How somebody is; what they are called stays.
_IS_SO = re.compile(
    rf"user's {_WHO} (?!(?:is|are) (?:called|named)\b)(?:is|are|has|have|lives?|works?|likes?|loves?|needs?|"
    r"wants?|takes?|eats?|sleeps?|plays?|suffers?|speaks?|teaches|studies)\b",
    _I,
)


def ended(old: str, new: str) -> bool:
    """Whether what the old text tells is over by what the new one does."""
    gone = _GONE.match(new)
    what = set(words_in(gone["what"])) if gone else set[str]()
    held = _HELD.match(old) if what else None
    if held is not None and what <= set(words_in(held["what"])):
        return True
    return (_HIRED.match(new) is not None and _JOBLESS.match(old) is not None) or _has_died(old, new)


def _has_died(old: str, new: str) -> bool:
    """Whether the new text says that somebody is dead of whom the old one tells how they are."""
    dead = _DEAD.match(new)
    if dead is None:
        return False
    kind, name = dead["kind"].lower(), dead["name"]
    if owned := _ONE_OF.match(old):
        return owned["name"] == name if name else owned["kind"].lower() == kind
    is_so = _IS_SO.match(old)
    if is_so is None or is_so["kind"].lower() != kind:
        return False
    return not name or not is_so["name"] or is_so["name"] == name
