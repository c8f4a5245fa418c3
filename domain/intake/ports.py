"""Ports for intake: interfaces that adapters implement."""

from dataclasses import dataclass
from typing import Protocol

from domain.intake.event import InboundEvent, UnifiedEvent


@dataclass(frozen=True, slots=True)
class Normalized:
    """A normalized event. `steps` are the steps spent from the event's effort budget
    (`domain/core/effort.py`)."""

    event: UnifiedEvent
    steps: int


class Normalizer(Protocol):
    """A normalizer of events, with a time limit."""

    async def normalize(
        self, event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...] = ()
    ) -> Normalized:
        """Return the event, normalized as `domain/intake/normalization.py` does. Raises OverBudget,
        EngineUnavailable."""
