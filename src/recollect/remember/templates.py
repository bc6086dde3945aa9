"""Named patterns with fields for common kinds of memory: "user is allergic to {what}"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect import inputs
from recollect.errors import Invalid, NotFound
from recollect.records import Caller, Template
from recollect.remember.insight import MAX_TEXT, category, importance
from recollect.storage.database import Database

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)\}")

BUILT_IN = [
    Template("allergy", "user is allergic to {what}", "health", 0.9),
    Template("birthday", "user's birthday is on {when}", "fact", 0.7),
    Template("dislike", "user dislikes {what}", "preference", 0.5),
    Template("event", "user has {what} on {when}", "event", 0.6),
    Template("goal", "user wants to {what}", "goal", 0.6),
    Template("home", "user lives in {where}", "fact", 0.7),
    Template("job", "user works as {role} at {where}", "fact", 0.7),
    Template("language", "user speaks {language}", "fact", 0.6),
    Template("person", "user's {relation} is called {name}", "relation", 0.6),
    Template("preference", "user prefers {what}", "preference", 0.6),
]


async def listed(database: Database, caller: Caller) -> list[Template]:
    """All templates by name; one that a tenant has defined stands in for ours of the same name."""
    rows = await database.read(caller.tenant, "templates_of_tenant")
    own = [Template(row["name"], row["pattern"], row["category"], round(row["importance"], 4)) for row in rows]
    merged = {template.name: template for template in [*BUILT_IN, *own]}
    return [merged[name] for name in sorted(merged)]


async def define(database: Database, caller: Caller, template: Template) -> Template:
    """Add a template of the tenant's own, or change it."""
    checked = Template(
        inputs.identifier("name", template.name),
        _checked_pattern(template.pattern),
        None if template.category is None else category(template.category),
        importance(template.importance),
    )
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await transaction.run("save_template", checked.name, checked.pattern, checked.category, checked.importance)
        await transaction.run("record_audit", caller.actor, "template.define", None, checked.name)
    return checked


async def named(database: Database, caller: Caller, name: str) -> Template:
    """One template."""
    name = inputs.identifier("template", name)
    found = [template for template in await listed(database, caller) if template.name == name]
    if not found:
        raise NotFound("template", name)
    return found[0]


def filled(template: Template, values: Mapping[str, str]) -> str:
    """The text of a memory. Every field must be given, and no other; braces in a value are only text."""
    wanted = template.fields
    if not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("fields", f"must be a mapping, not {type(values).__name__}")
    for name in wanted:
        if name not in values:
            raise Invalid(
                f"fields.{name}", f"is missing; the template {template.name!r} needs {', '.join(wanted)}"
            )
    for name in values:
        if name not in wanted:
            raise Invalid("fields", f"the template {template.name!r} has only the fields {', '.join(wanted)}")
    checked = {name: _characters(f"fields.{name}", value).strip() for name, value in values.items()}
    for name, value in checked.items():
        if not value:
            raise Invalid(f"fields.{name}", "must not be empty")
    return _FIELD.sub(lambda match: checked[match[1]], template.pattern)


def _characters(field: str, value: object) -> str:
    """Counted as in the memory that it becomes."""
    text = inputs.text(field, value, MAX_TEXT * 4)
    if len(text) > MAX_TEXT:
        raise Invalid(field, f"has {len(text)} characters; at most {MAX_TEXT} are allowed")
    return text


def _checked_pattern(pattern: object) -> str:
    text = _characters("pattern", pattern)
    if not _FIELD.search(text):
        raise Invalid("pattern", "must have at least one field, like {what}")
    if "{" in _FIELD.sub("", text) or "}" in _FIELD.sub("", text):
        raise Invalid("pattern", "has a brace that is not a field; a field is {lower_case}")
    return text
