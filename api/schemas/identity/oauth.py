"""Models of the OAuth endpoints, for the OpenAPI document. The endpoints accept forms and JSON
objects, and ignore unknown fields."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from domain.identity.errors import OAuthError

_KEY = "mcp_00112233445566778899aabbccddeeff"


class TokenRequest(BaseModel):
    """A token request (RFC 6749, 4.1.3 and 6)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "grant_type": "authorization_code",
                    "client_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
                    "code": "SplxlOBeZQQYbYS6WxSbIA",
                    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                    "redirect_uri": "http://127.0.0.1:3000/callback",
                },
                {
                    "grant_type": "refresh_token",
                    "client_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
                    "refresh_token": _KEY,
                },
            ]
        }
    )

    grant_type: Literal["authorization_code", "refresh_token"]
    client_id: str = Field(description="Id of the registered OAuth client.")
    code: str | None = Field(default=None, description="Authorization code.")
    code_verifier: str | None = Field(
        default=None, description="PKCE verifier of the code's S256 challenge."
    )
    redirect_uri: str | None = Field(
        default=None, description="Redirect URI of the authorization request."
    )
    refresh_token: str | None = Field(default=None, description="The MCP key itself.")
    resource: str | None = Field(default=None, description="Address of the MCP server (RFC 8707).")


class TokenAnswer(BaseModel):
    """The MCP key, as access token and as refresh token. It is valid until it is revoked."""

    access_token: str = Field(examples=[_KEY])
    token_type: Literal["Bearer"]
    refresh_token: str = Field(examples=[_KEY])
    scope: str = Field(description="Granted scopes, separated by spaces.")


class RevocationRequest(BaseModel):
    """A revocation request (RFC 7009)."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"token": _KEY}]})

    token: str = Field(description="The MCP key.")
    client_id: str | None = Field(default=None, description="Id of the registered OAuth client.")


class RevocationAnswer(BaseModel):
    """An empty object."""


class RegistrationRequest(BaseModel):
    """A client registration (RFC 7591)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "client_name": "Desk assistant",
                    "redirect_uris": ["http://127.0.0.1:3000/callback"],
                }
            ]
        }
    )

    redirect_uris: list[str]
    client_name: str | None = None


class RegistrationAnswer(BaseModel):
    """The registered OAuth client. Every client is public, so it has no secret."""

    client_id: str
    client_id_issued_at: int = Field(
        description="Time of the registration, in Unix seconds.", examples=[1764000000]
    )
    client_name: str | None
    redirect_uris: list[str] = Field(examples=[["http://127.0.0.1:3000/callback"]])
    grant_types: list[str] = Field(examples=[["authorization_code", "refresh_token"]])
    response_types: list[str] = Field(examples=[["code"]])
    token_endpoint_auth_method: Literal["none"]


class OAuthErrorBody(BaseModel):
    """An error as RFC 6749 specifies it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"error": "invalid_grant", "error_description": "the code is unknown"}]
        }
    )

    error: OAuthError
    error_description: str
