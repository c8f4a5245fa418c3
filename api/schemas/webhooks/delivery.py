"""Request and response models for the dashboard's delivery routes."""

from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.webhooks.delivery import Delivery, DeliveryStatus, DeliverySummary
from domain.webhooks.signature_verdict import Pasted

_MAX_HEADER: Final = 2_000
# Maximum size of a pasted body, both in characters and in UTF-8 bytes. It is far above the size of
# any real body, and limits the work of verifying a signature.
MAX_PASTED: Final = 200_000


class DeliveryQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    status: DeliveryStatus | None = None


class DeliveryList(BaseModel):
    deliveries: list[DeliverySummary] = Field(
        description="The last 50 finished deliveries and all pending deliveries, newest first."
    )


class DeliveryDetail(Delivery):
    curl: str = Field(
        description=(
            "Shell command that sends the same request again, with a signature for the current "
            "time."
        )
    )
    curl_valid_until: datetime = Field(
        description="Time until which the signature in `curl` is accepted."
    )


def _moment(value: object) -> datetime:
    """Return the time in an ISO 8601 text with an offset. Raises ValueError if the text is not a
    valid time."""
    if not isinstance(value, str):
        raise ValueError("a text expected")  # noqa: TRY004 - pydantic knows no other
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise ValueError("an offset expected")
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("a moment before or after all years") from None


def _short(body: str) -> str:
    if len(body.encode()) > MAX_PASTED:
        raise ValueError("too long")
    return body


class ResendDeliveryBody(StrictBody):
    pass


class ReplaySinceBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"since": "2026-11-21T08:00:00Z"}]})

    since: Annotated[
        datetime,
        BeforeValidator(_moment),
        Field(description="Time of the earliest event to replay."),
        WithJsonSchema({"type": "string", "format": "date-time"}),
    ]
    all: bool = Field(
        default=False,
        description=(
            "If true, also replay delivered events, for example after the receiver has lost data."
        ),
    )


class ReplaySinceAnswer(BaseModel):
    queued: int = Field(description="Number of events that this call queued.")
    left: int = Field(
        description=(
            "Number of events not queued yet, counted up to 1,000. Call again after the queued "
            "events have been delivered or have failed."
        )
    )
    next_since: datetime | None = Field(
        default=None,
        description=(
            "Time of the first event that has not been queued. Use it as `since` in the next call."
        ),
    )


class VerifySignatureBody(StrictBody):
    """A signature to verify. The signature was either received, with its headers and body, or
    computed by the receiver."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"body": "{}", "signature": "v1=" + "0" * 64, "timestamp": "1795262400"}]
        }
    )

    signature: str = Field(
        max_length=_MAX_HEADER,
        description=(
            "Value of the X-Service-Signature, X-Service-Signature-Next or webhook-signature "
            "header."
        ),
    )
    timestamp: str = Field(
        default="",
        max_length=_MAX_HEADER,
        description="Value of the timestamp header, in seconds since the Unix epoch.",
    )
    message_id: str = Field(
        default="", max_length=_MAX_HEADER, description="Value of the webhook-id header."
    )
    body: Annotated[str, AfterValidator(_short)] = Field(
        max_length=MAX_PASTED,
        description=f"Raw body as received, before any parsing; at most {MAX_PASTED} bytes.",
    )

    @property
    def pasted(self) -> Pasted:
        return Pasted(self.signature, self.timestamp, self.body.encode(), self.message_id)
