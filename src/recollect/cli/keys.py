"""``recollect keys`` and ``recollect tenants``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

import typer

from recollect.access.records import Key, NewKey
from recollect.access.records import Tenant as TenantThere
from recollect.cli.door import at_the_door, must_be_there
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import err, out, table
from recollect.errors import Invalid
from recollect.inputs import MAX_PAGE
from recollect.opening import Recollect
from recollect.settings import Settings

T = TypeVar("T")

keys_app = typer.Typer(help="Keys for the server: make, list, rotate, revoke.", no_args_is_help=True)
tenants_app = typer.Typer(help="Tenants: list, create, delete.", no_args_is_help=True)


def _operating(settings: Settings, do: Callable[[Recollect], Awaitable[T]]) -> T:
    return at_the_door(settings, do, operator=True)


def _show(made: NewKey) -> None:
    """The key alone on standard output, so that it can be put into a variable."""
    err.print(f"key {made.key.id}; its text is shown now and never again:", markup=False)
    out.print(made.text, markup=False)


@keys_app.command("create")
def create(
    name: Annotated[str, typer.Option(help="What it is for.")] = "",
    scopes: Annotated[
        str, typer.Option(help="Some of read, write, admin and operator, with commas.")
    ] = "read,write",
    user: Annotated[str | None, typer.Option(help="Bind it to one user.")] = None,
    days: Annotated[
        float | None, typer.Option(min=0.0001, help="Days until it expires; never by default.")
    ] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Make a key and print it. From the first key on, the server asks everybody for one."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    until = None if days is None else _in_days(days)
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    _show(_operating(settings, lambda memory: memory.create_key(name, scopes=wanted, user=user, expires_at=until)))


def _in_days(days: float) -> datetime:
    try:
        return datetime.now(UTC) + timedelta(days=days)
    except OverflowError:
        raise Invalid("days", "is outside of the calendar") from None


@keys_app.command("list")
def list_keys(database: Database = None, data_dir: DataDir = None, tenant: Tenant = None) -> None:
    """Show a tenant's keys, without their secrets."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    found = _operating(settings, lambda memory: memory.keys())
    if not found:
        out.print("there are no keys")
        return
    table(
        ("id", "name", "scopes", "user", "state", "last used"),
        ((key.id, key.name, ",".join(key.scopes), key.user or "", _state(key), _used(key)) for key in found),
    )


def _used(key: Key) -> str:
    return "never" if key.last_used_at is None else f"{key.last_used_at:%Y-%m-%d %H:%M}"


def _state(key: Key) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "valid"
    return f"{'expired' if key.expires_at <= datetime.now(UTC) else 'until'} {key.expires_at:%Y-%m-%d %H:%M}"


@keys_app.command("rotate")
def rotate(id: str, database: Database = None, data_dir: DataDir = None, tenant: Tenant = None) -> None:
    """Give a key a new secret and print it; the old one ends at once."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    _show(_operating(settings, lambda memory: memory.rotate_key(id)))


@keys_app.command("revoke")
def revoke(id: str, database: Database = None, data_dir: DataDir = None, tenant: Tenant = None) -> None:
    """End a key, at once and for good."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    _operating(settings, lambda memory: memory.revoke_key(id))
    out.print(f"key {id} is revoked", markup=False)


@tenants_app.command("list")
def list_tenants(database: Database = None, data_dir: DataDir = None) -> None:
    """Show all tenants, and how many of their keys open something."""
    settings = Settings.read(database=database, data_dir=data_dir)
    must_be_there(settings)
    for one in _operating(settings, _tenants):
        keys = f"{one.keys} key{'' if one.keys == 1 else 's'}"
        out.print(f"{one.tenant}  since {one.created_at:%Y-%m-%d}  {keys}", markup=False)


async def _tenants(memory: Recollect) -> list[TenantThere]:
    page = await memory.tenants(limit=MAX_PAGE)
    found = page.items
    while page.cursor is not None:
        page = await memory.tenants(limit=MAX_PAGE, cursor=page.cursor)
        found += page.items
    return found


@tenants_app.command("create")
def create_tenant(name: str, database: Database = None, data_dir: DataDir = None) -> None:
    """Make a tenant; it would also come by itself with its first message."""
    _operating(Settings.read(database=database, data_dir=data_dir), lambda memory: memory.create_tenant(name))
    out.print(f"tenant {name} is there", markup=False)


@tenants_app.command("delete")
def delete_tenant(
    name: str,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    database: Database = None,
    data_dir: DataDir = None,
) -> None:
    """Remove a tenant and all that is in it, for good."""
    settings = Settings.read(database=database, data_dir=data_dir)
    must_be_there(settings)
    if not yes:
        if not out.is_terminal:
            raise Invalid("yes", "what is removed cannot be brought back: say --yes")
        typer.confirm(f"Remove tenant {name!r} with everything in it, for good?", abort=True)
    done = _operating(settings, lambda memory: memory.delete_tenant(name, confirm=name))
    out.print(f"tenant {name} is gone, with {done.users} users", markup=False)
