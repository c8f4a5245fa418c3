"""Requests and responses of the dashboard about inbound webhook endpoints."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr

from api.schemas.core.strict_body import StrictBody, Whole
from domain.inbound.endpoint import EndpointEntry, WantedEndpoint

_EXAMPLE: Final[dict[str, JsonValue]] = {"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}


class OpenEndpointBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    secret: Annotated[
        SecretStr | None,
        Field(
            description="The platform's, where it gives one out; it may follow. Never answered, "
            "logged or exported."
        ),
    ] = None
    mapping: Annotated[
        dict[str, str] | None,
        Field(description="Of the generic form: a JMESPath expression by field of the event."),
    ] = None

    @property
    def wanted(self) -> WantedEndpoint:
        secret = None if self.secret is None else self.secret.get_secret_value()
        return WantedEndpoint(secret, self.mapping)


class RotateEndpointBody(StrictBody):
    overlap_hours: Whole = Field(
        default=24, ge=0, le=24, description="How long those before are good; 0: they end now."
    )


class EndpointSecretBody(StrictBody):
    secret: SecretStr = Field(
        description="What the platform signs with. Never answered, logged or exported."
    )


class EndpointAnswer(BaseModel):
    endpoint: EndpointEntry | None = Field(description="Null: none is open.")


class OpenedEndpoint(BaseModel):
    """The endpoint's address, shown once."""

    model_config = ConfigDict(frozen=True)

    endpoint: EndpointEntry
    url: str = Field(description="What is pasted at the platform. It is not shown again.")
    secret: str | None = Field(
        description="Made here, to be pasted at the platform; null: the platform has its own, or "
        "signs nothing. It is not shown again."
    )
