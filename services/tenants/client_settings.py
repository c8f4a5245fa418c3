"""What people do with a client's settings."""

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
"""How a loosening calls this use case."""


async def change_settings(
    work: UnitOfWork, actor: Actor, change: SettingsChange, *, granted: Loosening | None = None
) -> ClientSettings:
    """Change what the client has set, from the next message on. `granted`: the loosening that was
    approved. Raises RoleRequired, ClientNotFound, and what `held_if_looser` raises."""
    actor.require(MANAGERS)
    settings = SettingsRepository(work.connection, work.tenant)
    wanted: dict[str, JsonValue] = {
        "use": USE,
        "settings": change.model_dump(mode="json", exclude_none=True),
    }
    async with held_if_looser(
        work, actor, wanted, look=settings.read, compare=looser_settings, granted=granted
    ):
        changed = await settings.change(change, work.now)
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
