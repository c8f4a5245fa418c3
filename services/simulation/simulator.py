"""The simulator, which shows how the agent would answer in a simulated conversation."""

import asyncio
from datetime import timedelta
from typing import Final

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.simulation.asked import SimulationAsked
from domain.simulation.contracts import SimulateInput
from domain.simulation.errors import SimulationTooLong
from domain.simulation.outcome import Simulation
from domain.simulation.ports import Simulator
from domain.simulation.variant import Variant
from domain.tenants.actor import REVIEWERS, Actor
from store.core.database import Database
from store.simulation.tried_variant import TriedVariants
from store.tenants.clients import ClientRepository

# Timeouts for a caller, in seconds. The first applies to a worker's embedded brain. The second
# applies to a language model, which is called for each message.
_EMBEDDED_S: Final = 30
_MODEL_S: Final = 110


async def simulate(
    database: Database,
    actor: Actor,
    tenant: TenantId,
    asked: SimulationAsked,
    *,
    sealed: str,
    simulator: Simulator,
    sealer: Sealer,
    simulation_id: str,
    has_model: bool,
) -> Simulation:
    """Run a scenario in a worker, and return the result. Only the model's cost is stored.

    `sealed` is `asked` as encrypted JSON. `simulation_id` is new and not stored. `has_model` means
    that a language model is configured. Raises RoleRequired, ClientNotFound, PlaybookNotFound for
    an unknown playbook in the variant, PatternTaken, SimulationTooLong, EngineUnavailable,
    InternalError.
    """
    actor.require(REVIEWERS)
    await _check(database, tenant, asked.variant)
    thinks_outside = has_model and not asked.variant.embedded_brain
    step = SimulateInput(
        client_id=tenant,
        id=simulation_id,
        sealed=sealed,
        outside=True,
    )
    patience_s = _MODEL_S if thinks_outside else _EMBEDDED_S
    try:
        async with asyncio.timeout(patience_s):
            result = await simulator.simulate(step, within=timedelta(seconds=patience_s + 1))
    except TimeoutError:
        raise SimulationTooLong from None
    return Simulation.model_validate_json(sealer.unseal(result.sealed))


async def _check(database: Database, tenant: TenantId, variant: Variant) -> None:
    async with database.reading(tenant) as connection:
        await ClientRepository(connection).brand_name(tenant)
        await TriedVariants(connection, tenant).check(variant)
