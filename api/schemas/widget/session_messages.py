"""Request and response models for a widget session's messages."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.widget.shown_message import SessionState, ShownMessage
from domain.widget.widget_session import MAX_TOKEN

MAX_NUMBER = 2**31 - 1


class MessagesQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    after: Annotated[
        int,
        Field(ge=0, le=MAX_NUMBER, description=("Number of the last message that the caller has.")),
    ] = 0


class SessionMessages(BaseModel):
    """One page of a session's messages, at most 100. After a full page, pass the number of the last
    message to request the next page."""

    model_config = ConfigDict(frozen=True)

    messages: tuple[ShownMessage, ...]
    state: SessionState


class SeenBody(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"session_id": "the token of the session", "number": 2}]},
    )

    session_id: Annotated[str, Field(max_length=MAX_TOKEN)]
    number: Annotated[int, Field(strict=True, ge=0, le=MAX_NUMBER)]
