"""Conversations and their messages, as displayed to members and to AI assistants."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from domain.intake.attachment import Attachment


class ConversationSummary(BaseModel):
    """A conversation in a list. `latest` is the customer's latest message. `handed_over_at` is when
    human agents took over. `sentiment` is from -1 to 1."""

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
    """A message in a conversation. `run_id` is the run that the customer's message started or that
    wrote the answer, or None for a member's reply. `written_by` is the replying member, or None."""

    model_config = ConfigDict(frozen=True)

    id: str
    author: Literal["customer", "agent", "human"]
    body: str
    created_at: datetime
    run_id: str | None
    written_by: str | None = None
    attachments: tuple[Attachment, ...] = ()
