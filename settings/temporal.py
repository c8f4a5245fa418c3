"""Settings for the connection to Temporal: the server's address and our credentials."""

import ssl
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from settings.group import WebUrl, holds_certificates, named_by

# A name must not contain a dot, because Temporal joins the deployment name and the build id with a
# dot.
_VERSION_PART: Final = r"^[A-Za-z0-9_-]{1,100}$"


def _is_address(address: str) -> str:
    _, colon, port = address.rpartition(":")
    if not (colon and port.isdecimal()):
        raise ValueError("host:port expected")
    return address


class TemporalSettings(BaseModel):
    """Settings for the connection to Temporal. A setting that Temporal's own CLI also has uses the
    same variable name."""

    model_config = named_by("TEMPORAL_")

    address: Annotated[str, AfterValidator(_is_address)] = Field(
        description="Address of Temporal's gRPC frontend, as `host:port`.",
    )
    namespace: str = Field(
        default="default",
        description="Temporal namespace, which must already exist.",
    )
    ui_url: WebUrl | None = Field(
        default=None,
        description=(
            "URL of Temporal's web UI. If set, internal admins see a link to the workflow on each "
            "run's page."
        ),
    )
    tls: bool | None = Field(
        default=None,
        description=(
            "Whether the connection to Temporal is encrypted. If unset, it is encrypted if any "
            "other TLS setting or the API key is set."
        ),
    )
    tls_server_name: str | None = Field(
        default=None,
        description=(
            "Name in Temporal's certificate, if it differs from the host in `TEMPORAL_ADDRESS`."
        ),
    )
    tls_server_ca_cert_path: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None,
        description=(
            "PEM file of the certificate authority that signed Temporal's certificate. If unset, "
            "the system's certificate authorities are trusted."
        ),
    )
    tls_client_cert_path: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None,
        description=(
            "PEM file with our client certificate, if Temporal requires one (mTLS). The file is "
            "read when a process starts. Must be set together with "
            "`TEMPORAL_TLS_CLIENT_KEY_PATH`."
        ),
    )
    tls_client_key_path: Path | None = Field(
        default=None,
        description=(
            "PEM file with the client certificate's private key, without a password. Must be set "
            "together with `TEMPORAL_TLS_CLIENT_CERT_PATH`."
        ),
    )
    api_key: SecretStr | None = Field(
        default=None,
        description=(
            "API key for Temporal Cloud, or for another cluster with API keys. It is sent only "
            "over TLS."
        ),
    )
    deployment: Annotated[str, Field(pattern=_VERSION_PART)] | None = Field(
        default=None,
        description=(
            "Name of the Worker Deployment to which the workers belong. Several builds of the "
            "workers can then run at the same time. `cli.py deployment promote` selects the build "
            "that receives new work. See [builds of the workers](operations.md#worker-builds). If "
            "unset, the workers belong to no deployment. Must be set together with "
            "`TEMPORAL_BUILD_ID`."
        ),
    )
    build_id: Annotated[str, Field(pattern=_VERSION_PART)] | None = Field(
        default=None,
        description=(
            "Build id of the workers, for example the image's tag with `-` instead of `.`. Must be "
            "set together with `TEMPORAL_DEPLOYMENT`."
        ),
    )
    sandbox: bool = Field(
        default=False,
        alias="WORKFLOW_SANDBOX",
        description=(
            "Whether Temporal checks at run time that workflows are deterministic. The checks use "
            "a fifth of a worker's CPU time. Every test and replay runs with them."
        ),
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
                # Without this password callback, OpenSSL would prompt for the key's password on the
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
        """Return this process's Worker Deployment and build id, or None if it does not belong to a
        deployment."""
        if self.deployment is None or self.build_id is None:
            return None
        return self.deployment, self.build_id
