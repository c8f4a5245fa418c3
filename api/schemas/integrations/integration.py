"""Request and response models for the dashboard's integration routes."""

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
    """A request to connect to a provider. docs/integrations.md lists each provider's settings and
    credentials."""

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
                "The provider's credentials, by name. They are never returned, logged or exported."
            ),
        ),
    ]


class TrialBody(BaseModel):
    """An empty JSON object."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class TrialAnswer(BaseModel):
    problem: Problem | None = Field(
        description="Problem with the connection; null if the agent can use the connection."
    )


class IntegrationPage(BaseModel):
    integrations: tuple[IntegrationEntry, ...] = Field(
        description="The client's current and former connections, oldest first."
    )
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")
