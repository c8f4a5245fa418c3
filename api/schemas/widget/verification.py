"""Requests and responses of the verification of a visitor's address."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from api.schemas.core.strict_body import StrictBody
from api.schemas.widget.chat import MAX_EMAIL, Language
from domain.widget.widget_session import MAX_TOKEN

MAX_CODE: Final = 20

_Token = Annotated[str, Field(max_length=MAX_TOKEN, description="As the service gave it.")]


class VisitorAddress(StrictBody):
    session_id: _Token
    customer_email: Annotated[str, Field(max_length=MAX_EMAIL)]
    language: Language | None = Field(
        default=None, description="Of the mail; by default the session's."
    )


class CodeSent(BaseModel):
    """The response is the same for every address."""

    status: Literal["sent"] = "sent"


class VisitorCode(StrictBody):
    session_id: _Token
    code: Annotated[str, Field(max_length=MAX_CODE, description="Six digits, or nine.")]


class VerifiedSession(BaseModel):
    session_id: str = Field(
        description="A new token, of the session that goes on; the one before no longer opens it. "
        "It is of a new session where that one belongs to another address."
    )
    customer_email: str
