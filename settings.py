"""Everything that is configured by environment. Built once in `main` and passed on."""

from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

EMBEDDED_BRAIN = "embedded"


class Settings(BaseSettings):
    """Blank variables count as unset. `.env.example` shows what a normal deployment sets."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    database_url: str = Field(description="postgresql://user:password@host/database")
    temporal_address: str = Field(description="host:port of Temporal's gRPC frontend")
    temporal_namespace: str = "default"
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=1, le=65535)
    engine_secret: SecretStr | None = Field(
        default=None, description="Shared with internal workers; unset disables the scheme."
    )
    seal_key: SecretStr = Field(
        description="Fernet key(s), newest first, that seal the text of dry runs."
    )
    brain_model: str = Field(default=EMBEDDED_BRAIN, description="Who thinks: 'embedded'.")
    smtp_url: str | None = Field(
        default=None, description="smtp[s]://user:password@host:port; unset: mail actions fail."
    )
    mail_from: str = "support@localhost"
    review_expiry_hours: float = Field(default=72, gt=0)
    sweep_interval_s: float = Field(default=30, gt=0)
    sweep_after_s: float = Field(default=60, gt=0)
    workflow_sandbox: bool = Field(
        default=True, description="Temporal's determinism checks at run time; tests keep it on."
    )
    log_level: str = "INFO"

    @model_validator(mode="after")
    def _known_brain(self) -> Self:
        if self.brain_model != EMBEDDED_BRAIN:
            raise ValueError("BRAIN_MODEL: only 'embedded' is available")
        return self
