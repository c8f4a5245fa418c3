"""The activity that processes a simulated conversation while a caller is waiting for the result."""

import asyncio
from typing import Final

from temporalio import activity

from activities.runtime.heartbeat import beating
from activities.runtime.traffic import Traffic
from activities.simulation.outcome_simulator import OutcomeSimulator
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.simulation.asked import SimulationAsked
from domain.simulation.contracts import SimulateInput, SimulateResult
from services.core.fair_slots import FairSlots
from store.core.database import Database
from store.exports.payer import has_plan

_PAUSES_S: Final = 15.0
"""Maximum total duration of the pauses in one simulation, in seconds. The caller waits 30 s."""


class Simulate:
    """`has_model`: whether a language model is configured."""

    def __init__(
        self,
        database: Database,
        simulator: OutcomeSimulator,
        sealer: Sealer,
        now: Clock,
        traffic: Traffic,
        *,
        has_model: bool,
    ) -> None:
        self._database = database
        self._simulator = simulator
        self._sealer = sealer
        self._now = now
        self._traffic = traffic
        self._has_model = has_model
        # The embedded brain uses the worker's processor, and a model only waits for its provider.
        self._embedded = FairSlots(2, unpaid=1, patience_s=None)
        self._with_model = FairSlots(16, unpaid=8, patience_s=None)

    @activity.defn(name=names.THINK_SCENARIO)
    async def think(self, step: SimulateInput) -> SimulateResult:
        """Process a sealed scenario, and return its sealed result. Repeating it is safe because
        only the model's cost is stored. Raises PlaybookNotFound.

        While there is foreground traffic, a pause follows each message of the embedded brain,
        because customers have priority.
        """
        asked = SimulationAsked.model_validate_json(self._sealer.unseal(step.sealed))
        tenant = TenantId(step.client_id)
        pays = await has_plan(self._database, tenant, self._now())
        thinks_outside = self._has_model and not asked.variant.embedded_brain
        slots = self._with_model if thinks_outside else self._embedded
        longest_s = _PAUSES_S / max(len(asked.scenario.messages), 1)

        async def pause(worked_s: float) -> None:
            await asyncio.sleep(min(self._traffic.pause_after(worked_s), longest_s))

        async with beating(), slots.slot(tenant, pays=pays):
            simulation = await self._simulator.conversation(
                tenant,
                asked.scenario,
                asked.variant,
                after_message=None if thinks_outside else pause,
            )
        return SimulateResult(sealed=self._sealer.seal(simulation.model_dump_json()))
