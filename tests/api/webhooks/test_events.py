"""GET /api/webhook-events: the public catalogue."""

import pytest
from jsonschema import Draft202012Validator

from domain.webhooks.catalogue import entry
from domain.webhooks.webhook import EVENT_IDS
from tests.support.core.engine import LiveEngine

EVENTS = "/api/webhook-events"


async def test_the_list_leads_to_every_schema(front: LiveEngine) -> None:
    listed = await front.http.get(EVENTS)

    assert listed.status_code == 200
    assert listed.headers["cache-control"] == "public, max-age=300"
    links = listed.json()["events"]
    assert [link["event"] for link in links] == list(EVENT_IDS)
    for link in links:
        answer = await front.http.get(link["url"])
        body, one = answer.json(), entry(link["event"])
        assert answer.headers["cache-control"] == "public, max-age=300"
        assert body == {
            "event": one.event,
            "description": link["description"],
            "schema": one.body_schema,
            "example": one.example,
        }
        Draft202012Validator(body["schema"]).validate(body["example"])


@pytest.mark.parametrize("event", ["ticket.unknown", "*", "TICKET.RESOLVED", "%00", "a" * 3000])
async def test_what_is_no_event_is_not_found(front: LiveEngine, event: str) -> None:
    answer = await front.http.get(f"{EVENTS}/{event}")

    assert answer.status_code == 404
    assert answer.json()["code"] == "webhook_event_not_found"
    assert answer.json()["error"] == "Événement de webhook introuvable."
    assert "cache-control" not in answer.headers


async def test_it_is_only_read(front: LiveEngine) -> None:
    answer = await front.http.post(EVENTS, json={})

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
