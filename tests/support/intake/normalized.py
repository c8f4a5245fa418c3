"""Events as the engine reads them."""

from pydantic import JsonValue

from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize


def unified(
    event_type: str,
    payload: dict[str, JsonValue] | None = None,
    *,
    message: str | None = None,
    source: str | None = None,
    customer_email: str | None = None,
    authserv_ids: tuple[str, ...] = (),
) -> UnifiedEvent:
    event = InboundEvent(
        event_type=event_type,
        source=source,
        message=message,
        customer_email=customer_email,
        payload=payload or {},
    )
    return normalize(event, fallback_ticket_id="evt_1", authserv_ids=authserv_ids)
