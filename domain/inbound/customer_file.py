"""The customer's file: all that is kept of one customer, as they are handed it."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.integrations.order_fact import OrderFact

MOST_EVENTS: Final = 2_000
"""The newest; a customer of more is for an operator's export."""


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True)


class FiledConversation(_Kept):
    """`summary`: what the agent remembers of it."""

    id: str
    channel: str
    summary: str
    created_at: datetime
    last_message_at: datetime


class FiledMessage(_Kept):
    """`author`: `customer`, `agent` or `human`."""

    event_id: str
    conversation_id: str | None
    author: str
    body: str
    created_at: datetime


class FiledRun(_Kept):
    """What the agent made of a message. `sentiment`: -1 to 1."""

    event_id: str
    id: str
    status: str
    classification: str | None
    language: str | None
    sentiment: float | None
    response: str | None
    received_at: datetime


class FiledReview(_Kept):
    """What a person decided about an answer."""

    run_id: str
    id: str
    status: str
    reason: str
    draft: str
    edited_text: str | None
    created_at: datetime
    decided_at: datetime | None


class FiledAttachment(_Kept):
    event_id: str
    id: str
    name: str
    media_type: str | None
    size: int
    created_at: datetime


class CustomerFile(_Kept):
    """`memory`: what is remembered across conversations. `orders`: what webhooks have told.
    `is_complete`: False where there were more messages than MOST_EVENTS."""

    request_id: str
    customer_email: str | None
    made_at: datetime
    is_complete: bool
    memory: str | None
    conversations: tuple[FiledConversation, ...]
    messages: tuple[FiledMessage, ...]
    runs: tuple[FiledRun, ...]
    reviews: tuple[FiledReview, ...]
    attachments: tuple[FiledAttachment, ...]
    orders: tuple[OrderFact, ...]
