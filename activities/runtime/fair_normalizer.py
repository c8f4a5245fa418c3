"""Large events, one of each client at a time: a client that sends many delays its own."""

from contextlib import nullcontext
from typing import Final

from domain.core.ids import TenantId
from domain.intake.event import InboundEvent
from domain.intake.event_size import is_large
from domain.intake.ports import Normalized, Normalizer
from services.core.gate import Gate

# Below what the step may take; whoever waits longer comes again.
_PATIENCE_S: Final = 4.0


class FairNormalizer:
    def __init__(self, normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        self._gate: Gate[TenantId] = Gate(patience_s=_PATIENCE_S)

    async def normalize(
        self,
        tenant: TenantId,
        event: InboundEvent,
        *,
        fallback_ticket_id: str,
        authserv_ids: tuple[str, ...],
    ) -> Normalized:
        """Nothing is awaited for a small event. Raises OverBudget, EngineUnavailable."""
        async with self._gate.enter(tenant) if is_large(event) else nullcontext():
            return await self._normalizer.normalize(
                event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
            )
