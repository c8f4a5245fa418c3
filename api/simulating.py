"""Simulations by members. The HTTP route and the dashboard page share this code."""

import asyncio

from api.resources import Resources
from domain.core.ids import TenantId
from domain.intake.rate_limit import LARGE_DRY_RUN, LimitScope
from domain.simulation.asked import SimulationAsked
from domain.simulation.outcome import Simulation
from domain.tenants.actor import REVIEWERS, Actor
from services.simulation.simulator import simulate


async def simulated(
    resources: Resources, actor: Actor, tenant: TenantId, asked: SimulationAsked
) -> Simulation:
    """Count the simulation as a dry run, run it, and return the result. A client has one at a time
    in a process because 20 messages take seconds of a worker. Raises TooManyRequests, CallerBusy,
    and the errors of `simulate`."""
    # Check the role before the limits, so that viewers cannot use up the client's simulations.
    actor.require(REVIEWERS)
    await resources.limiter.check(LimitScope.DRY_RUN, tenant, resources.now())

    def seal() -> str:
        return resources.sealer.seal(asked.model_dump_json())

    # The scenario is encrypted in a thread because encrypting a large scenario would delay other
    # requests.
    sealed = await asyncio.to_thread(seal)
    if len(sealed) > LARGE_DRY_RUN:
        await resources.limiter.check(LimitScope.LARGE_DRY_RUN, tenant, resources.now())
    pays = await resources.payers.get(tenant)
    async with resources.simulations.slot(tenant, pays=pays):
        return await simulate(
            resources.database,
            actor,
            tenant,
            asked,
            sealed=sealed,
            simulator=resources.engine,
            sealer=resources.sealer,
            simulation_id=resources.new_id(),
            has_model=resources.settings.brain.is_remote,
        )
