"""The catalogue: nine events, each with a schema that its example matches and the files contain."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from domain.webhooks.catalogue import CatalogueEntry, entries, entry
from domain.webhooks.errors import WebhookEventNotFound
from domain.webhooks.outbound_event import OutboundEvent, TicketEvent
from domain.webhooks.samples import sample
from domain.webhooks.webhook import EVENT_IDS
from scripts.webhook_schemas import FOLDER, documents


def validate(one: CatalogueEntry, body: object) -> None:
    Draft202012Validator(one.body_schema).validate(body)


def test_all_events_of_the_specification_are_there() -> None:
    assert tuple(one.event for one in entries()) == EVENT_IDS
    kinds = {*OutboundEvent.__subclasses__(), *TicketEvent.__subclasses__()} - {TicketEvent}
    assert {kind.event for kind in kinds} == set(EVENT_IDS)
    assert len(EVENT_IDS) == 9
    with pytest.raises(WebhookEventNotFound):
        entry("ticket.unknown")


@pytest.mark.parametrize("event", EVENT_IDS)
def test_the_example_is_the_sample_and_keeps_to_the_schema(event: str) -> None:
    one = entry(event)

    Draft202012Validator.check_schema(one.body_schema)
    validate(one, one.example)
    assert one.example["data"] == sample(one.event).model_dump(mode="json")
    assert one.example["event"] == event == sample(one.event).event
    # Receivers must accept additional fields, and so does the schema.
    more = copy.deepcopy(dict(one.example))
    assert isinstance(more["data"], dict)
    more["data"]["new"] = more["new"] = {"a": [1]}
    validate(one, more)


@pytest.mark.parametrize("event", EVENT_IDS)
def test_what_is_missing_or_of_another_type_is_refused(event: str) -> None:
    one = entry(event)
    broken = list(_broken(dict(one.example)))

    assert len(broken) == 2 * (4 + len(type(sample(one.event)).model_fields))
    for body in broken:
        with pytest.raises(ValidationError):
            validate(one, body)


def _broken(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the body without each of its fields in turn, and with each one's value in a list."""
    data = body["data"]
    for name, value in body.items():
        yield {key: kept for key, kept in body.items() if key != name}
        yield {**body, name: [value]}
    for name, value in data.items():
        yield {**body, "data": {key: kept for key, kept in data.items() if key != name}}
        yield {**body, "data": {**data, name: [value]}}


@pytest.mark.parametrize("event", EVENT_IDS)
def test_another_event_is_refused(event: str) -> None:
    other = next(one for one in entries() if one.event != event)
    with pytest.raises(ValidationError):
        validate(entry(event), other.example)
    with pytest.raises(ValidationError):
        validate(entry(event), {**entry(event).example, "event": other.event})


@pytest.mark.parametrize(
    ("event", "field", "value"),
    [
        ("ticket.resolved", "confidence", 1.01),
        ("ticket.resolved", "duration_ms", 1.5),
        ("ticket.resolved", "duration_ms", -1),
        ("ticket.escalated", "reason", "mood"),
        ("conversation.created", "preview", "x" * 201),
        ("conversation.sentiment_negative", "score", -1.2),
        ("conversation.sentiment_negative", "previous_score", 2),
        ("usage.threshold_reached", "threshold", 90),
        ("usage.threshold_reached", "period", "2026-1"),
        ("playbook.activated", "version", 0),
    ],
)
def test_values_have_their_bounds(event: str, field: str, value: object) -> None:
    body = copy.deepcopy(dict(entry(event).example))
    assert isinstance(body["data"], dict)
    assert field in body["data"]
    with pytest.raises(ValidationError):
        validate(entry(event), {**body, "data": {**body["data"], field: value}})


@pytest.mark.parametrize("timestamp", ["2026-11-21T14:03:27.512+01:00", "1795269807"])
def test_a_time_that_is_not_utc_is_refused(timestamp: str) -> None:
    one = entries()[0]
    with pytest.raises(ValidationError):
        validate(one, {**one.example, "timestamp": timestamp})


def test_every_field_is_described() -> None:
    for one in entries():
        properties: Any = one.body_schema["properties"]
        fields = {**properties, **properties["data"]["properties"]}
        assert one.description
        assert [name for name, field in fields.items() if not field.get("description")] == []


def test_the_files_are_what_the_code_makes() -> None:
    """Otherwise run: python -m scripts.webhook_schemas."""
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}

    assert written == documents()
