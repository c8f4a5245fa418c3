"""A conversation as people and their assistants read it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from domain.intake.attachment import Attachment


class ConversationSummary(BaseModel):
    """A conversation in a list. `latest`: the customer's latest message. `handed_over_at`: since
    when people answer in it. `sentiment`: the latest, from -1 to 1."""

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
    """`run_id`: what the agent did about it, or what it came from. `attachments`: what the customer
    sent with it."""

    model_config = ConfigDict(frozen=True)

    id: str
    author: Literal["customer", "agent", "human"]
    body: str
    created_at: datetime
    run_id: str | None
    attachments: tuple[Attachment, ...] = ()
