"""Request and response models of the dashboard routes for integrations."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, WithJsonSchema

from domain.integrations.integration import IntegrationEntry
from domain.integrations.providers import OF_MERCHANTS, Provider
from domain.integrations.trial import Problem

_EXAMPLE: Final[dict[str, JsonValue]] = {
    "provider": "shopify",
    "settings": {"shop": "acme.myshopify.com"},
    "credentials": {"access_token": "shpat_0123456789abcdef"},
}


class ConnectBody(BaseModel):
    """A request to connect a provider. docs/integrations.md lists the settings and credentials of
    each provider."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, json_schema_extra={"examples": [_EXAMPLE]}
    )

    provider: Annotated[
        Provider,
        Field(strict=False),
        WithJsonSchema({"type": "string", "enum": sorted(OF_MERCHANTS)}),
    ]
    settings: dict[str, str] = {}
    credentials: Annotated[
        dict[str, SecretStr],
        Field(
            default={},
            description=(
                "Credentials of the provider, by name. Never returned, logged or exported."
            ),
        ),
    ]


class TrialBody(BaseModel):
    """An empty JSON object."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class TrialAnswer(BaseModel):
    problem: Problem | None = Field(
        description="Problem of the connection; null if the agent can use the connection."
    )


class IntegrationPage(BaseModel):
    integrations: tuple[IntegrationEntry, ...] = Field(
        description="Current and former connections of the client, oldest first."
    )
    next_cursor: str | None = Field(description="Cursor of the next page; null on the last page.")
