"""Stop and resume automation for one client or for all clients."""

from typing import Final

from pydantic import JsonValue

from domain.tenants.actor import MANAGERS, OPERATORS, Actor
from domain.tenants.automation import AutomationState, AutomationStop, resumed
from domain.tenants.loosening import Loosening
from services.core.unit_of_work import UnitOfWork
from services.tenants.loosenings import held_if_looser
from store.tenants.automation import AutomationStops, InstallationStops

RESUME: Final = "resume"
"""The value of `use` for a held change that resumes a client's automation."""


async def stop_automation(work: UnitOfWork, actor: Actor) -> AutomationState:
    """Stop the client's automatic answers and actions at the commit, unless they are stopped.
    Raises RoleRequired, ClientNotFound."""
    actor.require(MANAGERS)
    stops = AutomationStops(work.connection, work.tenant)
    if await stops.stop(actor.known_as, work.now):
        work.note(actor, "automation stopped")
    return await stops.read()


async def resume_automation(
    work: UnitOfWork, actor: Actor, *, granted: Loosening | None = None
) -> AutomationState:
    """Resume the client's automation. If another member stopped it, a second manager must approve,
    or time must pass. `granted` is the approved change.

    Raises RoleRequired, ClientNotFound, and the errors of `held_if_looser`.
    """
    actor.require(MANAGERS)
    stops = AutomationStops(work.connection, work.tenant)
    wanted: dict[str, JsonValue] = {"use": RESUME}
    compare = resumed(actor.known_as)
    async with held_if_looser(
        work, actor, wanted, look=stops.read, compare=compare, granted=granted
    ):
        if (await stops.read()).stopped is not None:
            await stops.resume(work.now)
            work.note(actor, "automation resumed")
    return await stops.read()


async def stop_installation(work: UnitOfWork, actor: Actor) -> AutomationStop | None:
    """Stop every client's automatic answers and actions as soon as the transaction commits. Raises
    RoleRequired."""
    actor.require(OPERATORS)
    stops = InstallationStops(work.connection)
    if await stops.stop(actor.known_as, work.now):
        work.note(actor, "installation stopped")
    return await stops.read()


async def resume_installation(work: UnitOfWork, actor: Actor) -> None:
    """Resume automation for all clients, except those that stopped their own. Raises
    RoleRequired."""
    actor.require(OPERATORS)
    if await InstallationStops(work.connection).resume():
        work.note(actor, "installation resumed")
