"""The customer file: all data stored about one customer, for answering a data request."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.integrations.order_fact import OrderFact

MOST_EVENTS: Final = 2_000
"""Maximum number of messages in a customer file, newest first. If a customer has more messages, an
operator must export them."""


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True)


class FiledConversation(_Kept):
    """A conversation in a customer file. `summary`: the agent's summary of the conversation."""

    id: str
    channel: str
    summary: str
    created_at: datetime
    last_message_at: datetime


class FiledMessage(_Kept):
    """A message in a customer file. `author`: `customer`, `agent` or `human` (the merchant's
    team). `author_verified`: whether the customer's address was verified for this message. False if
    another person may have written it. None for the merchant's own messages."""

    event_id: str
    conversation_id: str | None
    author: str
    author_verified: bool | None
    body: str
    created_at: datetime


class FiledNote(_Kept):
    """An internal note of the merchant's team in a customer file."""

    event_id: str
    conversation_id: str
    body: str
    created_at: datetime


class FiledRun(_Kept):
    """The agent's result for a message in a customer file. `sentiment`: from -1 to 1."""

    event_id: str
    id: str
    status: str
    classification: str | None
    language: str | None
    sentiment: float | None
    response: str | None
    received_at: datetime


class FiledReview(_Kept):
    """A reviewer's decision about the agent's answer, in a customer file."""

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
    """All data stored about one customer. `memory`: the agent's memory of the customer across
    conversations. `orders`: facts about orders, from webhooks. `is_complete`: False if the customer
    has more messages than the file can contain."""

    request_id: str
    customer_email: str | None
    made_at: datetime
    is_complete: bool
    memory: str | None
    conversations: tuple[FiledConversation, ...]
    messages: tuple[FiledMessage, ...]
    notes: tuple[FiledNote, ...]
    runs: tuple[FiledRun, ...]
    reviews: tuple[FiledReview, ...]
    attachments: tuple[FiledAttachment, ...]
    orders: tuple[OrderFact, ...]

    @property
    def has_unverified(self) -> bool:
        """Return True if another person may have written some of the customer's messages."""
        return any(message.author_verified is False for message in self.messages)
