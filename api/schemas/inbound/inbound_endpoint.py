"""Request and response models for the dashboard's inbound webhook endpoint routes."""

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
            description=(
                "Signing secret issued by the platform, if any. The secret can also be stored "
                "later. It is never returned, logged or exported."
            )
        ),
    ] = None
    mapping: Annotated[
        dict[str, str] | None,
        Field(
            description=(
                "Mapping for the generic format: a JMESPath expression for each field of the event."
            )
        ),
    ] = None

    @property
    def wanted(self) -> WantedEndpoint:
        secret = None if self.secret is None else self.secret.get_secret_value()
        return WantedEndpoint(secret, self.mapping)


class RotateEndpointBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"overlap_hours": 24}]})

    overlap_hours: Whole = Field(
        default=24,
        ge=0,
        le=24,
        description=(
            "Hours for which the previous URL and secret remain valid; 0 revokes them immediately."
        ),
    )


class EndpointSecretBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"secret": "the signing secret"}]})

    secret: SecretStr = Field(
        description=(
            "Secret that the platform uses to sign webhooks. It is never returned, logged or "
            "exported."
        )
    )


class EndpointAnswer(BaseModel):
    endpoint: EndpointEntry | None = Field(description="The integration's open endpoint, or null.")


class OpenedEndpoint(BaseModel):
    """A new endpoint. Its URL and secret are shown only once."""

    model_config = ConfigDict(frozen=True)

    endpoint: EndpointEntry
    url: str = Field(description="URL to enter in the platform's settings. It is shown only once.")
    secret: str | None = Field(
        description=(
            "Generated secret to enter in the platform's settings; null if the platform issues the "
            "secret or does not sign webhooks. It is shown only once."
        )
    )
