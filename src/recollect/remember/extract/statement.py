"""One clause of a message, turned into the third person."""

from __future__ import annotations

from typing import Literal

import msgspec

#: Stands for the speaker while a statement is made and judged: what it is worth does not depend on a name.
SPEAKER = "\ue000"

Tense = Literal["past", "present", "future"]


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody says about himself or his own, and what a judgement of its worth needs to know."""

    text: str
    language: Literal["en", "es"]
    about: Literal["self", "own", "other"]
    """Whether its subject is the speaker, something of the speaker's, or something that concerns the speaker."""
    verb: str
    """The base of the main verb; "be" with what follows in ``rest``."""
    rest: str
    """What follows the verb, in the words of the speaker, in lower case."""
    tense: Tense = "present"
    negated: bool = False
    doubt: bool = False
    """Said with "maybe", "I think" or the like."""
    urged: bool = False
    """Asked to be kept in mind."""
