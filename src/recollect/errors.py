"""What can go wrong, as classes a caller can catch by name.

    RecollectError
    ├── Invalid         bad input; ``field`` names it
    ├── NotFound        no such thing in this tenant
    ├── Conflict        a stale version
    │   └── Busy        another message of the conversation is being answered
    ├── Refused         a rule says no
    │   └── UnderWay    a request with the same idempotency key has not ended yet
    ├── KeyReused       an idempotency key came back with another body
    ├── Unavailable     storage or a model is down; ``part`` says which, ``retry_after`` when to come back if known
    │   └── BadAnswer   a model answered twice, and not in the form that it was asked for
    ├── Unauthorized    no credential, or one that does not reach this far
    │   └── Forbidden   the credential is good, but not for this
    └── Overloaded      too much at once; ``retry_after`` says when to come back

Messages say what was wrong, with which value, and what to do. They never contain the text of a
message or of a memory: an error ends up in logs.
"""

from __future__ import annotations


def to_install(extra: str) -> str:
    """What brings the packages of an extra: only a clone does, for ``recollect`` at PyPI is another project."""
    return f"run `pip install '.[{extra}]'` in the clone of Recollect"


def not_open(name: str) -> str:
    """What to do where something is asked of a door that is only about to open."""
    return f"there is no {name!r} before the door is open: use `async with Recollect.open() as memory:`, or await"


class RecollectError(Exception):
    """Anything that Recollect raises on purpose."""


class Invalid(RecollectError, ValueError):
    """Input that cannot be accepted; nothing was changed."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFound(RecollectError, LookupError):
    """There is no such thing in this tenant."""

    def __init__(self, what: str, key: str) -> None:
        super().__init__(f"there is no {what} {key!r}{'' if what == 'tenant' else ' in this tenant'}")
        self.what = what
        self.key = key


class Conflict(RecollectError):
    """The version that the caller had seen is no longer the current one; read again, then retry."""


class Busy(Conflict):
    """Another message of this conversation is being answered; ``retry_after`` says when to come back."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("another message of this conversation is being answered; wait for it, then repeat")
        self.retry_after = retry_after


class Refused(RecollectError):
    """A rule says no; trying again will not help."""


class UnderWay(Refused):
    """A request with this idempotency key is being worked on, or broke off; ask again after ``retry_after``."""

    def __init__(self, retry_after: float = 2.0) -> None:
        super().__init__("a request with this idempotency key is still under way; wait, then ask again")
        self.retry_after = retry_after


class KeyReused(RecollectError):
    """An idempotency key was used before with a different body."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"the idempotency key {key!r} was used before with a different body; "
            "use a new key for a new message, and the same body when retrying"
        )
        self.key = key


class Unavailable(RecollectError):
    """Something that Recollect stands on does not answer; ``part`` says what.

    ``status`` is what an endpoint answered instead, ``retry_after`` how many seconds it wants to be left alone.
    """

    def __init__(
        self, part: str, problem: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{part}: {problem}")
        self.part = part
        self.problem = problem
        self.status = status
        self.retry_after = retry_after


class BadAnswer(Unavailable):
    """A language model answered twice, and not in the form that it was asked for."""

    def __init__(self, model: str, problem: str) -> None:
        super().__init__("model", f"{model} does not answer in the form that was asked for ({problem})")


class Unauthorized(RecollectError):
    """No credential, or one that does not reach this far."""


class Forbidden(Unauthorized):
    """The credential is good, but not for this."""


class Overloaded(RecollectError):
    """Too much at once; come back after ``retry_after`` seconds."""

    def __init__(self, problem: str, retry_after: float = 1.0) -> None:
        super().__init__(problem)
        self.retry_after = retry_after
