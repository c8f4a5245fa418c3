"""Change a client's settings."""

from typing import Final

from pydantic import JsonValue

from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.client_settings import (
    ClientSettings,
    SettingsAdjustment,
    SettingsChange,
    adjusted,
)
from domain.tenants.loosening import Loosening, looser_settings
from services.core.unit_of_work import UnitOfWork
from services.tenants.loosenings import held_if_looser
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository

USE: Final = "settings"
"""The value of `use` for a held change to a client's settings."""


async def change_settings(
    work: UnitOfWork, actor: Actor, change: SettingsChange, *, granted: Loosening | None = None
) -> ClientSettings:
    """Change the client's settings, starting with the next message. `granted` is the approved
    change.

    Raises RoleRequired, ClientNotFound, and the errors of `held_if_looser`.
    """
    actor.require(MANAGERS)
    settings = SettingsRepository(work.connection, work.tenant)
    wanted: dict[str, JsonValue] = {
        "use": USE,
        "settings": change.model_dump(mode="json", exclude_none=True),
    }
    async with held_if_looser(
        work, actor, wanted, look=settings.read, compare=looser_settings, granted=granted
    ):
        before = await settings.read()
        changed = await settings.change(change, work.now)
        given = (name for name, value in change if value is not None)
        work.note(actor, "settings changed", fields=" ".join(sorted(given)))
        was, now = before.disclosure_status, changed.disclosure_status
        if now is not was:
            work.note(actor, "AI disclosure changed", before=was.value, after=now.value)
    return changed


async def adjust_settings(
    work: UnitOfWork, actor: Actor, adjustment: SettingsAdjustment
) -> ClientSettings:
    """Change some of the client's current settings. Raises the same errors as `change_settings`,
    and InvalidSettings."""
    actor.require(MANAGERS)
    # Without the lock, each of two concurrent changes would overwrite the other's values.
    await AccountRepository(work.connection, work.tenant).lock()
    there = await SettingsRepository(work.connection, work.tenant).read()
    return await change_settings(work, actor, adjusted(there, adjustment))
