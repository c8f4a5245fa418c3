"""The envelope: the body of a webhook, serialized once and then signed, stored and sent as the same
bytes."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny

from domain.core.ids import ULID
from domain.core.json_time import rfc3339
from domain.webhooks.outbound_event import OutboundEvent, OutboundEventId


class Envelope(BaseModel):
    """The body of every webhook. The descriptions of its fields are published with the schemas."""

    model_config = ConfigDict(frozen=True)

    event: Annotated[OutboundEventId, Field(description="Name of the event.")]
    timestamp: Annotated[
        str,
        Field(
            description="Time of the event, in UTC. A replay keeps the original time.",
            json_schema_extra={"format": "date-time", "pattern": "Z$"},
        ),
    ]
    client_id: Annotated[str, Field(pattern=ULID, description="ULID of the client.")]
    data: SerializeAsAny[OutboundEvent]


def render(event: OutboundEvent, client_id: str, now: datetime) -> bytes:
    """Return the webhook body of an event as JSON in UTF-8. `now` is the event's time."""
    timestamp = rfc3339(now, "milliseconds")
    envelope = Envelope(event=event.event, timestamp=timestamp, client_id=client_id, data=event)
    return envelope.model_dump_json().encode()
