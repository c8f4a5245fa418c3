"""An inbound webhook: an accepted delivery, with its kind and processing state."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.integrations.providers import Provider


class WebhookKind(StrEnum):
    """The kind of webhook.

    - `ticket`: a customer's message or request.
    - `fact`: an update to an order.
    - `duty`: a compliance request: erase a customer, deliver a customer's data, or disconnect.
    - `ignored`: not relevant to this service.
    """

    TICKET = "ticket"
    FACT = "fact"
    DUTY = "duty"
    IGNORED = "ignored"


class WebhookState(StrEnum):
    """The processing state of a webhook.

    - `queued`: waits for the client's earlier webhooks.
    - `working`: a workflow is processing it.
    - `waiting`: a limit or the quota does not admit it. Retried at `not_before`.
    - `failed`: unreadable, or failed permanently. A user can retry it.
    """

    QUEUED = "queued"
    WORKING = "working"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class WaitsFor(StrEnum):
    """The limit that blocks a ticket. `client_limit` is the client's hourly message limit, or its
    limit on stored events. `unproved_limit` is the share of both for unverified senders."""

    CLIENT_LIMIT = "client_limit"
    CUSTOMER_LIMIT = "customer_limit"
    UNPROVED_LIMIT = "unproved_limit"
    QUOTA = "quota"


class Outcome(StrEnum):
    """The outcome of processing a webhook.

    - `event`: an event with a run was created.
    - `no_playbook`: no playbook matches the event, which is stored only within the storage limit.
    - `order_updated`, `order_known`: the order's facts are new, or were already known.
    - `duty_done`, `duty_for_people`: the compliance request is complete, or a human must complete
      it.
    - `staff_answered`: a human agent answered in the helpdesk.
    - `ticket_closed`: the agent may answer the ticket's next message again.
    - `own_message`: this service wrote the message.
    - `left_to_people`: a human agent handles the ticket.
    - `known`: the message has already arrived by another route.
    - `no_room`: the queue for unverified senders is full.
    - `ignored`: not relevant to this service.
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
    """The identity of a webhook delivery. `dedup_key` is the same in each of the provider's
    retries. `topic` is the provider's name for the kind of event."""

    dedup_key: str
    topic: str


class InboundWebhook(BaseModel):
    """An inbound webhook as displayed, without its body.

    `reason` is the stable code of a failure or of an ignored webhook. `reference` is the order,
    ticket or compliance request. `duplicates` and `conflicts` count later deliveries with the same
    key, with the same and a different body.
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
