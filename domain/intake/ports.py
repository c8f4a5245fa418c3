"""What intake needs from outside."""

from dataclasses import dataclass
from typing import Protocol

from domain.intake.event import InboundEvent, UnifiedEvent


@dataclass(frozen=True, slots=True)
class Normalized:
    """`steps`: what it cost of the event's budget (`domain/core/effort.py`)."""

    event: UnifiedEvent
    steps: int


class Normalizer(Protocol):
    """Whoever normalizes events, and ends what takes too long."""

    async def normalize(
        self, event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...] = ()
    ) -> Normalized:
        """As `domain/intake/normalization.py` does. Raises OverBudget, EngineUnavailable."""
