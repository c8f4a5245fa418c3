"""Request and response models for the gateway, as specified."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from domain.core.errors import InvalidBody
from domain.intake.event import Channel, InboundEvent, channel_of, resolve_event_type
from domain.intake.merchant_request import MerchantRequest
from domain.tenants.errors import ClientIdMissing

MAX_HTML: Final = 500_000

# Control characters and bidirectional overrides are excluded, because error texts repeat the value.
_ONE_LINE: Final = (
    r"^[^\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$"
)
_Unlisted = SkipJsonSchema[dict[str, JsonValue]]
_Text200 = Annotated[str, Field(max_length=200)]
_MerchantRequest = Annotated[MerchantRequest, WithJsonSchema(MerchantRequest.model_json_schema())]


class GatewayRequest(BaseModel):
    """A gateway request with one event. Additional fields are kept in the event's payload."""

    model_config = ConfigDict(
        strict=True,
        extra="allow",
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "client_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
                    "event_type": "shopify.ticket.created",
                    "customer_email": "camille@example.com",
                    "order_number": "1042",
                    "message": "Bonjour, où en est ma commande 1042 ?",
                }
            ]
        },
    )

    client_id: str = Field(
        description="ULID of the client.",
        examples=["01J9ZQ4Z8N3V5X7B2C4D6E8F0G"],
        json_schema_extra={"pattern": r"\S"},
    )
    event_type: _Text200 | None = Field(
        default=None,
        description=(
            "Event type, which determines the playbook; defaults to `source`, then `api_direct`."
        ),
        examples=["shopify.ticket.created"],
    )
    source: _Text200 | None = Field(
        default=None, description="Name of the system that sends the event; stored as sent."
    )
    customer_email: Annotated[str, Field(max_length=320, pattern=_ONE_LINE)] | None = None
    # The schema omits the object form of this field because it cannot express that only helpdesks
    # may send an object.
    message: Annotated[str, Field(max_length=100_000)] | _Unlisted | None = Field(
        default=None,
        description=(
            "Raw text of the customer's message. If `event_type` identifies a helpdesk, the value "
            "may be an object that contains the text, as in Gorgias webhooks."
        ),
        examples=["Où est ma commande #1042 ?"],
    )
    merchant_request: _MerchantRequest | None = Field(
        default=None,
        description=(
            "Action requested by your own system, independent of the customer's message. The "
            "action is ignored unless the playbook enables it and the request uses an ak_ key "
            "or the engine secret."
        ),
        examples=[{"kind": "refund", "order_number": "1042"}],
    )
    is_test: bool = Field(
        default=False,
        description=(
            "If true, the request is a dry run: only the brain runs, and nothing is stored."
        ),
    )

    @property
    def payload(self) -> dict[str, JsonValue]:
        """Return the additional fields of the request. A message that is an object is included."""
        further = self.model_extra or {}
        return {**further, "message": self.message} if isinstance(self.message, dict) else further

    @property
    def resolved_type(self) -> str:
        return resolve_event_type(self.event_type, self.source)

    def event(self) -> InboundEvent:
        return InboundEvent(
            event_type=self.resolved_type,
            source=self.source,
            customer_email=self.customer_email,
            message=self.message if isinstance(self.message, str) else None,
            payload=self.payload,
            merchant_request=self.merchant_request,
        )


class GatewayNotice(BaseModel):
    """A notice about a field of the event that was ignored or changed."""

    code: str = Field(examples=["customer_not_verified"])
    message: str


NOT_THE_MERCHANT: Final = GatewayNotice(
    code="merchant_request_ignored",
    message="`merchant_request` est ignoré : seule une clé ak_ ou le secret du moteur peut "
    "demander une action au nom du marchand.",
)
NOT_VOUCHED: Final = GatewayNotice(
    code="customer_not_verified",
    message="`customer_verified` est ignoré : seuls une clé ak_ et le secret du moteur peuvent se "
    "porter garants d'un client, et une clé toute neuve attend l'accord d'un second responsable ou "
    "un jour. Le client est traité comme non vérifié.",
)


class GatewayResult(BaseModel):
    event_id: str
    run_id: str
    status: Literal["completed", "needs_review", "failed"]
    classification: str = Field(examples=["order_status"])
    confidence: float = Field(ge=0, le=1)
    response: str = Field(
        description="Answer to the customer; empty if `status` is `needs_review`."
    )
    steps_executed: int = Field(ge=0)
    duration_ms: int = Field(
        ge=0,
        description=(
            "Time from the request to the answer, in milliseconds. The response to a repeated "
            "request contains the same value."
        ),
    )
    acknowledgement: str | None = Field(
        default=None,
        description=(
            "Text for you to send to the customer immediately. Present if a human agent "
            "always handles such a request, if the message's language is not supported, or if an "
            "excerpt from knowledge may help until a human answers."
        ),
    )
    draft: str | None = Field(
        default=None,
        description=(
            "Text that the agent generated, even if `response` is empty. Present only in dry runs."
        ),
    )
    notices: list[GatewayNotice] | None = Field(
        default=None,
        description=("Parts of the event that were ignored or changed; absent if there are none."),
    )


class NoPlaybook(BaseModel):
    """The gateway's response if no active playbook matches the event type."""

    status: Literal["no_playbook"] = "no_playbook"
    message: str

    @classmethod
    def for_type(cls, event_type: str) -> "NoPlaybook":
        return cls(
            message=f"Aucun playbook actif pour le type d'événement « {event_type} ». "
            "Activez-en un dans le tableau de bord."
        )


def parse_request(fields: dict[str, JsonValue]) -> GatewayRequest:
    """Return the validated gateway request. Raises ClientIdMissing, InvalidBody."""
    client_id = fields.get("client_id")
    if not isinstance(client_id, str) or not client_id.strip():
        raise ClientIdMissing
    try:
        request = GatewayRequest.model_validate(fields)
    except ValidationError as error:
        # The error names only the field because Pydantic's own message would repeat the value.
        raise InvalidBody(f"champ « {error.errors()[0]['loc'][0]} »") from None
    if isinstance(request.message, dict):
        channel = channel_of(request.resolved_type, request.source)
        if channel is not Channel.HELPDESK:
            raise InvalidBody("champ « message »")
    html = request.payload.get("html_body")
    if isinstance(html, str) and len(html) > MAX_HTML:
        raise InvalidBody(f"champ « html_body » : {MAX_HTML} caractères au plus")
    return request
