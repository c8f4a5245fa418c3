"""The logged webhook: the record of an inbound webhook as shown to people."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.inbound.inbound_webhook import InboundWebhook, Outcome, WaitsFor, WebhookState

SHOWN_BODY: Final = 64 * 1024
"""Maximum number of a body's bytes that are shown to people."""

_MASK: Final = "…"
# A header whose name contains one of these words is a proof or a credential.
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
    """An inbound webhook with its content.

    `headers`: the stored headers by lower-case name; credentials are masked. `body`: the first
    SHOWN_BODY bytes, or None if the body is not text or was erased, or if the reader may not see
    it. `body_bytes`: size of the whole body, or None once erased. `run_id`: the run of its event.
    """

    headers: Mapping[str, str]
    body: str | None
    body_bytes: int | None
    is_body_cut: bool
    run_id: str | None


@dataclass(frozen=True, slots=True)
class RefusalCount:
    """The number of requests to an address that were refused in one hour. `hour`: start of the
    hour. `reason`: a RefusalReason."""

    integration_id: str
    reason: str
    hour: datetime
    count: int
    last_at: datetime


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with the values of credentials masked."""
    return {
        name: _MASK if any(word in name.lower() for word in _TELLING) else value
        for name, value in headers.items()
    }


def shown_text(body: bytes, *, is_cut: bool) -> str | None:
    """Decode the start of a body, or return None if the body is not text.

    `is_cut`: whether more bytes follow, so that the last character may be incomplete.
    """
    for missing in range(4 if is_cut else 1):
        try:
            text = body[: len(body) - missing].decode()
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def verdict(webhook: InboundWebhook) -> str:
    """Return a sentence that states the webhook's outcome."""
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
            told = _OUTCOMES[webhook.outcome or Outcome.IGNORED]
            return told if webhook.reason is None else f"{told} Reason: {spoken(webhook.reason)}."


def spoken(code: str) -> str:
    """Return a stable code as words."""
    return code.replace("_", " ")
