"""All configuration from environment variables. `main` loads it once and passes it on."""

import os
from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from domain.core.errors import InvalidInput
from settings.brain import BrainSettings, EmbeddingSettings
from settings.identity import IdentitySettings
from settings.inbound import InboundSettings
from settings.payments import PaymentSettings
from settings.service import (
    DatabaseSettings,
    IntegrationSettings,
    LimitSettings,
    MailSettings,
    ReviewSettings,
    SealSettings,
    ServerSettings,
    SweepSettings,
    ThreadSettings,
    WatchSettings,
    WebhookSettings,
)
from settings.temporal import TemporalSettings

Groups = TypeVar("Groups", bound=BaseModel)


class Settings(BaseModel):
    """All settings, grouped by subject. `.env.example` shows a typical deployment.

    docs/configuration.md is generated from the groups' titles and the fields' descriptions, which
    are Markdown with links relative to docs/.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    database: DatabaseSettings = Field(title="Database")
    temporal: TemporalSettings = Field(title="Temporal")
    server: ServerSettings = Field(title="API")
    identity: IdentitySettings = Field(title="Sign-in and tokens")
    seal: SealSettings = Field(title="Encryption")
    brain: BrainSettings = Field(title="Language model")
    embedding: EmbeddingSettings = Field(title="Semantic search")
    mail: MailSettings = Field(title="Email")
    reviews: ReviewSettings = Field(title="Reviews")
    threads: ThreadSettings = Field(title="Conversations")
    sweep: SweepSettings = Field(title="Sweeper")
    limits: LimitSettings = Field(title="Limits")
    integrations: IntegrationSettings = Field(title="Integrations")
    webhooks: WebhookSettings = Field(title="Webhooks")
    payments: PaymentSettings = Field(title="Payments and prices")
    inbound: InboundSettings = Field(title="Inbound webhooks")
    watch: WatchSettings = Field(title="Logs, errors, metrics and traces")


def load_settings(**given: object) -> Settings:
    """Return the settings from the environment variables, without blank ones. `given` overrides
    variables by name.

    Raises InvalidInput with each missing or invalid variable.
    """
    variables = {name.upper(): value for name, value in os.environ.items() if value}
    return _validated(Settings, {**variables, **given})


class _TemporalAlone(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    temporal: TemporalSettings


def load_temporal(variables: Mapping[str, str]) -> TemporalSettings:
    """Return only the Temporal settings, for programs that need no other settings. Raises
    InvalidInput like `load_settings`."""
    given = {name: value for name, value in variables.items() if value}
    return _validated(_TemporalAlone, given).temporal


class _IntegrationsAlone(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    integrations: IntegrationSettings


def load_integrations(variables: Mapping[str, str]) -> IntegrationSettings:
    """Return only the integration settings. Raises InvalidInput like `load_settings`."""
    given = {name: value for name, value in variables.items() if value}
    return _validated(_IntegrationsAlone, given).integrations


class _ServerAlone(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    server: ServerSettings


def load_server(variables: Mapping[str, str]) -> ServerSettings:
    """Return only the server settings. Raises InvalidInput like `load_settings`."""
    given = {name: value for name, value in variables.items() if value}
    return _validated(_ServerAlone, given).server


class _BrainAlone(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    brain: BrainSettings
    embedding: EmbeddingSettings


def load_brain(variables: Mapping[str, str]) -> _BrainAlone:
    """Return only the settings of the brain and the embedding model. Raises InvalidInput like
    `load_settings`."""
    given = {name: value for name, value in variables.items() if value}
    return _validated(_BrainAlone, given)


class _MailAlone(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    mail: MailSettings
    webhooks: WebhookSettings


def load_mail(variables: Mapping[str, str]) -> _MailAlone:
    """Return only the email and webhook settings, which include the sender and the permitted
    addresses of clients' servers. Raises InvalidInput like `load_settings`."""
    given = {name: value for name, value in variables.items() if value}
    return _validated(_MailAlone, given)


def _validated(groups: type[Groups], offered: Mapping[str, object]) -> Groups:
    try:
        # Every group receives all variables, and ignores the variables of other groups.
        return groups.model_validate(dict.fromkeys(groups.model_fields, offered))
    except ValidationError as error:
        problems = "; ".join(map(_described, error.errors()))
        raise InvalidInput(f"not configured: {problems}") from None


def _described(problem: ErrorDetails) -> str:
    match problem["loc"], problem["type"]:
        case [_, variable], "missing":
            return f"{variable} is not set"
        case [_, variable], _:
            return f"{variable} ({problem['msg']})"
        case _:  # An error message about several variables already names them.
            return problem["msg"].removeprefix("Value error, ")
