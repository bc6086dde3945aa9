"""Whom a route is for. Each route has a rule; an app with a route without one does not start."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from recollect.access.records import Holder
from recollect.errors import Forbidden

Scope = Literal["public", "metrics", "read", "write", "admin", "operator"]


class Rule(msgspec.Struct, frozen=True):
    """What a credential needs for a route."""

    scope: Scope
    """``public`` needs none, ``metrics`` the token of /metrics; ``operator`` is for who runs the installation."""
    all_users: Scope | None = None
    """The scope that a credential needs which is not bound to one user, if it is another one."""
    operators: bool = False
    """Whether it is for operators too, whatever else their credential lacks."""
    versioned: bool = False
    """Whether it compares If-Match with the version of what it changes."""


def rule(
    scope: Scope, all_users: Scope | None = None, *, operators: bool = False, versioned: bool = False
) -> dict[str, Any]:
    """The ``opt`` of a route."""
    return {"rule": Rule(scope, all_users, operators, versioned)}


def check(rule: Rule, holder: Holder) -> None:
    """Forbidden, unless the holder of a credential may use a route."""
    if rule.operators and holder.operator:
        return
    if rule.scope == "admin" and holder.user is not None:
        raise Forbidden("this concerns the whole tenant, and the credential is bound to one user")
    needed = rule.scope if holder.user is not None or rule.all_users is None else rule.all_users
    if needed not in holder.scopes:
        raise Forbidden(f"the credential lacks the scope {needed}")
