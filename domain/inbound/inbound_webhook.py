"""The inbound webhook: one delivery that was taken, what it is, and how far the work on it is."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.integrations.providers import Provider


class WebhookKind(StrEnum):
    """What a topic of a provider is.

    `ticket`: a customer wrote, or asks for something. `fact`: it says something of an order.
    `duty`: the platform asks for something that must be done (erase, hand over, disconnect).
    `ignored`: it concerns nothing here.
    """

    TICKET = "ticket"
    FACT = "fact"
    DUTY = "duty"
    IGNORED = "ignored"


class WebhookState(StrEnum):
    """`queued`: behind others of its client. `working`: a workflow has it. `waiting`: the client's
    limit or quota refused it, and it is tried again at `not_before`. `failed`: it could not be
    read, or its work failed for good; it can be processed again."""

    QUEUED = "queued"
    WORKING = "working"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class WaitsFor(StrEnum):
    """Which limit a waiting ticket waits for. `unproved_limit`: the share of senders that prove
    nothing."""

    CLIENT_LIMIT = "client_limit"
    CUSTOMER_LIMIT = "customer_limit"
    UNPROVED_LIMIT = "unproved_limit"
    QUOTA = "quota"


class Outcome(StrEnum):
    """What became of a webhook.

    `event`: an event with a run. `no_playbook`: an event that no playbook wants; it is not kept
    where such events have filled their room. `order_updated`,
    `order_known`: it said something new of an order, or nothing new. `duty_done`: all of it was
    done. `duty_for_people`: a person must do the rest. `staff_answered`: a person answered in the
    helpdesk. `ticket_closed`: people are done in the ticket, and the agent answers there again.
    `own_message`: it was written by this service. `left_to_people`: a person has the ticket.
    `known`: the message came before by another way. `no_room`: it proves no sender, and could not
    even wait. `ignored`: it concerns nothing here.
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
    """What names a delivery: `dedup_key` is the provider's, the same in each retry; `topic` is its
    own word for what happened."""

    dedup_key: str
    topic: str


class InboundWebhook(BaseModel):
    """One as people are shown it, without its bytes.

    `reason`: a stable code of why it failed or was ignored. `event_id`: what it became.
    `reference`: the order, ticket or duty that it was about. `duplicates`, `conflicts`: how often
    the same key came again, with the same body and with another.
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
