"""The event catalogue for receivers: each event with an example and a JSON Schema for its body."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, JsonValue
from pydantic.json_schema import GenerateJsonSchema

from domain.webhooks.envelope import Envelope, render
from domain.webhooks.errors import WebhookEventNotFound
from domain.webhooks.outbound_event import OutboundEvent, OutboundEventId
from domain.webhooks.samples import sample
from domain.webhooks.webhook import EVENT_IDS

JsonObject = Mapping[str, JsonValue]

_CLIENT: Final = "01KAK8Z0A1B2C3D4E5F6G7H8J9"
_HAPPENED_AT: Final = datetime(2026, 11, 21, 14, 3, 27, 512_000, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """An event in the catalogue. `body_schema` is the JSON Schema 2020-12 of the whole body, and
    allows additional fields everywhere. `example` is a whole body."""

    event: OutboundEventId
    description: str
    body_schema: JsonObject
    example: JsonObject


def entry(event: str) -> CatalogueEntry:
    """Return the catalogue entry for an event. Raises WebhookEventNotFound."""
    found = _catalogue().get(event)
    if found is None:
        raise WebhookEventNotFound
    return found


def entries() -> tuple[CatalogueEntry, ...]:
    """Return the catalogue entries for all events, in the specification's order."""
    return tuple(_catalogue().values())


@cache
def _catalogue() -> Mapping[str, CatalogueEntry]:
    return {event: _entry(sample(event)) for event in EVENT_IDS}


def _entry(example: OutboundEvent) -> CatalogueEntry:
    data, envelope = _schema_of(type(example)), _schema_of(Envelope)
    fields, definitions = envelope["properties"], data.pop("$defs", {})
    description = data["description"]
    return CatalogueEntry(
        event=example.event,
        description=description,
        body_schema={
            "$schema": GenerateJsonSchema.schema_dialect,
            "title": example.event,
            "description": description,
            "type": "object",
            "required": envelope["required"],
            "properties": {
                "event": {"const": example.event, "description": fields["event"]["description"]},
                "timestamp": fields["timestamp"],
                "client_id": fields["client_id"],
                "data": {**data, "additionalProperties": True},
            },
            "additionalProperties": True,
            **({"$defs": definitions} if definitions else {}),
        },
        example=json.loads(render(example, _CLIENT, _HAPPENED_AT)),
    )


class _Schema(GenerateJsonSchema):
    """A JSON Schema generator that omits titles, because Pydantic's titles only repeat the fields'
    names."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False


def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(mode="serialization", schema_generator=_Schema)
    schema["description"] = " ".join(schema["description"].split())
    return schema
