"""Normalization within a step budget. A worker and its child processes share this code."""

from domain.core.effort import budget
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from domain.intake.ports import Normalized


def normalize_inline(
    event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...]
) -> Normalized:
    """Return the normalized event and the number of steps used. Raises OverBudget."""
    with budget() as effort:
        unified = normalize(event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids)
    return Normalized(unified, effort.spent)
