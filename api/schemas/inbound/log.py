"""Query and response models for the dashboard's inbound log routes."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody
from domain.core.ids import ULID
from domain.inbound.inbound_webhook import InboundWebhook, Outcome, WebhookState
from domain.inbound.logged_webhook import LoggedWebhook, RefusalCount, verdict
from domain.integrations.providers import Provider


class InboundQuery(ClientQuery):
    provider: Provider | None = None
    state: WebhookState | None = None
    outcome: Outcome | None = None
    refusal_hours: Annotated[
        int,
        Field(
            ge=1,
            le=720,
            description="Number of past hours for which to list rejected requests.",
        ),
    ] = 24
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=ULID, description="Value of `next_cursor` from the previous page."),
    ] = None


class InboundRecord(InboundWebhook):
    verdict: Annotated[
        str, Field(description=("Description of the webhook's outcome, in one sentence."))
    ]

    @staticmethod
    def of(webhook: InboundWebhook) -> "InboundRecord":
        return InboundRecord(**dict(webhook), verdict=verdict(webhook))


class InboundDetail(LoggedWebhook):
    verdict: Annotated[
        str, Field(description=("Description of the webhook's outcome, in one sentence."))
    ]

    @staticmethod
    def of(webhook: LoggedWebhook) -> "InboundDetail":
        return InboundDetail(**dict(webhook), verdict=verdict(webhook))


class RefusedHour(BaseModel):
    """The number of requests to one connection's endpoint that were rejected for the same reason
    within one hour."""

    integration_id: str
    reason: str
    hour: Annotated[datetime, Field(description="Time at which the hour starts, UTC.")]
    count: int
    last_at: datetime

    @staticmethod
    def of(refused: RefusalCount) -> "RefusedHour":
        return RefusedHour(
            integration_id=refused.integration_id,
            reason=refused.reason,
            hour=refused.hour,
            count=refused.count,
            last_at=refused.last_at,
        )


class InboundPage(BaseModel):
    webhooks: list[InboundRecord]
    next_cursor: Annotated[
        str | None, Field(description="Cursor for the next page; null on the last page.")
    ]
    refusals: Annotated[
        list[RefusedHour],
        Field(
            description=(
                "Hourly counts of rejected requests, newest first, at most 500. The requests "
                "themselves are not stored."
            )
        ),
    ]


class InboundReplayBody(StrictBody):
    pass


class InboundReplayAnswer(BaseModel):
    replayed: Annotated[
        bool,
        Field(
            description="True if processing starts now; false if the webhook is already processed "
            "or queued."
        ),
    ]
