"""What is sent of an event: the envelope, as bytes that are signed and never rendered again."""

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from domain.outbound_event import OutboundEvent, OutboundEventId


class Envelope(BaseModel):
    """The body of every webhook. `timestamp`: when it happened, ISO 8601 UTC."""

    model_config = ConfigDict(frozen=True)

    event: OutboundEventId
    timestamp: str
    client_id: str
    data: SerializeAsAny[OutboundEvent]


def render(event: OutboundEvent, client_id: str, now: datetime) -> bytes:
    """The body, UTF-8."""
    timestamp = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    envelope = Envelope(event=event.event, timestamp=timestamp, client_id=client_id, data=event)
    return envelope.model_dump_json().encode()
