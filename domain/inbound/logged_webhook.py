"""A logged webhook: an inbound webhook as displayed in the inbound log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.inbound.inbound_webhook import InboundWebhook, Outcome, WaitsFor, WebhookState

SHOWN_BODY: Final = 64 * 1024
"""Maximum number of bytes displayed from a webhook's body."""

_MASK: Final = "…"
# A header whose name contains one of these words is masked because its value is a signature or a
# credential.
_TELLING: Final = ("signature", "hmac", "secret", "token", "authorization", "cookie")
_WAITS: Final = {
    WaitsFor.CLIENT_LIMIT: "the client's limit of events",
    WaitsFor.CUSTOMER_LIMIT: "the customer's limit of messages",
    WaitsFor.UNPROVED_LIMIT: "the share of senders that prove nothing",
    WaitsFor.QUOTA: "the tickets of a new month, or credits",
}
_OUTCOMES: Final = {
    Outcome.EVENT: "It became an event, and a run works on it.",
    Outcome.NO_PLAYBOOK: "No active playbook is for it.",
    Outcome.ORDER_UPDATED: "It said something new of an order.",
    Outcome.ORDER_KNOWN: "What it says of the order was known.",
    Outcome.DUTY_DONE: "What the platform asked for is done.",
    Outcome.DUTY_FOR_PEOPLE: "A person must do what the platform asked for, or the rest of it.",
    Outcome.STAFF_ANSWERED: "A person answered in the helpdesk; the agent is silent there.",
    Outcome.TICKET_CLOSED: "The ticket was solved or closed; the agent may answer there again.",
    Outcome.OWN_MESSAGE: "This service wrote it.",
    Outcome.LEFT_TO_PEOPLE: "A person has the ticket; the agent left it to them.",
    Outcome.KNOWN: "The same message came before by another way.",
    Outcome.NO_ROOM: "It proves no sender, and too many such messages wait; it was dropped.",
    Outcome.IGNORED: "It concerns nothing here.",
}


class LoggedWebhook(InboundWebhook):
    """An inbound webhook as displayed, with its content.

    - `headers`: keyed by lower-case name, with masked credentials.
    - `body`: the first SHOWN_BODY bytes as text, or None if it is binary, erased, or hidden from
      this reader.
    - `body_bytes`: the size of the whole body, or None if it was erased.
    - `run_id`: the run of the event that was created.
    """

    headers: Mapping[str, str]
    body: str | None
    body_bytes: int | None
    is_body_cut: bool
    run_id: str | None


@dataclass(frozen=True, slots=True)
class RefusalCount:
    """The number of requests to an endpoint rejected for one RefusalReason in the hour that starts
    at `hour`."""

    integration_id: str
    reason: str
    hour: datetime
    count: int
    last_at: datetime


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers, with the values of all credentials masked."""
    return {
        name: _MASK if any(word in name.lower() for word in _TELLING) else value
        for name, value in headers.items()
    }


def shown_text(body: bytes, *, is_cut: bool) -> str | None:
    """Return the start of a body as text, or None if the body is not text.

    `is_cut` means that `body` is only the start, so its last character may be incomplete.
    """
    for missing in range(4 if is_cut else 1):
        try:
            text = body[: len(body) - missing].decode()
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def verdict(webhook: InboundWebhook) -> str:
    """Return a sentence for users that states the webhook's outcome."""
    match webhook.state:
        case WebhookState.QUEUED:
            return "It waits for those that came before it."
        case WebhookState.WORKING:
            return "It is being worked on."
        case WebhookState.WAITING:
            limit = "its turn" if webhook.waits_for is None else _WAITS[webhook.waits_for]
            at = "" if webhook.not_before is None else f" until {webhook.not_before:%H:%M:%S} UTC"
            return f"It waits for {limit}{at}."
        case WebhookState.FAILED:
            return f"It could not be processed: {spoken(webhook.reason or 'unknown')}."
        case WebhookState.DONE:
            outcome_text = _OUTCOMES[webhook.outcome or Outcome.IGNORED]
            return (
                outcome_text
                if webhook.reason is None
                else f"{outcome_text} Reason: {spoken(webhook.reason)}."
            )


def spoken(code: str) -> str:
    """Return a stable code as words, with spaces instead of underscores."""
    return code.replace("_", " ")
