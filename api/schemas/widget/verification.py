"""Request and response models for verifying a visitor's address."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.strict_body import StrictBody
from api.schemas.widget.chat import MAX_EMAIL, Language
from domain.widget.widget_session import MAX_TOKEN

MAX_CODE: Final = 20

_Token = Annotated[
    str, Field(max_length=MAX_TOKEN, description="Session token issued by the service.")
]


class VisitorAddress(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"session_id": "the token of the session", "customer_email": "camille@example.com"}
            ]
        }
    )

    session_id: _Token
    customer_email: Annotated[str, Field(max_length=MAX_EMAIL)]
    language: Language | None = Field(
        default=None, description="Language of the email; defaults to the session's language."
    )


class CodeSent(BaseModel):
    """The response to a request for a code, identical for every address."""

    status: Literal["sent"] = "sent"


class VisitorCode(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"session_id": "the token of the session", "code": "482913"}]
        }
    )

    session_id: _Token
    code: Annotated[
        str, Field(max_length=MAX_CODE, description="Code from the email, with six or nine digits.")
    ]


class VerifiedSession(BaseModel):
    session_id: str = Field(
        description=(
            "New session token, which replaces the previous one. If the previous session "
            "belongs to another address, the new token starts a new session."
        )
    )
    customer_email: str
