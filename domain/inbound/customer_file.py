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
    """A conversation in a customer file. `summary` is the agent's summary of the conversation."""

    id: str
    channel: str
    summary: str
    created_at: datetime
    last_message_at: datetime


class FiledMessage(_Kept):
    """A message in a customer file. `author` is `customer`, `agent` or `human`, the merchant's
    team. `author_verified` is None for the merchant's messages, and False if another person may
    have written the message."""

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
    """All data stored about one customer. `memory` is what the agent remembers across
    conversations. `orders` come from webhooks. `is_complete` is False if messages were left out
    because of the size limit."""

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
