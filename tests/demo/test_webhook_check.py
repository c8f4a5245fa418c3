"""The tour's summary of the received webhooks."""

from collections import Counter
from dataclasses import replace

import pytest

from demo.receiver import ReceivedWebhook
from demo.webhook_check import ReadWebhook, as_expected, read
from domain.core.service_name import ServiceName
from domain.webhooks.delivery import Trigger
from domain.webhooks.envelope import render
from domain.webhooks.outbound_event import TicketResolved
from domain.webhooks.signature import secret_of, signed_headers
from tests.support.agent.policy_context import NOW

SECRET = secret_of(bytes(range(24)))
TICKET = TicketResolved(
    ticket_id="T", customer_email="", classification="c", confidence=1.0, ai_response="é",
    duration_ms=1,
)  # fmt: skip
TELLS = {"": Counter({"integration.connected": 1}), "T": Counter({"ticket.resolved": 1}),
         "dry": Counter[str]()}  # fmt: skip


def arrival() -> ReceivedWebhook:
    body = render(TICKET, "0" * 26, NOW)
    headers = signed_headers(
        event=TICKET.event, event_id="E", delivery_id="D", attempt=1,
        trigger=Trigger.EVENT, timestamp=1_700_000_000, body=body, secrets=[SECRET],
        service=ServiceName(),
    )  # fmt: skip
    return ReceivedWebhook({name.lower(): value for name, value in headers.items()}, body)


def told(event: str, ticket_id: str, message_id: str) -> ReadWebhook:
    return ReadWebhook(event, ticket_id, message_id, delivery_id="D", verified=True)


CONNECTED = told("integration.connected", "", "1")
RESOLVED = told("ticket.resolved", "T", "2")


def test_reads_what_we_send() -> None:
    assert read(arrival(), SECRET) == ReadWebhook("ticket.resolved", "T", "E", "D", verified=True)


@pytest.mark.parametrize("header", ["x-service-signature", "webhook-signature", "webhook-id"])
def test_each_signature_counts(header: str) -> None:
    came = arrival()
    for value in ("é", ""):
        spoilt = replace(came, headers={**came.headers, header: value})
        assert not read(spoilt, SECRET).verified


def test_a_changed_body_and_another_secret() -> None:
    came = arrival()
    assert not read(replace(came, body=came.body + b" "), SECRET).verified
    assert not read(came, secret_of(bytes(24))).verified
    assert read(replace(came, body=b"<html>"), SECRET).event == "unreadable"


def test_all_once_and_verified() -> None:
    assert as_expected([CONNECTED, RESOLVED], TELLS)
    assert as_expected([CONNECTED, RESOLVED, told("ticket.resolved", "others", "3")], TELLS)
    assert as_expected([CONNECTED, RESOLVED, told("usage.threshold_reached", "", "3")], TELLS)


@pytest.mark.parametrize(
    "heard",
    [
        [CONNECTED],
        [RESOLVED],
        [CONNECTED, RESOLVED, RESOLVED],
        [CONNECTED, RESOLVED, told("ticket.resolved", "T", "3")],
        [CONNECTED, RESOLVED, told("ticket.escalated", "T", "3")],
        [CONNECTED, RESOLVED, told("conversation.created", "dry", "3")],
        [CONNECTED, replace(RESOLVED, verified=False)],
        [CONNECTED, replace(RESOLVED, event="ticket.escalated")],
    ],
    ids=["missing", "missing of no ticket", "twice", "told twice", "too much", "of a dry run",
         "forged", "another"],
)  # fmt: skip
def test_not_as_expected(heard: list[ReadWebhook]) -> None:
    assert not as_expected(heard, TELLS)
