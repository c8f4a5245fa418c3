"""Settings of the connection to Temporal: its address and our credentials."""

import ssl
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from settings.group import holds_certificates, named_by

# Temporal joins the names of a deployment and a build with a dot.
_VERSION_PART: Final = r"^[A-Za-z0-9_-]{1,100}$"


def _is_address(address: str) -> str:
    _, colon, port = address.rpartition(":")
    if not (colon and port.isdecimal()):
        raise ValueError("host:port expected")
    return address


class TemporalSettings(BaseModel):
    """The variables have the same names as those of Temporal's own programs."""

    model_config = named_by("TEMPORAL_")

    address: Annotated[str, AfterValidator(_is_address)] = Field(
        description="host:port of Temporal's gRPC frontend"
    )
    namespace: str = "default"
    tls: bool | None = Field(
        default=None,
        description="Whether the connection is encrypted; unset: if one of the following is set.",
    )
    tls_server_name: str | None = Field(
        default=None, description="The name in the server's certificate, if not the address's."
    )
    tls_server_ca_cert_path: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None,
        description="Certificates (PEM) of the authority that signed the server's; unset: the "
        "system's.",
    )
    tls_client_cert_path: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None, description="Our certificate (PEM), where the server asks for one (mTLS)."
    )
    tls_client_key_path: Path | None = Field(default=None, description="Its private key (PEM).")
    api_key: SecretStr | None = Field(default=None, description="Temporal Cloud's, or a cluster's.")
    deployment: Annotated[str, Field(pattern=_VERSION_PART)] | None = Field(
        default=None, description="The Worker Deployment of the workers; unset: none."
    )
    build_id: Annotated[str, Field(pattern=_VERSION_PART)] | None = Field(
        default=None, description="The build that these workers are; goes with TEMPORAL_DEPLOYMENT."
    )
    sandbox: bool = Field(
        default=False,
        alias="WORKFLOW_SANDBOX",
        description="Temporal's determinism checks at run time. They cost a fifth of a worker's "
        "CPU; every test and replay runs with them.",
    )

    @property
    def is_encrypted(self) -> bool:
        return self.tls if self.tls is not None else self._secured

    @property
    def _secured(self) -> bool:
        given = (
            self.tls_server_name,
            self.tls_server_ca_cert_path,
            self.tls_client_cert_path,
            self.api_key,
        )
        return any(value is not None for value in given)

    @model_validator(mode="after")
    def _whole_identity(self) -> Self:
        certificate, key = self.tls_client_cert_path, self.tls_client_key_path
        if certificate is not None and key is not None:
            try:
                # Without a password callback, OpenSSL would prompt for a key's password on the
                # terminal.
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(
                    certificate, key, password=lambda: b""
                )
            except OSError:
                raise ValueError(
                    "TEMPORAL_TLS_CLIENT_KEY_PATH: the private key (PEM, without a password) of "
                    "TEMPORAL_TLS_CLIENT_CERT_PATH expected"
                ) from None
        elif certificate is not None or key is not None:
            raise ValueError(
                "TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH: both of them or "
                "none"
            )
        if self.tls is False and self._secured:
            raise ValueError(
                "TEMPORAL_TLS: false, and an API key or certificates that only TLS protects"
            )
        return self

    @model_validator(mode="after")
    def _whole_version(self) -> Self:
        if (self.deployment is None) != (self.build_id is None):
            raise ValueError("TEMPORAL_DEPLOYMENT and TEMPORAL_BUILD_ID: both of them or none")
        return self

    @property
    def version(self) -> tuple[str, str] | None:
        """The deployment of this process, and its build id."""
        if self.deployment is None or self.build_id is None:
            return None
        return self.deployment, self.build_id
