"""The inbound webhook: one accepted delivery, its kind and its processing state."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.integrations.providers import Provider


class WebhookKind(StrEnum):
    """The kind of a provider's topic.

    `ticket`: a customer's message or request. `fact`: news of an order. `duty`: a compliance
    request of the platform (erase, hand over, disconnect). `ignored`: not relevant to this service.
    """

    TICKET = "ticket"
    FACT = "fact"
    DUTY = "duty"
    IGNORED = "ignored"


class WebhookState(StrEnum):
    """`queued`: behind others of its client. `working`: a workflow processes it. `waiting`: the
    client's limit or quota refused it; it is retried at `not_before`. `failed`: unreadable, or
    permanently failed; it can be processed again."""

    QUEUED = "queued"
    WORKING = "working"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class WaitsFor(StrEnum):
    """The limit that a waiting ticket waits for. `client_limit`: the client's messages of an hour,
    or the storage limit of its events. `unproved_limit`: the share of unproved senders."""

    CLIENT_LIMIT = "client_limit"
    CUSTOMER_LIMIT = "customer_limit"
    UNPROVED_LIMIT = "unproved_limit"
    QUOTA = "quota"


class Outcome(StrEnum):
    """The outcome of a webhook.

    `event`: an event with a run. `no_playbook`: no playbook matches the event; it is not stored if
    events have filled their storage limit. `order_updated`, `order_known`: new facts of an order,
    or known ones. `duty_done`: the compliance request is complete. `duty_for_people`: a person must
    do the rest. `staff_answered`: a person answered in the helpdesk. `ticket_closed`: the ticket
    was closed, and the agent may answer there again. `own_message`: this service wrote it.
    `left_to_people`: a person handles the ticket. `known`: the message arrived before by another
    route. `no_room`: from an unproved sender, with no room left to wait. `ignored`: not relevant to
    this service.
    """

    EVENT = "event"
    NO_PLAYBOOK = "no_playbook"
    ORDER_UPDATED = "order_updated"
    ORDER_KNOWN = "order_known"
    DUTY_DONE = "duty_done"
    DUTY_FOR_PEOPLE = "duty_for_people"
    STAFF_ANSWERED = "staff_answered"
    TICKET_CLOSED = "ticket_closed"
    OWN_MESSAGE = "own_message"
    LEFT_TO_PEOPLE = "left_to_people"
    KNOWN = "known"
    NO_ROOM = "no_room"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a delivery. `dedup_key`: the provider's, the same in each retry. `topic`: the
    provider's name for the event."""

    dedup_key: str
    topic: str


class InboundWebhook(BaseModel):
    """An inbound webhook as shown to people, without its body.

    `reason`: a stable code for why it failed or was ignored. `event_id`: the event that it became.
    `reference`: the order, ticket or compliance request that it was about. `duplicates`,
    `conflicts`: number of later deliveries with the same key, with the same body and with a
    different one.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    integration_id: str
    provider: Provider
    dedup_key: str
    topic: str
    kind: WebhookKind
    state: WebhookState
    waits_for: WaitsFor | None
    not_before: datetime | None
    outcome: Outcome | None
    reason: str | None
    event_id: str | None
    reference: str | None
    duplicates: int
    conflicts: int
    created_at: datetime
    finished_at: datetime | None
