"""Compare the webhooks received by the demo shop with the expected ones."""

import base64
import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError
from rich.table import Table

from demo.receiver import ReceivedWebhook


class _Data(BaseModel):
    ticket_id: str = ""


class _Body(BaseModel):
    event: str
    data: _Data = _Data()


@dataclass(frozen=True, slots=True)
class ReadWebhook:
    """A parsed webhook request. `ticket_id` is empty for an event without a ticket. `verified`
    means that both signature headers are valid."""

    event: str
    ticket_id: str
    message_id: str
    delivery_id: str
    verified: bool


def read(arrival: ReceivedWebhook, secret: str) -> ReadWebhook:
    """Parse and verify a received request with the webhook's `secret`. The event of an invalid body
    is "unreadable"."""
    try:
        body = _Body.model_validate_json(arrival.body)
    except ValidationError:
        body = _Body(event="unreadable")
    return ReadWebhook(
        event=body.event,
        ticket_id=body.data.ticket_id,
        message_id=arrival.headers.get("webhook-id", ""),
        delivery_id=arrival.headers.get("x-service-delivery", ""),
        verified=_verifies(arrival, secret),
    )


def as_expected(
    read_webhooks: Sequence[ReadWebhook], expected_events: Mapping[str, Counter[str]]
) -> bool:
    """Return True if each webhook arrived once with valid signatures, and each expected ticket
    triggered exactly its expected events.

    Additional events without a ticket are allowed, because the shop is also used outside the tour.
    """
    return (
        all(it.verified for it in read_webhooks)
        and len({it.message_id for it in read_webhooks}) == len(read_webhooks)
        and not missing(read_webhooks, expected_events)
        and all(
            _events(read_webhooks, ticket_id) == events
            for ticket_id, events in expected_events.items()
            if ticket_id
        )
    )


def table_of(
    read_webhooks: Sequence[ReadWebhook],
    expected_events: Mapping[str, Counter[str]],
    numbers: Mapping[str, str],
    *,
    title: str,
) -> Table:
    """Return a table of the received and missing webhooks. `numbers`: each ticket's number in the
    tour, by ticket_id."""
    table = Table("event", "ticket", "signatures", "delivery", title=title)
    table.title_justify, table.title_style = "left", "bold"
    came: set[str] = set()
    for it in read_webhooks:
        verdict = "[green]verified[/]" if it.verified else "[bold red]wrong[/]"
        if it.message_id in came:
            verdict = "[bold red]came again[/]"
        came.add(it.message_id)
        table.add_row(it.event, numbers.get(it.ticket_id, ""), verdict, it.delivery_id)
    for event, ticket_id in missing(read_webhooks, expected_events):
        table.add_row(event, numbers.get(ticket_id, ""), "[bold red]missing[/]", "")
    return table


def missing(
    read_webhooks: Sequence[ReadWebhook], expected_events: Mapping[str, Counter[str]]
) -> list[tuple[str, str]]:
    """Return the expected events that have not arrived, each with its ticket_id."""
    return [
        (event, ticket_id)
        for ticket_id, events in expected_events.items()
        for event in (events - _events(read_webhooks, ticket_id)).elements()
    ]


def _events(read_webhooks: Sequence[ReadWebhook], ticket_id: str) -> Counter[str]:
    return Counter(it.event for it in read_webhooks if it.ticket_id == ticket_id)


def _verifies(arrival: ReceivedWebhook, secret: str) -> bool:
    """Return whether the signatures in both signature headers are valid. The check follows the
    algorithm in docs/webhooks.md, and does not use the code that creates signatures."""
    headers = arrival.headers
    stamp, message_id = headers.get("x-service-timestamp", ""), headers.get("webhook-id", "")
    signed = f"{stamp}.".encode() + arrival.body
    own = "v1=" + hmac.new(secret.encode(), signed, "sha256").hexdigest()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{message_id}.".encode() + signed, "sha256")
    standard = "v1," + base64.b64encode(digest).decode()
    return _same(own, headers.get("x-service-signature", "")) and _same(
        standard, headers.get("webhook-signature", "")
    )


def _same(computed: str, given: str) -> bool:
    return hmac.compare_digest(computed.encode(), given.encode())
