"""Request and response models for the dashboard's webhook routes."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.samples import TESTED_BY_DEFAULT
from domain.webhooks.webhook import (
    EVENT_IDS,
    MAX_LABEL,
    MAX_OVERLAP_HOURS,
    OVERLAP_HOURS,
    RetryPolicy,
    Webhook,
)
from services.webhooks.subscriptions import NewSubscription
from store.webhooks.subscriptions import WebhookChange

_EXAMPLE: Final[dict[str, JsonValue]] = {
    "label": "Commandes",
    "url": "https://hooks.example.com/service",
    "events": ["ticket.resolved", "ticket.escalated"],
}

# The values are validated in `domain/webhooks/webhook.py` and `url.py`, not here, because the
# errors raised there name the problem.
_Label = Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_LABEL})]
_Url = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": "^https://"}),
    Field(
        description=(
            "HTTPS URL of the webhook endpoint, without credentials. The port must be 443, "
            "8443 or above 1023."
        )
    ),
]
_Events = Annotated[
    Annotated[
        list[OutboundEventId | Literal["*"]], Field(min_length=1, max_length=len(EVENT_IDS) + 1)
    ]
    | Literal["*"],
    Field(description="Event types to send, or `*` for all types, including future ones."),
]
_Retries = Annotated[
    RetryPolicy,
    Field(
        strict=False,
        description=("Retry schedule. `standard` retries nine times over about three days."),
    ),
    WithJsonSchema({"type": "string", "enum": list(RetryPolicy)}),
]


_ONCE_PER_TICKET: Final = (
    "Send only the first event of each type for a ticket, for receivers that deduplicate by event "
    "and ticket_id. A reopened ticket's later resolutions are not sent."
)


class NewWebhookBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    client_id: str | None = Field(
        default=None, description="ULID of the client; defaults to the caller's default client."
    )
    label: _Label
    url: _Url
    events: _Events
    retry_policy: _Retries = RetryPolicy.NONE
    once_per_ticket: bool = Field(default=False, description=_ONCE_PER_TICKET)

    @property
    def subscription(self) -> NewSubscription:
        return NewSubscription(
            self.url, self.events, self.retry_policy, self.label, self.once_per_ticket
        )


class ChangeWebhookBody(StrictBody):
    """A change to a webhook. At least one field is required. A null field stays unchanged."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"label": "Commandes"}]}
    )

    label: _Label | None = None
    url: _Url | None = None
    events: _Events | None = None
    retry_policy: _Retries | None = None
    once_per_ticket: bool | None = Field(default=None, description=_ONCE_PER_TICKET)
    is_active: bool | None = Field(
        default=None,
        description="`false` pauses the webhook. To resume it, call the `enable` operation.",
        json_schema_extra={"anyOf": [{"const": False}, {"type": "null"}]},
    )

    @property
    def change(self) -> WebhookChange:
        """Return the change as a domain object. Raises InvalidBody, InvalidWebhook."""
        if self.is_active:
            raise InvalidWebhook(
                "is_active: POST …/enable turns it on again",
                "is_active : POST …/enable le réactive",
            )
        self.require_some()
        return WebhookChange(
            label=self.label,
            url=self.url,
            events=None if self.events is None else tuple(self.events),
            retry_policy=self.retry_policy,
            once_per_ticket=self.once_per_ticket,
            pause=self.is_active is False,
        )


class RotateSecretBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"overlap_hours": 24}]})

    overlap_hours: float = Field(
        default=OVERLAP_HOURS,
        ge=0,
        le=MAX_OVERLAP_HOURS,
        description=(
            "Hours for which events are also signed with the previous secret; 0 revokes it "
            "immediately."
        ),
    )


class EnableWebhookBody(StrictBody):
    pass


class TestWebhookBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"event": "ticket.resolved"}]})

    event: OutboundEventId = Field(
        default=TESTED_BY_DEFAULT,
        description="Event type to send. The webhook need not be subscribed to this type.",
    )


class WebhookList(BaseModel):
    webhooks: tuple[Webhook, ...] = Field(description="The client's webhooks, oldest first.")


class WebhookWithSecret(BaseModel):
    webhook: Webhook
    secret: str = Field(
        description="The webhook's signing secret. It is shown only once.",
        pattern="^whsec_[0-9a-f]{48}$",
    )


class EnableAnswer(BaseModel):
    webhook: Webhook
    test_delivery_id: str = Field(description="Id of the test delivery.")
    missed: int = Field(
        description="Number of undelivered events that can be replayed, counted up to 1,000."
    )


class DeliveryAnswer(BaseModel):
    delivery_id: str = Field(description="Id of the delivery that was created.")
