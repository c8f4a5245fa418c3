"""Response models for the catalogue of webhook events."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from domain.webhooks.catalogue import CatalogueEntry
from domain.webhooks.outbound_event import OutboundEventId


class WebhookEventLink(BaseModel):
    event: OutboundEventId
    description: Annotated[str, Field(description="Description of when the event is sent.")]
    url: Annotated[
        str, Field(description=("Path on this server that returns the event's schema and example."))
    ]


class WebhookEventList(BaseModel):
    events: list[WebhookEventLink]


class WebhookEvent(BaseModel):
    model_config = ConfigDict(serialize_by_alias=True)

    event: OutboundEventId
    description: Annotated[str, Field(description="Description of when the event is sent.")]
    body_schema: Annotated[
        dict[str, JsonValue],
        Field(
            serialization_alias="schema", description=("JSON Schema 2020-12 for the entire body.")
        ),
    ]
    example: Annotated[dict[str, JsonValue], Field(description="Example of the event's body.")]

    @classmethod
    def of(cls, entry: CatalogueEntry) -> "WebhookEvent":
        return cls.model_validate(entry, from_attributes=True)
