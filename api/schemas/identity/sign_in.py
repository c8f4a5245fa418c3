"""Request and response models for sign-in."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.strict_body import StrictBody
from domain.identity.address import MAX_ADDRESS

_Address = Annotated[
    str,
    Field(
        min_length=3,
        max_length=MAX_ADDRESS,
        description="Email address, such as `anne@shop.example`.",
    ),
]
_RefreshToken = Annotated[str, Field(min_length=1, max_length=200)]


class SignupBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"email": "camille@example.com", "brand_name": "Boutique Camille"}]
        }
    )

    email: _Address
    brand_name: Annotated[
        str | None,
        Field(
            max_length=400,
            description=(
                "Name of the shop, 1 to 100 characters. Optional when signing in to an existing "
                "account."
            ),
        ),
    ] = None


class SignupAnswer(BaseModel):
    """The response to a sign-up, identical for every address. `expires_in` is the lifetime of the
    code, in seconds."""

    model_config = ConfigDict(frozen=True)

    status: Literal["accepted"] = "accepted"
    expires_in: int


class EnterCodeBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"email": "camille@example.com", "code": "482913"}]}
    )

    email: _Address
    code: Annotated[str, Field(max_length=20, description="Six-digit code from the email.")]


class RefreshBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"refresh_token": "the last refresh token"}]}
    )

    refresh_token: _RefreshToken


class SignOutBody(StrictBody):
    """A sign-out request. Without a refresh token, it ends the session identified by the browser's
    cookie."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"everywhere": True}]})

    refresh_token: _RefreshToken | None = None
    everywhere: bool = False


class Tokens(BaseModel):
    """The tokens of a session. `token` is a session JWT, for use in `Authorization: Bearer`.
    `expires_in` is its lifetime, in seconds. Each use of `refresh_token` replaces it."""

    model_config = ConfigDict(frozen=True)

    token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - no password
    expires_in: int
    refresh_token: str


class VerifyAnswer(Tokens):
    """The response to a correct sign-in code. `client_id` is the user's default client, or null.
    `created` means that this sign-in created it. `invited` means that the user has open
    invitations."""

    user_id: str
    client_id: str | None
    created: bool
    invited: bool
