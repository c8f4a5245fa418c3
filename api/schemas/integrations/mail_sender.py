"""Request models for the dashboard's mail sender routes."""

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, JsonValue, SecretStr, WithJsonSchema

from api.schemas.core.strict_body import StrictBody, Whole
from domain.identity.address import MAX_ADDRESS
from domain.integrations.client_sender import (
    MAX_HOST,
    MAX_LOGIN,
    MAX_PASSWORD,
    MAX_SIGNATURE,
    PORTS,
    Security,
    WantedSender,
    WantedServer,
)

# The values are validated in domain/integrations/client_sender.py, not here, because the errors
# raised there name the problem.
_Address = Annotated[
    str, WithJsonSchema({"type": "string", "format": "email", "maxLength": MAX_ADDRESS})
]
_EXAMPLE: Final[dict[str, JsonValue]] = {
    "address": "contact@shop.example",
    "reply_to": "support@shop.example",
    "signature": "L'équipe de Chez Nous\n1 rue du Port, Nantes",
    "smtp": {
        "host": "smtp.shop.example",
        "port": 465,
        "username": "contact@shop.example",
        "password": "not-this-one",
    },
}


class SmtpBody(StrictBody):
    host: Annotated[
        str, WithJsonSchema({"type": "string", "format": "hostname", "maxLength": MAX_HOST})
    ]
    port: Annotated[Whole, WithJsonSchema({"type": "integer", "enum": sorted(PORTS)})]
    security: Annotated[
        Security | None,
        WithJsonSchema({"type": ["string", "null"], "enum": [*Security, None]}),
        Field(
            strict=False,
            description=("Connection security; defaults to the usual mode for the port."),
        ),
    ] = None
    username: Annotated[
        str | None,
        WithJsonSchema({"type": ["string", "null"], "minLength": 1, "maxLength": MAX_LOGIN}),
    ] = None
    password: Annotated[
        SecretStr | None,
        WithJsonSchema({"type": ["string", "null"], "minLength": 1, "maxLength": MAX_PASSWORD}),
        Field(
            description=(
                "Password for the mail server. It is never returned, logged or exported. Defaults "
                "to the stored password for the same server and user name."
            )
        ),
    ] = None

    @property
    def wanted(self) -> WantedServer:
        password = None if self.password is None else self.password.get_secret_value()
        return WantedServer(self.host, self.port, self.security, self.username, password)


# The schema is inlined because the OpenAPI document could not resolve references.
_Smtp = Annotated[SmtpBody, WithJsonSchema(SmtpBody.model_json_schema())]


class SenderBody(StrictBody):
    """The new sender. It replaces the current one, so omitted fields are cleared."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    address: Annotated[_Address, Field(description="Sender address for emails to customers.")]
    reply_to: Annotated[
        _Address | None, Field(description="Address for customers' replies; null to use `address`.")
    ] = None
    signature: Annotated[
        str,
        WithJsonSchema({"type": "string", "maxLength": MAX_SIGNATURE}),
        Field(description="Plain text appended to each email; at most 12 lines."),
    ] = ""
    smtp: Annotated[
        _Smtp | None,
        Field(description=("The client's mail server; null to use the service's mail server.")),
    ] = None

    @property
    def wanted(self) -> WantedSender:
        server = None if self.smtp is None else self.smtp.wanted
        return WantedSender(self.address, self.reply_to, self.signature, server)


class SenderCodeBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"code": "482913"}]})

    code: str = Field(max_length=20, description="Six-digit code from the email.")


class ResentCodeBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"language": "fr"}]})

    language: Literal["fr", "en"] | None = Field(
        default=None, description="Language of the email; defaults to the Accept-Language header."
    )
