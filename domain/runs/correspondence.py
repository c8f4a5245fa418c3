"""Conversations and their messages, as displayed to members and to AI assistants."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from domain.intake.attachment import Attachment


class ConversationSummary(BaseModel):
    """A conversation in a list. `latest`: the customer's latest message. `handed_over_at`: the time
    when human agents took over the conversation from the agent. `sentiment`: the latest sentiment
    score, from -1 to 1."""

    model_config = ConfigDict(frozen=True)

    id: str
    channel: str
    customer_email: str | None
    created_at: datetime
    last_message_at: datetime
    ended_at: datetime | None
    handed_over_at: datetime | None
    sentiment: float | None
    latest: str | None


class Message(BaseModel):
    """A message in a conversation. `run_id`: for a customer's message, id of the run that the
    message started. For the agent's answer, id of the run that wrote it. None for a member's reply.
    `written_by`: the member who wrote the reply, or None. `attachments`: the files that the
    customer sent with the message."""

    model_config = ConfigDict(frozen=True)

    id: str
    author: Literal["customer", "agent", "human"]
    body: str
    created_at: datetime
    run_id: str | None
    written_by: str | None = None
    attachments: tuple[Attachment, ...] = ()
