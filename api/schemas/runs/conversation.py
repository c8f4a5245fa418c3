"""Request and response models of the dashboard routes for conversations."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.strict_body import StrictBody
from domain.core.ids import ULID
from domain.reviews.escalation import MAX_WORDS
from domain.runs.teammate_reply import MAX_INTERNAL_NOTE, ReplyState

# White space is defined as in Python, as in domain/reviews/escalation.py. PostgreSQL cannot store
# NUL.
_WRITTEN: Final = r"^[^\x00]*[^\x00\s][^\x00]*$"


class ReplyBody(StrictBody):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={
            "examples": [{"text": "Bonjour, votre colis est parti ce matin. Bonne journée, Anna"}]
        },
    )

    text: str = Field(
        pattern=_WRITTEN, max_length=MAX_WORDS, description="Text to send to the customer."
    )
    latest_message: Annotated[
        str | None,
        Field(
            pattern=ULID,
            description=(
                "Event id of the customer's latest message as the member saw it. The reply is "
                "rejected if the customer has sent another message since then. Without it, the "
                "reply is not checked."
            ),
        ),
    ] = None


class UndoReplyBody(StrictBody):
    pass


class NoteBody(StrictBody):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={"examples": [{"text": "Cliente fidèle : geste commercial possible."}]},
    )

    text: str = Field(
        pattern=_WRITTEN,
        max_length=MAX_INTERNAL_NOTE,
        description="Text of the note, which only members read.",
    )


class ReplyAnswer(BaseModel):
    reply_id: str
    conversation_id: str
    state: ReplyState
    send_at: datetime = Field(
        description="Time when the reply is sent. Until then, it can be undone."
    )


class UndoneReply(BaseModel):
    reply_id: str
    conversation_id: str
    text: str = Field(description="Text of the reply, which is no longer stored.")


class NoteAnswer(BaseModel):
    note_id: str
    conversation_id: str
    created_at: datetime
