"""What people do with a client's settings."""

from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.client_settings import (
    ClientSettings,
    SettingsAdjustment,
    SettingsChange,
    adjusted,
)
from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository


async def change_settings(work: UnitOfWork, actor: Actor, change: SettingsChange) -> ClientSettings:
    """From the next message on. Raises RoleRequired, ClientNotFound."""
    actor.require(MANAGERS)
    changed = await SettingsRepository(work.connection, work.tenant).change(change, work.now)
    given = (name for name, value in change if value is not None)
    work.note(actor, "settings changed", fields=" ".join(sorted(given)))
    return changed


async def adjust_settings(
    work: UnitOfWork, actor: Actor, adjustment: SettingsAdjustment
) -> ClientSettings:
    """The same for parts of what is there. Raises InvalidSettings too."""
    actor.require(MANAGERS)
    # Two at once would each change what the other has not seen.
    await AccountRepository(work.connection, work.tenant).lock()
    there = await SettingsRepository(work.connection, work.tenant).read()
    return await change_settings(work, actor, adjusted(there, adjustment))
